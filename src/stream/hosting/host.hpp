// The streams that a server has taken in: their directors, and their steps' memory, outlive the programs that write.
//
// A stream stays, with the steps that it keeps, until a writer opens it anew or the server ends. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "os/event.hpp"
#include "stream/directing/director.hpp"
#include "stream/hosting/depots.hpp"
#include "stream/hosting/latecomers.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"

namespace staithe::stream {

class Host : public std::enable_shared_from_this<Host> {
  public:
    /// Takes in streams for writers that ask, from now on. `server` is the name that people know it by, `others` are
    /// those of the servers that keep streams together with it. `has_twins`: any of these may be killed, for which each
    /// stream has its steps in two.
    static base::Result<std::shared_ptr<Host>> start(std::shared_ptr<transport::Endpoint> endpoint, std::string server,
                                                     std::vector<std::string> others, bool has_twins);
    /// Those that are still written have failed.
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// Whether it is `draining`, and the `streams` by name: state, ranks, steps, kept, readers, memory (bytes).
    [[nodiscard]] Attributes describe() const;
    [[nodiscard]] bool is_dismissed() const { return is_dismissed_; }
    /// Readable once it is.
    [[nodiscard]] int dismissal() const { return dismissal_.descriptor(); }

  private:
    struct Hosted {
        std::shared_ptr<Director> director;
        std::shared_ptr<transport::Link::CloseHandler> closing;  // of the link to rank 0, who has asked for it
        std::int64_t number = 0;                                 // later ones have greater ones
    };
    Host(std::shared_ptr<transport::Endpoint> endpoint, std::string server, std::vector<std::string> others,
         bool has_twins, os::Event dismissal)
        : endpoint_(std::move(endpoint)),
          server_(std::move(server)),
          others_(std::move(others)),
          has_twins_(has_twins),
          depots_(endpoint_),
          dismissal_(std::move(dismissal)),
          latecomers_(others_.empty() || has_twins ? nullptr : std::make_unique<Latecomers>(endpoint_, others_, [this] {
              return directors();
          })) {}

    void handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet);
    void open(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet);
    base::Result<Director::FarDepots> found_depots(const Attributes& request, const DirectorSettings& settings);
    bool misses_any(const std::vector<transport::Entry>& found, bool is_patient);
    base::Result<> take_in(const std::shared_ptr<transport::Link>& link, DirectorSettings settings,
                           Director::FarDepots depots);
    base::Result<> end_earlier(const std::string& stream);
    [[nodiscard]] base::Failure is_written_here(const std::string& stream) const;
    void let_go(std::shared_ptr<Director> director);
    void drop_if_nobody_joined(const std::string& stream);
    void drop_oldest_past_if_scarce();
    Attributes drain(const Attributes& request, bool dismisses);
    [[nodiscard]] List left(bool drops_kept) const;
    void ask_all_but(const std::string& stream, std::int64_t bytes) const;
    [[nodiscard]] std::map<std::string, std::shared_ptr<Director>> directors() const;

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string server_;
    const std::vector<std::string> others_;
    const bool has_twins_;
    Depots depots_;
    std::atomic<bool> is_draining_{false}, is_dismissed_{false};
    const os::Event dismissal_;
    const std::shared_ptr<transport::Errands> asking_ = std::make_shared<transport::Errands>();
    mutable std::mutex mutex_;
    std::map<std::string, Hosted> streams_;
    std::int64_t last_number_ = 0;
    std::set<std::string> missing_;  // of the others: who has been waited for in vain
    // Last: their threads use the rest. What has gone may still wait for what its thread does.
    transport::Errands past_, opening_;
    std::unique_ptr<Latecomers> latecomers_;  // none: it keeps streams alone
};

}  // namespace staithe::stream
