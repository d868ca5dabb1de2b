#include "transform/bound.hpp"

#include <array>

#include <staithe/error.hpp>

#include <gtest/gtest.h>

#include "transform/dq/kernels.hpp"
#include "transform/noise.hpp"
#include "transform/value_range.hpp"
#include "unit/transform/arrays.hpp"

namespace staithe::transform {
namespace {

using codecs::Bound;
using testing::Array;

const float nan = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();

double resolved(const ArrayView& array, Bound bound, std::optional<double> fill = {}) {
    return resolve_bound(array, {.bound = bound, .fill = fill})->bound;
}

TEST(Bound, RelativeToTheRangeOfValidValues) {
    const Array<float> array{{7}, {nan, -3.0F, infinity, 1e20F, 5.0F, -infinity, 0.0F}};
    EXPECT_NEAR(resolved(array.view(), Bound::relative(0.25), 1e20), 2.0, 1e-14);
    EXPECT_LT(resolved(array.view(), Bound::relative(0.25), 1e20), 2.0) << "not rounded up";
    EXPECT_DOUBLE_EQ(resolved(array.view(), Bound::absolute(0.25)), 0.25);
    EXPECT_NEAR(resolved(array.view(), Bound::psnr(40.0), 1e20), 0.08 * bound_of_noise, 1e-15);
    EXPECT_NEAR(resolve_bound(array.view(), {.bound = Bound::psnr(40.0), .fill = 1e20})->noise, 0.08, 1e-15);
    EXPECT_EQ(resolved(array.view(), Bound::exact()), 0.0);
}

TEST(Bound, WithoutARangeItIsExact) {
    const Array<float> none{{2}, {nan, infinity}};
    EXPECT_EQ(resolved(none.view(), Bound::relative(0.1)), 0.0);
    const Array<float> one{{2}, {4.0F, 4.0F}};
    EXPECT_EQ(resolved(one.view(), Bound::relative(0.1)), 0.0);
    const Array<float> empty{{0}, {}};
    EXPECT_EQ(resolved(empty.view(), Bound::relative(0.1)), 0.0);
}

TEST(Bound, RangesBeyondTheLargestNumber) {
    const double most = std::numeric_limits<double>::max();
    const Array<double> array{{2}, {-most, most}};
    EXPECT_NEAR(resolved(array.view(), Bound::relative(0.25)) / most, 0.5, 1e-14);
    EXPECT_FALSE(resolve_bound(array.view(), {.bound = Bound::relative(0.75)}));
}

TEST(Bound, IsOfAllPartsOfAnArray) {
    const Array<float> low{{2}, {-3.0F, nan}}, none{{1}, {infinity}}, high{{2}, {5.0F, 1.0F}};
    const std::array parts{low.view(), none.view(), high.view()};
    EXPECT_NEAR(resolve_bound(parts, {.bound = Bound::relative(0.25)})->bound, 2.0, 1e-14);
}

TEST(Bound, IsWrittenAsItIsRead) {
    for (const Bound& bound : {Bound::exact(), Bound::absolute(0.01), Bound::relative(1e-3), Bound::psnr(80.0),
                               Bound::pointwise_relative(1e-300), Bound::rate(4.5)}) {
        EXPECT_EQ(codecs::parse_bound(codecs::to_string(bound)), bound) << codecs::to_string(bound);
    }
    EXPECT_EQ(codecs::parse_bound("1E-3rel"), Bound::relative(1e-3));
    EXPECT_EQ(codecs::parse_bound("2   abs"), Bound::absolute(2.0));
    for (const char* text : {"", "1", "rel", "abs 1", "1 rel ", "1 %", "exact 1", "1 exact", "0x1 abs", "1e999 abs"}) {
        EXPECT_THROW(static_cast<void>(codecs::parse_bound(text)), InvalidArgument) << text;
    }
}

TEST(ValueRange, OfAnyLayout) {
    const auto array = testing::random_walk<double>({40, 30}, 1);
    const auto expected = value_range(array.view(), {});
    ArrayView turned = array.view();
    std::swap(turned.shape[0], turned.shape[1]);
    std::swap(turned.strides[0], turned.strides[1]);
    const auto found = value_range(turned, {});
    EXPECT_EQ(found->smallest, expected->smallest);
    EXPECT_EQ(found->largest, expected->largest);
    EXPECT_EQ(expected->largest, *std::max_element(array.values.begin(), array.values.end()));
    EXPECT_EQ(expected->smallest, *std::min_element(array.values.begin(), array.values.end()));
}

TEST(ValueRange, OfAnyNumberOfThreads) {
    auto array = testing::random_walk<float>({3, 700, 900}, 5);
    array.values[1'000'000] = 1e6F;
    array.values.back() = -2e6F;
    ArrayView turned = array.view();
    std::reverse(turned.shape.begin(), turned.shape.end());
    std::reverse(turned.strides.begin(), turned.strides.end());
    for (const int threads : {1, 2, 5}) {
        for (const ArrayView& view : {ArrayView(array.view()), turned}) {
            const auto found = value_range(view, {}, threads);
            EXPECT_EQ(found->smallest, -2e6);
            EXPECT_EQ(found->largest, 1e6);
        }
    }
}

TEST(ValueRange, EveryKernelFindsTheSame) {
    const auto array = testing::random_walk<float>({16 * 50}, 2, 0.2);
    const auto widened = [&](const dq::Kernels& kernels) {
        dq::RangeLanes<float> lanes;
        kernels.widen_f32(lanes, reinterpret_cast<const std::byte*>(array.values.data()), 50);
        return std::pair(std::vector(std::begin(lanes.smallest), std::end(lanes.smallest)),
                         std::vector(std::begin(lanes.largest), std::end(lanes.largest)));
    };
    for (const dq::Kernels& kernels : dq::available_kernels()) {
        EXPECT_EQ(widened(kernels), widened(dq::plain_kernels)) << kernels.name;
    }
}

TEST(MeanSquareError, EveryKernelFindsTheSame) {
    const auto array = testing::random_walk<float>({16 * 150}, 2, 0.2);
    auto other = array;
    for (std::size_t i = 0; i < other.values.size(); i += 3) {
        other.values[i] *= 1.001F;
    }
    const auto found = [&](const dq::Kernels& kernels) {
        dq::ErrorLanes<float> lanes;
        lanes.counted = dq::CountedValues<float>(1e20);
        lanes.scale = 1e-15F;
        kernels.add_errors_f32(lanes, reinterpret_cast<const std::byte*>(array.values.data()),
                               reinterpret_cast<const std::byte*>(other.values.data()), 150);
        return std::pair(std::vector(std::begin(lanes.squares), std::end(lanes.squares)),
                         std::vector(std::begin(lanes.count), std::end(lanes.count)));
    };
    for (const dq::Kernels& kernels : dq::available_kernels()) {
        EXPECT_EQ(found(kernels), found(dq::plain_kernels)) << kernels.name;
    }
}

TEST(MeanSquareError, OfValuesThatCount) {
    const std::vector<double> values{1, 2, nan, infinity, 1e20, 3, 4};
    const std::vector<double> decoded{1, 2.5, nan, infinity, 1e20, 2.5, 4};
    Scratch scratch;
    const auto view = [](const auto& of) { return ArrayView::row_major(of.data(), Dtype::f64, {7}); };
    EXPECT_NEAR(mean_square_error(view(values), view(decoded), 1e20, 0.25, scratch), 2.0, 1e-4);
    EXPECT_GE(mean_square_error(view(values), view(decoded), 1e20, 0.25, scratch), 2.0);
    EXPECT_EQ(mean_square_error(view(values), view(values), {}, 0.25, scratch), 0.0);
    EXPECT_EQ(mean_square_error(view(values), view(decoded), {}, 5e-324, scratch), infinity);
}

TEST(ValueRange, OfComplexNumbersIsThatOfTheirParts) {
    const std::vector<float> parts{1.0F, -7.0F, 2.0F, 9.0F};
    const auto found = value_range(ArrayView::row_major(parts.data(), Dtype::c64, {2}), {});
    EXPECT_EQ(found->smallest, -7.0);
    EXPECT_EQ(found->largest, 9.0);
}

}  // namespace
}  // namespace staithe::transform
