// The streams that a server has taken in: their directors, and their steps' memory, outlive the programs that write.
//
// A stream stays, with the steps that it keeps, until a writer opens it anew or the server ends. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.hpp"
#include "stream/directing/director.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class Host : public std::enable_shared_from_this<Host> {
  public:
    /// Takes in streams for writers that ask, from now on. `server` is the name that people know it by.
    static base::Result<std::shared_ptr<Host>> start(std::shared_ptr<transport::Endpoint> endpoint, std::string server);
    /// Those that are still written have failed.
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// The streams by name: state, ranks, steps, kept, readers, memory (bytes).
    [[nodiscard]] Attributes describe() const;

  private:
    struct Hosted {
        std::shared_ptr<Director> director;
        std::shared_ptr<transport::Link::CloseHandler> closing;  // of the link to rank 0, who has asked for it
        std::int64_t number = 0;                                 // later ones have greater ones
    };
    Host(std::shared_ptr<transport::Endpoint> endpoint, std::string server)
        : endpoint_(std::move(endpoint)), server_(std::move(server)) {}

    void handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet);
    base::Result<Attributes> open(const std::shared_ptr<transport::Link>& link, const Attributes& request);
    void drop_if_nobody_joined(const std::string& stream);
    void drop_oldest_past_if_scarce();
    [[nodiscard]] std::map<std::string, std::shared_ptr<Director>> directors() const;

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string server_;
    bool is_offered_ = false;
    mutable std::mutex mutex_;
    std::map<std::string, Hosted> streams_;
    std::int64_t last_number_ = 0;
};

}  // namespace staithe::stream
