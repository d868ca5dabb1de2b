// Tells processes at addresses that the user gave what this process has, so that those find it who cannot connect to
// it: again and again until they are there, and when one has come back.
//
// A thread does so, since the program may compute meanwhile. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {

class Announcement {
  public:
    /// `limit_reached` if the process has no thread left. A forked child neither ends it nor takes it back.
    static base::Result<std::shared_ptr<Announcement>> start(std::shared_ptr<Endpoint> endpoint, Entry entry,
                                                             const std::vector<Address::HostPort>& addresses);
    /// Takes it back. May wait for an attempt to connect, two seconds at most.
    ~Announcement();
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;

  private:
    struct Listener {
        Address address;
        std::shared_ptr<Link> link = nullptr;
        std::shared_ptr<Link::CloseHandler> on_close = nullptr;
        std::string trouble = {};
        bool is_this_process = false;  // which knows
    };
    Announcement(std::shared_ptr<Endpoint> endpoint, Entry entry, const std::vector<Address::HostPort>& addresses);
    void run();
    void tell(Listener& listener);

    const std::shared_ptr<Endpoint> endpoint_;
    const Entry entry_;
    std::vector<Listener> listeners_;  // of the thread
    struct News {
        std::mutex mutex;
        std::condition_variable changed;
        bool stopping = false;
        bool lost_one = false;
    };
    const std::shared_ptr<News> news_ = std::make_shared<News>();
    std::thread thread_;
};

}  // namespace staithe::transport
