// Servers that come, or come back, when streams are being written already that they are to have a share of: looked for
// as long as there are such streams, and brought into them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "stream/directing/director.hpp"
#include "transport/directory/search.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

class Latecomers {
  public:
    /// Of the streams that there are, by name.
    using Directors = std::function<std::map<std::string, std::shared_ptr<Director>>()>;

    /// Looks for those servers.
    Latecomers(std::shared_ptr<transport::Endpoint> endpoint, std::vector<std::string> servers, Directors directors)
        : endpoint_(std::move(endpoint)), servers_(std::move(servers)), directors_(std::move(directors)) {}
    ~Latecomers();
    Latecomers(const Latecomers&) = delete;
    Latecomers& operator=(const Latecomers&) = delete;

    /// There is one more stream.
    void look_out();

  private:
    // In the errands' thread.
    void look_until_nothing_is_written();
    void look(const std::map<std::string, std::shared_ptr<Director>>& written);
    base::Result<> bring(const transport::Entry& server, const std::string& stream, Director& director) const;

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::vector<std::string> servers_;
    const Directors directors_;
    std::unique_ptr<transport::Search> search_;
    std::map<std::string, base::Clock::time_point> not_before_;  // servers that could not be brought

    std::mutex mutex_;
    std::condition_variable changed_;
    bool looks_ = false;
    bool is_told_ = false;  // that there is one more
    std::atomic<bool> stops_{false};
    transport::Errands errands_;  // last: its thread uses the rest
};

}  // namespace staithe::stream
