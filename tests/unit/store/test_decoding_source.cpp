#include "store/decoding_source.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <staithe/limits.hpp>
#include <staithe/transform.hpp>

#include <gtest/gtest.h>

#include "store/parts.hpp"
#include "store/reducing/reduction.hpp"
#include "support/child_process.hpp"

namespace staithe::store {
namespace {

/// Bytes that a source shows, or fetches, and what it was asked for.
class Watched final : public BlockSource {
  public:
    BlockRef keep(const std::vector<std::byte>& bytes, Encoding encoding) {
        const auto place = std::ssize(memory_);
        memory_.insert(memory_.end(), bytes.begin(), bytes.end());
        return {.encoding = encoding, .offset = place, .bytes = std::ssize(bytes)};
    }
    base::Result<std::optional<ArrayView>> view(const BlockRef& ref, const BlockDescription& block) override {
        return shows ? std::optional(block.view(memory_.data() + ref.offset)) : std::nullopt;
    }
    base::Result<> fetch(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override {
        std::int64_t bytes = 0;
        for (const Piece& piece : pieces) {
            bytes += volume(shape_of(piece.overlap.source)).value() * size_of(piece.description->dtype);
            array::copy(piece.overlap, destination, piece.description->view(memory_.data() + refs[piece.block].offset));
        }
        fetched.push_back(bytes);
        most_used = std::max(most_used, base::used(base::Resource::memory));
        return {};
    }
    std::unique_ptr<Order> order(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                                 const MutableArrayView& destination) override {
        class Later final : public Order {
          public:
            explicit Later(std::function<base::Result<>()> come) : come_(std::move(come)) {}
            base::Result<> await(base::FunctionRef<void()> meanwhile) override {
                meanwhile();
                return come_();
            }

          private:
            const std::function<base::Result<>()> come_;
        };
        if (!takes_orders || (!takes_raw_orders && !pieces.front().description->is_stored)) {
            return nullptr;
        }
        ++ordered;
        return std::make_unique<Later>(
            [this, refs, pieces, destination] { return Watched::fetch(refs, pieces, destination); });
    }
    base::Result<> reduce(std::span<const BlockRef> refs, std::span<const Piece> pieces,
                          reducing::Reduction& into) override {
        reduced += pieces.size();
        for (const Piece& piece : pieces) {
            const ArrayView block = piece.description->view(memory_.data() + refs[piece.block].offset);
            into.add(piece.overlap.destination, slice(block, piece.overlap.source));
        }
        return {};
    }

    bool shows = false;
    std::vector<std::int64_t> fetched;  // bytes, each time
    std::size_t reduced = 0;            // pieces
    bool takes_orders = true;
    bool takes_raw_orders = true;
    int ordered = 0;             // times
    std::int64_t most_used = 0;  // memory of this process, while it was asked

  private:
    std::vector<std::byte> memory_;
};

/// Of one dimension.
struct Blocks {
    void add(Watched& to, std::span<const std::byte> elements, Dtype dtype, Encoding encoding) {
        std::vector<std::byte> bytes(elements.begin(), elements.end());
        const std::int64_t count = std::ssize(elements) / size_of(dtype);
        if (encoding == Encoding::payload) {
            bytes = codecs::encode(ArrayView::row_major(elements.data(), dtype, {count}));
        } else if (encoding == Encoding::parts) {
            const auto of_each = std::ssize(elements) / static_cast<std::int64_t>(parts_each);
            const std::vector<StoredPart> parts(parts_each, {of_each, of_each, false});
            const PartPlaces places = places_of(parts);
            bytes.resize(static_cast<std::size_t>(places.bytes));
            write_head(bytes.data(), parts);
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const auto length = static_cast<std::size_t>(parts[i].bytes);
                std::ranges::copy(elements.subspan(i * length, length), bytes.begin() + places.places[i]);
            }
        }
        refs.push_back(to.keep(bytes, encoding));
        BlockDescription& block = descriptions.emplace_back();
        block.variable = "T";
        block.dtype = dtype;
        block.shape = {1 << 30};
        block.box = {{elements_}, {count}};
        elements_ += count;
    }
    /// All of them, one after the other.
    [[nodiscard]] std::vector<Piece> pieces() const {
        std::vector<Piece> all;
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const BlockDescription& block = descriptions[i];
            all.push_back({i, &block, {block.box, Selection::all(block.box.count)}});
        }
        return all;
    }

    std::vector<BlockRef> refs;
    std::vector<BlockDescription> descriptions;
    std::size_t parts_each = 1;

  private:
    std::int64_t elements_ = 0;
};

class DecodingSourceTest : public ::testing::Test {
  protected:
    /// 0, 1, 2 ... in four blocks, of which every other one is encoded.
    void add_mixed() {
        values_.resize(400);
        std::iota(values_.begin(), values_.end(), 0.0);
        const auto bytes = std::as_bytes(std::span(values_));
        for (std::size_t i = 0; i < 4; ++i) {
            blocks_.add(*watched_, bytes.subspan(i * 800, 800), Dtype::f64,
                        i == 1   ? Encoding::payload
                        : i == 3 ? Encoding::parts
                                 : Encoding::raw);
        }
    }
    [[nodiscard]] std::vector<double> fetched() {
        std::vector<double> got(values_.size());
        const auto done = source_.fetch(blocks_.refs, blocks_.pieces(),
                                        MutableArrayView::row_major(got.data(), Dtype::f64, {std::ssize(got)}));
        EXPECT_TRUE(done) << done.error().message;
        return got;
    }

    const std::shared_ptr<Watched> watched_ = std::make_shared<Watched>();
    DecodingSource source_{watched_};
    Blocks blocks_;
    std::vector<double> values_;
};

TEST_F(DecodingSourceTest, DecodesWhereWhatIsStoredIsShown) {
    add_mixed();
    watched_->shows = true;
    EXPECT_EQ(fetched(), values_);
    EXPECT_EQ(watched_->fetched, (std::vector<std::int64_t>{1600})) << "the raw ones alone";
}

TEST_F(DecodingSourceTest, AsksOnceForRawOnesAndOnceForEncodedOnes) {
    add_mixed();
    EXPECT_EQ(fetched(), values_);
    EXPECT_EQ(watched_->fetched, (std::vector<std::int64_t>{1600, blocks_.refs[1].bytes + blocks_.refs[3].bytes}));
}

TEST_F(DecodingSourceTest, DoesNotHoldAllThatIsStoredAtOnce) {
    const std::vector<std::byte> block(std::size_t{40} << 20, std::byte{7});
    for (int i = 0; i < 2; ++i) {
        blocks_.add(*watched_, block, Dtype::u8, Encoding::parts);
    }
    std::vector<std::byte> got(2 * block.size());
    ASSERT_TRUE(source_.fetch(blocks_.refs, blocks_.pieces(),
                              MutableArrayView::row_major(got.data(), Dtype::u8, {std::ssize(got)})));
    EXPECT_EQ(watched_->fetched, (std::vector{blocks_.refs[0].bytes, blocks_.refs[1].bytes}));
    EXPECT_TRUE(std::ranges::all_of(got, [](std::byte byte) { return byte == std::byte{7}; }));
}

TEST_F(DecodingSourceTest, FetchesOfABlockWhatIsTouched) {
    std::vector<std::byte> block(std::size_t{4000} * 300);
    for (std::size_t i = 0; i < block.size(); ++i) {
        block[i] = static_cast<std::byte>(i / 7 * 31);
    }
    struct Case {
        std::size_t parts;
        std::vector<std::int64_t> fetched;
    };
    const std::int64_t short_head = 4096, long_head = 16 + 24 * 4000;
    const std::vector<Case> cases{{.parts = 4, .fetched = {short_head, 300'000}},
                                  {.parts = 4000, .fetched = {short_head, long_head, 21 * 320 - 20}}};
    for (const auto& [parts, expected] : cases) {
        Blocks blocks;
        blocks.parts_each = parts;
        blocks.add(*watched_, block, Dtype::u8, Encoding::parts);
        const std::int64_t first = 650'010, count = 6'000;
        const Piece piece{0, blocks.descriptions.data(), {{{0}, {count}}, Selection{{first, 1, count}}}};
        for (const bool ordered : {false, true}) {
            watched_->fetched.clear();
            std::vector<std::byte> got(count);
            const auto to = MutableArrayView::row_major(got.data(), Dtype::u8, {count});
            if (ordered) {
                const auto order = source_.order(blocks.refs, {&piece, 1}, to);
                ASSERT_NE(order, nullptr);
                ASSERT_TRUE(order->await([] {}));
            } else {
                ASSERT_TRUE(source_.fetch(blocks.refs, {&piece, 1}, to));
            }
            EXPECT_TRUE(std::ranges::equal(got, std::span(block).subspan(first, count)));
            EXPECT_EQ(watched_->fetched, expected);
        }
        EXPECT_EQ(base::used(base::Resource::memory) + base::used(base::Resource::prefetch), 0);
    }
}

TEST_F(DecodingSourceTest, WhatIsStoredIsMemoryOfThisProcess) {
    const std::vector<std::byte> block(800'000, std::byte{7});
    for (int i = 0; i < 4; ++i) {
        blocks_.add(*watched_, block, Dtype::u8, Encoding::parts);
    }
    std::vector<std::byte> got(4 * block.size());
    const auto to = MutableArrayView::row_major(got.data(), Dtype::u8, {std::ssize(got)});
    ASSERT_TRUE(source_.fetch(blocks_.refs, blocks_.pieces(), to));
    EXPECT_EQ(watched_->fetched.size(), 1);
    EXPECT_GE(std::exchange(watched_->most_used, 0), 4 * 800'000);
    set_limits({.memory = 2'000'000});
    ASSERT_TRUE(source_.fetch(blocks_.refs, blocks_.pieces(), to));
    set_limits({});
    EXPECT_EQ(watched_->fetched.size(), 1 + 4) << "one after the other where there is little room";
    EXPECT_LT(watched_->most_used, 2'000'000);
    EXPECT_EQ(base::used(base::Resource::memory), 0);
}

TEST_F(DecodingSourceTest, EncodedBlocksAreOrdered) {
    add_mixed();
    std::vector<double> got(values_.size());
    const auto to = MutableArrayView::row_major(got.data(), Dtype::f64, {std::ssize(got)});
    const auto pieces = blocks_.pieces();
    {
        const auto order = source_.order(blocks_.refs, pieces, to);
        ASSERT_NE(order, nullptr);
        EXPECT_EQ(watched_->ordered, 2) << "raw ones, and what is stored of encoded ones";
        EXPECT_GT(base::used(base::Resource::prefetch), 0);
        int asked = 0;
        ASSERT_TRUE(order->await([&] { ++asked; }));
        EXPECT_EQ(asked, 2);
    }
    EXPECT_EQ(got, values_);
    EXPECT_EQ(base::used(base::Resource::prefetch), 0);

    set_limits({.prefetch = 100});
    EXPECT_EQ(source_.order(blocks_.refs, pieces, to), nullptr);
    set_limits({});
    watched_->takes_orders = false;
    EXPECT_EQ(source_.order(blocks_.refs, pieces, to), nullptr);
    watched_->takes_orders = watched_->shows = true;
    EXPECT_EQ(source_.order(blocks_.refs, pieces, to), nullptr) << "nothing of them is far";
}

TEST_F(DecodingSourceTest, WhatWasOrderedIsKeptWhereRawOnesCannotBe) {
    add_mixed();
    watched_->takes_raw_orders = false;
    std::vector<double> got(values_.size());
    const auto pieces = blocks_.pieces();
    const auto order =
        source_.order(blocks_.refs, pieces, MutableArrayView::row_major(got.data(), Dtype::f64, {std::ssize(got)}));
    ASSERT_NE(order, nullptr);
    EXPECT_EQ(watched_->ordered, 1);
    ASSERT_TRUE(order->await([] {}));
    EXPECT_EQ(got, values_);
    EXPECT_EQ(watched_->fetched, (std::vector<std::int64_t>{blocks_.refs[1].bytes + blocks_.refs[3].bytes, 1600}));
}

TEST_F(DecodingSourceTest, OfPartsThatMakeNoSenseOnlyTheFirstBytesAreFetched) {
    const std::vector<std::byte> elements(1 << 20, std::byte{7});
    struct Case {
        std::int64_t at;  // in the head
        std::byte is;
    };
    for (const auto& [at, is] : {Case{0, std::byte{1}}, Case{4, std::byte{2}}, Case{10, std::byte{0xff}}}) {
        watched_->fetched.clear();
        std::vector<std::byte> bytes(std::size_t{1} << 20);
        write_head(bytes.data(), std::vector<StoredPart>{{1 << 20, 1 << 10, true}});
        bytes[static_cast<std::size_t>(at)] = is;
        Blocks blocks;
        blocks.add(*watched_, elements, Dtype::u8, Encoding::raw);
        blocks.refs[0] = watched_->keep(bytes, Encoding::parts);
        std::byte got{};
        const Piece piece{0, blocks.descriptions.data(), {{{0}, {1}}, Selection{{9, 1, 1}}}};
        const auto done = source_.fetch(blocks.refs, {&piece, 1}, MutableArrayView::row_major(&got, Dtype::u8, {1}));
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, ErrorCode::protocol);
        EXPECT_EQ(watched_->fetched, (std::vector<std::int64_t>{4096}));
    }
}

/// What another process has in memory that both see.
class Shared final : public BlockSource {
  public:
    explicit Shared(std::span<const std::byte> bytes) : bytes_(bytes) {}
    base::Result<std::optional<ArrayView>> view(const BlockRef& /*ref*/, const BlockDescription& block) override {
        return block.view(bytes_.data());
    }

  private:
    const std::span<const std::byte> bytes_;
};

/// It writes another payload over the first one, and that again, all the time.
TEST(DecodingSourceOfAHostilePeer, DecodesWhatItHasChecked) {
    constexpr std::int64_t count = 16'384;
    std::mt19937 random(1);
    std::vector<std::vector<float>> arrays(2, std::vector<float>(count));
    std::vector<std::vector<std::byte>> payloads;
    for (auto& array : arrays) {
        std::ranges::generate(array, [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); });
        payloads.push_back(codecs::encode(ArrayView::row_major(array.data(), Dtype::f32, {count})));
    }
    const std::size_t bytes = payloads[0].size();
    ASSERT_EQ(payloads[1].size(), bytes) << "noise is kept as it is";
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    std::memcpy(memory, payloads[0].data(), bytes);
    testing::ChildProcess peer([&]() -> int {
        for (std::size_t i = 1;; ++i) {
            std::memcpy(memory, payloads[i % 2].data(), bytes);
            const auto until = base::Clock::now() + std::chrono::microseconds(20);
            while (base::Clock::now() < until) {
            }
        }
    });
    BlockDescription block;
    block.variable = "T";
    block.dtype = Dtype::f32;
    block.shape = {count};
    block.box = Box::whole(block.shape);
    const BlockRef ref{.encoding = Encoding::payload, .bytes = std::ssize(payloads[0])};
    const Piece piece{0, &block, {block.box, Selection::all(block.shape)}};
    DecodingSource source(std::make_shared<Shared>(std::span(static_cast<const std::byte*>(memory), bytes)));
    int whole = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::vector<float> got(count);
        const auto done =
            source.fetch({&ref, 1}, {&piece, 1}, MutableArrayView::row_major(got.data(), Dtype::f32, {count}));
        const auto is = [&](const std::vector<float>& array) {
            return std::memcmp(got.data(), array.data(), count * sizeof(float)) == 0;
        };
        ASSERT_TRUE(done ? is(arrays[0]) || is(arrays[1]) : done.error().code == ErrorCode::protocol) << i;
        whole += done ? 1 : 0;
    }
    peer.kill();
    EXPECT_GT(whole, 0);
    ::munmap(memory, bytes);
}

TEST_F(DecodingSourceTest, OwnersReduceWhatIsNotEncoded) {
    add_mixed();
    for (const bool shows : {false, true}) {
        watched_->shows = shows;
        watched_->reduced = 0;
        auto sum = reducing::Reduction::make("sum", Dtype::f64, Box::whole({400}), std::nullopt).value();
        ASSERT_TRUE(source_.reduce(blocks_.refs, blocks_.pieces(), sum));
        EXPECT_EQ(watched_->reduced, 2);
        const auto bytes = sum.take().value();
        double all = 0;
        ASSERT_EQ(bytes.size(), sizeof(all));
        std::memcpy(&all, bytes.data(), sizeof(all));
        EXPECT_EQ(all, 399 * 400 / 2);
    }
    EXPECT_EQ(watched_->fetched.size(), 1) << "both encoded ones, when they were not shown";
}

TEST_F(DecodingSourceTest, WhatNoBlockCanBeIsRefused) {
    add_mixed();
    blocks_.refs[3].bytes = INT64_MAX;
    blocks_.refs[3].offset = 0;
    std::vector<double> got(values_.size());
    const auto done = source_.fetch(blocks_.refs, blocks_.pieces(),
                                    MutableArrayView::row_major(got.data(), Dtype::f64, {std::ssize(got)}));
    EXPECT_EQ(done.error().code, ErrorCode::protocol);
}

}  // namespace
}  // namespace staithe::store
