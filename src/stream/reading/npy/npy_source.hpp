// The steps in a folder of .npy files, as NumPy saves them. Which file belongs to which step: step_files.hpp.
//
// The folder is taken as it is when it is opened. Headers are read as a step is taken, elements as they are asked for.
// A step keeps its files open, so a file that is replaced meanwhile is still there for it; one that is written over in
// place is not.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <staithe/options.hpp>

#include "stream/reading/filed_source.hpp"
#include "stream/reading/npy/step_files.hpp"

namespace staithe::stream {
class StepSink;
}

namespace staithe::stream::npy {

class NpySource final : public FiledSource {
  public:
    /// Of the folder that STAITHE_STREAMS names for the stream as its "folder", else of the one that the stream is
    /// called like.
    static base::Result<std::shared_ptr<StepSource>> open(const std::string& stream, const ReaderOptions& options);

    [[nodiscard]] const Attributes& attributes() const override { return none_; }

  private:
    NpySource(const std::string& stream, const Group& group, std::vector<StepFiles> steps)
        : FiledSource(stream, group, steps.size()), steps_(std::move(steps)) {}

    base::Result<std::shared_ptr<const Step>> open_step(std::size_t place) override;

    const Attributes none_;
    const std::vector<StepFiles> steps_;
};

/// Nobody writes such folders by a stream: `invalid_argument`.
base::Result<std::shared_ptr<StepSink>> refuse_to_write(const std::string& stream, const WriterOptions& options);

}  // namespace staithe::stream::npy
