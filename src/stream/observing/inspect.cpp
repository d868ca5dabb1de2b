// The public edge of looking at streams from outside.
#include <staithe/inspect.hpp>

#include <algorithm>
#include <utility>

#include "base/config.hpp"
#include "os/process.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/opening.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/search.hpp"
#include "transport/directory/url.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace {

base::Result<std::string> checked_run_directory() {
    if (auto checked = transport::check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    return base::run_directory(os::user_id());
}

base::Result<transport::Search> search_for(const std::string& stream, const std::optional<std::string>& address) {
    const auto run_directory = checked_run_directory();
    auto places = run_directory ? transport::places_to_ask(address) : base::fail(run_directory);
    return places ? base::Result<transport::Search>(
                        transport::Search(*run_directory, nullptr, transport::Kind::stream, stream, *std::move(places)))
                  : base::fail(std::move(places));
}

base::Failure no_such_stream(const std::string& stream, const transport::Search& search) {
    if (const std::string trouble = search.trouble(); !trouble.empty()) {
        return {ErrorCode::not_found, fmt::format("stream '{}' was not found: {}", stream, trouble)};
    }
    return {ErrorCode::not_found, fmt::format("there is no live stream '{}' in {}: `staithe ls` shows those that there "
                                              "are",
                                              stream, search.where())};
}

base::Result<Attributes> ask(const std::string& name_or_url, double timeout) {
    std::optional<std::string> address;
    const auto stream = transport::name_in(name_or_url, address);
    if (!stream) {
        return base::fail(stream);
    }
    if (auto checked = transport::check_name(transport::Kind::stream, *stream); !checked) {
        return base::fail(std::move(checked));
    }
    if (auto checked = stream::resolve_timeout(timeout); !checked) {
        return base::fail(std::move(checked));
    }
    auto search = search_for(*stream, address);
    if (!search) {
        return base::fail(std::move(search));
    }
    const base::Deadline deadline{base::Seconds(timeout)};
    const auto entry = search->look(deadline);
    if (!entry || !*entry) {
        return entry ? tl::unexpected(no_such_stream(*stream, *search)) : base::fail(entry);
    }
    auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
    if (!endpoint) {
        return base::fail(std::move(endpoint));
    }
    auto link = transport::reach(**endpoint, **entry, deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    auto answer = (*link)->call({{"service", *stream}, {"type", stream::message_type::describe}}, {}, deadline);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    answer->body.erase("reply");
    return std::move(answer->body);
}

base::Result<std::vector<std::string>> names(const std::optional<std::string>& address, double timeout) {
    auto search = search_for("", address);
    const auto entries = search ? search->list(base::Deadline(base::Seconds(timeout))) : base::fail(search);
    if (!entries) {
        return base::fail(entries);
    }
    if (const std::string trouble = search->trouble(); address && !trouble.empty()) {
        return base::fail(ErrorCode::not_found, "{}", trouble);
    }
    std::vector<std::string> names;
    for (const transport::Entry& entry : *entries) {
        // Of a host that is not this one nobody knows more than whoever tries to reach it.
        if (entry.life != os::Life::gone && std::ranges::find(names, entry.name) == names.end()) {
            names.push_back(entry.name);
        }
    }
    return names;
}

}  // namespace

Attributes describe(const std::string& stream, double timeout) { return base::value_or_raise(ask(stream, timeout)); }

std::string run_directory() { return base::value_or_raise(checked_run_directory()); }

std::vector<std::string> stream_names(const std::optional<std::string>& address, double timeout) {
    return base::value_or_raise(names(address, timeout));
}

}  // namespace staithe
