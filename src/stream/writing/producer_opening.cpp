// How a producer opens: with memory of its own, and the director in rank 0 or elsewhere; or at a server.
#include <utility>

#include "base/config.hpp"
#include "memory/sources.hpp"
#include "os/process.hpp"
#include "stream/hosting/server_choice.hpp"
#include "stream/observing/trace_file.hpp"
#include "stream/opening.hpp"
#include "stream/writing/producer.hpp"

namespace staithe::stream {
namespace {

memory::Lessor lessor_at(const std::shared_ptr<Membership>& membership) {
    return {.lease = [weak = std::weak_ptr(membership)](std::int64_t bytes) -> base::Result<> {
                const auto to = weak.lock();
                auto leased = to ? to->call(message_type::lease, {{"bytes", bytes}},
                                            base::Deadline(base::Seconds(default_timeout)))
                                 : base::fail(ErrorCode::closed, "the stream is closed");
                return leased ? base::Result<>() : base::fail(std::move(leased));
            },
            .end_lease =
                [weak = std::weak_ptr(membership)](std::int64_t bytes) {
                    if (const auto to = weak.lock()) {
                        to->tell(message_type::end_lease, {{"bytes", bytes}});
                    }
                }};
}

}  // namespace

base::Result<std::shared_ptr<Producer>> Producer::open(const std::string& stream, const WriterOptions& options) {
    return open(stream, options, options.group.rank > 0, 0);
}

base::Result<std::shared_ptr<Producer>> Producer::open_at_step(const std::string& stream, const WriterOptions& options,
                                                               std::int64_t first_step) {
    return open(stream, options, options.group.rank > 0, first_step);
}

base::Result<std::shared_ptr<Producer>> Producer::open_twin(const std::string& twin, const WriterOptions& options) {
    return open(twin, options, true, 0);
}

base::Result<std::shared_ptr<Producer>> Producer::open(const std::string& stream, const WriterOptions& options,
                                                       bool is_taken_in, std::int64_t first_step) {
    auto settings = resolve_settings(stream, options);
    if (!settings) {
        return base::fail(std::move(settings));
    }
    settings->director.first_step = first_step;
    auto producer = os::kept_at_home(new Producer(stream, options.group, *settings));
    auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
    if (!endpoint) {
        return base::fail(std::move(endpoint));
    }
    producer->endpoint_ = *endpoint;
    trace_if_asked((*endpoint)->self());
    producer->tracer_ = {stream, options.group.rank};
    const auto placed = !settings->at_server ? producer->open_with_own_memory(*settings)
                        : is_taken_in        ? producer->join_at_server(*settings)
                                             : producer->open_at_server(*settings);
    if (!placed) {
        return base::fail(placed);
    }
    producer->patience_.show_sleep_by(
        [port = producer->director_.get()](std::int64_t since) { port->show_asleep(since); });
    if (settings->depth_is_ours) {
        producer->run_ahead_.emplace();
    }
    producer->limits_ = producer->director_->queue().part_of_rank(options.group.size);
    producer->next_step_ = producer->director_->first_step();
    if (options.reserve_bytes > 0) {
        // One step's worth: more would still be in the making, on the writer's own core, when the first step is put.
        producer->store_->pool_of(store::Tier::memory)->prepare(options.reserve_bytes, 1);
    }
    return producer;
}

base::Result<> Producer::open_with_own_memory(const WriterSettings& settings) {
    auto pool = memory::open_pool("staithe:" + stream_);
    if (!pool) {
        return base::fail(std::move(pool));
    }
    std::shared_ptr<memory::Pool> disk;
    if (settings.director.queue.spill_bytes > 0) {
        auto on_disk = memory::open_pool("staithe:" + stream_ + ":spilled", memory::on_disk, settings.spill_directory);
        if (!on_disk) {
            return base::fail(on_disk.error().code,
                              "stream '{}' spills to {}, which does not work: {} (choose another spill directory, or "
                              "another overflow policy)",
                              stream_, settings.spill_directory, on_disk.error().message);
        }
        disk = *std::move(on_disk);
    }
    store_.emplace(*pool, disk);
    if (group_.rank == 0) {
        auto director = Director::start(endpoint_, settings.director, **pool, disk.get());
        if (!director) {
            return base::fail(std::move(director));
        }
        director_ = local_port(*std::move(director), settings.director);
        return {};
    }
    auto holdings = Holdings::of(endpoint_, stream_, group_, **pool, disk.get(), settings.director.listen);
    auto director =
        holdings ? join_director(endpoint_, stream_, *std::move(holdings), *pool, settings.timeout, settings.places)
                 : base::fail(std::move(holdings));
    if (!director) {
        return base::fail(std::move(director));
    }
    director_ = *std::move(director);
    return {};
}

/// Rank 0 has a server take the stream in; then all ranks join it alike. One of their host lends them memory; one
/// elsewhere fetches what they write.
base::Result<> Producer::open_at_server(const WriterSettings& settings) {
    auto taken_in = open_in_server(endpoint_, settings.director, settings.places, OpeningTime(settings.timeout));
    auto joined = taken_in ? join_at_server(settings) : base::fail(taken_in);
    if (taken_in && !joined) {
        abandon_in_server(*taken_in->server, stream_);
        if (taken_in->twin) {
            abandon_in_server(*taken_in->twin, twin_of(stream_));
        }
    }
    if (joined) {
        twin_link_ = std::move(taken_in->twin);
    }
    return joined;
}

base::Result<> Producer::join_at_server(const WriterSettings& settings) {
    std::shared_ptr<memory::Pool> pool;
    std::unique_ptr<Holdings> holdings;
    const auto introduce = [&](const transport::Link& server, Attributes& request) -> base::Result<std::vector<int>> {
        if (!server.is_between_hosts()) {
            holdings = nullptr;
            return std::vector<int>();
        }
        if (!pool) {
            auto own = memory::open_pool("staithe:" + stream_);
            if (!own) {
                return base::fail(std::move(own));
            }
            pool = *std::move(own);
        }
        if (!holdings) {
            auto made = Holdings::of(endpoint_, stream_, group_, *pool, nullptr, settings.director.listen);
            if (!made) {
                return base::fail(std::move(made));
            }
            holdings = *std::move(made);
        }
        return holdings->introduce(server, request);
    };
    auto membership = join_server(endpoint_, stream_, group_, introduce, settings.timeout, settings.places);
    if (!membership) {
        return base::fail(std::move(membership));
    }
    if ((*membership)->joined().server.empty()) {
        return base::fail(ErrorCode::invalid_argument,
                          "rank {} of the writer group of stream '{}' is placed at 'servers', but rank 0, {}, is not: "
                          "give all ranks the same placement",
                          group_.rank, stream_, transport::to_string((*membership)->director()));
    }
    if (!holdings) {
        auto leased =
            memory::open_leased_pool("staithe:" + stream_, (*membership)->take_memory(), lessor_at(*membership));
        if (!leased) {
            return base::fail(std::move(leased));
        }
        pool = *std::move(leased);
    } else if (const auto& depots = (*membership)->joined().depots; !depots.empty()) {  // the first is the director's
        if (auto reached = holdings->reach_those_who_fetch({depots.begin() + 1, depots.end()},
                                                           OpeningTime(settings.timeout).of_greetings());
            !reached) {
            return reached;
        }
    }
    store_.emplace(pool, nullptr);
    twin_ = (*membership)->joined().twin;
    director_ = port_to_server(*std::move(membership), std::move(pool), std::move(holdings), group_);
    return {};
}

}  // namespace staithe::stream
