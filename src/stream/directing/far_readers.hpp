// What reader ranks of other hosts need, who see no memory of this one: connections of their own to the director's
// process, for their channels and for the blocks of all writer ranks.
//
// The thread that serves the blocks needs nothing of the program, which may compute meanwhile. Not thread-safe; the
// director locks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/remote/block_server.hpp"
#include "stream/directing/members.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class FarReaders {
  public:
    FarReaders(std::shared_ptr<transport::Endpoint> endpoint, std::string stream)
        : endpoint_(std::move(endpoint)), stream_(std::move(stream)) {}

    /// From now on the member's process may connect for its channel, which `attach` takes, and for blocks.
    base::Result<> welcome(Member& member, AttachChannel attach, const std::vector<WriterRank>& writers);

    /// What is enclosed with the announcement of a step: its table and, if they are small, its blocks. Until the next
    /// call.
    std::span<const std::byte> with_small_blocks(std::span<const std::byte> table,
                                                 std::span<const store::BlockRef> refs);

  private:
    base::Result<> open_stores(const std::vector<WriterRank>& writers);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    std::shared_ptr<store::remote::BlockServer> server_;  // from the first one on
    std::shared_ptr<const store::remote::Stores> stores_;
    std::vector<std::byte> enclosed_;
};

}  // namespace staithe::stream
