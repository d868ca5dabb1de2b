// RDMA, where both processes have it: which providers of libfabric this one may use, and ports of them.
//
// libfabric is reached through a plugin that is loaded when somebody first asks, so all else works without it.
// STAITHE_FABRIC chooses: a provider's name, `off`, or `auto`, which takes adapters that do RDMA themselves and never a
// provider that imitates it over TCP or shared memory. A process that was forked off one that has loaded libfabric, which
// does not survive that, has no provider. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/fabric/plugin.hpp"

namespace staithe::transport::fabric {

/// The best first. A failure says why there is none.
base::Result<std::vector<Provider>> offers();

/// The first of the caller's that is among the listener's, too, with the same version. A failure says what both have.
base::Result<Provider> agree(const std::vector<Provider>& callers, const std::vector<Provider>& listeners);

/// At a host: a number of the owner's, of IPv4 or IPv6.
base::Result<std::unique_ptr<Port>> open(const Provider& provider, const std::string& host, Side side);

/// "verbs;ofi_rxm 117.0"
std::string to_string(const Provider& provider);

}  // namespace staithe::transport::fabric
