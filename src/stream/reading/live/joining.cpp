#include "stream/reading/live/joining.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/value_codec.hpp"
#include "os/process.hpp"
#include "store/pool_source.hpp"
#include "store/remote/remote_source.hpp"
#include "store/store_set.hpp"
#include "stream/directing/overflow.hpp"
#include "stream/observing/trace_file.hpp"
#include "stream/opening.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream::live {
namespace {

/// The descriptors of all writer ranks' pools, by rank.
base::Result<std::vector<os::FileDescriptor>> ask_for_pools(Membership& membership, bool on_disk,
                                                            const base::Deadline& deadline) {
    const auto writers = static_cast<std::size_t>(membership.joined().writers);
    std::vector<os::FileDescriptor> files;
    while (files.size() < writers) {
        auto answer = membership.call(message_type::pools, {{"first", files.size()}, {"spill", on_disk}}, deadline);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        if (answer->descriptors.empty() || answer->descriptors.size() > writers - files.size()) {
            return base::fail(ErrorCode::protocol, "the director of '{}' sent {} pools", membership.stream(),
                              answer->descriptors.size());
        }
        for (auto& descriptor : answer->descriptors) {
            files.push_back(std::move(descriptor));
        }
    }
    return files;
}

/// Bytes that were fetched and not asked for yet.
constexpr std::int64_t most_ahead = std::int64_t{256} << 20;

/// Of a director on another host, whose process has the blocks of all writer ranks.
std::shared_ptr<store::BlockSource> far_source(const std::shared_ptr<Membership>& membership, base::Seconds timeout) {
    store::remote::Owner owner;
    owner.name = transport::to_string(membership->director());
    owner.stores.resize(static_cast<std::size_t>(membership->joined().writers));
    std::iota(owner.stores.begin(), owner.stores.end(), 0U);
    owner.connect = [membership](const base::Deadline& deadline) {
        return membership->connect(blocks_purpose(membership->stream(), membership->joined().member), deadline);
    };
    owner.is_gone = [membership] { return membership->lost(); };
    return std::make_shared<store::remote::RemoteSource>(
        std::vector{std::move(owner)}, store::remote::RemoteOptions{.timeout = timeout, .most_connections = 16});
}

base::Result<> find_stores(Connection& connection, const base::Deadline& deadline) {
    Membership& membership = *connection.membership;
    if (membership.is_far()) {
        connection.source = far_source(connection.membership, base::Seconds(deadline.seconds()));
        connection.prefetcher = std::make_unique<Prefetcher>(*connection.source, connection.memory, most_ahead);
        return {};
    }
    std::vector<std::shared_ptr<store::BlockSource>> stores;
    const bool spills = membership.joined().queue.spill_bytes > 0;
    for (const bool on_disk : spills ? std::vector{false, true} : std::vector{false}) {
        auto files = ask_for_pools(membership, on_disk, deadline);
        if (!files) {
            return base::fail(std::move(files));
        }
        for (auto& file : *files) {
            auto source = store::open_pool_source(std::move(file));
            if (!source) {
                return base::fail(std::move(source));
            }
            stores.push_back(*std::move(source));
        }
    }
    connection.source = std::make_shared<store::StoreSet>(std::move(stores));
    return {};
}

base::Result<std::shared_ptr<Connection>> settle_in(std::shared_ptr<Membership> membership, int rank,
                                                    const base::Deadline& deadline) {
    auto connection = std::make_shared<Connection>();
    connection->tracer = {membership->stream(), rank};
    connection->membership = std::move(membership);
    if (auto found = find_stores(*connection, deadline); !found) {
        return base::fail(std::move(found));
    }
    auto ready = connection->membership->call(message_type::ready, {}, deadline);
    if (!ready) {
        return base::fail(std::move(ready));
    }
    return connection;
}

}  // namespace

base::Result<> check(const std::string& stream, const ReaderOptions& options) {
    if (auto checked = transport::check_name(transport::Kind::stream, stream); !checked) {
        return checked;
    }
    if (auto checked = check_group(options.group); !checked) {
        return checked;
    }
    if (auto checked = base::check(Attributes{{"program", options.program}, {"group", options.group.id}}); !checked) {
        return base::fail(checked.error().code, "the reader of stream '{}': {}", stream, checked.error().message);
    }
    if (const auto policy = parse_overflow(options.overflow.value_or("block"));
        !policy || policy->policy == Overflow::Policy::spill) {
        return base::fail(ErrorCode::invalid_argument, "the reader of stream '{}': {}", stream,
                          policy ? "only a writer spills; leave `overflow` to it" : policy.error().message);
    }
    if (options.start < start_next) {
        return base::fail(ErrorCode::invalid_argument, "the reader of stream '{}': there is no step {} to start at",
                          stream, options.start);
    }
    return {};
}

base::Deadline deadline_of_answers(std::optional<double> chosen_timeout) {
    return base::Deadline(base::Seconds(chosen_timeout.value_or(default_timeout)));
}

base::Result<std::shared_ptr<Connection>> join(const std::string& stream, const ReaderOptions& options,
                                               const Beginning& beginning, const OpeningTime& time,
                                               std::optional<double> chosen_timeout) {
    for (;;) {
        auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
        if (!endpoint) {
            return base::fail(std::move(endpoint));
        }
        trace_if_asked((*endpoint)->self());
        const std::string program = options.program.empty() ? (*endpoint)->self().program : options.program;
        auto membership = Membership::join(*std::move(endpoint), stream,
                                           {{"type", message_type::join_reader},
                                            {"rank", options.group.rank},
                                            {"size", options.group.size},
                                            {"program", program},
                                            {"group", options.group.id},
                                            {"overflow", options.overflow.value_or("")},
                                            {"start", beginning.step},
                                            {"goes_on", beginning.goes_on}},
                                           {}, time);
        if (!membership) {
            return base::fail(std::move(membership));
        }
        auto settled = settle_in(*std::move(membership), options.group.rank,
                                 time.is_chosen ? time.deadline : deadline_of_answers(chosen_timeout));
        // A writer that went away in the middle is like one that has not come yet.
        if (settled || !may_appear_later(settled.error()) || time.deadline.passed()) {
            return settled;
        }
    }
}

}  // namespace staithe::stream::live
