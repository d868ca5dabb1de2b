// The connections by which programs of other hosts fill rooms and fetch blocks, and the threads that look after them:
// for each core one for each way, so that who puts does not wait for who gets. The thread of requests moves none of
// their bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "server/receiving.hpp"
#include "store/remote/block_server.hpp"

namespace staithe::server {

/// Of one program: its connections end with it.
struct FarClient {
    std::size_t threads = 0;  // which of them look after it
    std::shared_ptr<const store::remote::BlockServer::Client> reads;
    std::shared_ptr<const store::remote::BlockServer::Client> writes;
};

class FarBlocks {
  public:
    /// The functions are called in the threads of this, until it goes.
    FarBlocks(store::remote::FindStore find_store, int cores)
        : find_store_(std::move(find_store)), threads_(static_cast<std::size_t>(cores)) {}

    /// Programs have the threads in turn, which are made when they are first needed.
    base::Result<FarClient> new_client();
    /// What it asks for of any store.
    void give(os::FileDescriptor socket, const FarClient& client);
    /// Into the rooms that are found.
    void take(os::FileDescriptor socket, const FarClient& client, Receiving::FindRoom find_room);

  private:
    struct Threads {
        std::shared_ptr<store::remote::BlockServer> giving;
        std::shared_ptr<store::remote::BlockServer> taking;
    };
    const store::remote::FindStore find_store_;
    const std::shared_ptr<store::devices::Devices> devices_ = std::make_shared<store::devices::Devices>();
    std::vector<Threads> threads_;
    std::size_t next_ = 0;
};

}  // namespace staithe::server
