// A base for sources of steps that lie in files: all are there when it is opened, nobody waits for them, and nobody
// gives them back.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/options.hpp>

#include "os/fork.hpp"
#include "stream/reading/pins.hpp"
#include "stream/reading/step_source.hpp"

namespace staithe::stream {

class FiledSource : public StepSource {
  public:
    base::Result<std::shared_ptr<const Step>> next(std::optional<double> timeout) final;
    base::Result<> close() final;
    [[nodiscard]] int writers() const final { return 1; }
    /// Whether all of its steps were taken.
    [[nodiscard]] bool has_been_read() const { return taken_ == steps_; }
    [[nodiscard]] ReaderStatistics statistics() const final;

    /// What is asked of files as of a live stream: `what` they are, for people.
    static base::Result<> check(const std::string& stream, const char* what, const ReaderOptions& options);
    /// Where they lie: what STAITHE_STREAMS says of the stream under that key, else the name of the stream.
    static base::Result<std::string> path_of(const std::string& stream, const char* key);
    /// What STAITHE_STREAMS says of the stream under that key: a text.
    static base::Result<std::optional<std::string>> said_of(const std::string& stream, const char* key);

  protected:
    FiledSource(const std::string& stream, const Group& group, std::size_t steps)
        : StepSource(stream, group), steps_(steps) {}

    virtual base::Result<std::shared_ptr<const Step>> open_step(std::size_t place) = 0;
    /// What is the same as in the last step keeps its layout, and so the plans of what was read.
    base::Result<std::shared_ptr<const Layout>> layout_of(std::vector<Schema> schema_of_rank);

  private:
    const os::Home home_;
    const std::size_t steps_;
    std::size_t taken_ = 0;
    bool closed_ = false;
    std::vector<Schema> schema_of_rank_;  // of the last step, and what it came to
    std::shared_ptr<const Layout> layout_;
    const Pins pins_;
};

}  // namespace staithe::stream
