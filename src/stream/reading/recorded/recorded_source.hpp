// The steps of a recording: a file of any format that src/format knows, as it is when it is opened.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <staithe/options.hpp>

#include "format/recording.hpp"
#include "stream/reading/filed_source.hpp"

namespace staithe::stream::recorded {

class RecordedSource final : public FiledSource {
  public:
    /// Of the file that STAITHE_STREAMS names for the stream as its "file", else of the one that the stream is called
    /// like.
    static base::Result<std::shared_ptr<StepSource>> open(const std::string& stream, const ReaderOptions& options);
    /// Of the one at that path.
    static base::Result<std::shared_ptr<RecordedSource>> open_file(const std::string& stream, const std::string& path,
                                                                   const ReaderOptions& options);

    [[nodiscard]] const Attributes& attributes() const override { return recording_->attributes(); }

  private:
    RecordedSource(const std::string& stream, const Group& group,
                   std::shared_ptr<const format::RecordingReader> recording, std::size_t first)
        : FiledSource(stream, group, recording->steps().size() - first),
          recording_(std::move(recording)),
          first_(first) {}

    base::Result<std::shared_ptr<const Step>> open_step(std::size_t place) override;

    const std::shared_ptr<const format::RecordingReader> recording_;
    const std::size_t first_;  // that this reader wants
};

}  // namespace staithe::stream::recorded
