// The public edge of looking at streams from outside.
#include <staithe/inspect.hpp>

#include "base/config.hpp"
#include "os/process.hpp"
#include "stream/directing/protocol.hpp"
#include "stream/opening.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace {

base::Result<std::string> checked_run_directory() {
    if (auto checked = transport::check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    return base::run_directory(os::user_id());
}

base::Result<Attributes> ask(const std::string& stream, double timeout) {
    const auto run_directory = checked_run_directory();
    if (!run_directory) {
        return base::fail(run_directory);
    }
    if (auto checked = transport::check_name(transport::Kind::stream, stream); !checked) {
        return base::fail(std::move(checked));
    }
    const auto entry = transport::Directory(*run_directory).find(transport::Kind::stream, stream);
    if (!entry) {
        return base::fail(entry);
    }
    if (!*entry) {
        return base::fail(ErrorCode::not_found,
                          "there is no live stream '{}' in {}: `staithe ls` shows those that there are", stream,
                          *run_directory);
    }
    if (auto checked = stream::resolve_timeout(timeout); !checked) {
        return base::fail(std::move(checked));
    }
    const base::Deadline deadline{base::Seconds(timeout)};
    auto endpoint = transport::Endpoint::shared(*run_directory);
    if (!endpoint) {
        return base::fail(std::move(endpoint));
    }
    auto link = transport::reach(**endpoint, **entry, deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    auto answer = (*link)->call({{"service", stream}, {"type", stream::message_type::describe}}, {}, deadline);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    answer->body.erase("reply");
    return std::move(answer->body);
}

}  // namespace

Attributes describe(const std::string& stream, double timeout) { return base::value_or_raise(ask(stream, timeout)); }

std::string run_directory() { return base::value_or_raise(checked_run_directory()); }

std::vector<std::string> stream_names() {
    std::vector<std::string> names;
    for (transport::Entry& entry : transport::Directory(run_directory()).list(transport::Kind::stream)) {
        if (entry.life == os::Life::alive) {
            names.push_back(std::move(entry.name));
        }
    }
    return names;
}

}  // namespace staithe
