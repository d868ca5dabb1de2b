// Small blocks that are put, or got, together.
#include <staithe/space_batch.hpp>

#include <algorithm>
#include <future>
#include <iterator>
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

/// What a batch is to get.
struct space::Awaited {
    std::weak_ptr<Gathered> batch;  // until it is sent
    store::space::Wanted wanted;
    std::optional<base::Result<Found>> found{};
};

struct space::Gathered {
    struct Block {
        store::space::Put put;
        std::size_t at = 0;  // in the bytes
    };
    /// Blocks that go together.
    struct Part {
        std::vector<Block> blocks{};
        std::vector<std::byte> bytes{};
        std::size_t first = 0;  // its place among all that the batch was given
    };
    /// What became of them.
    struct Sent {
        std::vector<SpacePutFailure> failures{};
        std::size_t blocks = 0;
        bool is_closed = false;  // meanwhile
    };
    Space space;
    store::space::Putter by;
    Part part{};
    std::future<Sent> under_way{};                    // the part before, while this one is gathered
    std::vector<std::shared_ptr<Awaited>> awaited{};  // gets that were asked for after these blocks
    std::size_t given = 0;                            // blocks, in all
    Sent sent{};                                      // that nobody was told of yet
    std::vector<SpacePutFailure> failures{};          // that somebody was

    [[nodiscard]] base::Deadline deadline() const;
    static Sent put(Keeper& keeper, const base::Deadline& deadline, Part part);
    Part take();
    void add(Sent more);
    /// Has the part sent, once the one before it is put.
    void hand_over();
    /// Waits until that is put.
    void settle();
    /// Throws what was refused.
    void tell();
    void send();
    void find(Keeper& keeper);
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
    return SpaceBatch(std::make_shared<space::Gathered>(space::Gathered{
        .space = *this, .by = {.name = space::own_name(group_), .rank = group_.rank, .ranks = group_.size}}));
}

SpaceBatch::SpaceBatch(std::shared_ptr<space::Gathered> gathered) : gathered_(std::move(gathered)) {}
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
    if (goes_alone || !gathered.awaited.empty()) {
        send();
    } else if (gathered.part.blocks.size() == most_blocks || gathered.part.bytes.size() + bytes > most_bytes) {
        gathered.hand_over();
        gathered.tell();
    }
    const std::size_t place = gathered.given++;
    if (!goes_alone) {
        space::Gathered::Part& part = gathered.part;
        part.first = part.blocks.empty() ? place : part.first;
        const std::size_t at = part.bytes.size();
        part.bytes.resize(at + bytes);
        space::fill(part.bytes.data() + at, put.block, block);
        part.blocks.push_back({std::move(put), at});
        return;
    }
    const base::Deadline deadline = gathered.deadline();
    const auto result = space::put_alone(*keeper, std::move(put), block, deadline);
    if (!result) {
        gathered.failures = {{place, variable, options.version, result.error().code, result.error().message}};
        static_cast<void>(space::value_or_closed(result, gathered.space.name_, deadline));
    }
}

base::Deadline space::Gathered::deadline() const {
    return base::Deadline(base::Seconds(space.timeout_), space.door_->closing());
}

space::Gathered::Sent space::Gathered::put(Keeper& keeper, const base::Deadline& deadline, Part part) {
    if (part.blocks.empty()) {
        return {};
    }
    std::vector<Parcel> parcels;
    parcels.reserve(part.blocks.size());
    for (Block& block : part.blocks) {
        parcels.push_back({std::move(block.put), part.bytes.data() + block.at});
    }
    const auto results = keeper.put_many(parcels, deadline);
    Sent sent{.blocks = results.size()};
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i]) {
            const auto& put = parcels[i].put;
            sent.failures.push_back(
                {part.first + i, put.block.variable, put.version, results[i].error().code, results[i].error().message});
        }
    }
    sent.is_closed = !sent.failures.empty() && deadline.is_stopped();
    return sent;
}

space::Gathered::Part space::Gathered::take() {
    Part next;
    next.bytes.reserve(part.bytes.size());  // most are as large as the one before
    next.blocks.reserve(part.blocks.size());
    return std::exchange(part, std::move(next));
}

void space::Gathered::add(Sent more) {
    std::ranges::move(more.failures, std::back_inserter(sent.failures));
    sent.blocks += more.blocks;
    sent.is_closed = sent.is_closed || more.is_closed;
}

void space::Gathered::hand_over() {
    settle();
    under_way =
        std::async(std::launch::async, [keeper = space.keeper(), deadline = deadline(), part = take()]() mutable {
            return put(*keeper, deadline, std::move(part));
        });
}

void space::Gathered::settle() {
    if (under_way.valid()) {
        add(under_way.get());
    }
}

void space::Gathered::tell() {
    const Sent told = std::exchange(sent, {});
    failures = told.failures;
    if (told.is_closed && failures.front().code == ErrorCode::timeout) {
        throw Closed("space '" + space.name_ + "' was closed while this waited in it: " + failures.front().message);
    }
    if (!failures.empty()) {
        raise_all(failures, told.blocks);
    }
}

void space::Gathered::send() {
    const auto keeper = space.keeper();
    settle();
    add(put(*keeper, deadline(), take()));
    find(*keeper);
    tell();
}

/// Each has its own failure.
void space::Gathered::find(Keeper& keeper) {
    if (awaited.empty()) {
        return;
    }
    const auto gets = std::exchange(awaited, {});
    std::vector<store::space::Wanted> wanted;
    wanted.reserve(gets.size());
    std::ranges::transform(gets, std::back_inserter(wanted), &Awaited::wanted);
    auto found = keeper.find_many(wanted, deadline());
    for (std::size_t i = 0; i < gets.size(); ++i) {
        gets[i]->found = std::move(found[i]);
    }
}

void SpaceBatch::send() { gathered_->send(); }

SpaceBatchGet SpaceBatch::get(const std::string& variable) { return get(variable, {}); }

SpaceBatchGet SpaceBatch::get(const std::string& variable, const SpaceGet& options) {
    base::value_or_raise(space::check_variable(variable));
    if (options.timeout || options.completion) {
        throw InvalidArgument("what a batch gets is waited for as long as its space waits: get '" +
                              base::printable(variable) + "' alone to say how long, or of which completion");
    }
    if (gathered_->awaited.size() == most_blocks) {
        send();
    }
    auto awaited = std::make_shared<space::Awaited>(
        space::Awaited{.batch = gathered_, .wanted = {variable, options.version, options.box}});
    gathered_->awaited.push_back(awaited);
    return SpaceBatchGet(std::move(awaited));
}

SpaceArray SpaceBatchGet::get() const {
    if (!awaited_->found) {
        const auto batch = awaited_->batch.lock();
        if (batch == nullptr) {
            throw Closed("'" + base::printable(awaited_->wanted.variable) +
                         "' was to be got by a batch that has gone without being sent: send it first");
        }
        batch->send();
    }
    const auto& found = *awaited_->found;
    return base::value_or_raise(found ? space::array_in(*found, awaited_->wanted.box) : base::fail(found));
}

const std::vector<SpacePutFailure>& SpaceBatch::failures() const { return gathered_->failures; }
std::size_t SpaceBatch::pending() const { return gathered_->part.blocks.size() + gathered_->awaited.size(); }

}  // namespace staithe
