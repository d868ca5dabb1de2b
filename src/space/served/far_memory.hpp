// The memory of a server of another host, as this process fills its rooms and fetches from it: over connections of
// their own beside the link.
//
// Blocks are sent and fetched by the thread that puts or gets them; threads that do so at the same time have
// connections of their own. Thread-safe. Failures name the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "memory/pool.hpp"
#include "store/block_source.hpp"
#include "store/remote/connection_count.hpp"
#include "store/remote/lane.hpp"
#include "transport/endpoint.hpp"

namespace staithe::space {

class FarMemory {
  public:
    /// Of the server of that title at the other end of the link.
    FarMemory(std::shared_ptr<transport::Endpoint> endpoint, std::shared_ptr<transport::Link> link,
              const std::string& title);

    /// What it has, of all its stores.
    [[nodiscard]] const std::shared_ptr<store::BlockSource>& source() const { return source_; }

    /// Memory of this process, for a block until it is sent.
    base::Result<std::shared_ptr<std::byte>> memory_for(std::int64_t bytes);
    /// Fills the room of that ticket; all of it is there when this returns. Whatever fails, nothing more of it will be
    /// sent.
    base::Result<> send(std::int64_t ticket, std::span<std::byte> bytes, const base::Deadline& deadline);

  private:
    class Sending;
    /// The two sides of the server's connections.
    enum class Way { read, write };
    static base::Result<store::remote::Connected> connect(transport::Endpoint& endpoint,
                                                          const std::shared_ptr<transport::Link>& link, Way way,
                                                          const base::Deadline& deadline);
    base::Result<> send_once(std::int64_t ticket, std::span<std::byte> bytes, const base::Deadline& deadline);
    base::Result<store::remote::Connected> connection_to_write(const base::Deadline& deadline);
    base::Result<> await(std::span<Sending> parts, const base::Deadline& deadline) const;

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::shared_ptr<transport::Link> link_;
    const std::string title_;
    const std::shared_ptr<store::BlockSource> source_;
    std::mutex mutex_;
    std::shared_ptr<memory::Pool> pool_;  // from the first block on
    std::vector<store::remote::Connected> idle_;
    store::remote::ConnectionCount count_;
};

}  // namespace staithe::space
