// The directory: how processes find what others offer, by kind and name.
//
// A run directory holds a contact file for each thing, `<name>.<kind>.contact`, written atomically while the directory
// is locked, and believed as long as the process that published it may live. What a dead process left, its contacts,
// its sockets and all that is named after it (`os::owner_of`), is removed by whoever meets it. A process that cannot be
// looked at from here, of another host or another pid namespace, is never taken for dead.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/directory/entry.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

class Endpoint;

class Directory {
  public:
    explicit Directory(std::string run_directory) : path_(std::move(run_directory)) {}

    /// `already_exists` while a process that may live has the name.
    base::Result<> publish(const Entry& entry) const;
    /// What this process has published.
    void withdraw(Kind kind, const std::string& name) const;

    /// Nothing if there is none, or a dead process's.
    [[nodiscard]] base::Result<std::optional<Entry>> find(Kind kind, const std::string& name) const;
    /// In the order of their names, without those that cannot be read.
    [[nodiscard]] std::vector<Entry> list(Kind kind) const;

  private:
    [[nodiscard]] base::Result<std::optional<Entry>> read(Kind kind, const std::string& name) const;
    [[nodiscard]] base::Result<std::optional<Entry>> take_or_remove(Kind kind, const std::string& name) const;
    [[nodiscard]] os::Life life_of(const Entry& entry) const;
    [[nodiscard]] bool is_abandoned(const Entry& entry) const;
    [[nodiscard]] base::Result<os::FileDescriptor> lock(base::Seconds longest) const;
    void sweep() const;

    std::string path_;
};

/// The link to the process that has published the entry: through its socket on this host, else the link there is,
/// else by whichever of its ports answers. Its errors name that process; `system` if it listens at no port, `not_found`
/// if it is gone from where it listened.
base::Result<std::shared_ptr<Link>> reach(Endpoint& endpoint, const Entry& entry, const base::Deadline& deadline);

}  // namespace staithe::transport
