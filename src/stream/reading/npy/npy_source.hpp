// The steps in a folder of .npy files, as NumPy saves them. Which file belongs to which step: step_files.hpp.
//
// The folder is taken as it is when it is opened. Headers are read as a step is taken, elements as they are asked for.
// A step keeps its files open, so a file that is replaced meanwhile is still there for it; one that is written over in
// place is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <staithe/options.hpp>

#include "os/fork.hpp"
#include "stream/reading/npy/step_files.hpp"
#include "stream/reading/pins.hpp"
#include "stream/reading/step_source.hpp"

namespace staithe::stream {
class StepSink;
}

namespace staithe::stream::npy {

class NpySource final : public StepSource {
  public:
    /// Of the folder that STAITHE_STREAMS names for the stream as its "folder", else of the one that the stream is
    /// called like.
    static base::Result<std::shared_ptr<StepSource>> open(const std::string& stream, const ReaderOptions& options);

    base::Result<std::shared_ptr<const Step>> next(std::optional<double> timeout) override;
    base::Result<> close() override;

    [[nodiscard]] int writers() const override { return 1; }
    [[nodiscard]] const Attributes& attributes() const override { return none_; }
    [[nodiscard]] ReaderStatistics statistics() const override;

  private:
    NpySource(const std::string& stream, const Group& group, std::vector<StepFiles> steps)
        : StepSource(stream, group), steps_(std::move(steps)) {}

    base::Result<std::shared_ptr<const Step>> open_step(const StepFiles& files);
    base::Result<> lay_out(Schema schema);

    const os::Home home_;
    const Attributes none_;
    const std::vector<StepFiles> steps_;
    std::size_t taken_ = 0;
    bool closed_ = false;
    Schema schema_;  // of the last step, and what it came to
    std::shared_ptr<const Layout> layout_;
    const Pins pins_;
};

/// Nobody writes such folders by a stream: `invalid_argument`.
base::Result<std::shared_ptr<StepSink>> refuse_to_write(const std::string& stream, const WriterOptions& options);

}  // namespace staithe::stream::npy
