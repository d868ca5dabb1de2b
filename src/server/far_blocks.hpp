// The connections by which programs of other hosts fill rooms and fetch blocks, and the threads that look after them:
// one for each way, so that who puts does not wait for who gets. The thread of requests moves none of their bytes.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "server/receiving.hpp"
#include "store/remote/block_server.hpp"

namespace staithe::server {

/// Of one program: its connections end with it.
struct FarClient {
    std::shared_ptr<const store::remote::BlockServer::Client> reads;
    std::shared_ptr<const store::remote::BlockServer::Client> writes;
};

class FarBlocks {
  public:
    /// The functions are called in the threads of this, until it goes.
    explicit FarBlocks(store::remote::FindStore find_store) : find_store_(std::move(find_store)) {}

    /// To be called before the others: makes the threads when they are first needed.
    base::Result<> start();
    [[nodiscard]] FarClient new_client() const { return {giving_->new_client(), taking_->new_client()}; }
    /// What it asks for of any store.
    void give(os::FileDescriptor socket, const FarClient& client);
    /// Into the rooms that are found.
    void take(os::FileDescriptor socket, const FarClient& client, Receiving::FindRoom find_room);

  private:
    const store::remote::FindStore find_store_;
    std::shared_ptr<store::remote::BlockServer> giving_;
    std::shared_ptr<store::remote::BlockServer> taking_;
};

}  // namespace staithe::server
