// A process of another host, as a FabricSource asks it: where a reader's side of RDMA meets the links of streams.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/fabric/fabric_source.hpp"
#include "stream/holding/holder.hpp"

namespace staithe::stream {

/// `tell` hears which way the blocks take, and why.
store::fabric::FabricOwner fabric_owner(std::shared_ptr<Holder> holder, std::vector<std::uint32_t> stores,
                                        std::function<void(const std::string& way)> tell);

}  // namespace staithe::stream
