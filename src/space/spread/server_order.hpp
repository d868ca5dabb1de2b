// Which of several servers a program asks for room for a block, best first. Knows neither links nor memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/space/catalog.hpp"

namespace staithe::space {

/// Of a server, as far as the program knows.
struct KnownServer {
    bool is_near = false;    // on the program's host
    std::int64_t bytes = 0;  // that it holds
};

/// The servers' ranks: near ones first, then those that hold less. The ranks of a group keep to their turns among
/// equally near ones until one holds a version more than another, or, of many versions, a tenth more. A program of no
/// group begins at the server `first`.
[[nodiscard]] std::vector<int> server_order(std::span<const KnownServer> servers, const store::space::Put& put,
                                            std::size_t first);

}  // namespace staithe::space
