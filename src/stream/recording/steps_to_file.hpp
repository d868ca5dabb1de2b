// Writes a stream to a file, in a thread of writer rank 0, which reads the stream for it: what waits for the disk are
// steps in the stream's queue, and the simulation goes on meanwhile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "format/recording.hpp"
#include "stream/reading/step_source.hpp"
#include "stream/writing/follower.hpp"

namespace staithe::stream {

class StepsToFile final : public Follower {
  public:
    /// `limit_reached` if there can be no thread. `codec` as RecorderOptions has it. So long, in seconds, it waits for
    /// the other ranks' parts of a step.
    static base::Result<std::unique_ptr<StepsToFile>> start(std::shared_ptr<StepSource> source,
                                                            std::unique_ptr<format::RecordingWriter> file,
                                                            std::string codec, const std::optional<double>& timeout);
    ~StepsToFile() override { stop(); }

    /// Raises why a step before is not in the file, once. Later ones may be, unless the stream itself cannot be read.
    void follow(std::int64_t number) override;
    void finish() override;
    void leave() override;
    void stop() override;

  private:
    /// How long the thread goes on.
    enum class Until : std::uint8_t { further_notice, all_is_written, others_would_be_waited_for };

    /// What the thread is to do next.
    struct Wish {
        std::int64_t up_to = 0;  // steps that the program has ended
        bool may_wait = true;    // for other ranks
    };

    StepsToFile(std::shared_ptr<StepSource> source, std::unique_ptr<format::RecordingWriter> file, std::string codec,
                double timeout);
    void end(Until until);
    bool is_through_in(base::Seconds time);
    std::optional<base::Failure> take_failure();
    static void raise_if(std::optional<base::Failure> failure);
    void run();
    std::optional<Wish> await_wish();
    void look_for(const Wish& wish);
    bool handle(std::shared_ptr<const Step> step, std::int64_t up_to);
    [[nodiscard]] bool is_behind();
    void note(const base::Result<>& done);
    void note_failure(const base::Failure& failure);
    void note_wait(double seconds);
    void lose(const base::Failure& why);

    const double timeout_;
    const std::shared_ptr<StepSource> source_;
    const std::string codec_;

    // The thread's own:
    std::unique_ptr<format::RecordingWriter> file_;
    std::optional<base::Deadline> batch_{};  // of the steps that are appended, and not published
    double waited_ = 0.0;                    // for other ranks, so far

    std::mutex mutex_;  // of what follows
    std::condition_variable changed_;
    Until until_ = Until::further_notice;
    std::int64_t ended_ = -1;                 // steps up to this number, by the program
    std::int64_t handled_ = -1;               // and by the thread
    bool awaits_others_ = false;              // other ranks' parts of the next one
    bool is_lost_ = false;                    // the stream cannot be read any more
    std::optional<base::Failure> failure_{};  // that the program has not heard of

    std::thread thread_;  // the last member: it uses the others
};

}  // namespace staithe::stream
