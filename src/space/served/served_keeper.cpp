#include "space/served/served_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <thread>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "space/served/messages.hpp"
#include "space/served/twin_source.hpp"
#include "store/enclosed_source.hpp"

namespace staithe::space {

base::Result<std::shared_ptr<ServedKeeper>> ServedKeeper::open(const std::string& space,
                                                               std::shared_ptr<ServerLink> server,
                                                               std::shared_ptr<ServerGroup> group,
                                                               const base::Deadline& deadline) {
    const std::shared_ptr<ServedKeeper> keeper(new ServedKeeper(space, std::move(server), std::move(group)));
    const auto opened = keeper->ask(request::open, {}, deadline);
    keeper->has_replicas_ = opened && base::flag_field(opened->body, "replicas");
    return opened ? base::Result<std::shared_ptr<ServedKeeper>>(keeper) : base::fail(opened);
}

base::Result<transport::Packet> ServedKeeper::ask(const char* type, Attributes body, const base::Deadline& deadline,
                                                  const std::function<base::Result<>()>& go_on,
                                                  std::span<const std::byte> enclosed) {
    body["type"] = type;
    body["space"] = space_;
    return server_->call(std::move(body), deadline, go_on, enclosed);
}

base::Result<Room> ServedKeeper::reserve(const store::space::Put& put, const base::Deadline& deadline) {
    return reserve({}, put, deadline);
}

base::Result<Room> ServedKeeper::reserve_now(const store::space::Put& put, const base::Deadline& deadline) {
    return reserve({{"now", true}}, put, deadline);
}

base::Result<Room> ServedKeeper::reserve(Attributes request, const store::space::Put& put,
                                         const base::Deadline& deadline) {
    if (auto checked = store::space::check_box(put.block); !checked) {  // no message could say it
        return base::fail(std::move(checked));
    }
    Attributes body = encode(put);
    body.merge(std::move(request));
    const std::int64_t ticket = server_->next_ticket();
    body["ticket"] = ticket;
    auto give_back = [server = server_, ticket] { server->notify({{"type", request::give_back}, {"ticket", ticket}}); };
    auto answer = ask(request::reserve, std::move(body), deadline);
    if (!answer) {  // the server may have reserved it all the same, or would do so later
        const auto withdrawn = ask(request::give_back, {{"ticket", ticket}}, base::Deadline(time_to_withdraw));
        const auto why = withdrawn ? base::text_field(withdrawn->body, "why") : base::fail(withdrawn);
        return why && deadline.passed()
                   ? base::fail(ErrorCode::limit_reached, "waited {:g} s: {}", deadline.seconds(), *why)
                   : base::fail(std::move(answer));
    }
    const auto offset = base::integer_field(answer->body, "at", 0, INT64_MAX);
    const auto store = base::integer_field(answer->body, "store", 0, UINT32_MAX);
    load_ = base::integer_field(answer->body, "load", 0, INT64_MAX).value_or(0);
    const store::BlockRef ref{.store = static_cast<std::uint32_t>(store.value_or(0)),
                              .offset = offset.value_or(0),
                              .bytes = put.block.data_bytes()};
    if (!offset || !store) {
        give_back();
        return base::fail(ErrorCode::protocol, "{} has answered what cannot be understood", server_->title());
    }
    if (FarMemory* const far = server_->far()) {
        if (put.dense != nullptr) {  // it is sent from there, and not written to
            return Room(ref, const_cast<std::byte*>(put.dense), std::move(give_back), ticket);
        }
        auto memory = far->memory_for(ref.bytes);
        if (!memory) {
            give_back();
            return base::fail(std::move(memory));
        }
        std::byte* const bytes = memory->get();
        return Room(ref, bytes, [give_back, memory = *std::move(memory)] { give_back(); }, ticket);
    }
    const auto memory = server_->writable(ref, deadline);
    if (!memory) {
        give_back();
        return base::fail(memory);
    }
    return Room(ref, *memory, std::move(give_back), ticket);
}

base::Result<std::int64_t> ServedKeeper::put(store::space::Put put, Room room, const base::Deadline& deadline) {
    return put_in_room(encode(put), room, deadline);
}

base::Result<std::int64_t> ServedKeeper::put(const Parcel& parcel, const base::Deadline& deadline) {
    const auto checked = store::space::check_box(parcel.put.block);  // no message could say it
    const std::int64_t bytes = checked ? parcel.put.block.data_bytes() : 0;
    if (!checked || bytes > most_enclosed) {
        return checked ? Keeper::put(parcel, deadline) : base::fail(checked);
    }
    const auto answer = ask(request::put, encode(parcel.put), deadline, nullptr,
                            std::span(parcel.bytes, static_cast<std::size_t>(bytes)));
    if (!answer) {
        return base::fail(answer);
    }
    if (base::flag_field(answer->body, "no room")) {  // nothing was put: it is waited for
        return Keeper::put(parcel, deadline);
    }
    load_ = base::integer_field(answer->body, "load", 0, INT64_MAX).value_or(0);
    return base::integer_field(answer->body, "version", INT64_MIN, INT64_MAX);
}

base::Result<std::int64_t> ServedKeeper::put_for(std::optional<int> home, const store::space::Put& put, Room& room,
                                                 const base::Deadline& deadline) {
    Attributes request = encode(put);
    if (home) {
        request["home"] = *home;
    }
    return put_in_room(std::move(request), room, deadline);
}

base::Result<> ServedKeeper::fill(const Room& room, std::byte* bytes, const base::Deadline& deadline) {
    const auto size = static_cast<std::size_t>(room.ref().bytes);
    if (FarMemory* const far = server_->far()) {
        return far->send(room.ticket(), std::span(bytes, size), deadline);
    }
    if (bytes != room.memory() && size > 0) {
        std::memcpy(room.memory(), bytes, size);
    }
    return {};
}

base::Result<std::int64_t> ServedKeeper::ask_load() {
    const auto answer = ask(request::load, {}, base::Deadline(time_to_answer));
    const auto load = answer ? base::integer_field(answer->body, "load", 0, INT64_MAX) : base::fail(answer);
    load_ = load.value_or(load_);
    return load;
}

base::Result<std::set<int>> ServedKeeper::homes(const base::Deadline& deadline) {
    const auto answer = ask(request::homes, {}, deadline);
    return answer ? decode_homes(answer->body) : base::fail(answer);
}

base::Result<std::int64_t> ServedKeeper::put_in_room(Attributes request, Room& room, const base::Deadline& deadline) {
    if (auto filled = fill(room, room.memory(), deadline); !filled) {
        return base::fail(std::move(filled));
    }
    request["ticket"] = room.ticket();
    auto answer = ask(request::put, std::move(request), deadline);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    if (!base::flag_field(answer->body, "again")) {  // else it had been put before, from another room
        room.hand_over();
        if (room.twin()) {
            room.twin()->hand_over();
        }
    }
    return base::integer_field(answer->body, "version", INT64_MIN, INT64_MAX);
}

/// A server that was killed, and has come back, has other stores than the leader of a version may know of just then.
base::Result<Found> ServedKeeper::find(const store::space::Wanted& wanted, const base::Deadline& deadline) {
    const base::Deadline until_it_knows(base::Seconds(5.0));
    for (;;) {
        auto found = find_blocks(wanted, deadline);
        if (!found || found->source) {
            return found;
        }
        auto source = source_of(found->blocks);
        if (source) {
            found->source = *std::move(source);
            return found;
        }
        if (group_ == nullptr || source.error().code != ErrorCode::protocol || until_it_knows.passed()) {
            return base::fail(std::move(source));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

base::Result<Found> ServedKeeper::find_blocks(const store::space::Wanted& wanted, const base::Deadline& deadline) {
    const std::int64_t ticket = server_->next_ticket();
    Attributes body = encode(wanted);
    body["ticket"] = ticket;
    if (!wanted.after) {  // who follows versions holds the one that came, whatever of it is looked at
        body["enclose"] = most_enclosed;
    }
    auto answer = ask(request::find, body, deadline);
    const bool is_late = !answer && answer.error().code == ErrorCode::timeout;
    const bool gives_up = is_late && !deadline.passed();  // it was interrupted
    if (is_late) {
        answer = ask(request::cancel, std::move(body), base::Deadline(time_to_withdraw));
        if (!answer) {  // it may still find it, for nobody
            server_->notify({{"type", request::release}, {"ticket", ticket}});
        }
    }
    if (!answer) {
        return base::fail(std::move(answer));
    }
    if (const auto why = base::text_field(answer->body, "why")) {
        return gives_up ? base::fail(ErrorCode::timeout, "waiting was interrupted: {}", *why)
                        : base::fail(ErrorCode::timeout, "waited {:g} s: {}", deadline.seconds(), *why);
    }
    const bool is_enclosed = base::flag_field(answer->body, "enclosed");
    const std::shared_ptr<const void> pin =
        is_enclosed ? nullptr : std::shared_ptr<const void>(nullptr, [server = server_, ticket](const void*) {
            server->notify({{"type", request::release}, {"ticket", ticket}});
        });
    auto found = decode_found(answer->body, answer->enclosed);
    if (!found) {
        return found;
    }
    if (gives_up) {
        return base::fail(ErrorCode::timeout, "waiting was interrupted: it was found just then");
    }
    found->copies = copies_;
    if (is_enclosed) {
        const auto held = hold_enclosed(*found, std::move(answer->enclosed));
        return held ? std::move(found) : base::fail(held);
    }
    found->pin = pin;
    return found;
}

base::Result<std::shared_ptr<store::BlockSource>> ServedKeeper::source_of(
    std::span<const store::space::VersionBlock> blocks) const {
    const base::Deadline soon(time_to_answer);
    if (group_ == nullptr) {
        return server_->source_of(blocks, soon);
    }
    auto source = group_->source_of(blocks, soon);
    const bool has_twins = std::ranges::any_of(blocks, [](const auto& block) { return block.twin.has_value(); });
    if (!source || !has_twins) {
        return source;
    }
    return std::make_shared<TwinSource>(
        *std::move(source), blocks, group_->size(),
        [group = group_](const auto& twins) { return group->source_of(twins, base::Deadline(time_to_answer)); });
}

base::Result<> ServedKeeper::hold_enclosed(Found& found, std::vector<std::byte> bytes) {
    std::vector<store::BlockRef> refs;
    refs.reserve(found.blocks.size());
    std::ranges::transform(found.blocks, std::back_inserter(refs), &store::space::VersionBlock::ref);
    auto source = std::make_shared<store::EnclosedSource>();
    auto held = source->hold(refs, std::move(bytes));
    found.source = std::move(source);
    return held;
}

base::Result<std::vector<std::string>> ServedKeeper::list(const std::string& pattern) {
    return names_that_fit(request::list, pattern);
}

base::Result<std::vector<std::string>> ServedKeeper::list_containers(const std::string& pattern) {
    return names_that_fit(request::containers, pattern);
}

base::Result<std::vector<std::string>> ServedKeeper::names_that_fit(const char* type, const std::string& pattern) {
    const auto answer = ask(type, {{"pattern", pattern}}, base::Deadline(time_to_answer));
    const List* const names = answer ? base::list_field(answer->body, "names") : nullptr;
    if (!answer) {
        return base::fail(answer);
    }
    std::vector<std::string> list;
    for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
        if (const std::string* const name = (*names)[i].as_string()) {
            list.push_back(*name);
        }
    }
    return list;
}

base::Result<std::vector<Listed>> ServedKeeper::versions(const std::string& variable) {
    const auto answer = ask(request::versions, {{"variable", variable}}, base::Deadline(time_to_answer));
    const List* const entries = answer ? base::list_field(answer->body, "versions") : nullptr;
    if (!answer) {
        return base::fail(answer);
    }
    std::vector<Listed> list;
    for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
        const Attributes* const entry = (*entries)[i].as_map();
        auto listed =
            entry == nullptr ? base::fail(ErrorCode::protocol, "a list of versions is garbled") : decode_listed(*entry);
        if (!listed) {
            return base::fail(std::move(listed));
        }
        list.push_back(*std::move(listed));
    }
    return list;
}

base::Result<> ServedKeeper::remove(const std::string& variable, std::optional<std::int64_t> version,
                                    const store::space::PutId& id) {
    Attributes body = encode(store::space::Wanted{variable, version});
    add(body, id);
    const auto answer = ask(request::remove, std::move(body), base::Deadline(time_to_answer));
    return answer ? base::Result<>() : base::fail(answer);
}

base::Result<std::int64_t> ServedKeeper::remove_container(const std::string& path) {
    const auto answer = ask(request::remove_container, {{"path", path}}, base::Deadline(time_to_answer));
    return answer ? base::integer_field(answer->body, "removed", 0, INT64_MAX) : base::fail(answer);
}

base::Result<> ServedKeeper::set_attributes(const std::string& path, const Attributes& attributes) {
    const auto answer =
        ask(request::set_attributes, {{"path", path}, {"attributes", attributes}}, base::Deadline(time_to_answer));
    return answer ? base::Result<>() : base::fail(answer);
}

base::Result<Attributes> ServedKeeper::attributes(const std::string& path) {
    const auto answer = ask(request::attributes, {{"path", path}}, base::Deadline(time_to_answer));
    const Attributes* const attributes = answer ? base::map_field(answer->body, "attributes") : nullptr;
    if (!answer) {
        return base::fail(answer);
    }
    return attributes != nullptr ? base::Result<Attributes>(*attributes)
                                 : base::fail(ErrorCode::protocol, "{} does not say what attributes '{}' has", title(),
                                              base::printable(path));
}

base::Result<> ServedKeeper::retain(const std::string& variable, const store::space::RetentionRules& rules) {
    Attributes body = encode(rules);
    body["variable"] = variable;
    const auto answer = ask(request::retain, std::move(body), base::Deadline(time_to_answer));
    return answer ? base::Result<>() : base::fail(answer);
}

}  // namespace staithe::space
