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
    /// Who has joined the stream as a writer rank.
    Holder(std::shared_ptr<transport::Endpoint> endpoint, std::string service, transport::Entry entry)
        : endpoint_(std::move(endpoint)), service_(std::move(service)), entry_(std::move(entry)) {}
    /// The director, to whom there is a link.
    Holder(std::shared_ptr<transport::Endpoint> endpoint, std::string service, std::shared_ptr<transport::Link> link)
        : endpoint_(std::move(endpoint)), service_(std::move(service)), link_(std::move(link)) {}

    /// Asks for the blocks: the answer of a process of this host has the pools' descriptors.
    base::Result<transport::Packet> ask(const base::Deadline& deadline);
    /// A new connection on which a process of another host serves them. `peer_lost` once it is gone.
    base::Result<os::FileDescriptor> connect(const base::Deadline& deadline);
    /// Whether it was found, and is gone.
    [[nodiscard]] bool is_gone() const;

  private:
    base::Result<std::shared_ptr<transport::Link>> reach(const base::Deadline& deadline);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string service_;
    const std::optional<transport::Entry> entry_;
    mutable std::mutex mutex_;
    std::shared_ptr<transport::Link> link_;
};

}  // namespace staithe::stream
