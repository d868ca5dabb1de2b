#include "transport/group_contact.hpp"

#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "os/fork.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t key_digits = 2 * Key::size;
constexpr const char* entry_name = "group";

struct Known {
    std::mutex mutex;
    std::shared_ptr<const Key> key;
    std::vector<GroupContact> contacts;
    std::set<std::shared_ptr<void>> listening;  // no group says when it ends
};

Known& known() {
    static os::OnePerProcess<Known> here;
    return here.get();
}

}  // namespace

std::string to_text(const GroupContact& contact) {
    std::vector<Address> addresses{Address(Address::SocketFile{to_string(contact.process) + ".socket"})};
    for (const Address::HostPort& each : contact.addresses) {
        addresses.emplace_back(each);
    }
    const Entry entry{Kind::server, entry_name, std::move(addresses), contact.peer, contact.process};
    return hex_of(contact.key->bytes()) + "\n" + to_json(entry);
}

base::Result<GroupContact> GroupContact::parse(const std::string& text) {
    auto key = text.size() > key_digits && text[key_digits] == '\n'
                   ? Key::from_hex(std::string_view(text).substr(0, key_digits), "the group")
                   : nullptr;
    auto entry =
        key ? entry_from_json("what rank 0 tells its group", Kind::server, entry_name, text.substr(key_digits + 1))
            : base::fail(ErrorCode::protocol, "no key");
    if (!entry || entry->ports().empty()) {
        return base::fail(ErrorCode::protocol,
                          "what rank 0 tells its group is not understood: use one version of Staithe in all ranks");
    }
    return GroupContact{std::move(key), entry->peer, entry->process, entry->ports()};
}

base::Result<std::string> tell_group(const std::string& run_directory) {
    const auto endpoint = Endpoint::shared(run_directory);
    auto listening = endpoint ? (*endpoint)->keep_listening_for_group() : base::fail(endpoint);
    if (!listening || !*listening) {
        return listening ? base::Result<std::string>("") : base::fail(std::move(listening));
    }
    const auto key = (*endpoint)->key_for_group();
    if (!key) {
        return base::fail(key);
    }
    GroupContact contact{*key, (*endpoint)->self(), os::this_process(), {}};
    for (const Address& address : (*endpoint)->addresses()) {
        if (const auto* place = address.host_port()) {
            contact.addresses.push_back(*place);
        }
    }
    const std::lock_guard lock(known().mutex);
    known().listening.insert(*std::move(listening));
    return to_text(contact);
}

base::Result<> take_from_group(const std::string& text) {
    auto started = start_cryptography();
    auto contact = started ? GroupContact::parse(text) : base::fail(std::move(started));
    if (!contact) {
        return base::fail(std::move(contact));
    }
    const std::lock_guard lock(known().mutex);
    known().key = contact->key;
    std::erase_if(known().contacts, [&](const GroupContact& each) { return each.process == contact->process; });
    known().contacts.push_back(*std::move(contact));
    return {};
}

std::vector<GroupContact> told_by_groups() {
    const std::lock_guard lock(known().mutex);
    return known().contacts;
}

std::shared_ptr<const Key> key_of_groups() {
    const std::lock_guard lock(known().mutex);
    return known().key;
}

}  // namespace staithe::transport
