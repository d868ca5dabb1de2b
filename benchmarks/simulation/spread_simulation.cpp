// Versions of thousands of ranks that hundreds of servers keep together, in one process: where blocks go, and what the
// home of the variable has to do and to remember.
//
// The real order of servers, catalogue and messages; no processes, links or memory. Servers are on hosts of their own.
// Each writer rank knows of a server what its last answer from it said. Two decompositions of a three-dimensional
// field: equal cells, and parts that are cut in two again and again, each time somewhere near the middle.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "array/decomposition.hpp"
#include "base/result.hpp"
#include "space/keeper.hpp"
#include "space/served/messages.hpp"
#include "space/spread/server_order.hpp"
#include "store/space/catalog.hpp"
#include "transport/frame.hpp"

namespace {

using namespace staithe;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t cell_side = 64;
constexpr int kept_versions = 2;
constexpr int readers_to_ask = 64;

template <class T>
T good(base::Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    return *std::move(result);
}

double milliseconds_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Into `count` boxes; each cut is within a tenth of the middle.
void cut(const Box& box, int count, std::minstd_rand& chance, std::vector<Box>& into) {
    if (count == 1) {
        into.push_back(box);
        return;
    }
    const auto along =
        static_cast<std::size_t>(std::max_element(box.count.begin(), box.count.end()) - box.count.begin());
    const double part = std::uniform_real_distribution(0.45, 0.55)(chance);
    Box first = box, second = box;
    first.count[along] = std::max<std::int64_t>(1, static_cast<std::int64_t>(part * box.count[along]));
    second.offset[along] += first.count[along];
    second.count[along] -= first.count[along];
    cut(first, count / 2, chance, into);
    cut(second, count - count / 2, chance, into);
}

class Simulation {
  public:
    Simulation(Extents shape, std::vector<Box> boxes, int servers)
        : shape_(std::move(shape)),
          boxes_(std::move(boxes)),
          bytes_(static_cast<std::size_t>(servers)),
          known_(boxes_.size(), std::vector<space::KnownServer>(static_cast<std::size_t>(servers))),
          catalog_("space", [this](const store::BlockRef& ref) { bytes_[ref.store] -= ref.bytes; }) {
        const auto kept = catalog_.retain("density", {.keep = kept_versions}, base::Clock::now());
        if (!kept) {
            throw std::runtime_error(kept.error().message);
        }
    }

    /// Of all ranks: where they put, and what the home makes of it. Milliseconds of the home.
    double put_version(std::int64_t version) {
        std::vector<store::space::Put> puts;
        for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
            puts.push_back(
                {.block = block(rank),
                 .version = version,
                 .by = {.name = "ranks", .rank = static_cast<int>(rank), .ranks = static_cast<int>(boxes_.size())}});
            store::space::Put& put = puts.back();
            const auto server = static_cast<std::size_t>(space::server_order(known_[rank], put, 0).front());
            put.ref = {.store = static_cast<std::uint32_t>(server), .offset = offset_, .bytes = put.block.data_bytes()};
            offset_ += put.ref.bytes;
            known_[rank][server].bytes = bytes_[server] += put.ref.bytes;
        }
        const auto began = Clock::now();
        for (const store::space::Put& put : puts) {
            static_cast<void>(good(catalog_.put(put, base::Clock::now())));
        }
        return milliseconds_since(began);
    }

    [[nodiscard]] double greatest_share() const {
        const auto sum = static_cast<double>(std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0}));
        return static_cast<double>(*std::max_element(bytes_.begin(), bytes_.end())) *
               static_cast<double>(bytes_.size()) / sum;
    }

    struct Answer {
        double milliseconds = 0;
        std::size_t bytes = 0;
        std::size_t blocks = 0;
    };
    [[nodiscard]] Answer find(std::int64_t version, const Box& box) const {
        const auto began = Clock::now();
        const auto found = good(catalog_.find({.variable = "density", .version = version, .box = box}));
        const auto blocks = space::found_in(found, box);
        std::vector<std::byte> table;
        const auto message = good(transport::encode_frame(space::encode(blocks, table), 0));
        return {milliseconds_since(began), message.size() + table.size(), blocks.blocks.size()};
    }
    [[nodiscard]] const Extents& shape() const { return shape_; }

  private:
    [[nodiscard]] store::BlockDescription block(std::size_t rank) const {
        return {.variable = "density",
                .dtype = Dtype::f64,
                .shape = shape_,
                .box = boxes_[rank],
                .unit = "kg/m3",
                .attributes = {{"long_name", "mass density"}}};
    }

    const Extents shape_;
    const std::vector<Box> boxes_;
    std::int64_t offset_ = 0;
    std::vector<std::int64_t> bytes_;                     // by server
    std::vector<std::vector<space::KnownServer>> known_;  // by rank
    store::space::Catalog catalog_;
};

Extents grid_shape(int writers) {
    Extents shape;
    for (const std::int64_t cells : array::process_grid(Extents::filled(3, writers), writers)) {
        shape.push_back(cell_side * cells);
    }
    return shape;
}

std::vector<Box> cells(const Extents& shape, int writers) {
    std::vector<Box> boxes;
    for (int rank = 0; rank < writers; ++rank) {
        boxes.push_back(array::block_share(shape, rank, writers));
    }
    return boxes;
}

void run(int writers, int readers, int servers, int versions) {
    const Extents shape = grid_shape(writers);
    std::minstd_rand chance(1);
    std::vector<Box> parts;
    cut(Box::whole(shape), writers, chance, parts);
    Simulation uneven(shape, parts, servers), even(shape, cells(shape, writers), servers);
    const std::size_t before = mallinfo2().uordblks;
    std::vector<double> puts;
    double even_share = 0, uneven_share = 0;
    for (int version = 0; version < versions; ++version) {
        puts.push_back(even.put_version(version));
        even_share = std::max(even_share, even.greatest_share());
    }
    const std::size_t index = (mallinfo2().uordblks - before) / static_cast<std::size_t>(kept_versions * writers);
    for (int version = 0; version < versions; ++version) {
        uneven.put_version(version);
        uneven_share = std::max(uneven_share, uneven.greatest_share());
    }
    std::vector<double> finds;
    for (int i = 0; i < readers_to_ask; ++i) {
        const int reader = i * (readers / readers_to_ask);
        finds.push_back(even.find(versions - 1, array::block_share(shape, reader, readers)).milliseconds);
    }
    const Simulation::Answer all = even.find(versions - 1, Box::whole(shape));
    std::printf(
        "{\"even_share\": %.4f, \"uneven_share\": %.4f, \"puts_ms\": %.3f, \"find_ms\": %.4f, \"find_all_ms\": %.3f, "
        "\"message_bytes\": %.1f, \"index_bytes\": %.1f}\n",
        even_share, uneven_share, median(puts), median(finds), all.milliseconds,
        static_cast<double>(all.bytes) / static_cast<double>(all.blocks), static_cast<double>(index));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fprintf(stderr, "usage: %s WRITERS READERS SERVERS VERSIONS\n", argv[0]);
        return 2;
    }
    try {
        run(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
