#include "transport/directory/directory.hpp"

#include <mutex>
#include <set>

#include "os/files.hpp"
#include "os/fork.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {
namespace {

constexpr base::Seconds longest_lock{5.0};  // it is held for a few small files

std::string suffix_of(Kind kind) { return fmt::format(".{}.contact", to_string(kind)); }

std::string path_in(const std::string& run_directory, Kind kind, const std::string& name) {
    return fmt::format("{}/{}{}", run_directory, name, suffix_of(kind));
}

/// What whoever has a thing does with it, for messages.
const char* use_of(Kind kind) { return kind == Kind::stream ? "is being written by" : "is held by"; }

/// The contact files that this program has published and not withdrawn.
class Published {
  public:
    void add(const std::string& path) {
        const std::lock_guard lock(mutex_);
        paths_.insert(path);
    }
    void remove(const std::string& path) {
        const std::lock_guard lock(mutex_);
        paths_.erase(path);
    }
    bool has(const std::string& path) {
        const std::lock_guard lock(mutex_);
        return paths_.contains(path);
    }

  private:
    std::mutex mutex_;
    std::set<std::string> paths_;
};

Published& published_here() {
    static os::OnePerProcess<Published> contacts;
    return contacts.get();
}

/// Whether booting this very host has ended the process.
bool is_of_earlier_boot(const Entry& entry) {
    return !entry.is_here() && entry.peer.host == os::host_name() && !entry.machine.empty() &&
           entry.machine == own_machine();
}

enum class Knock : std::uint8_t { answered, nobody_there, unknown };

/// Whether somebody listens there. Does not wait: the directory may be locked.
Knock knock_at(const std::string& run_directory, const Entry& entry) {
    const auto socket = os::connect_to(run_directory, entry.socket());
    if (socket || socket.error().code == ErrorCode::timeout) {  // one that is stopped takes nobody in
        return Knock::answered;
    }
    return socket.error().code == ErrorCode::not_found ? Knock::nobody_there : Knock::unknown;
}

}  // namespace

base::Result<> Directory::publish(const Entry& entry) const {
    const std::string path = path_in(path_, entry.kind, entry.name);
    const auto locked = lock(longest_lock);
    if (!locked) {
        return base::fail(locked);
    }
    sweep();
    const auto owner = take_or_remove(entry.kind, entry.name);
    if (!owner) {
        return base::fail(owner);
    }
    if (*owner && (*owner)->life == os::Life::unknown) {
        return base::fail(
            ErrorCode::already_exists,
            "{} {} {}, which cannot be seen from here ({}): wait for it to end, stop it, or choose another "
            "name; if it is gone, remove {}",
            entry.title(), use_of(entry.kind), to_string((*owner)->peer), os::host_name(), path);
    }
    if (*owner && !is_abandoned(**owner)) {
        return base::fail(ErrorCode::already_exists, "{} {} {}: wait for it to end, stop it, or choose another name",
                          entry.title(), use_of(entry.kind), to_string((*owner)->peer));
    }
    auto written = os::write_atomically(path, to_json(entry));
    if (written) {
        published_here().add(path);
    }
    return written;
}

void Directory::withdraw(Kind kind, const std::string& name) const {
    const std::string path = path_in(path_, kind, name);
    os::remove_file(path);
    published_here().remove(path);
}

base::Result<std::optional<Entry>> Directory::find(Kind kind, const std::string& name) const {
    auto entry = read(kind, name);
    if (!entry || !*entry || (*entry)->life != os::Life::gone) {
        return entry;  // the usual case needs no lock
    }
    const auto locked = lock(longest_lock);
    if (!locked) {
        return base::fail(locked);
    }
    sweep();  // its socket, too
    return take_or_remove(kind, name);
}

std::vector<Entry> Directory::list(Kind kind) const {
    // If somebody else holds the lock, what was left can lie there a little longer.
    if (const auto locked = lock(base::Seconds{0.0})) {
        sweep();
    }
    std::vector<Entry> entries;
    const std::string suffix = suffix_of(kind);
    for (const std::string& file : os::list_directory(path_)) {
        if (file.ends_with(suffix)) {
            if (auto entry = find(kind, file.substr(0, file.size() - suffix.size())); entry && *entry) {
                entries.push_back(**std::move(entry));
            }
        }
    }
    return entries;
}

base::Result<std::optional<Entry>> Directory::read(Kind kind, const std::string& name) const {
    const std::string path = path_in(path_, kind, name);
    const auto content = os::read_file(path);
    if (!content) {
        return content.error().code == ErrorCode::not_found ? base::Result<std::optional<Entry>>(std::nullopt)
                                                            : base::fail(content);
    }
    auto entry = entry_from_json(path, kind, name, *content);
    if (!entry) {
        return base::fail(std::move(entry));
    }
    entry->life = life_of(*entry);
    return *std::move(entry);
}

/// Nothing if the process that published it is gone. The directory is locked, so what is removed is what was read.
base::Result<std::optional<Entry>> Directory::take_or_remove(Kind kind, const std::string& name) const {
    auto entry = read(kind, name);
    if (!entry || !*entry || (*entry)->life != os::Life::gone) {
        return entry;
    }
    os::remove_file(path_in(path_, kind, name));
    // The sweep leaves it if it is of another pid namespace, or from before this boot.
    if (os::owner_of((*entry)->socket()) == (*entry)->process) {
        os::remove_file(path_ + "/" + (*entry)->socket());
    }
    return std::nullopt;
}

os::Life Directory::life_of(const Entry& entry) const {
    if (const auto life = os::life_of(entry.process); life != os::Life::unknown) {
        return life;
    }
    if (!entry.is_here()) {
        return is_of_earlier_boot(entry) ? os::Life::gone : os::Life::unknown;
    }
    switch (knock_at(path_, entry)) {  // sockets reach into other pid namespaces
        case Knock::answered: return os::Life::alive;
        case Knock::nobody_there: return os::Life::gone;
        case Knock::unknown: break;
    }
    return os::Life::unknown;
}

/// Whether the live process of an entry is no longer the program that published it: after exec it has the same pid and
/// start time, but nobody listens for the old one any more.
bool Directory::is_abandoned(const Entry& entry) const {
    if (entry.process == os::this_process()) {
        return !published_here().has(path_in(path_, entry.kind, entry.name));
    }
    return knock_at(path_, entry) == Knock::nobody_there;
}

base::Result<os::FileDescriptor> Directory::lock(base::Seconds longest) const {
    return os::lock_directory(path_, base::Deadline(longest));
}

/// Removes what processes left that died before they had published, or after they had withdrawn, what it was for.
void Directory::sweep() const {
    for (const std::string& file : os::list_directory(path_)) {
        const auto owner = os::owner_of(file);
        if (owner && os::life_of(*owner) == os::Life::gone) {
            os::remove_file(path_ + "/" + file);
        }
    }
}

namespace {

/// That of a process of this host.
base::Result<std::shared_ptr<Link>> reach_here(Endpoint& endpoint, const Entry& entry, const base::Deadline& deadline) {
    auto link = endpoint.connect(entry.addresses.front(), deadline);
    if (!link && link.error().code == ErrorCode::timeout) {
        const bool is_alive = os::life_of(entry.process) == os::Life::alive;
        return base::fail(ErrorCode::timeout, "{}: {} does not answer within {:g} s{}", entry.title(),
                          to_string(entry.peer), deadline.seconds(), is_alive ? advice_if_stopped(entry.peer) : "");
    }
    return link;
}

base::Result<std::shared_ptr<Link>> reach_elsewhere(Endpoint& endpoint, const Entry& entry,
                                                    const base::Deadline& deadline) {
    if (auto link = endpoint.link_to(entry.process)) {
        return link;
    }
    const std::string& directory = endpoint.run_directory();
    const std::string remove =
        entry.told_by.empty() ? "; if that process is gone, remove " + path_in(directory, entry.kind, entry.name) : "";
    const auto ports = entry.ports();
    if (ports.empty()) {
        return base::fail(ErrorCode::system,
                          "{} {} {}, which does not listen for processes of other hosts such as {}: start it with "
                          "STAITHE_LISTEN=0.0.0.0:0, or run both on one host{}",
                          entry.title(), use_of(entry.kind), to_string(entry.peer), os::host_name(), remove);
    }
    auto link = endpoint.connect(entry.process, ports, deadline);
    if (link) {
        return link;
    }
    // Its process may have withdrawn it in the meantime; another may publish it later.
    const bool nobody_listens = link.error().code == ErrorCode::not_found;
    const auto now = Directory(directory).find(entry.kind, entry.name);
    const bool is_withdrawn = !entry.told_by.empty() || (now && (!*now || (*now)->process != entry.process));
    return base::fail(link.error().code, "{} {} {}: {}{}", entry.title(), use_of(entry.kind), to_string(entry.peer),
                      link.error().message, nobody_listens && !is_withdrawn ? remove : "");
}

/// Its socket lies in the run directory that this process has, too.
bool is_reached_here(const Endpoint& endpoint, const Entry& entry) {
    return entry.is_here() && (entry.told_by.empty() || os::is_there(endpoint.run_directory() + "/" + entry.socket()));
}

}  // namespace

base::Result<std::shared_ptr<Link>> reach(Endpoint& endpoint, const Entry& entry, const base::Deadline& deadline) {
    return is_reached_here(endpoint, entry) ? reach_here(endpoint, entry, deadline)
                                            : reach_elsewhere(endpoint, entry, deadline);
}

}  // namespace staithe::transport
