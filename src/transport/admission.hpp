// Who is let in: on this host, processes of the same user, and those of others that prove that they have the same key;
// of other hosts, whoever proves it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/result.hpp"
#include "os/socket.hpp"
#include "transport/keyed_challenge.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

/// Whether these two processes of one host have to prove that they have a key; a failure where they have to, and this
/// one has none.
base::Result<bool> must_prove(const os::PeerCredentials& caller, const os::PeerCredentials& listener,
                              const std::shared_ptr<const Key>& key);

/// What a process is told that does not prove it.
base::Failure refusal_of_strangers();

/// The links that have not proved anything yet: so few that they keep nobody else out.
class Strangers {
  public:
    void add(const std::shared_ptr<Link>& link, const std::shared_ptr<Gate>& gate);
    /// Who has to go before another one is added, if there are too many of them, or any: silent ones before those that
    /// have begun, and of each the oldest.
    std::shared_ptr<Link> excess();
    std::shared_ptr<Link> any();
    std::int64_t count();

  private:
    struct Stranger {
        std::weak_ptr<Link> link;
        std::weak_ptr<Gate> gate;
    };
    void forget_others();

    std::deque<Stranger> strangers_;
};

/// The level of log lines that strangers can cause: one a second is for everybody, the others for who debugs.
class LevelOfStrangers {
  public:
    base::LogLevel next();

  private:
    std::atomic<std::int64_t> last_{INT64_MIN};
};

}  // namespace staithe::transport
