#include "transport/directory/inquiry.hpp"

#include <utility>

#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {
namespace {

constexpr const char* find_type = "find";
constexpr const char* list_type = "list";
constexpr const char* offer_type = "offer";
constexpr const char* withdraw_type = "withdraw";

constexpr std::size_t most_listed = 4096;

Attributes message(const char* type, Kind kind) {
    return {{"service", inquiry_service}, {"type", type}, {"kind", to_string(kind)}};
}

base::Result<Entry> entry_told(const Link& link, Kind kind, const std::string& name, const std::string& content) {
    const std::string teller = to_string(link.peer());
    if (auto checked = check_name(kind, name); !checked) {
        return base::fail(std::move(checked));
    }
    auto entry =
        entry_from_json(fmt::format("what {} tells of {} '{}'", teller, to_string(kind), name), kind, name, content);
    if (entry) {
        entry->told_by = teller;
    }
    return entry;
}

/// All that this process knows of; what lies in its run directory comes first.
std::vector<Entry> known_to(const Endpoint& self, Kind kind) {
    auto entries = Directory(self.run_directory()).list(kind);
    for (Entry& entry : self.heard().list(kind)) {
        entries.push_back(std::move(entry));
    }
    return entries;
}

base::Result<Attributes> answer_find(const Endpoint& self, Kind kind, const std::string& name) {
    if (auto checked = check_name(kind, name); !checked) {
        return base::fail(std::move(checked));
    }
    auto entry = Directory(self.run_directory()).find(kind, name);
    if (!entry) {
        return base::fail(std::move(entry));
    }
    if (!*entry) {
        entry = self.heard().find(kind, name);
    }
    return *entry ? Attributes{{"entry", to_json(**entry)}} : Attributes{};
}

Attributes answer_list(const Endpoint& self, Kind kind) {
    List names;
    List entries;
    for (const Entry& entry : known_to(self, kind)) {
        if (entries.size() < most_listed) {
            names.emplace_back(entry.name);
            entries.emplace_back(to_json(entry));
        }
    }
    return {{"names", std::move(names)}, {"entries", std::move(entries)}};
}

/// A process speaks for itself alone.
base::Result<Attributes> take_offer(const Endpoint& self, const std::shared_ptr<Link>& link, Kind kind,
                                    const Attributes& message) {
    auto entry = entry_told(*link, kind, text_of(message, "name"), text_of(message, "entry"));
    if (!entry) {
        return base::fail(std::move(entry));
    }
    if (link->process() != to_string(entry->process)) {
        return base::fail(ErrorCode::protocol, "{} offers {} in the name of another process", to_string(link->peer()),
                          entry->title());
    }
    auto taken = self.heard().take(*std::move(entry), link);
    return taken ? base::Result<Attributes>(Attributes{}) : base::fail(std::move(taken));
}

}  // namespace

base::Result<std::optional<Entry>> ask_for(Link& link, Kind kind, const std::string& name,
                                           const base::Deadline& deadline) {
    auto request = message(find_type, kind);
    request["name"] = name;
    const auto answer = link.call(std::move(request), {}, deadline);
    if (!answer) {
        return base::fail(answer);
    }
    if (find(answer->body, "entry") == nullptr) {
        return std::nullopt;
    }
    auto entry = entry_told(link, kind, name, text_of(answer->body, "entry"));
    return entry ? base::Result<std::optional<Entry>>(*std::move(entry)) : base::fail(std::move(entry));
}

base::Result<std::vector<Entry>> ask_for_all(Link& link, Kind kind, const base::Deadline& deadline) {
    const auto answer = link.call(message(list_type, kind), {}, deadline);
    if (!answer) {
        return base::fail(answer);
    }
    const Value* names = find(answer->body, "names");
    const Value* entries = find(answer->body, "entries");
    if (names == nullptr || names->as_list() == nullptr || entries == nullptr || entries->as_list() == nullptr ||
        names->as_list()->size() != entries->as_list()->size()) {
        return base::fail(ErrorCode::protocol, "{} lists what it knows of in a garbled way", to_string(link.peer()));
    }
    std::vector<Entry> told;
    for (std::size_t i = 0; i < names->as_list()->size(); ++i) {
        const std::string* name = (*names->as_list())[i].as_string();
        const std::string* content = (*entries->as_list())[i].as_string();
        auto entry = entry_told(link, kind, name == nullptr ? "" : *name, content == nullptr ? "" : *content);
        if (!entry) {
            return base::fail(std::move(entry));
        }
        told.push_back(*std::move(entry));
    }
    return told;
}

base::Result<> tell_of(Link& link, const Entry& entry) {
    auto request = message(offer_type, entry.kind);
    request["name"] = entry.name;
    request["entry"] = to_json(entry);
    return link.notify(request);
}

base::Result<> tell_that_gone(Link& link, const Entry& entry) {
    auto request = message(withdraw_type, entry.kind);
    request["name"] = entry.name;
    return link.notify(request);
}

base::Result<Attributes> answer_inquiry(Endpoint& self, const std::shared_ptr<Link>& link, const Attributes& message) {
    const auto kind = kind_of(text_of(message, "kind"));
    const std::string type = text_of(message, "type");
    const std::string name = text_of(message, "name");
    if (kind && type == find_type) {
        return answer_find(self, *kind, name);
    }
    if (kind && type == list_type) {
        return answer_list(self, *kind);
    }
    if (kind && type == offer_type) {
        return take_offer(self, link, *kind, message);
    }
    if (kind && type == withdraw_type) {
        self.heard().forget(*kind, name, link);
        return Attributes{};
    }
    return base::fail(ErrorCode::protocol,
                      "{} does not understand what it is asked about its directory: use one version of Staithe on both "
                      "sides",
                      to_string(self.self()));
}

}  // namespace staithe::transport
