#include "array/copy_races.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>

#include "base/config.hpp"
#include "base/log.hpp"

namespace staithe::array {
namespace {

// Below this, choosing costs more than it gains.
constexpr std::int64_t shortest_raced_run = std::int64_t{16} << 10;

bool is_aliased(const void* to, const void* from) {
    constexpr std::uintptr_t page = 4096;
    const auto distance = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
    return distance > 0 && distance < cache_line;
}

/// Races of one kind by the power of two that the run reaches.
class RacesBySize {
  public:
    explicit RacesBySize(int ways) {
        for (int power = 0; power < 64; ++power) {
            races_.emplace_back(ways);
        }
    }
    Race& of(std::int64_t run) { return races_[std::bit_width(static_cast<std::uint64_t>(run)) - 1]; }

  private:
    std::deque<Race> races_;
};

std::deque<RacesBySize> all_races() {
    const auto& ways = copy_ways();
    const auto keeping =
        std::count_if(ways.begin(), ways.end(), [](const CopyWay& way) { return !way.kernel->streams; });
    std::deque<RacesBySize> races;
    for (const CopyKind kind : {CopyKind::run, CopyKind::aliased_run, CopyKind::rows, CopyKind::transposed}) {
        const bool transposed = kind == CopyKind::transposed;
        races.emplace_back(transposed ? 1 : static_cast<int>(keeping));
        races.emplace_back(transposed ? 2 : static_cast<int>(ways.size()));
    }
    return races;
}

}  // namespace

const std::vector<CopyWay>& copy_ways() {
    static const std::vector<CopyWay> ways = [] {
        std::vector<CopyWay> found;
        for (const CopyKernel& kernel : copy_kernels()) {
            found.push_back({&kernel, false});
            if (kernel.fetch_distance > 0) {
                found.push_back({&kernel, true});
            }
        }
        return found;
    }();
    return ways;
}

Race& race_of(CopyKind kind, std::int64_t run, bool may_stream) {
    static auto& races = *new std::deque<RacesBySize>(all_races());  // threads may copy until the process has ended
    return races[2 * static_cast<std::size_t>(kind) + (may_stream ? 1 : 0)].of(run);
}

void copy_bytes(std::byte* to, const std::byte* from, std::int64_t size, bool may_stream) noexcept {
    if (size < shortest_raced_run) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
        return;
    }
    Race& race = race_of(is_aliased(to, from) ? CopyKind::aliased_run : CopyKind::run, size, may_stream);
    const bool decided = race.run(size, 1, [&](int choice, std::int64_t first, std::int64_t count) {
        const CopyWay& way = copy_ways()[static_cast<std::size_t>(choice)];
        way.copy(to + first, from + first, static_cast<std::size_t>(count), way.kernel->fetch_distance);
        if (way.kernel->streams) {
            finish_streaming();
        }
    });
    if (decided) {
        const CopyWay& way = copy_ways()[static_cast<std::size_t>(race.winner())];
        base::log(base::LogLevel::debug, "copies of {}: {}{} is fastest", base::format_bytes(size), way.kernel->name,
                  way.fetches ? ", fetching ahead," : "");
    }
}

}  // namespace staithe::array
