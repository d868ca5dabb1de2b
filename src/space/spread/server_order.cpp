#include "space/spread/server_order.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace staithe::space {

std::vector<int> server_order(std::span<const KnownServer> servers, const store::space::Put& put, std::size_t first) {
    const bool is_of_group = put.by.ranks > 1;
    if (is_of_group) {
        // Ranks know nothing of each other's blocks, so they begin at different servers; of a group that has one rank
        // more than there are servers, another rank shares one with each version.
        first = static_cast<std::size_t>(put.by.rank) +
                static_cast<std::size_t>(put.by.ranks) * static_cast<std::size_t>(put.version.value_or(0));
    }
    // All ranks of a group would run to the one that holds least.
    const std::int64_t version = is_of_group ? size_in_bytes(put.block.shape, put.block.dtype).value_or(INT64_MAX) : 0;
    const std::int64_t least = std::ranges::min(servers, {}, &KnownServer::bytes).bytes;
    std::vector<std::tuple<bool, std::int64_t, std::size_t, int>> choices;  // far, its load, its turn, its rank
    for (std::size_t turn = 0; turn < servers.size(); ++turn) {
        const std::size_t rank = (first + turn) % servers.size();
        const std::int64_t bytes = servers[rank].bytes;
        choices.emplace_back(!servers[rank].is_near, bytes - least > version ? bytes : 0, turn, static_cast<int>(rank));
    }
    std::ranges::sort(choices);
    std::vector<int> ranks;
    std::ranges::transform(choices, std::back_inserter(ranks),
                           [](const auto& choice) { return std::get<int>(choice); });
    return ranks;
}

}  // namespace staithe::space
