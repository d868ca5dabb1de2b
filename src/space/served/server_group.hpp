// Servers that keep spaces together, as this process reaches them.
//
// A link is made when it is needed, and anew to a server that has taken the place of one that is gone. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "space/member_name.hpp"
#include "space/served/server_link.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::space {

class ServerGroup {
  public:
    /// Those of which that is one, as the user has said where they are. Who starts them may start them one after the
    /// other: all are awaited for moments.
    static base::Result<std::shared_ptr<ServerGroup>> of(const Member& one, const std::optional<std::string>& server,
                                                         const base::Deadline& deadline);

    [[nodiscard]] const std::string& name() const { return one_.servers; }
    [[nodiscard]] int size() const { return one_.size; }
    /// `peer_lost`, with its name, if it is not there.
    base::Result<std::shared_ptr<ServerLink>> link(int rank, const base::Deadline& deadline);
    /// By rank, whether it is on this host, as far as they have been found.
    [[nodiscard]] std::vector<bool> near() const;
    [[nodiscard]] bool is_same(const ServerGroup& other) const;
    /// Where blocks of all of them are to be read.
    base::Result<std::shared_ptr<store::BlockSource>> source_of(std::span<const store::space::VersionBlock> blocks,
                                                                const base::Deadline& deadline);

  private:
    ServerGroup(Member one, std::optional<std::string> server)
        : one_(std::move(one)), server_(std::move(server)), members_(static_cast<std::size_t>(one_.size)) {}
    struct Found {
        std::optional<transport::Entry> entry;
        std::shared_ptr<ServerLink> link;
    };
    /// Whether all are there.
    base::Result<bool> look(const base::Deadline& deadline);
    /// By rank, the processes; nothing where none was found.
    [[nodiscard]] std::vector<std::optional<os::ProcessIdentity>> processes() const;
    [[nodiscard]] std::shared_ptr<ServerLink> open_link(int rank) const;
    [[nodiscard]] base::Failure missing(int rank) const;

    const Member one_;
    const std::optional<std::string> server_;
    mutable std::mutex mutex_;
    std::vector<Found> members_;  // by rank
};

}  // namespace staithe::space
