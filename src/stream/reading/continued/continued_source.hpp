// The steps of a recording, and then those of the live stream that it is of, from where it ends: none twice, and none
// left out that either still has.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <staithe/options.hpp>

#include "base/deadline.hpp"
#include "stream/reading/recorded/recorded_source.hpp"

namespace staithe::stream {

class ContinuedSource final : public StepSource {
  public:
    /// The recording is opened now; the stream with its last step, so that no queue is held up meanwhile. It may still
    /// be written: what it got since is read as well.
    static base::Result<std::shared_ptr<StepSource>> open(const std::string& stream, const std::string& recording,
                                                          const ReaderOptions& options);

    base::Result<std::shared_ptr<const Step>> next(std::optional<double> timeout) override;
    base::Result<> pause() override;
    base::Result<> resume() override;
    base::Result<> follow_latest() override;
    base::Result<int> descriptor(bool once) override;
    base::Result<> close() override;

    [[nodiscard]] int writers() const override { return live_ ? live_->writers() : file_->writers(); }
    /// Of the recording, which has those of the stream.
    [[nodiscard]] const Attributes& attributes() const override { return attributes_; }
    [[nodiscard]] ReaderStatistics statistics() const override;
    [[nodiscard]] bool can_hold_a_step() const override { return !live_ || live_->can_hold_a_step(); }

  private:
    ContinuedSource(const std::string& stream, std::string recording, ReaderOptions options,
                    std::shared_ptr<recorded::RecordedSource> file);

    base::Result<std::shared_ptr<const Step>> next_of_file();
    base::Result<> look_again();
    void join_with_last_of_file();
    base::Result<> join(base::Seconds time_to_appear);
    base::Result<> take_ahead(const std::optional<base::Deadline>& until);
    base::Result<std::shared_ptr<const Step>> next_of_stream(std::optional<double> timeout);
    base::Result<> only_once_live(const char* action) const;
    [[nodiscard]] std::int64_t first_wanted() const;
    [[nodiscard]] bool lacks_steps() const;
    void hand_out(const Step& step);

    const std::string recording_;
    const ReaderOptions options_;
    const Attributes attributes_;
    std::shared_ptr<recorded::RecordedSource> file_;
    const Pins pins_;                   // of steps of the recording
    std::shared_ptr<StepSource> live_;  // null until the recording was read
    bool is_joined_ = false;            // the recording is not needed any more
    bool closed_ = false;
    bool has_warned_ = false;
    std::optional<std::int64_t> passed_by_;  // the last step of the stream that was not wanted

    std::shared_ptr<const Step> ahead_;  // the first one of the stream, until the recording has those before it
    std::int64_t steps_ = 0;             // handed out
    std::optional<std::int64_t> last_;   // of them
    std::int64_t stride_ = 0;            // the least that two of them were apart, once there are two
};

}  // namespace staithe::stream
