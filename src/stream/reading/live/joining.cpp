#include "stream/reading/live/joining.hpp"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/interruption.hpp"
#include "base/value_codec.hpp"
#include "os/process.hpp"
#include "store/decoding_source.hpp"
#include "stream/directing/overflow.hpp"
#include "stream/observing/trace_file.hpp"
#include "stream/opening.hpp"
#include "stream/reading/live/stores.hpp"
#include "transform/bound.hpp"
#include "transform/coding.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream::live {
namespace {

constexpr auto until_it_may_have_come = std::chrono::milliseconds(10);

base::Result<std::shared_ptr<Connection>> settle_in(std::shared_ptr<Membership> membership, int rank, Needs needs,
                                                    const base::Deadline& deadline) {
    auto connection = std::make_shared<Connection>();
    connection->tracer = {membership->stream(), rank};
    connection->membership = std::move(membership);
    connection->needs = std::move(needs);
    auto stores = find_stores(*connection->membership, connection->needs, deadline);
    if (!stores) {
        return base::fail(std::move(stores));
    }
    connection->stores = std::move(stores->source);
    connection->source = connection->stores;
    const Joined& joined = connection->membership->joined();
    const bool at_server = !joined.server.empty();
    if (joined.queue.compresses || joined.queue.spill_bytes > 0 || at_server) {
        connection->source =
            std::make_shared<store::DecodingSource>(connection->stores, acceptable_to(connection->needs, at_server));
    }
    connection->patience = base::Seconds(deadline.seconds());
    if (stores->are_far) {
        connection->fetch_ahead();
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
    if (const auto policy = parse_overflow(options.overflow.value_or("block")); !policy || policy->is_of_writers()) {
        return base::fail(
            ErrorCode::invalid_argument, "the reader of stream '{}': {}", stream,
            policy ? "only a writer compresses or spills; leave `overflow` to it" : policy.error().message);
    }
    for (const auto& [variable, bound] : options.error) {
        if (auto checked = transform::check_error(variable, bound); !checked) {
            return base::fail(checked.error().code, "the reader of stream '{}': {}", stream, checked.error().message);
        }
    }
    const bool is_named = !options.codec.empty() && options.codec != no_codec;
    if (const auto codec = is_named ? transform::check_codec(options.codec) : base::Result<>(); !codec) {
        return base::fail(codec.error().code, "the reader of stream '{}': {}", stream, codec.error().message);
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
    const auto places = transport::places_to_ask(options.address);
    if (!places) {
        return base::fail(places.error().code, "the reader of stream '{}': {}", stream, places.error().message);
    }
    for (;;) {
        auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
        auto listening = endpoint ? (*endpoint)->keep_listening(options.listen) : base::fail(endpoint);
        if (!listening) {
            return base::fail(std::move(listening));
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
                                           nullptr, time, *places);
        if (!membership) {
            return base::fail(std::move(membership));
        }
        auto settled = settle_in(*std::move(membership), options.group.rank, {options.error, options.codec},
                                 time.is_chosen ? time.deadline : deadline_of_answers(chosen_timeout));
        if (settled) {
            (*settled)->listening = *std::move(listening);
        }
        // A writer that went away in the middle is like one that has not come yet.
        if (settled || !may_appear_later(settled.error()) || time.deadline.passed() || base::interrupted()) {
            return settled;
        }
        std::this_thread::sleep_for(until_it_may_have_come);
    }
}

}  // namespace staithe::stream::live
