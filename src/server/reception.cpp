#include "server/reception.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "os/shared_memory.hpp"
#include "os/socket.hpp"
#include "space/keeper.hpp"
#include "space/served/messages.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::server {

using store::space::Catalog;
namespace type = space::request;

Reception::Handler Reception::handler_of(std::string_view type) {
    struct Row {
        std::string_view type;
        Handler handler;
    };
    static constexpr std::array rows{
        Row{type::describe, &Reception::describe},
        Row{type::load, &Reception::load},
        Row{type::open, &Reception::open},
        Row{type::reserve, &Reception::reserve},
        Row{type::give_back, &Reception::give_back},
        Row{type::put, &Reception::put},
        Row{type::reserve_many, &Reception::reserve_many},
        Row{type::put_many, &Reception::put_many},
        Row{type::find, &Reception::find},
        Row{type::find_many, &Reception::find_many},
        Row{type::stores, &Reception::pass_stores},
        Row{type::own, &Reception::pass_own},
        Row{type::cancel, &Reception::cancel},
        Row{type::release, &Reception::release},
        Row{type::hold, &Reception::hold},
        Row{type::list, &Reception::list},
        Row{type::containers, &Reception::list_containers},
        Row{type::attributes, &Reception::attributes},
        Row{type::set_attributes, &Reception::set_attributes},
        Row{type::versions, &Reception::versions},
        Row{type::remove, &Reception::remove},
        Row{type::remove_container, &Reception::remove_container},
        Row{type::retain, &Reception::retain},
        Row{type::lock, &Reception::lock},
        Row{type::cancel_lock, &Reception::cancel_lock},
        Row{type::unlock, &Reception::unlock},
        Row{type::waited_for, &Reception::waited_for},
        Row{type::renew, &Reception::renew},
        Row{type::connect, &Reception::connect},
        Row{type::reduce, &Reception::reduce},
        Row{type::put_elsewhere, &Reception::put_elsewhere},
        Row{type::was_put, &Reception::was_put},
        Row{type::free_elsewhere, &Reception::free_elsewhere},
        Row{type::copied, &Reception::take_copied},
        Row{type::meet, &Reception::meet},
        Row{type::homes, &Reception::homes},
        Row{type::follow, &Reception::follow},
        Row{type::followed, &Reception::followed},
        Row{type::claim, &Reception::claim},
        Row{type::claimed, &Reception::claimed},
        Row{type::copy, &Reception::copy},
        Row{type::was_copied, &Reception::was_copied},
    };
    const auto* const row = std::ranges::find(rows, type, &Row::type);
    return row == rows.end() ? nullptr : row->handler;
}

void Reception::handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet) {
    std::unique_lock lock(mutex_);
    const std::string type = base::text_field(packet.body, "type").value_or("");
    const Handler handler = handler_of(type);
    // Who expects no answer is told by the handler, in a message of its own.
    const auto leads = packet.id() == 0 ? base::Result<>() : check_lead(type, packet.body);
    auto now = handler == nullptr
                   ? base::fail(ErrorCode::protocol,
                                "server '{}' does not understand '{}': use one version of Staithe on both sides",
                                server_, type)
                   : (leads ? (this->*handler)({client_of(link), packet.body, packet.enclosed, packet.id()})
                            : base::fail(leads));
    if (packet.id() != 0 && (!now || *now)) {
        answer(link, packet.id(), now ? base::Result<Reply>(**std::move(now)) : base::fail(std::move(now)));
    }
    tell_due(lock);
}

void Reception::reply(transport::Link& link, std::int64_t id, base::Result<Reply> answer) {
    transport::Beside beside;
    for (std::size_t i = 0; answer && i < answer->descriptors.size(); ++i) {
        beside.descriptors.push_back(answer->descriptors[i].get());
    }
    beside.enclosed = answer ? std::span<const std::byte>(answer->enclosed) : std::span<const std::byte>();
    auto body = answer ? base::Result<Attributes>(std::move(answer->body)) : base::fail(answer);
    static_cast<void>(link.reply(id, std::move(body), beside));
}

// Clients ---------------------------------------------------------------------------------------------------------

Client& Reception::client_of(const std::shared_ptr<transport::Link>& link) {
    Client& client = clients_[link.get()];
    if (client.link == nullptr) {
        client.link = link;
        client.closing = link->on_close([reception = weak_from_this(), key = link.get()] {
            if (const auto self = reception.lock()) {
                self->forget(key);
            }
        });
    }
    return client;
}

/// What it has put stays, what it has not goes.
void Reception::forget(transport::Link* link) {
    std::unique_lock lock(mutex_);
    const auto found = clients_.find(link);
    if (found == clients_.end()) {
        return;
    }
    for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
        waiting = waiting->link.get() == link ? stop_waiting(waiting) : std::next(waiting);
    }
    std::erase_if(wishes_, [link](const auto& each) { return each.second.link.get() == link; });
    Client client = std::move(found->second);
    clients_.erase(found);
    std::ranges::for_each(client.spaces, [this](const std::string& space) { forget_if_untouched(space); });
    locks_.drop(link, time_.now());
    forget_server(client);
    client.held.clear();
    client.far_rooms.clear();  // before others get that memory
    for (const auto& [ticket, ref] : client.reserved) {
        give_back(ref);
    }
    for (const auto& [ticket, rooms] : client.reserved_many) {
        std::ranges::for_each(rooms, [this](const store::BlockRef& ref) { free(ref); });
    }
    if (client.own) {
        stores_.abandon(client.own->store());
    }
    if (is_of_fellow(client) && fellows_[*client.fellow].is_going) {
        has_gone(*client.fellow);
    }
    look_for_fellows();
    tell_due(lock);
}

Catalog& Reception::catalog(const std::string& space) {
    auto& catalog = spaces_[space];
    if (catalog == nullptr) {
        catalog = std::make_unique<Catalog>(
            space, [this](const store::BlockRef& ref) { free_when_safe(ref); },
            [this, space](const store::space::Version& version) {
                if (safe_ != nullptr) {
                    safe_->drop(space, version);
                }
            },
            [this, space](const store::space::Version& version) {
                if (followers_ == nullptr) {  // who follows has blocks as they were put
                    merging_.add(space, version);
                }
            });
    }
    return *catalog;
}

void Reception::forget_if_untouched(const std::string& space) {
    const auto found = spaces_.find(space);
    const auto has_it_open = [&](const auto& each) { return each.second.spaces.contains(space); };
    if (found->second->is_untouched() && std::ranges::none_of(clients_, has_it_open)) {
        spaces_.erase(found);
    }
}

base::Result<Catalog*> Reception::catalog_of(const Request& request) {
    const auto space = base::text_field(request.body, "space");
    const auto found = space ? spaces_.find(*space) : spaces_.end();
    return found == spaces_.end() ? base::fail(ErrorCode::protocol, "server '{}' has no such space", server_)
                                  : base::Result<Catalog*>(found->second.get());
}

Reception::Answer Reception::open(const Request& request) {
    const auto space = base::text_field(request.body, "space");
    const auto checked = space ? transport::check_name(transport::Kind::space, *space) : base::fail(space);
    if (!checked) {
        return base::fail(checked);
    }
    static_cast<void>(catalog(*space));
    request.client.spaces.insert(*space);
    return Reply{{{"replicas", followers_ != nullptr}}};
}

Reception::Answer Reception::describe(const Request& /*request*/) { return Reply{description()}; }

Reception::Answer Reception::load(const Request& /*request*/) { return Reply{{{"load", held_bytes()}}}; }

// Memory ----------------------------------------------------------------------------------------------------------

Reception::Answer Reception::pass_stores(const Request& request) {
    const List* const numbers = base::list_field(request.body, "stores");
    if (request.client.link->is_between_hosts() || numbers == nullptr ||
        numbers->size() > os::max_descriptors_per_message) {
        return base::fail(ErrorCode::protocol, "a process asks for memory that it cannot be passed");
    }
    Reply reply;
    for (const Value& number : *numbers) {
        const auto blocks = stores_.find(static_cast<std::uint32_t>(number.as_int().value_or(-1)));
        auto file = blocks == nullptr
                        ? base::fail(ErrorCode::protocol, "server '{}' has no such store any more", server_)
                        : os::duplicate_read_only(blocks->pool().file());
        if (!file) {
            return base::fail(std::move(file));
        }
        reply.descriptors.push_back(*std::move(file));
    }
    return reply;
}

Reception::Answer Reception::pass_own(const Request& request) {
    const auto number = base::integer_field(request.body, "store", 0, UINT32_MAX);
    const auto own = number && request.client.stores.contains(static_cast<std::uint32_t>(*number))
                         ? stores_.find(static_cast<std::uint32_t>(*number))
                         : nullptr;
    if (request.client.link->is_between_hosts() || own == nullptr) {
        return base::fail(ErrorCode::protocol, "a process asks for memory before it has reserved any");
    }
    auto file = own->pool().file().duplicate();
    if (!file) {
        return base::fail(std::move(file));
    }
    Reply reply;
    reply.descriptors.push_back(*std::move(file));
    return reply;
}

// Looking ---------------------------------------------------------------------------------------------------------

Reception::Answer Reception::list(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto pattern = base::text_field(request.body, "pattern");
    if (!catalog || !pattern) {
        return catalog ? base::fail(pattern) : base::fail(catalog);
    }
    return names((*catalog)->list(*pattern));
}

Reception::Reply Reception::names(std::vector<std::string> names) const {
    return {
        {{"names", List(std::move_iterator(names.begin()), std::move_iterator(names.end()))}, {"homes", homes_led()}}};
}

Reception::Answer Reception::versions(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto variable = base::text_field(request.body, "variable");
    if (!catalog || !variable) {
        return catalog ? base::fail(variable) : base::fail(catalog);
    }
    const auto versions = (*catalog)->versions(*variable);
    if (!versions) {
        return base::fail(versions);
    }
    List list;
    for (const auto& version : *versions) {
        list.emplace_back(space::encode(space::listed(*version)));
    }
    return Reply{{{"versions", std::move(list)}}};
}

Reception::Answer Reception::remove(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto wanted = catalog ? space::decode_wanted(request.body) : base::fail(catalog);
    const std::size_t drops = safe_ != nullptr ? safe_->drops() : 0;
    const auto id = wanted ? space::decode_put_id(request.body) : base::fail(wanted);
    if (id && answers_.find(*id)) {  // as has been said before, but not heard
        return Reply{};
    }
    const auto removed =
        id ? remove(**catalog, *base::text_field(request.body, "space"), *wanted, *id) : base::fail(id);
    if (removed && safe_ != nullptr && safe_->drops() > drops) {
        safe_->flush(when_safe(request));
        return std::nullopt;
    }
    return removed ? Answer(Reply{}) : base::fail(removed);
}

base::Result<> Reception::remove(Catalog& catalog, const std::string& space, const store::space::Wanted& wanted,
                                 const store::space::PutId& id) {
    if (followers_ == nullptr) {
        return catalog.remove(wanted.variable, wanted.version);
    }
    const Followers::Removal removal(*followers_, space, wanted, id);
    auto removed = catalog.remove(wanted.variable, wanted.version);
    if (removed) {
        answers_.add(id, {});
    }
    return removed;
}

Reception::Answer Reception::retain(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto variable = catalog ? base::text_field(request.body, "variable") : base::fail(catalog);
    const auto rules = variable ? space::decode_rules(request.body) : base::fail(variable);
    const auto retained = rules ? (*catalog)->retain(*variable, *rules, base::Clock::now()) : base::fail(rules);
    if (!retained) {
        return base::fail(retained);
    }
    if (safe_ == nullptr) {
        return Reply{};
    }
    safe_->retain({*base::text_field(request.body, "space"), *variable, *rules}, when_safe(request));
    return std::nullopt;
}

Attributes Reception::describe() {
    const std::lock_guard lock(mutex_);
    return description();
}

Attributes Reception::description() {
    Attributes spaces;
    for (const auto& [name, catalog] : spaces_) {
        std::int64_t variables = 0, versions = 0, blocks = 0, bytes = 0;
        catalog->visit_usage([&](const Catalog::Usage& usage) {
            ++variables;
            versions += usage.versions;
            blocks += usage.blocks;
            bytes += usage.bytes;
        });
        spaces[name] =
            Attributes{{"variables", variables}, {"versions", versions}, {"blocks", blocks}, {"bytes", bytes}};
    }
    const auto uses_spaces = [](const auto& each) { return !each.second.spaces.empty(); };
    return {{"name", server_},
            {"clients", std::ranges::count_if(clients_, uses_spaces)},
            {"memory", stores_.capacity()},
            {"bytes", stores_.used()},
            {"memory_limit", limits().memory ? Value(*limits().memory) : Value()},
            {"persisted", persisted_ ? Value(persisted_->describe()) : Value()},
            {"spilled", stores_.has_disk() ? Value(stores_.spilled()) : Value()},
            {"spill_limit", stores_.most_spilled() ? Value(*stores_.most_spilled()) : Value()},
            {"spaces", spaces},
            {"replicas", followers_ ? Value(describe_replicas()) : Value()},
            {"waits", waits()}};
}

}  // namespace staithe::server
