// What a test and the process that holds its blocks say to each other over a pair of sockets.
#pragma once

#include <array>
#include <cstdint>

#include "transport/fabric/exposed_pools.hpp"

namespace staithe::testing {

/// The owner's first word: where it is.
struct OwnerIsAt {
    std::array<char, 256> address{};
    std::uint64_t address_bytes = 0;  // 0: it cannot be
    transport::fabric::Place greeting;
    std::uint64_t greeting_number = 0;
};

struct PlaceAsked {
    std::uint32_t store = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};
struct PlaceAnswered {
    std::int64_t is_refused = 0;
    transport::fabric::Place place;
};

}  // namespace staithe::testing
