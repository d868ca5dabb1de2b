// The public edge of what servers are asked by people: what they have, and that they let go of it.
#include <algorithm>
#include <iterator>
#include <utility>

#include <staithe/server.hpp>

#include "base/config.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "os/process.hpp"
#include "server/asking.hpp"
#include "space/member_name.hpp"
#include "space/served/messages.hpp"
#include "space/server_search.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace {

namespace hosting = stream::hosting;

/// A connection to a server.
class Asked {
  public:
    static base::Result<Asked> reach(const std::string& name, double timeout) {
        const auto run_directory = server::run_directory_of_servers();
        if (!run_directory) {
            return base::fail(run_directory);
        }
        const base::Deadline deadline{base::Seconds(timeout)};
        const auto entry = space::find_server(name, deadline);
        if (!entry || !*entry) {
            return entry ? base::fail(ErrorCode::not_found,
                                      "there is no server '{}' in {}: `staithe serve --name {}` starts it", name,
                                      space::where_servers_are(), name)
                         : base::fail(entry);
        }
        auto endpoint = transport::Endpoint::shared(*run_directory);
        auto link = endpoint ? transport::reach(**endpoint, **entry, deadline) : base::fail(endpoint);
        return link ? base::Result<Asked>(Asked(*std::move(endpoint), *std::move(link), **entry, deadline))
                    : base::fail(link);
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Not if it is only one of several of that name.
    [[nodiscard]] bool is_meant_by(const std::string& name) const {
        return !space::member_of(name_) || name.ends_with(name_);
    }
    base::Result<Attributes> describe() {
        auto description = call(space::server_service, {{"type", space::request::describe}});
        auto streams =
            description ? call(stream::hosting_service, {{"type", hosting::describe}}) : base::fail(description);
        if (!streams) {
            return base::fail(std::move(streams));
        }
        description->merge(*std::move(streams));
        description->merge(Attributes{{"program", peer_.program}, {"host", peer_.host}, {"pid", peer_.pid}});
        return description;
    }
    base::Result<Attributes> call(const char* service, Attributes request) {
        request["service"] = service;
        auto answer = link_->call(std::move(request), {}, deadline_);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        answer->body.erase("reply");
        return std::move(answer->body);
    }

  private:
    Asked(std::shared_ptr<transport::Endpoint> endpoint, std::shared_ptr<transport::Link> link,
          const transport::Entry& server, const base::Deadline& deadline)
        : endpoint_(std::move(endpoint)),
          link_(std::move(link)),
          name_(server.name),
          peer_(server.peer),
          deadline_(deadline) {}

    std::shared_ptr<transport::Endpoint> endpoint_;  // where the link is looked after
    std::shared_ptr<transport::Link> link_;
    std::string name_;
    transport::Peer peer_;
    base::Deadline deadline_;
};

/// All that the server has in spaces another one has, too; or why it cannot be known.
base::Result<bool> is_all_elsewhere(const std::string& name, double timeout) {
    const auto member = space::member_of(name);
    for (int rank = 0; member && rank < member->size; ++rank) {
        auto asked = Asked::reach(space::member_name(member->servers, rank, member->size), timeout);
        const auto description = asked ? asked->describe() : base::fail(asked);
        if (!description) {
            return base::fail(description);
        }
        const auto replicas = description->find("replicas");
        const Attributes* const of = replicas == description->end() ? nullptr : replicas->second.as_map();
        if (of == nullptr || !base::flag_field(*of, "complete")) {
            return false;
        }
    }
    return member.has_value();
}

/// Of its spaces, a line each.
base::Result<std::vector<std::string>> left_in_spaces(const Attributes& description, bool drops_kept, double timeout) {
    std::vector<std::string> left;
    const auto found = description.find("spaces");
    const Attributes* const spaces = found == description.end() ? nullptr : found->second.as_map();
    for (const auto& [space, value] : spaces == nullptr ? Attributes() : *spaces) {
        const Attributes* const of = value.as_map();
        const auto variables = of == nullptr ? 0 : base::integer_field(*of, "variables", 0, INT64_MAX).value_or(0);
        const auto bytes = of == nullptr ? 0 : base::integer_field(*of, "bytes", 0, INT64_MAX).value_or(0);
        if (variables > 0) {
            left.push_back(fmt::format("space '{}': {} variable{}, {}, which no other server has all of", space,
                                       variables, variables == 1 ? "" : "s", base::format_bytes(bytes)));
        }
    }
    const auto clients = base::integer_field(description, "clients", 0, INT64_MAX).value_or(0);
    if (left.empty() || (drops_kept && clients == 0)) {
        return std::vector<std::string>();
    }
    const auto name = base::text_field(description, "name");
    const auto elsewhere = name ? is_all_elsewhere(*name, timeout) : base::fail(name);
    if (!elsewhere) {
        return base::fail(elsewhere);
    }
    return *elsewhere ? std::vector<std::string>() : left;
}

base::Result<std::vector<std::string>> left_of_streams(Asked& asked, const char* type, bool drops_kept) {
    const auto answer = asked.call(stream::hosting_service, {{"type", type}, {"drops_kept", drops_kept}});
    const List* const lines = answer ? base::list_field(*answer, "left") : nullptr;
    if (!answer) {
        return base::fail(answer);
    }
    std::vector<std::string> left;
    for (const Value& line : lines == nullptr ? List() : *lines) {
        left.push_back(line.as_string() == nullptr ? "" : *line.as_string());
    }
    return left;
}

base::Result<std::vector<std::string>> drain(const std::string& name, bool drops_kept, double timeout) {
    auto asked = Asked::reach(name, timeout);
    if (asked && !asked->is_meant_by(name)) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' are several servers, and one is drained at a time: name it, such as '{}'", name,
                          asked->name());
    }
    auto left = asked ? left_of_streams(*asked, hosting::drain, drops_kept) : base::fail(asked);
    const auto description = left ? asked->describe() : base::fail(left);
    auto in_spaces = description ? left_in_spaces(*description, drops_kept, timeout) : base::fail(description);
    if (!in_spaces) {
        return in_spaces;
    }
    std::ranges::move(*in_spaces, std::back_inserter(*left));
    return left->empty() ? left_of_streams(*asked, hosting::dismiss, drops_kept) : left;
}

}  // namespace

namespace server {

base::Result<std::string> run_directory_of_servers() {
    if (auto checked = transport::check_environment(); !checked) {
        return base::fail(std::move(checked));
    }
    return base::run_directory(os::user_id());
}

}  // namespace server

Attributes describe_server(const std::string& name, double timeout) {
    return base::value_or_raise(base::value_or_raise(Asked::reach(name, timeout)).describe());
}

std::vector<std::string> server_names(const std::optional<std::string>& address) {
    constexpr base::Seconds longest{5.0};
    std::vector<std::string> names;
    for (const auto& entry : base::value_or_raise(space::list_servers(address, base::Deadline(longest)))) {
        if (std::ranges::find(names, entry.name) == names.end()) {
            names.push_back(entry.name);
        }
    }
    return names;
}

std::vector<std::string> drain_server(const std::string& name, bool drops_kept, double timeout) {
    return base::value_or_raise(drain(name, drops_kept, timeout));
}

}  // namespace staithe
