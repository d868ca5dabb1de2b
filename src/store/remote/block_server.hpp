// The other end of RemoteSources, in the process that holds the blocks: a thread that answers out of its pools while
// the program does what it likes.
//
// Connections take turns of a bounded number of bytes, and none is waited for: who reads slowly, or never, stalls
// nobody. What is asked for must stay as it is until it was sent: whoever asks has the step pinned, as readers of this
// node have; a peer that has not gets what lies there now. Pools stay mapped while a connection may ask for them. Where
// connections are scarce, those end on which nothing was asked for a while: whoever asks again makes another.
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/event.hpp"
#include "os/file_descriptor.hpp"
#include "store/remote/encoded_parts.hpp"
#include "store/remote/serving.hpp"

namespace staithe::store::remote {

class BlockServer {
  public:
    /// `limit_reached` if the process has no descriptor or thread left. A forked child does not end it, and has none.
    static base::Result<std::shared_ptr<BlockServer>> start(
        std::shared_ptr<devices::Devices> devices = std::make_shared<devices::Devices>());
    /// Ends all connections.
    ~BlockServer();
    BlockServer(const BlockServer&) = delete;
    BlockServer& operator=(const BlockServer&) = delete;

    /// On whose behalf connections are served.
    class Client;
    [[nodiscard]] std::shared_ptr<const Client> new_client() const;

    /// From now on whoever is at the other end of the stream socket, and has been admitted, is given what it asks for
    /// of these stores, until it closes its end, or the client, if there is one, is gone.
    void serve(os::FileDescriptor socket, std::shared_ptr<const Stores> stores,
               const std::shared_ptr<const Client>& client = nullptr,
               std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>());
    /// Likewise, whatever is said there.
    void serve(std::unique_ptr<Conversation> conversation, const std::shared_ptr<const Client>& client);

  private:
    struct Connection {
        std::weak_ptr<const Client> client;
        std::unique_ptr<Conversation> serving;
        base::Clock::time_point used = base::Clock::now();
    };
    BlockServer(os::Event news, std::shared_ptr<devices::Devices> devices)
        : news_(std::make_shared<const os::Event>(std::move(news))),
          everybody_(new_client()),
          devices_(std::move(devices)) {}
    void run();

    const std::shared_ptr<const os::Event> news_;
    const std::shared_ptr<const Client> everybody_;
    const std::shared_ptr<EncodedParts> encoded_ = std::make_shared<EncodedParts>();
    const std::shared_ptr<devices::Devices> devices_;
    std::mutex mutex_;
    std::vector<Connection> newcomers_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace staithe::store::remote
