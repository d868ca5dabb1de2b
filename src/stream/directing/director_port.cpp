#include "stream/directing/director_port.hpp"

#include <utility>

#include "base/log.hpp"
#include "stream/directing/record_writer.hpp"
#include "stream/waiting/long_wait.hpp"

namespace staithe::stream {
namespace {

class LocalPort final : public DirectorPort {
  public:
    LocalPort(std::shared_ptr<Director> director, const DirectorSettings& settings)
        : director_(std::move(director)), queue_(settings.queue) {}

    base::Result<> submit(const WrittenPart& part) override { return director_->submit(part); }
    base::Result<> abandon(std::int64_t step) override {
        director_->abandon(step);
        return {};
    }
    base::Result<> finished(std::int64_t /*steps*/) override {
        director_->finished();
        return {};
    }
    void squeeze() override { director_->squeeze(); }
    void take_freed(std::vector<std::int64_t>& steps) override { director_->take_freed(steps); }
    void take_resting(std::vector<std::int64_t>& /*steps*/) override {}  // none stay where the writer has them
    void take_fetched(std::vector<std::int64_t>& /*steps*/) override {}
    [[nodiscard]] bool memory_may_come() override { return false; }
    std::optional<base::Failure> trouble() override { return director_->trouble(); }
    [[nodiscard]] transport::Waitable& news() const override { return director_->news(); }
    void show_asleep(std::int64_t since) override { director_->show_asleep(since); }
    [[nodiscard]] base::Result<Awaited> awaited() override { return director_->awaited_by_rank_0(); }
    void add_stall(std::chrono::nanoseconds time) override { director_->add_stall(time); }
    base::Result<> finish(std::optional<double> chosen_timeout) override { return director_->finish(chosen_timeout); }
    void stop() override { director_->stop(); }
    void fail(const std::string& reason) override { director_->fail(reason); }
    [[nodiscard]] std::int64_t unread() const override { return director_->unread(); }
    [[nodiscard]] const QueueLimits& queue() const override { return queue_; }
    [[nodiscard]] std::int64_t first_step() const override { return director_->first_step(); }
    [[nodiscard]] std::int64_t dropped() const override { return director_->dropped(); }

  private:
    const std::shared_ptr<Director> director_;
    const QueueLimits queue_;
};

class RemotePort final : public DirectorPort {
  public:
    RemotePort(std::shared_ptr<Membership> membership, std::shared_ptr<memory::Pool> pool,
               std::unique_ptr<Holdings> holdings, int rank)
        : membership_(std::move(membership)),
          holdings_(std::move(holdings)),
          rank_(rank),
          pool_(std::move(pool)),
          records_(pool_) {}

    base::Result<> submit(const WrittenPart& part) override {
        if (base::Clock::now() - told_ > between_tellings) {
            tell_what_is_sent();
        }
        transport::Message message = hot_message(Hot::record, part.step);
        message.data_bytes = part.data_bytes;
        message.spilled_bytes = part.spilled_bytes;
        if (!membership_->shares_memory()) {
            message.bytes = record_bytes(part.record.blocks.size(), part.record.attributes.size());
            return send(message, enclosed_.enclose(part.step, part.record, part.schema));
        }
        const auto place = records_.write(part.step, part.record, part.schema);
        if (!place) {
            return base::fail(place);
        }
        message.offset = place->offset;
        message.bytes = place->bytes;
        return send(message);
    }
    base::Result<> abandon(std::int64_t step) override { return send(hot_message(Hot::abandoned, step)); }
    base::Result<> finished(std::int64_t steps) override { return send(hot_message(Hot::finished, steps)); }
    void squeeze() override {
        if (!std::exchange(is_squeezed_, true)) {
            static_cast<void>(send(hot_message(Hot::squeezed)));
        }
    }
    void take_freed(std::vector<std::int64_t>& steps) override {
        hear();
        for (const std::int64_t step : freed_) {
            records_.forget(step);
        }
        steps.insert(steps.end(), freed_.begin(), freed_.end());
        freed_.clear();
        if (const std::int64_t wanted = membership_->memory_wanted(); wanted != memory_wanted_) {
            memory_wanted_ = wanted;
            pool_->give_back(INT64_MAX);
        }
    }
    void take_resting(std::vector<std::int64_t>& steps) override {
        hear();
        for (const std::int64_t step : resting_) {
            records_.forget(step);
        }
        steps.insert(steps.end(), resting_.begin(), resting_.end());
        resting_.clear();
    }
    void take_fetched(std::vector<std::int64_t>& steps) override {
        hear();
        steps.insert(steps.end(), fetched_.begin(), fetched_.end());
        fetched_.clear();
    }
    [[nodiscard]] bool memory_may_come() override { return membership_->memory_may_come(); }
    std::optional<base::Failure> trouble() override {
        const bool director_is_gone = membership_->lost();
        if (director_is_gone) {
            hear();  // it may have gone because another rank died, and have said so
        }
        if (!failure_.empty()) {
            return base::Failure{ErrorCode::writer_failed,
                                 fmt::format("stream '{}': {}", membership_->stream(), failure_)};
        }
        if (lost_) {
            return base::Failure{ErrorCode::peer_lost, fmt::format("stream '{}': writer rank {}, {}, died",
                                                                   membership_->stream(), *lost_, who_was_lost_)};
        }
        if (ended_) {
            return base::Failure{ErrorCode::closed, fmt::format("stream '{}': {} has closed it", membership_->stream(),
                                                                membership_->director_title())};
        }
        if (director_is_gone) {
            return base::Failure{ErrorCode::peer_lost,
                                 fmt::format("stream '{}': {}, {}", membership_->stream(),
                                             membership_->director_title(), membership_->how_lost())};
        }
        return std::nullopt;
    }
    [[nodiscard]] transport::Waitable& news() const override { return membership_->channel(); }
    void show_asleep(std::int64_t since) override { membership_->show_asleep(since); }
    [[nodiscard]] base::Result<Awaited> awaited() override { return membership_->awaited(); }
    void add_stall(std::chrono::nanoseconds /*time*/) override {}  // reports show rank 0's
    /// Readers of other hosts can have this rank's blocks only while it is there. What a server keeps it has, once it
    /// answers.
    base::Result<> finish(std::optional<double> chosen_timeout) override {
        if (is_at_server()) {
            const base::Deadline deadline(base::Seconds(chosen_timeout.value_or(default_timeout)));
            if (auto fetched = wait_until_fetched(chosen_timeout); !fetched) {
                return fetched;
            }
            tell_what_is_sent();
            auto answer = membership_->call(message_type::awaits, {}, deadline);
            hear();
            if (auto failure = trouble()) {
                return failure->code == ErrorCode::closed ? base::Result<>() : tl::unexpected(*std::move(failure));
            }
            return answer ? base::Result<>() : base::fail(std::move(answer));
        }
        const base::Deadline deadline{base::Seconds(chosen_timeout.value_or(base::forever))};
        transport::Patience patience;
        const auto dismissed = wait_for_peers(
            membership_->channel(), deadline, patience, [this] { return is_dismissed(); },
            [&] { return subject("the end of", chosen_timeout); });
        if (!dismissed || *dismissed) {
            return dismissed ? base::Result<>() : base::fail(dismissed);
        }
        return base::fail(ErrorCode::timeout,
                          "stream '{}': readers of other hosts have not fetched all that writer rank {} holds within "
                          "{:g} s: what they have not fetched is lost",
                          membership_->stream(), rank_, deadline.seconds());
    }
    void stop() override {
        if (is_at_server() && !give_time_to_fetch()) {
            base::log(base::LogLevel::warn,
                      "stream '{}' ends without having been closed: {} steps of writer rank {} are lost, since the "
                      "server had not fetched them yet; close() waits for that",
                      membership_->stream(), spoken_steps_ - fetched_steps_, rank_);
        }
    }
    void fail(const std::string& reason) override {
        if (!membership_->lost()) {
            membership_->tell(message_type::fail, {{"reason", failure_line(reason)}});
        }
        if (is_at_server()) {
            give_time_to_fetch();
            return;
        }
        transport::Patience patience;
        membership_->channel().wait(base::Deadline(grace_for_far_readers), patience, [this] { return is_dismissed(); });
    }
    [[nodiscard]] std::int64_t unread() const override { return 0; }  // rank 0 knows
    [[nodiscard]] const QueueLimits& queue() const override { return membership_->joined().queue; }
    [[nodiscard]] std::int64_t first_step() const override { return membership_->joined().first_step; }
    [[nodiscard]] std::int64_t dropped() const override { return membership_->dropped(); }

  private:
    [[nodiscard]] bool is_at_server() const { return !membership_->joined().server.empty(); }

    /// For those who look at the stream: how it goes to servers is known here alone.
    void tell_what_is_sent() {
        told_ = base::Clock::now();
        if (List links = holdings_ && is_at_server() ? holdings_->report_sent() : List(); !links.empty()) {
            membership_->tell(message_type::sends, {{"links", std::move(links)}});
        }
    }

    /// A server of this host has them at once.
    bool is_fetched() {
        hear();
        return !holdings_ || fetched_steps_ == spoken_steps_ || trouble().has_value();
    }
    bool give_time_to_fetch() {
        transport::Patience patience;
        return membership_->channel().wait(base::Deadline(grace_for_far_readers), patience,
                                           [this] { return is_fetched(); });
    }
    base::Result<> wait_until_fetched(std::optional<double> chosen_timeout) {
        const base::Deadline deadline{base::Seconds(chosen_timeout.value_or(base::forever))};
        transport::Patience patience;
        const auto fetched = wait_for_peers(
            membership_->channel(), deadline, patience, [this] { return is_fetched(); },
            [&] { return subject("the server to fetch what was written to", chosen_timeout); });
        if (!fetched || *fetched) {
            return fetched ? base::Result<>() : base::fail(fetched);
        }
        return base::fail(ErrorCode::timeout,
                          "stream '{}': {} has fetched {} of {} steps of writer rank {} within {:g} s: the others are "
                          "lost",
                          membership_->stream(), membership_->director_title(), fetched_steps_, spoken_steps_, rank_,
                          deadline.seconds());
    }
    [[nodiscard]] LongWait::Subject subject(const char* what, std::optional<double> chosen_timeout) {
        return {membership_->stream(),   fmt::format("writer rank {}", rank_),      what,
                membership_->endpoint(), [this] { return membership_->awaited(); }, chosen_timeout.has_value()};
    }

    /// Nobody needs this rank's blocks any more, or gets them elsewhere.
    bool is_dismissed() {
        hear();
        return dismissed_ || freed_steps_ == spoken_steps_ || !holdings_ || !holdings_->are_asked_for() ||
               membership_->lost();
    }

    base::Result<> send(const transport::Message& message, std::span<const std::byte> enclosed = {}) {
        if (membership_->lost()) {
            return tl::unexpected(*trouble());
        }
        if (!membership_->channel().send(message, enclosed)) {
            return tl::unexpected(why_nothing_is_taken());
        }
        const auto kind = static_cast<Hot>(message.kind);
        spoken_steps_ += kind == Hot::record || kind == Hot::abandoned ? 1 : 0;
        return {};
    }

    /// Who is gone takes nothing, a moment before its loss is known.
    base::Failure why_nothing_is_taken() {
        transport::Patience patience;
        membership_->channel().wait(base::Deadline(until_a_loss_is_known), patience,
                                    [this] { return trouble().has_value(); });
        return trouble().value_or(base::Failure{
            ErrorCode::protocol, fmt::format("stream '{}': {} takes no more records", membership_->stream(),
                                             transport::to_string(membership_->director()))});
    }

    void hear() {
        membership_->channel().drain(most_at_once, [this](const transport::Message& message) {
            switch (static_cast<Hot>(message.kind)) {
                case Hot::freed:
                    freed_.push_back(static_cast<std::int64_t>(message.step));
                    ++freed_steps_;
                    is_squeezed_ = false;  // as far as the director knows
                    break;
                case Hot::at_rest:
                    resting_.push_back(static_cast<std::int64_t>(message.step));
                    is_squeezed_ = false;
                    break;
                case Hot::fetched:
                    fetched_.push_back(static_cast<std::int64_t>(message.step));
                    ++fetched_steps_;
                    break;
                case Hot::writer_failed: failure_ = membership_->text_in(message); break;
                case Hot::writer_lost:
                    lost_ = message.rank;
                    who_was_lost_ = membership_->text_in(message);
                    break;
                case Hot::dismissed: dismissed_ = true; break;
                case Hot::end: ended_ = true; break;
                default: break;
            }
        });
    }

    // More than an honest director has to say: another must not keep this rank listening.
    static constexpr std::size_t most_at_once = 1 << 16;
    static constexpr base::Seconds until_a_loss_is_known{1.0};
    static constexpr base::Seconds between_tellings{1.0};

    const std::shared_ptr<Membership> membership_;
    const std::unique_ptr<Holdings> holdings_;  // none: a server of this host has what this rank writes
    const int rank_;
    const std::shared_ptr<memory::Pool> pool_;
    RecordWriter records_;     // for a director that sees this rank's memory
    RecordEncloser enclosed_;  // for another
    std::vector<std::int64_t> freed_;
    std::vector<std::int64_t> resting_;
    std::vector<std::int64_t> fetched_;
    std::int64_t fetched_steps_ = 0;
    std::int64_t spoken_steps_ = 0;
    std::int64_t freed_steps_ = 0;
    std::optional<std::uint32_t> lost_;
    std::string who_was_lost_;
    std::string failure_;
    bool dismissed_ = false;
    bool ended_ = false;
    bool is_squeezed_ = false;
    std::int64_t memory_wanted_ = 0;
    base::Clock::time_point told_ = base::Clock::now();  // of what is sent
};

}  // namespace

std::unique_ptr<DirectorPort> local_port(std::shared_ptr<Director> director, const DirectorSettings& settings) {
    return std::make_unique<LocalPort>(std::move(director), settings);
}

base::Result<std::unique_ptr<DirectorPort>> join_director(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                          const std::string& stream, std::unique_ptr<Holdings> holdings,
                                                          std::shared_ptr<memory::Pool> pool,
                                                          std::optional<double> chosen_timeout,
                                                          const transport::Places& places) {
    const Group group = holdings->group();
    auto membership = Membership::join(
        endpoint, stream,
        {{"type", message_type::join_writer}, {"rank", group.rank}, {"size", group.size}, {"group", group.id}},
        [&](const transport::Link& director, Attributes& request) { return holdings->introduce(director, request); },
        OpeningTime(chosen_timeout), places);
    if (!membership) {
        return base::fail(std::move(membership));
    }
    return std::unique_ptr<DirectorPort>(
        std::make_unique<RemotePort>(*std::move(membership), std::move(pool), std::move(holdings), group.rank));
}

base::Result<std::shared_ptr<Membership>> join_server(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                      const std::string& stream, const Group& group,
                                                      const Membership::Introduce& introduce,
                                                      std::optional<double> chosen_timeout,
                                                      const transport::Places& places) {
    return Membership::join(
        endpoint, stream,
        {{"type", message_type::join_writer}, {"rank", group.rank}, {"size", group.size}, {"group", group.id}},
        introduce, OpeningTime(chosen_timeout), places);
}

std::unique_ptr<DirectorPort> port_to_server(std::shared_ptr<Membership> membership, std::shared_ptr<memory::Pool> pool,
                                             std::unique_ptr<Holdings> holdings, const Group& group) {
    return std::make_unique<RemotePort>(std::move(membership), std::move(pool), std::move(holdings), group.rank);
}

}  // namespace staithe::stream
