#include "space/spread/server_order.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace staithe::space {

namespace {

/// How much more a server may hold than another one, for ranks of a group to keep to it. They go on at different
/// speeds: as long as servers hold but a few versions, one may have a version more for a while. Of many, a tenth shall
/// be all.
std::int64_t tolerance(std::int64_t version, std::int64_t least, std::size_t servers) {
    const std::int64_t share = version / static_cast<std::int64_t>(servers);
    constexpr std::int64_t few = 4;
    return least / few <= share ? version : std::clamp(least / 10, share, version);
}

}  // namespace

std::vector<int> server_order(std::span<const KnownServer> servers, const store::space::Put& put, std::size_t first) {
    const bool is_of_group = put.by.ranks > 1;
    if (is_of_group) {
        // Ranks know nothing of each other's blocks, so they begin at different servers; of a group that has one rank
        // more than there are servers, another rank shares one with each version.
        first = static_cast<std::size_t>(put.by.rank) +
                static_cast<std::size_t>(put.by.ranks) * static_cast<std::size_t>(put.version.value_or(0));
    }
    const std::int64_t least = std::ranges::min(servers, {}, &KnownServer::bytes).bytes;
    // All ranks of a group would run to the one that holds least.
    const std::int64_t version = is_of_group ? size_in_bytes(put.block.shape, put.block.dtype).value_or(INT64_MAX) : 0;
    const std::int64_t more = tolerance(version, least, servers.size());
    std::vector<std::tuple<bool, std::int64_t, std::size_t, int>> choices;  // far, its load, its turn, its rank
    for (std::size_t turn = 0; turn < servers.size(); ++turn) {
        const std::size_t rank = (first + turn) % servers.size();
        const std::int64_t bytes = servers[rank].bytes;
        choices.emplace_back(!servers[rank].is_near, bytes - least > more ? bytes : 0, turn, static_cast<int>(rank));
    }
    std::ranges::sort(choices);
    std::vector<int> ranks;
    std::ranges::transform(choices, std::back_inserter(ranks),
                           [](const auto& choice) { return std::get<int>(choice); });
    return ranks;
}

}  // namespace staithe::space
