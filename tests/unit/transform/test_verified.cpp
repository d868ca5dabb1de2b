#include "transform/verified/verified.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "unit/transform/arrays.hpp"

namespace staithe::transform::verified {
namespace {

using transform::testing::like;
using transform::testing::random_walk;
using Bytes = std::vector<std::byte>;

/// Keeps a block as it is, but for what a test does to values before they are kept.
struct Stored : LossyLibrary {
    std::function<double(double, double, std::size_t)> change = [](double value, double, std::size_t) { return value; };
    std::function<base::Result<>(Bytes&)> after = [](Bytes&) { return base::Result<>(); };
    std::function<base::Result<>()> on_decompress = [] { return base::Result<>(); };
    int times = 0;  // that the tolerance may be doubled

    base::Result<> compress(const ArrayView& block, double tolerance, codecs::Mode /*mode*/,
                            Bytes& out) const override {
        const auto* const values = static_cast<const float*>(block.data);
        for (std::size_t i = 0; i < static_cast<std::size_t>(*volume(block.shape)); ++i) {
            EXPECT_TRUE(std::isfinite(values[i]));
            const auto value = static_cast<float>(change(static_cast<double>(values[i]), tolerance, i));
            const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
            out.insert(out.end(), bytes, bytes + sizeof(value));
        }
        return after(out);
    }
    base::Result<> decompress(std::span<const std::byte> coded, double /*tolerance*/,
                              const MutableArrayView& block) const override {
        const std::size_t bytes = static_cast<std::size_t>(*size_in_bytes(block.shape, block.dtype));
        if (coded.size() != bytes) {
            return base::fail(ErrorCode::protocol, "wrong size");
        }
        std::memcpy(block.data, coded.data(), bytes);
        return on_decompress();
    }
    [[nodiscard]] bool is_trusting() const override { return false; }
    [[nodiscard]] int raises() const override { return times; }
};

VerifiedCodec codec_of(Stored library) {
    return {{"stored", "", "", false, true, {Dtype::f32}}, std::make_unique<Stored>(std::move(library)), nullptr};
}

const auto field = random_walk<float>({20, 30, 40}, 1);
constexpr double bound = 0.5;

Bytes encoded(const Codec& codec, const ArrayView& tile, codecs::Mode mode = codecs::Mode::fast,
              std::optional<double> fill = std::nullopt) {
    Scratch scratch;
    Bytes out;
    EXPECT_TRUE(codec.encode(tile, {bound, fill, mode}, scratch, out));
    return out;
}

/// Encodes and decodes; all values must keep the bound, and what must come back bit by bit does.
void expect_kept(const Codec& codec, const testing::Array<float>& array, std::optional<double> fill = std::nullopt) {
    const Bytes coded = encoded(codec, array.view(), codecs::Mode::fast, fill);
    ASSERT_FALSE(coded.empty());
    auto decoded = like(array);
    Scratch scratch;
    ASSERT_TRUE(codec.decode(coded, decoded.view(), scratch));
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        const float x = array.values[i];
        const float y = decoded.values[i];
        const bool special = !std::isfinite(x) || std::fpclassify(x) == FP_SUBNORMAL || (x == 0 && std::signbit(x)) ||
                             (fill && x == static_cast<float>(*fill));
        if (special) {
            EXPECT_EQ(0, std::memcmp(&x, &y, sizeof(x))) << i;
        } else {
            EXPECT_LE(std::abs(x - y), bound) << i;
            EXPECT_FALSE(fill && y == static_cast<float>(*fill)) << i;
        }
    }
}

double tolerance_of(const Bytes& coded) {
    double tolerance = 0;
    std::memcpy(&tolerance, coded.data() + 8, sizeof(tolerance));
    return tolerance;
}

TEST(VerifiedCodec, KeepsWhatTheLibraryMustNotSee) {
    expect_kept(codec_of({}), random_walk<float>({20, 30, 40}, 2, 0.05), 1e20);
    expect_kept(codec_of({}), random_walk<float>({777}, 3, 1.0));  // nothing else
    Stored off_by_some;
    off_by_some.change = [](double value, double tolerance, std::size_t i) {
        return value + (i % 2 == 0 ? 0.99 : -0.99) * tolerance;
    };
    expect_kept(codec_of(off_by_some), random_walk<float>({20, 30, 40}, 2, 0.05), 1e20);
}

TEST(VerifiedCodec, SingleViolationsAreKeptAsTheyWere) {
    Stored lies;
    lies.change = [](double value, double tolerance, std::size_t i) {
        return i % 40 == 7 ? value + 3 * tolerance : i % 40 == 9 ? std::nan("") : value;
    };
    expect_kept(codec_of(lies), field);
}

TEST(VerifiedCodec, NothingTurnsIntoFill) {
    Stored rounds;
    rounds.change = [](double value, double, std::size_t i) { return i % 30 == 0 ? 99.0 : value; };
    testing::Array<float> array{{50, 30}, std::vector<float>(1500, 99.25F)};
    expect_kept(codec_of(rounds), array, 99.0);
}

TEST(VerifiedCodec, GivesUpWhatALibraryIsNotUpTo) {
    const auto gives_up = [](const std::function<void(Stored&)>& break_it) {
        Stored library;
        break_it(library);
        return encoded(codec_of(std::move(library)), field.view()).empty();
    };
    EXPECT_FALSE(gives_up([](Stored&) {}));
    EXPECT_TRUE(gives_up([](Stored& library) {
        library.change = [](double value, double tolerance, std::size_t i) {
            return i % 10 == 0 ? value + 2 * tolerance : value;
        };
    }));
    EXPECT_TRUE(gives_up([](Stored& library) { library.after = [](Bytes&) -> base::Result<> { throw 3; }; }));
    EXPECT_TRUE(gives_up(
        [](Stored& library) { library.after = [](Bytes&) -> base::Result<> { throw std::runtime_error("no"); }; }));
    EXPECT_TRUE(gives_up([](Stored& library) {
        library.after = [](Bytes&) -> base::Result<> { return base::fail(ErrorCode::system, "no"); };
    }));
    EXPECT_TRUE(gives_up([](Stored& library) {
        library.after = [](Bytes& out) {
            out.pop_back();
            return base::Result<>();
        };
    }));
    EXPECT_TRUE(
        gives_up([](Stored& library) { library.on_decompress = []() -> base::Result<> { throw std::bad_alloc(); }; }));
}

TEST(VerifiedCodec, WhatALibraryDoesNotWriteDoesNotLookRight) {
    struct Lazy final : Stored {
        mutable int calls = 0;
        base::Result<> decompress(std::span<const std::byte> coded, double tolerance,
                                  const MutableArrayView& block) const override {
            return calls++ == 0 ? Stored::decompress(coded, tolerance, block) : base::Result<>();
        }
    };
    auto library = std::make_unique<Lazy>();
    library->times = 4;
    const VerifiedCodec codec({"lazy", "", "", false, true, {Dtype::f32}}, std::move(library), nullptr);
    const Bytes coded = encoded(codec, field.view(), codecs::Mode::dense);
    ASSERT_FALSE(coded.empty());
    EXPECT_EQ(tolerance_of(coded), bound);  // the first time it wrote; what came later was not believed
}

TEST(VerifiedCodec, TheToleranceIsRaisedWhileTheBoundHolds) {
    Stored careful;
    careful.times = 4;
    careful.change = [](double value, double tolerance, std::size_t i) {
        return value + (i % 2 == 0 ? tolerance : -tolerance) / 4.5;
    };
    expect_kept(codec_of(careful), field);
    EXPECT_EQ(tolerance_of(encoded(codec_of(careful), field.view())), 4 * bound);
    careful.times = 1;
    EXPECT_EQ(tolerance_of(encoded(codec_of(careful), field.view())), 2 * bound);
    careful.times = 0;
    EXPECT_EQ(tolerance_of(encoded(codec_of(careful), field.view())), bound);
    // One that a sample misleads.
    careful.times = 4;
    careful.change = [](double value, double tolerance, std::size_t i) {
        return i > 10000 ? value + tolerance * 0.9 : value;
    };
    expect_kept(codec_of(careful), field);
    EXPECT_EQ(tolerance_of(encoded(codec_of(careful), field.view())), bound);
}

TEST(VerifiedCodec, TakesAllLayoutsAndShapes) {
    for (const Extents& shape : {Extents{}, Extents{1}, Extents{5}, Extents{1, 1, 1, 1, 1}, Extents{17, 3},
                                 Extents{2, 3, 4, 5, 6, 2, 2, 3}, Extents{3, 2, 50}, Extents{20, 30, 40}}) {
        expect_kept(codec_of({}), random_walk<float>(shape, 5, 0.1));
    }
    const ArrayView transposed{field.values.data(), Dtype::f32, {40, 30, 20}, {4, 160, 4800}};
    const Bytes coded = encoded(codec_of({}), transposed);
    auto decoded = like(field);
    Scratch scratch;
    const MutableArrayView target{decoded.values.data(), Dtype::f32, {40, 30, 20}, {4, 160, 4800}};
    ASSERT_TRUE(codec_of({}).decode(coded, target, scratch));
    EXPECT_EQ(decoded.values, field.values);
}

TEST(VerifiedCodec, RefusesDamagedTiles) {
    const auto array = random_walk<float>({300}, 6, 0.1);
    const auto codec = codec_of({});
    const Bytes coded = encoded(codec, array.view());
    auto decoded = like(array);
    Scratch scratch;
    for (std::size_t length = 0; length < coded.size(); ++length) {
        EXPECT_FALSE(codec.decode(std::span(coded).first(length), decoded.view(), scratch)) << length;
    }
    for (std::size_t i = 0; i < coded.size(); ++i) {
        Bytes changed = coded;
        changed[i] ^= std::byte{0x41};
        static_cast<void>(codec.decode(changed, decoded.view(), scratch));  // whatever: but no harm
    }
}

struct Copied : LosslessLibrary {
    bool changes = false;
    base::Result<> compress(std::span<const std::byte> bytes, std::size_t item, codecs::Mode /*mode*/,
                            Bytes& out) const override {
        EXPECT_EQ(item, sizeof(std::int32_t));
        out.insert(out.end(), bytes.begin(), bytes.end());
        out.back() ^= static_cast<std::byte>(changes);
        return {};
    }
    base::Result<> decompress(std::span<const std::byte> coded, std::size_t /*item*/,
                              std::span<std::byte> bytes) const override {
        if (coded.size() != bytes.size()) {
            return base::fail(ErrorCode::protocol, "wrong size");
        }
        std::copy(coded.begin(), coded.end(), bytes.begin());
        return {};
    }
    [[nodiscard]] bool is_trusting() const override { return false; }
};

TEST(VerifiedCodec, ComparesExactTilesToo) {
    const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6};
    const auto tile = ArrayView::row_major(values.data(), Dtype::i32, {2, 3});
    for (const bool changes : {false, true}) {
        auto library = std::make_unique<Copied>();
        library->changes = changes;
        const VerifiedCodec codec({"copied", "", "", true, false, {}}, nullptr, std::move(library));
        Scratch scratch;
        Bytes coded;
        ASSERT_TRUE(codec.encode(tile, {}, scratch, coded));
        EXPECT_EQ(coded.empty(), changes);
        if (!changes) {
            std::vector<std::int32_t> decoded(values.size());
            const auto target = MutableArrayView::row_major(decoded.data(), Dtype::i32, {2, 3});
            ASSERT_TRUE(codec.decode(coded, target, scratch));
            EXPECT_EQ(decoded, values);
            coded.pop_back();
            EXPECT_FALSE(codec.decode(coded, target, scratch));
        }
    }
}

}  // namespace
}  // namespace staithe::transform::verified
