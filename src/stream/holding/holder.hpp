// A process that holds blocks of a stream, and that the director passes no pools of: the reader's side of a BlockOffer.
//
// Its process is looked for when it is first asked. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "store/block_source.hpp"
#include "store/remote/remote_source.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class Holder {
  public:
    /// Who has joined the stream as that writer rank, by its contact.
    static base::Result<std::shared_ptr<Holder>> of_rank(std::shared_ptr<transport::Endpoint> endpoint,
                                                         const std::string& stream, int rank,
                                                         const std::string& contact);
    /// A server that has blocks of the stream, by its contact, and what it is to be asked for.
    static base::Result<std::shared_ptr<Holder>> of_depot(std::shared_ptr<transport::Endpoint> endpoint,
                                                          const std::string& stream, int depot,
                                                          const std::string& contact, std::string service);
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
    /// A new connection on which a process of another host serves them. `peer_lost` once it is gone. Of a process that
    /// is short of connections, the link goes with the last of these.
    base::Result<store::remote::Connected> connect(const base::Deadline& deadline);
    /// How it was lost, if it was found and is gone.
    [[nodiscard]] std::optional<std::string> loss() const;

  private:
    Holder(std::shared_ptr<transport::Endpoint> endpoint, std::string title, std::string service)
        : endpoint_(std::move(endpoint)), title_(std::move(title)), service_(std::move(service)) {}
    base::Result<> find_by(const std::string& stream, const std::string& contact);
    base::Result<std::shared_ptr<transport::Link>> reach(const base::Deadline& deadline);
    base::Result<transport::Packet> ask(transport::Link& link, Attributes question, const base::Deadline& deadline);
    base::Result<transport::Packet> ask_for_blocks(transport::Link& link, const base::Deadline& deadline);
    /// The link that there is: the mutex is held.
    [[nodiscard]] std::shared_ptr<transport::Link> link() const { return link_ ? link_ : lent_.lock(); }

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string title_;
    const std::string service_;
    std::optional<transport::Entry> entry_;  // none: the director
    mutable std::mutex mutex_;
    std::shared_ptr<transport::Link> link_;
    std::weak_ptr<transport::Link> lent_;  // once others wait for it
    bool is_agreed_on_ = false;            // something is, for as long as the link stands
};

/// The same as an owner of these stores, for those who fetch from another host.
store::remote::Owner owner_of(std::shared_ptr<Holder> holder, std::vector<std::uint32_t> stores);
/// A process of this host gives its pools itself; null if it turns out to see this host as another one.
base::Result<std::shared_ptr<store::BlockSource>> open_pool_of(Holder& holder, std::uint32_t store,
                                                               const base::Deadline& deadline);

}  // namespace staithe::stream
