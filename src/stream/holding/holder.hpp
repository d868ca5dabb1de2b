// A process that holds blocks of a stream, and that the director passes no pools of: the reader's side of a BlockOffer.
//
// Its process is looked for when it is first asked. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class Holder {
  public:
    /// Who has joined the stream as that writer rank, by its contact.
    static base::Result<std::shared_ptr<Holder>> of_rank(std::shared_ptr<transport::Endpoint> endpoint,
                                                         const std::string& stream, int rank,
                                                         const std::string& contact);
    /// The director, to whom there is a link.
    static std::shared_ptr<Holder> of_director(std::shared_ptr<transport::Endpoint> endpoint, const std::string& stream,
                                               std::shared_ptr<transport::Link> link);

    /// "writer rank 3 of stream 'melt', lammps (pid 7 on node3)".
    [[nodiscard]] std::string name() const;
    /// Whether its process is on this host, as it says itself.
    [[nodiscard]] bool is_here() const { return entry_ && entry_->is_here(); }

    /// Asks for the blocks: the answer of a process of this host has the pools' descriptors. `peer_lost` once it has
    /// closed the stream.
    base::Result<transport::Packet> ask(const base::Deadline& deadline);
    /// Asks something about them.
    base::Result<transport::Packet> ask(Attributes question, const base::Deadline& deadline);
    /// At which this host reaches it: a number.
    base::Result<std::string> host(const base::Deadline& deadline);
    /// A new connection on which a process of another host serves them. `peer_lost` once it is gone.
    base::Result<os::FileDescriptor> connect(const base::Deadline& deadline);
    /// How it was lost, if it was found and is gone.
    [[nodiscard]] std::optional<std::string> loss() const;

  private:
    Holder(std::shared_ptr<transport::Endpoint> endpoint, const std::string& stream, int rank);
    base::Result<std::shared_ptr<transport::Link>> reach(const base::Deadline& deadline);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string title_;
    const std::string service_;
    std::optional<transport::Entry> entry_;  // none: the director
    mutable std::mutex mutex_;
    std::shared_ptr<transport::Link> link_;
};

}  // namespace staithe::stream
