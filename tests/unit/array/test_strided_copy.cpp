#include "array/strided_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "array/copy_plan.hpp"
#include "array/copy_races.hpp"
#include "support/noise.hpp"

namespace staithe::array {
namespace {

// The oracle: one element after the other.
template <class Work>
void for_each_index(const Extents& shape, const Work& work) {
    if (is_empty(shape)) {
        return;
    }
    Extents index = Extents::filled(shape.size(), 0);
    while (true) {
        work(index);
        std::size_t i = shape.size();
        while (i > 0 && ++index[i - 1] == shape[i - 1]) {
            index[--i] = 0;
        }
        if (i == 0) {
            return;
        }
    }
}

std::int64_t offset_of(const Extents& index, const Extents& strides) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
        offset += index[i] * strides[i];
    }
    return offset;
}

void copy_slowly(const MutableArrayView& destination, const ArrayView& source) {
    for_each_index(source.shape, [&](const Extents& index) {
        std::memcpy(static_cast<std::byte*>(destination.data) + offset_of(index, destination.strides),
                    static_cast<const std::byte*>(source.data) + offset_of(index, source.strides),
                    static_cast<std::size_t>(size_of(source.dtype)));
    });
}

/// A layout in which no two elements overlap, and the bytes that it reaches below and above element zero.
struct Layout {
    Extents strides;
    std::int64_t below = 0;
    std::int64_t above = 0;
};

class Cases {
  public:
    explicit Cases(unsigned seed) : random_(seed) {}

    std::int64_t draw(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

    Extents shape(std::size_t dimensions, std::int64_t elements) {
        Extents shape = Extents::filled(dimensions, 1);
        for (std::int64_t& length : shape) {
            length = draw(0, 9) == 0 ? draw(0, 1) : draw(1, std::max<std::int64_t>(1, elements));
            elements /= std::max<std::int64_t>(length, 1);
        }
        std::shuffle(shape.begin(), shape.end(), random_);
        return shape;
    }

    /// Dimensions in any order, with gaps now and then, some of them backwards.
    Layout layout(const Extents& shape, std::int64_t item, bool may_repeat) {
        std::vector<std::size_t> order(shape.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        if (draw(0, 2) > 0) {
            std::shuffle(order.begin(), order.end(), random_);
        }
        Layout result{Extents::filled(shape.size(), 0)};
        std::int64_t next = item;
        for (const std::size_t i : order) {
            std::int64_t stride = next + (draw(0, 3) == 0 ? draw(0, 40) : 0);
            next = stride * std::max<std::int64_t>(shape[i], 1);
            if (may_repeat && draw(0, 9) == 0) {
                stride = 0;
            } else if (draw(0, 4) == 0) {
                stride = -stride;
            }
            result.strides[i] = stride;
            const std::int64_t reach = stride * std::max<std::int64_t>(shape[i] - 1, 0);
            (reach < 0 ? result.below : result.above) += std::abs(reach);
        }
        result.above += item;
        return result;
    }

  private:
    std::mt19937 random_;
};

void expect_same_as_slow_copy(Cases& cases, Dtype dtype, const Extents& shape) {
    const std::int64_t item = size_of(dtype);
    const Layout to = cases.layout(shape, item, false);
    const Layout from = cases.layout(shape, item, true);
    const std::int64_t to_shift = cases.draw(0, 1) * cases.draw(0, 70);
    const std::int64_t from_shift = cases.draw(0, 1) * cases.draw(0, 70);
    SCOPED_TRACE(std::string(name_of(dtype)) + " " + to_string(shape) + " to " + to_string(to.strides) + " from " +
                 to_string(from.strides) + " shifted " + std::to_string(to_shift) + " " + std::to_string(from_shift));

    const auto source_bytes = testing::noise(from.below + from.above + from_shift);
    std::vector<std::byte> got(static_cast<std::size_t>(to.below + to.above + to_shift), std::byte{0x5a});
    std::vector<std::byte> expected = got;
    const ArrayView source{source_bytes.data() + from.below + from_shift, dtype, shape, from.strides};
    copy({got.data() + to.below + to_shift, dtype, shape, to.strides}, source);
    copy_slowly({expected.data() + to.below + to_shift, dtype, shape, to.strides}, source);
    ASSERT_TRUE(got == expected);  // gaps untouched, too
}

class StridedCopy : public ::testing::TestWithParam<Dtype> {};

TEST_P(StridedCopy, OfAnyLayoutEqualsElementByElement) {
    constexpr unsigned seed = 4711;
    SCOPED_TRACE(seed);
    Cases cases(seed);
    for (int round = 0; round < 400; ++round) {
        const auto dimensions = static_cast<std::size_t>(cases.draw(0, 8));
        expect_same_as_slow_copy(cases, GetParam(), cases.shape(dimensions, 3000));
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST_P(StridedCopy, OfPlanesLargerThanATile) {
    constexpr unsigned seed = 4712;
    SCOPED_TRACE(seed);
    Cases cases(seed);
    for (int round = 0; round < 25; ++round) {
        expect_same_as_slow_copy(cases, GetParam(), {cases.draw(1, 700), cases.draw(1, 300), cases.draw(1, 2)});
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST_P(StridedCopy, OfRowsWholePagesApartEqualsElementByElement) {
    const std::int64_t item = size_of(GetParam());
    const Extents shape{70, 100};
    const Extents to{item, 4096};
    const Extents from{8192, item};
    const auto bytes = testing::noise(shape[0] * from[0]);
    std::vector<std::byte> got(static_cast<std::size_t>(shape[1] * to[1]));
    std::vector<std::byte> expected(got.size());
    const ArrayView source{bytes.data(), GetParam(), shape, from};
    copy({got.data(), GetParam(), shape, to}, source);
    copy_slowly({expected.data(), GetParam(), shape, to}, source);
    EXPECT_TRUE(got == expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, StridedCopy,
                         ::testing::Values(Dtype::i8, Dtype::u16, Dtype::f32, Dtype::f64, Dtype::c128, Dtype::c256),
                         [](const auto& size) { return std::string(name_of(size.param)); });

TEST(StridedCopy, TakesScalarsAndNothing) {
    const double from = 2.5;
    double to = 0.0;
    copy(MutableArrayView::row_major(&to, Dtype::f64, {}), ArrayView::row_major(&from, Dtype::f64, {}));
    EXPECT_EQ(to, 2.5);
    constexpr std::int64_t huge = std::int64_t{1} << 40;
    copy(MutableArrayView::row_major(nullptr, Dtype::f64, {huge, 0, huge}),
         ArrayView::row_major(nullptr, Dtype::f64, {huge, 0, huge}));
}

TEST(StridedCopy, CopiesBytesWhateverTheDtype) {
    const std::uint64_t from = 0x400921fb54442d18;
    double to = 0.0;
    copy(MutableArrayView::row_major(&to, Dtype::f64, {}), ArrayView::row_major(&from, Dtype::u64, {}));
    EXPECT_DOUBLE_EQ(to, 3.141592653589793);
}

// Above the threshold whole cache lines are written past the cache: another path for each of these.
TEST(StridedCopy, LargerThanTheCacheEqualsElementByElement) {
    constexpr std::int64_t n = 1860;  // not a multiple of a line
    static_assert(n * n * 8 > streaming_threshold);
    const auto source = testing::noise(n * (n + 4) * 8 + 64);
    std::vector<std::byte> got(n * (n + 4) * 8 + 64);
    std::vector<std::byte> expected(got.size());
    const auto run = [&](std::size_t shift, const Extents& to, const Extents& from) {
        const ArrayView view{source.data(), Dtype::f64, {n, n}, from};
        std::fill(expected.begin(), expected.end(), std::byte{0});
        // NOLINTNEXTLINE(performance-no-int-to-ptr): lines start at multiples of 64
        const std::size_t line = (0 - reinterpret_cast<std::uintptr_t>(got.data())) % 64;
        copy_slowly({expected.data() + (line + shift) % 64, Dtype::f64, {n, n}, to}, view);
        for (int round = 0; round < 3; ++round) {  // until all ways have had their turn
            std::fill(got.begin(), got.end(), std::byte{0});
            copy({got.data() + (line + shift) % 64, Dtype::f64, {n, n}, to}, view);
            EXPECT_TRUE(got == expected) << shift << to_string(to) << to_string(from);
        }
    };
    run(0, {8, (n + 4) * 8}, {n * 8, 8});  // transposed, whole lines
    run(8, {8, (n + 4) * 8}, {n * 8, 8});  // transposed, off the lines
    run(0, {8, n * 8}, {n * 8, 8});
    run(8, {n * 8, 8}, {(n + 4) * 8, 8});  // rows
    run(0, {(n + 4) * 8, 8}, {n * 8, 8});
    run(16, {n * 8, 8}, {n * 8, 8});  // one run
}

CopyPlan plan_of(const Extents& shape, const Extents& to, const Extents& from) {
    static std::byte destination;
    static const std::byte source{};
    return plan_copy({&destination, Dtype::f64, shape, to}, {&source, Dtype::f64, shape, from});
}

TEST(CopyPlan, MergesWhatIsDense) {
    const CopyPlan dense = plan_of({4, 1, 5, 6}, {240, 99, 48, 8}, {240, -3, 48, 8});
    EXPECT_EQ(dense.depth, 0U);
    EXPECT_EQ(dense.run, 960);
    const CopyPlan fortran = plan_of({4, 5, 6}, {8, 32, 160}, {8, 32, 160});
    EXPECT_EQ(fortran.run, 960);
    const CopyPlan backwards = plan_of({4, 5}, {-40, -8}, {-40, -8});
    EXPECT_EQ(backwards.run, 160);
}

TEST(CopyPlan, KeepsTheFewestLoops) {
    const CopyPlan rows = plan_of({4, 5, 6}, {240, 48, 8}, {480, 96, 8});
    ASSERT_EQ(rows.depth, 1U);
    EXPECT_EQ(rows.run, 48);
    EXPECT_EQ(rows.loops[0].count, 20);
    const CopyPlan mirrored = plan_of({4, 5}, {40, 8}, {-40, -8});
    ASSERT_EQ(mirrored.depth, 1U);
    EXPECT_EQ(mirrored.loops[0].source, -8);
    EXPECT_EQ(plan_of({4, 0}, {0, 8}, {0, 8}).run, 0);
}

}  // namespace
}  // namespace staithe::array
