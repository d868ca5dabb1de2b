// What every device must do that encodes: give back the payload that the cores of this process make, or another one of
// the same elements.
//
// A new device shows that it conforms with a class of its own (see test_devices.cpp):
//
//     struct MyDevice {
//         std::shared_ptr<transform::Device> open();   // called once
//         static bool suits(const transform::Task& task);   // whether it is to be asked for that
//         static bool has_own_bytes(const transform::Task& task);   // and makes others than the cores do
//         static constexpr std::int64_t much = 4 << 20;   // elements that it takes a second or so for
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, DeviceSuite, MyDevice);
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/watchdog.hpp"
#include "transform/coding.hpp"
#include "transform/device.hpp"

namespace staithe::testing {

/// Values that a codec makes something of, with all that is special among them.
template <class T>
std::vector<T> smooth_values(std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>(100.0 * std::sin(0.01 * static_cast<double>(i)));
    }
    if constexpr (std::is_floating_point_v<T>) {
        for (std::size_t i = 0; i + 3 < count; i += 97) {
            values[i] = std::numeric_limits<T>::quiet_NaN();
            values[i + 1] = std::numeric_limits<T>::infinity();
            values[i + 2] = static_cast<T>(1e20);  // fill
        }
    }
    return values;
}

template <class T>
class DeviceSuite : public ::testing::Test {
  protected:
    static constexpr base::Seconds patience{30.0};

    [[nodiscard]] transform::Device& device() const { return *device_; }

    void expect_same(const ArrayView& elements, const codecs::EncodeOptions& options) {
        const bool is_lossy = options.bound.kind != codecs::Bound::Kind::exact;
        const transform::Task task{options.codec, options.mode, elements.dtype, is_lossy};
        ASSERT_EQ(device().suits(task), T::suits(task)) << options.codec;
        if (!T::suits(task)) {
            return;
        }
        const auto expected = transform::encode(elements, options).value();
        const auto payload = device().encode(elements, options, patience);
        ASSERT_TRUE(payload) << payload.error().message;
        EXPECT_EQ(T::has_own_bytes(task) ? decoded(*payload, elements) : *payload,
                  T::has_own_bytes(task) ? decoded(expected, elements) : expected)
            << options.codec << ' ' << codecs::to_string(options.bound);
        EXPECT_TRUE(transform::check_payload(*payload, elements, options));
    }

  private:
    static std::vector<std::byte> decoded(std::span<const std::byte> payload, const ArrayView& like) {
        std::vector<std::byte> elements(static_cast<std::size_t>(size_in_bytes(like.shape, like.dtype).value()));
        EXPECT_TRUE(transform::decode(payload, MutableArrayView::row_major(elements.data(), like.dtype, like.shape)));
        return elements;
    }

    Watchdog watchdog_;
    T opened_;
    const std::shared_ptr<transform::Device> device_ = opened_.open();
};

TYPED_TEST_SUITE_P(DeviceSuite);

TYPED_TEST_P(DeviceSuite, HasANameAndIsThere) {
    EXPECT_FALSE(this->device().name().empty());
    EXPECT_TRUE(this->device().is_there());
    EXPECT_FALSE(this->device().suits({"there is no such codec"}));
}

TYPED_TEST_P(DeviceSuite, MakesThePayloadsOfTheCores) {
    const auto floats = smooth_values<float>(40 * 50 * 60);
    const auto doubles = smooth_values<double>(40 * 50 * 60);
    const auto integers = smooth_values<std::int32_t>(40 * 50 * 60);
    for (const auto& bound : {codecs::Bound::exact(), codecs::Bound::absolute(0.01)}) {
        for (const auto mode : {codecs::Mode::fast, codecs::Mode::dense}) {
            const codecs::EncodeOptions options{.codec = "dq", .mode = mode, .bound = bound, .fill = 1e20};
            this->expect_same(ArrayView::row_major(floats.data(), Dtype::f32, {40, 50, 60}), options);
            this->expect_same(ArrayView::row_major(doubles.data(), Dtype::f64, {2, 4, 5, 50, 60}), options);
            this->expect_same(ArrayView::row_major(doubles.data(), Dtype::c128, {30, 50, 40}), options);
            this->expect_same(ArrayView::row_major(integers.data(), Dtype::i32, {40 * 50 * 60}), options);
        }
    }
    this->expect_same(ArrayView::row_major(integers.data(), Dtype::i32, {40, 50, 60}), {.codec = "shuffle+lz4"});
    this->expect_same(ArrayView::row_major(floats.data(), Dtype::f32, {40, 50, 60}), {.codec = "shuffle+zstd"});
}

TYPED_TEST_P(DeviceSuite, TakesElementsAsTheyLie) {
    const auto values = smooth_values<double>(64 * 64 * 64);
    const codecs::EncodeOptions options{.codec = "dq", .bound = codecs::Bound::absolute(0.5)};
    // Turned round, with gaps; in the order of Fortran; one value for all; none.
    this->expect_same({values.data() + 64 * 64 * 64 - 1, Dtype::f64, {32, 64, 32}, {-8 * 64 * 128, -8 * 64, -16}},
                      options);
    this->expect_same({values.data(), Dtype::f64, {64, 64, 64}, {8, 8 * 64, 8 * 64 * 64}}, options);
    this->expect_same({values.data() + 5, Dtype::f64, {100, 100}, {0, 0}}, options);
    this->expect_same(ArrayView::row_major(values.data(), Dtype::f64, {0, 4}), options);
    this->expect_same(ArrayView::row_major(values.data() + 7, Dtype::f64, {}), options);
}

TYPED_TEST_P(DeviceSuite, TakesLittleAndMuchInAnyOrder) {
    constexpr std::int64_t much = TypeParam::much;
    const auto values = smooth_values<float>(much);
    for (const std::int64_t count :
         {std::int64_t{1}, std::int64_t{1000}, much, std::int64_t{5}, much / 4, much / 4 * 3}) {
        this->expect_same(ArrayView::row_major(values.data(), Dtype::f32, {count}),
                          {.codec = "dq", .bound = codecs::Bound::absolute(0.1)});
    }
}

TYPED_TEST_P(DeviceSuite, WorksForSeveralThreads) {
    constexpr std::int64_t much = TypeParam::much;
    const auto values = smooth_values<float>(much);
    std::vector<std::thread> threads;
    for (int i = 1; i <= 4; ++i) {
        threads.emplace_back([&, i] {
            for (int turn = 0; turn < 5; ++turn) {
                this->expect_same(ArrayView::row_major(values.data(), Dtype::f32, {i * much / 40}),
                                  {.codec = "dq", .bound = codecs::Bound::absolute(0.1 * i)});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

REGISTER_TYPED_TEST_SUITE_P(DeviceSuite, HasANameAndIsThere, MakesThePayloadsOfTheCores, TakesElementsAsTheyLie,
                            TakesLittleAndMuchInAnyOrder, WorksForSeveralThreads);

}  // namespace staithe::testing
