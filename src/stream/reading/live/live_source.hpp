// One rank of a reader group of a live stream: waits for announcements, hands out complete steps, gives them back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <staithe/options.hpp>

#include "base/deadline.hpp"
#include "monitor/counter.hpp"
#include "os/fork.hpp"
#include "stream/reading/live/connection.hpp"
#include "stream/reading/live/intake.hpp"
#include "stream/reading/live/watching.hpp"
#include "stream/reading/step_source.hpp"
#include "stream/waiting/stream_users.hpp"

namespace staithe::stream::live {

class LiveSource final : public StepSource {
  public:
    /// `time`: for opening it; as the options say if unset.
    static base::Result<std::shared_ptr<LiveSource>> open(const std::string& stream, const ReaderOptions& options,
                                                          const std::optional<OpeningTime>& time);
    /// The same steps, at the other server that has them.
    [[nodiscard]] base::Result<std::shared_ptr<LiveSource>> open_twin() const;
    /// Does not wait for a writer to come back, though the reader was asked to `resume`.
    void end_with_a_loss(bool ends) { ends_with_a_loss_ = ends; }
    /// Whether another server has its steps, and it was found by its own name.
    [[nodiscard]] bool has_twin() const { return !joined_.twin.empty() && connection_->membership->stream() == name(); }
    ~LiveSource() override;

    base::Result<std::shared_ptr<const Step>> next(std::optional<double> timeout) override;
    base::Result<std::shared_ptr<const Step>> next_up_to(std::int64_t number, std::optional<double> timeout) override;
    base::Result<> pause() override;
    base::Result<> resume() override;
    base::Result<> follow_latest() override;
    base::Result<int> descriptor(bool once) override;
    base::Result<> close() override;

    [[nodiscard]] int writers() const override { return joined_.writers; }
    [[nodiscard]] const Attributes& attributes() const override { return joined_.attributes; }
    [[nodiscard]] ReaderStatistics statistics() const override;
    [[nodiscard]] bool can_hold_a_step() const override { return !joined_.on_request && !holds_whole_queue(); }

  private:
    class Turn;

    LiveSource(const std::string& stream, ReaderOptions options, std::optional<double> timeout);

    base::Result<> join(const std::string& stream, std::int64_t start, bool goes_on, const OpeningTime& time);
    base::Result<> rejoin(std::optional<double> chosen_timeout);
    base::Result<std::shared_ptr<const Step>> take_next(std::optional<double> timeout);
    base::Result<> ask(const char* request);
    void ask_for_step();
    void leave();

    bool collect();
    void give_back();
    void give_all_back(const base::Deadline& deadline);
    [[nodiscard]] bool has_news();
    void sleep_until_news(const std::function<bool()>& stop);
    base::Result<> wait_for_step(std::optional<double> chosen_timeout, const std::function<bool()>& or_until);
    /// Whether it holds all steps that the writer's queue has.
    [[nodiscard]] bool holds_whole_queue() const;
    [[nodiscard]] base::Failure no_step_within(double seconds) const;
    [[nodiscard]] base::Failure loss() const;

    const os::Home home_;
    const ReaderOptions options_;
    const std::optional<double> timeout_;  // that the user has chosen
    bool ends_with_a_loss_ = false;
    StreamUse use_;
    std::shared_ptr<Connection> connection_;  // none once it is closed
    std::optional<Intake> intake_;
    Joined joined_;

    std::int64_t next_step_ = 0;   // after the newest one that came in
    std::int64_t went_on_at_ = 0;  // the first step that it lacked when its writer died
    std::int64_t wanted_ = -1;     // the step that was asked for last, of a group that has to ask

    monitor::Counter steps_;
    monitor::TimeCounter waited_;
    std::int64_t dropped_ = 0;  // when it was closed

    transport::Patience patience_;
    transport::Patience patience_of_watcher_;  // shows nobody as asleep: the program itself is free to do other things
    Watching watching_;                        // the last member: its thread uses the others
};

}  // namespace staithe::stream::live
