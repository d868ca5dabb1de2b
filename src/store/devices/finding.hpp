// Which processes encode for others, and what they say of themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/directory/entry.hpp"
#include "transport/directory/search.hpp"
#include "transport/endpoint.hpp"

namespace staithe::store::devices {

/// Those that are found by themselves: on this host, in the run directory. What shares that from another host has to be
/// named.
std::vector<transport::Entry> devices_of_host(const std::string& run_directory);

/// For those at addresses, "dpu3:7800,dpu4:7800"; fails if these cannot be any.
base::Result<transport::Search> search_at(const std::shared_ptr<transport::Endpoint>& endpoint,
                                          const std::string& addresses);

/// All that can be found now: by themselves and at STAITHE_DEVICES, or at that address alone.
base::Result<std::vector<transport::Entry>> find_devices(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                         const std::optional<std::string>& address,
                                                         const base::Deadline& deadline);

/// What it says of itself.
base::Result<Attributes> ask_device(transport::Endpoint& endpoint, const transport::Entry& entry,
                                    const base::Deadline& deadline);

}  // namespace staithe::store::devices
