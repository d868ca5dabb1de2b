// Small blocks that are put together.
#include <staithe/space_batch.hpp>

#include <memory>
#include <utility>

#include <staithe/space.hpp>

#include "base/text.hpp"
#include "memory/pool.hpp"
#include "space/described.hpp"
#include "space/door.hpp"
#include "space/held_lock.hpp"
#include "space/keepers.hpp"
#include "store/space/catalog.hpp"

namespace staithe {

struct space::Gathered {
    struct Block {
        store::space::Put put;
        std::size_t at = 0;  // in the bytes
    };
    Space space;
    store::space::Putter by;
    std::vector<Block> blocks{};
    std::vector<std::byte> bytes{};
    std::size_t given = 0;  // blocks, in all
    std::vector<SpacePutFailure> failures{};
};

namespace {

constexpr std::size_t most_blocks = 1024;
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t most_explained = 8;

/// The error of the first one, in which all are named.
[[noreturn]] void raise_all(const std::vector<SpacePutFailure>& failures, std::size_t sent) {
    std::string text =
        fmt::format("{} of {} blocks of a batch {} refused{}: ", failures.size(), sent,
                    failures.size() == 1 ? "was" : "were", failures.size() < sent ? " (the others were put)" : "");
    for (std::size_t i = 0; i < failures.size(); ++i) {
        const SpacePutFailure& failure = failures[i];
        const std::string version = failure.version ? fmt::format(" version {}", *failure.version) : "";
        text += fmt::format("{}'{}'{}", i == 0 ? "" : "; ", base::printable(failure.variable), version);
        text += i < most_explained ? ": " + failure.message : "";
    }
    base::raise({failures.front().code, std::move(text)});
}

}  // namespace

SpaceBatch Space::batch() {
    return SpaceBatch(std::make_unique<space::Gathered>(space::Gathered{
        .space = *this, .by = {.name = space::own_name(group_), .rank = group_.rank, .ranks = group_.size}}));
}

SpaceBatch::SpaceBatch(std::unique_ptr<space::Gathered> gathered) : gathered_(std::move(gathered)) {}
SpaceBatch::SpaceBatch(SpaceBatch&&) noexcept = default;
SpaceBatch& SpaceBatch::operator=(SpaceBatch&&) noexcept = default;
SpaceBatch::~SpaceBatch() = default;

void SpaceBatch::put(const std::string& variable, const ArrayView& block, const SpacePut& options) {
    space::Gathered& gathered = *gathered_;
    const auto keeper = gathered.space.keeper();
    auto put = base::value_or_raise(space::described(variable, block, options, gathered.by));
    base::value_or_raise(store::space::check_box(put.block));
    put.locks = base::value_or_raise(space::HeldLock::tokens_for(*keeper, variable, put.block.box));
    const auto bytes = static_cast<std::size_t>(put.block.data_bytes());
    const bool goes_alone = std::cmp_greater(bytes, memory::Pool::small_limit);
    if (goes_alone || gathered.blocks.size() == most_blocks || gathered.bytes.size() + bytes > most_bytes) {
        send();
    }
    const std::size_t place = gathered.given++;
    if (!goes_alone) {
        const std::size_t at = gathered.bytes.size();
        gathered.bytes.resize(at + bytes);
        space::fill(gathered.bytes.data() + at, put.block, block);
        gathered.blocks.push_back({std::move(put), at});
        return;
    }
    const base::Deadline deadline(base::Seconds(gathered.space.timeout_), gathered.space.door_->closing());
    const auto result = space::put_alone(*keeper, std::move(put), block, deadline);
    if (!result) {
        gathered.failures = {{place, variable, options.version, result.error().code, result.error().message}};
        static_cast<void>(space::value_or_closed(result, gathered.space.name_, deadline));
    }
}

void SpaceBatch::send() {
    space::Gathered& gathered = *gathered_;
    const auto keeper = gathered.space.keeper();
    const base::Deadline deadline(base::Seconds(gathered.space.timeout_), gathered.space.door_->closing());
    std::vector<space::Parcel> parcels;
    parcels.reserve(gathered.blocks.size());
    for (space::Gathered::Block& block : gathered.blocks) {
        parcels.push_back({std::move(block.put), gathered.bytes.data() + block.at});
    }
    gathered.failures.clear();
    gathered.blocks.clear();
    const auto results =
        parcels.empty() ? std::vector<base::Result<std::int64_t>>() : keeper->put_many(parcels, deadline);
    gathered.bytes.clear();
    const std::size_t first = gathered.given - parcels.size();
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i]) {
            const auto& put = parcels[i].put;
            gathered.failures.push_back(
                {first + i, put.block.variable, put.version, results[i].error().code, results[i].error().message});
        }
    }
    if (!gathered.failures.empty()) {
        if (deadline.is_stopped()) {
            static_cast<void>(space::value_or_closed(results[gathered.failures.front().place - first],
                                                     gathered.space.name_, deadline));
        }
        raise_all(gathered.failures, results.size());
    }
}

const std::vector<SpacePutFailure>& SpaceBatch::failures() const { return gathered_->failures; }
std::size_t SpaceBatch::pending() const { return gathered_->blocks.size(); }

}  // namespace staithe
