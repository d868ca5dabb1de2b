#include "store/remote/block_server.hpp"

#include <chrono>
#include <exception>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "os/fork.hpp"
#include "transport/connection_room.hpp"

namespace staithe::store::remote {
namespace {

/// Some hundred microseconds of copying, beside which what a turn itself costs is small.
constexpr std::int64_t most_bytes_a_turn = 1 << 20;

/// After that others may have a connection, and between two looks whether they wait for one.
constexpr std::chrono::seconds longest_idle{1};

/// False if that was the last one.
bool goes_on_after_turn(Conversation& connection) {
    try {
        const auto served = connection.take_turn(most_bytes_a_turn);
        if (!served && served.error().code != ErrorCode::peer_lost) {
            base::log(base::LogLevel::warn, "a connection for blocks is closed: {}", served.error().message);
        }
        return served.has_value();
    } catch (const std::exception& thrown) {  // no memory
        base::log(base::LogLevel::warn, "a connection for blocks is closed: {}", thrown.what());
        return false;
    }
}

}  // namespace

/// The server learns that it is gone.
class BlockServer::Client {
  public:
    explicit Client(std::shared_ptr<const os::Event> news) : news_(std::move(news)) {}
    ~Client() { news_->set(); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

  private:
    const std::shared_ptr<const os::Event> news_;
};

std::shared_ptr<const BlockServer::Client> BlockServer::new_client() const {
    return std::make_shared<const Client>(news_);
}

base::Result<std::shared_ptr<BlockServer>> BlockServer::start(std::shared_ptr<devices::Devices> devices) {
    auto news = os::Event::create();
    if (!news) {
        return base::fail(std::move(news));
    }
    auto server = os::kept_at_home(new BlockServer(*std::move(news), std::move(devices)));
    try {
        server->thread_ = std::thread([raw = server.get()] { raw->run(); });
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached, "cannot start the thread that serves blocks: {}", error.what());
    }
    return server;
}

BlockServer::~BlockServer() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    news_->set();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void BlockServer::serve(os::FileDescriptor socket, std::shared_ptr<const Stores> stores,
                        const std::shared_ptr<const Client>& client, std::shared_ptr<Traffic> traffic) {
    serve(std::make_unique<Serving>(std::move(socket), find_in(std::move(stores)), std::move(traffic), encoded_,
                                    devices_),
          client ? client : everybody_);
}

void BlockServer::serve(std::unique_ptr<Conversation> conversation, const std::shared_ptr<const Client>& client) {
    {
        const std::lock_guard lock(mutex_);
        newcomers_.push_back({client, std::move(conversation), base::Clock::now()});
    }
    news_->set();
}

void BlockServer::run() {
    std::vector<Connection> connections;
    std::vector<os::Polled> polled;
    auto looked = base::Clock::now();
    for (;;) {
        polled.assign(1, {.descriptor = news_->descriptor()});
        for (const Connection& each : connections) {
            polled.push_back({.descriptor = each.serving->descriptor(),
                              .writable = each.serving->writes(),
                              .readable = each.serving->reads()});
        }
        os::poll(polled, base::Deadline(connections.empty() ? base::Seconds(base::forever) : longest_idle));
        const auto now = base::Clock::now();
        for (std::size_t i = 0; i < connections.size(); ++i) {
            if (!polled[i + 1].ready) {
                continue;
            }
            connections[i].used = now;
            if (!goes_on_after_turn(*connections[i].serving)) {
                connections[i].serving.reset();
            }
        }
        if (now - looked > longest_idle) {
            looked = now;
            if (transport::are_connections_scarce()) {
                std::erase_if(connections, [&](const Connection& each) {
                    return each.serving && !each.serving->writes() && now - each.used > longest_idle;
                });
            }
        }
        std::erase_if(connections, [](const Connection& each) { return !each.serving || each.client.expired(); });
        if (polled.front().ready) {
            news_->clear();
            const std::lock_guard lock(mutex_);
            if (stopping_) {
                return;
            }
            std::move(newcomers_.begin(), newcomers_.end(), std::back_inserter(connections));
            newcomers_.clear();
        }
    }
}

}  // namespace staithe::store::remote
