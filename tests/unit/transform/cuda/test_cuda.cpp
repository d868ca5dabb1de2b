// The device cuda by a fake GPU, which runs the real kernels on the CPU.
#include "transform/cuda/cuda.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include <staithe/limits.hpp>

#include "support/environment_variable.hpp"
#include "transform/coding.hpp"
#include "transform/cuda/compiling.hpp"
#include "unit/transform/arrays.hpp"
#include "unit/transform/cuda/cuda_test.hpp"

namespace staithe::transform::cuda {
namespace {

using codecs::Bound;
using testing::random_walk;

/// Whether the payload is what the CPU makes of it.
void expect_same(Cuda& gpu, const ArrayView& array, const codecs::EncodeOptions& options) {
    const auto expected = transform::encode(array, options);
    const auto payload = gpu.encode(array, options, long_enough);
    ASSERT_TRUE(expected) << expected.error().message;
    ASSERT_TRUE(payload) << payload.error().message;
    EXPECT_TRUE(*payload == *expected) << to_string(array.shape) << options.bound.value << ": " << payload->size()
                                       << " bytes for " << expected->size();
}

const std::vector<Extents> shapes{{},         {1},        {15},     {16},         {1000},       {9000},
                                  {3, 5},     {100, 3},   {40, 33}, {7, 64, 31},  {17, 16, 16}, {4, 5, 6, 37},
                                  {2, 3, 64}, {20, 2, 3}, {1, 300}, {5, 1, 7, 1}, {3, 3, 3, 3}, {2, 3, 4, 5, 6},
                                  {0, 7}};

template <class T>
class CudaOf : public CudaTest {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaOf, Types);

TYPED_TEST(CudaOf, MakesTheBytesOfTheCpu) {
    Cuda gpu(fakes);
    for (const Extents& shape : shapes) {
        for (const double strangeness : {0.0, 0.001, 0.01, 0.9}) {
            const auto array = random_walk<TypeParam>(shape, 7, strangeness);
            for (const double bound : {1e-3, 0.5, 100.0}) {
                expect_same(gpu, array.view(), {.bound = Bound::absolute(bound), .fill = 1e20});
            }
        }
    }
    EXPECT_GT(gpu.tiles().coded, 50);
}

/// A smooth field with a region of fill, as an ocean's has, and here and there what is none of either.
template <class T>
testing::Array<T> masked(const Extents& shape, unsigned seed, int strange) {
    auto array = random_walk<T>(shape, seed);
    std::mt19937 random(seed);
    const std::size_t size = array.values.size();
    for (std::size_t i = 0; i < size; ++i) {
        array.values[i] = std::sin(static_cast<double>(i) / 60) < -0.4 ? static_cast<T>(1e20) : array.values[i];
    }
    const T others[] = {std::numeric_limits<T>::quiet_NaN(), T(-0.0), std::numeric_limits<T>::denorm_min(), T(3e30)};
    for (int i = 0; i < strange; ++i) {
        array.values[random() % size] = others[random() % std::size(others)];
    }
    return array;
}

TYPED_TEST(CudaOf, HasTheExceptionsOfTheCpu) {
    Cuda gpu(fakes);
    for (const Extents& shape :
         {Extents{3000}, Extents{40, 33}, Extents{7, 20, 31}, Extents{300, 1}, Extents{11, 16, 16}}) {
        for (const int strange : {0, 1, 2, 3, 5}) {
            const auto array = masked<TypeParam>(shape, 5, strange);
            const codecs::EncodeOptions with_fill{.bound = Bound::absolute(0.1), .fill = 1e20};
            expect_same(gpu, array.view(), with_fill);
            expect_same(gpu, array.view(), {.bound = Bound::absolute(0.1)});  // now those are too large
            auto few = random_walk<TypeParam>(shape, 6);
            for (int i = 0; i < strange; ++i) {
                few.values[static_cast<std::size_t>(i) * 53] = i % 2 == 0 ? TypeParam(-0.0) : TypeParam(1e20);
            }
            expect_same(gpu, few.view(), with_fill);
            for (TypeParam& value : few.values) {
                value = value > 0 ? std::numeric_limits<TypeParam>::quiet_NaN() : value;
            }
            expect_same(gpu, few.view(), with_fill);
        }
    }
    EXPECT_GT(gpu.tiles().coded, 90);  // of 100
}

TYPED_TEST(CudaOf, TakesConstantsAndWhatIsNoNumber) {
    Cuda gpu(fakes);
    using Limits = std::numeric_limits<TypeParam>;
    for (const TypeParam value : {TypeParam(0), TypeParam(-0.0), TypeParam(3), Limits::quiet_NaN(), Limits::infinity(),
                                  Limits::denorm_min(), Limits::max(), -Limits::max()}) {
        const testing::Array<TypeParam> array{{50, 30}, std::vector<TypeParam>(1500, value)};
        for (const double bound : {1e-300, 1e-30, 1e-3, 1e30, 1e300}) {
            expect_same(gpu, array.view(), {.bound = Bound::absolute(bound)});
        }
    }
}

TYPED_TEST(CudaOf, TakesBoundsNearThePrecision) {
    Cuda gpu(fakes);
    const auto array = random_walk<TypeParam>({70, 60}, 3);
    for (double bound = 1e-18; bound < 1.0; bound *= 3.7) {
        expect_same(gpu, array.view(), {.bound = Bound::absolute(bound)});
    }
    EXPECT_GT(gpu.tiles().left, 0);  // a finer step may help, or exact coding
    EXPECT_GT(gpu.tiles().coded, 0);
}

TYPED_TEST(CudaOf, DecidesLikeTheCpuWhetherAFinerStepMayHelp) {
    Cuda gpu(fakes);
    std::mt19937 random(8);
    const auto draw = [&](double least, double most) {
        return std::uniform_real_distribution<double>(least, most)(random);
    };
    for (int i = 0; i < 60; ++i) {
        const Extents shape{static_cast<std::int64_t>(draw(1, 90)), static_cast<std::int64_t>(draw(30, 200))};
        auto array = random_walk<TypeParam>(shape, static_cast<unsigned>(i), i % 2 == 0 ? 0.0 : draw(0, 0.02));
        // What values of 50 or so have, or 32 bits of q.
        const double precision = 50 * std::max<double>(std::numeric_limits<TypeParam>::epsilon(), 0x1p-31);
        expect_same(gpu, array.view(), {.bound = Bound::absolute(precision * std::exp2(draw(-2, 10)))});
    }
    EXPECT_GT(gpu.tiles().coded, 10);
    EXPECT_GT(gpu.tiles().left, 0);
}

TYPED_TEST(CudaOf, TakesAnyArrayUnderAnyBound) {
    Cuda gpu(fakes);
    std::mt19937 random(21);
    const auto draw = [&](double least, double most) {
        return std::uniform_real_distribution<double>(least, most)(random);
    };
    const double widest = sizeof(TypeParam) == sizeof(float) ? 130 : 1030;
    for (int i = 0; i < 120; ++i) {
        Extents shape;
        for (double room = 3000; shape.size() < static_cast<std::size_t>(i % 6) && room >= 1;) {
            const auto length = static_cast<std::int64_t>(draw(1, std::min(room, 70.0)));
            shape.push_back(length);
            room /= static_cast<double>(length);
        }
        auto array = random_walk<TypeParam>(shape, static_cast<unsigned>(i), i % 3 == 0 ? draw(0, 0.1) : 0.0);
        const double scale = std::exp2(i % 2 == 0 ? draw(-3, 3) : draw(-widest, widest));
        for (TypeParam& value : array.values) {
            value = static_cast<TypeParam>(value * scale);
        }
        codecs::EncodeOptions options{.bound = Bound::absolute(scale * std::exp2(draw(-20, 4)))};
        if (i % 4 == 0) {
            options.fill = static_cast<double>(array.values[array.values.size() / 2]);
        }
        if (options.bound.value > 0.0 && std::isfinite(options.bound.value)) {
            expect_same(gpu, array.view(), options);
        }
    }
    EXPECT_GT(gpu.tiles().coded, 50);
}

TYPED_TEST(CudaOf, TakesManyTilesOfAnyStrides) {
    Cuda gpu(fakes);
    const auto array = masked<TypeParam>({70, 90, 61}, 9, 500);
    expect_same(gpu, array.view(), {.bound = Bound::relative(1e-3), .fill = 1e20, .threads = 2});
    const ArrayView view = slice(array.view(), Selection(Box{{3, 1, 2}, {50, 60, 41}}));
    expect_same(gpu, view, {.bound = Bound::absolute(1.0), .fill = 1e20});
    ArrayView turned = view;
    std::swap(turned.shape[0], turned.shape[2]);
    std::swap(turned.strides[0], turned.strides[2]);
    expect_same(gpu, turned, {.bound = Bound::absolute(1.0), .fill = 1e20});
    EXPECT_GE(gpu.tiles().coded, 4);
}

TEST_F(CudaTest, TakesComplexNumbersAsPairs) {
    Cuda gpu(fakes);
    const auto parts = random_walk<float>({30, 40, 2}, 4, 0.001);
    const auto view = ArrayView::row_major(parts.values.data(), Dtype::c64, {30, 40});
    expect_same(gpu, view, {.bound = Bound::absolute(0.01)});
    EXPECT_EQ(gpu.tiles().coded, 1);
}

TEST_F(CudaTest, EncodesWithAnyNumberOfThreads) {
    const auto array = masked<float>({30, 25, 40}, 2, 20);
    for (const unsigned threads : {32U, 96U, threads_of_tile}) {
        Cuda gpu(fakes);
        call<void(unsigned)>("fake_gpu_run_with", threads);
        expect_same(gpu, array.view(), {.bound = Bound::absolute(0.2), .fill = 1e20});
        EXPECT_EQ(gpu.tiles().coded, 1);
    }
}

TEST_F(CudaTest, LeavesToTheCpuWhatItHasNoKernelsFor) {
    Cuda gpu(fakes);
    const auto array = random_walk<double>({50, 50}, 4);
    expect_same(gpu, array.view(), {.bound = Bound::exact()});
    expect_same(gpu, array.view(), {.mode = codecs::Mode::dense, .bound = Bound::absolute(0.1)});
    expect_same(gpu, array.view(), {.bound = Bound::psnr(60)});
    expect_same(gpu, array.view(), {.bound = Bound::rate(8)});
    const std::vector<std::int32_t> numbers(500, 3);
    expect_same(gpu, ArrayView::row_major(numbers.data(), Dtype::i32, {500}), {.bound = Bound::absolute(1)});
    EXPECT_EQ(gpu.tiles().coded, 0);
    EXPECT_EQ(call<int()>("fake_gpu_calls"), 0);

    EXPECT_TRUE(gpu.suits({"dq", codecs::Mode::fast, Dtype::c128, true}));
    EXPECT_FALSE(gpu.suits({"dq", codecs::Mode::fast, Dtype::f32, false}));
    EXPECT_FALSE(gpu.suits({"dq", codecs::Mode::dense, Dtype::f32, true}));
    EXPECT_FALSE(gpu.suits({"zfp", codecs::Mode::fast, Dtype::f32, true}));
    EXPECT_FALSE(gpu.suits({"dq", codecs::Mode::fast, Dtype::i32, true}));
}

TEST_F(CudaTest, RefusesWhatTheCpuRefuses) {
    Cuda gpu(fakes);
    const auto array = random_walk<float>({50}, 4);
    const auto payload = gpu.encode(array.view(), {.bound = Bound::absolute(-1)}, long_enough);
    ASSERT_FALSE(payload);
    EXPECT_EQ(payload.error().code, ErrorCode::invalid_argument);
    EXPECT_TRUE(gpu.is_there());
}

TEST_F(CudaTest, SaysWhatFailedAtEachCallAndKeepsNothing) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    int calls = 0;
    {
        Cuda gpu(fakes);
        ASSERT_TRUE(gpu.encode(array.view(), options, long_enough));
        calls = call<int()>("fake_gpu_calls");
        EXPECT_GT(kept(), 0U);
    }
    EXPECT_EQ(kept(), 0U);
    EXPECT_GT(calls, 20);
    for (int number = 0; number < calls; ++number) {
        constexpr int device_is_lost = 719;
        call<void()>("fake_gpu_forget");
        Cuda gpu(fakes);
        fail_at(number, device_is_lost);
        const auto payload = gpu.encode(array.view(), options, long_enough);
        ASSERT_FALSE(payload) << number;
        EXPECT_EQ(payload.error().code, ErrorCode::system);
        EXPECT_THAT(payload.error().message,
                    ::testing::AnyOf(::testing::HasSubstr("CUDA cannot"), ::testing::HasSubstr("NVRTC")));
        EXPECT_FALSE(gpu.is_there());
        EXPECT_EQ(kept(), 0U) << number;
        const auto again = gpu.encode(array.view(), options, long_enough);
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().code, ErrorCode::peer_lost);
    }
}

TEST_F(CudaTest, TriesAgainWhenMemoryWasGivenBack) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda gpu(fakes);
    call<void(std::size_t)>("fake_gpu_leave", std::size_t{1000});
    const auto payload = gpu.encode(array.view(), options, long_enough);
    ASSERT_FALSE(payload);
    EXPECT_EQ(payload.error().code, ErrorCode::limit_reached);
    EXPECT_THAT(payload.error().message, ::testing::HasSubstr("out of memory"));
    EXPECT_EQ(call<int()>("fake_gpu_contexts"), 0);
    EXPECT_TRUE(gpu.is_there());
    call<void(std::size_t)>("fake_gpu_leave", std::size_t{1} << 30);
    expect_same(gpu, array.view(), options);
}

/// What was begun before that is of no consequence to what follows.
TEST_F(CudaTest, GoesOnWhereverMemoryWasShort) {
    constexpr int no_memory_here = -1;  // of fake_gpu.cpp
    constexpr int out_of_memory = 2;
    const auto large = random_walk<float>({90, 80}, 4);
    const auto small = random_walk<float>({50, 60}, 5);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda gpu(fakes);
    expect_same(gpu, large.view(), options);
    const int before = call<int()>("fake_gpu_calls");
    expect_same(gpu, small.view(), options);
    const int calls = call<int()>("fake_gpu_calls") - before;
    EXPECT_GT(calls, 5);
    for (const int failure : {no_memory_here, out_of_memory}) {
        for (int number = 0; number < calls; ++number) {
            fail_at(number, failure);
            const auto payload = gpu.encode(small.view(), options, long_enough);
            ASSERT_FALSE(payload) << number;
            EXPECT_TRUE(is_busy(payload.error())) << payload.error().message;
            ASSERT_TRUE(gpu.is_there()) << number;
            expect_same(gpu, large.view(), options);
        }
    }
}

TEST_F(CudaTest, GivesUpAGpuThatDoesNotEndWhatWasBegun) {
    constexpr int out_of_memory = 2;
    constexpr int copy_back = 3;  // after the GPU was turned to, copied to, and a kernel was started
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda gpu(fakes);
    expect_same(gpu, array.view(), options);
    call<void(bool)>("fake_gpu_hang", true);
    fail_at(copy_back, out_of_memory);
    const auto payload = gpu.encode(array.view(), options, base::Seconds(0.05));
    ASSERT_FALSE(payload);
    EXPECT_EQ(payload.error().code, ErrorCode::timeout);
    EXPECT_THAT(payload.error().message, ::testing::HasSubstr("out of memory"));
    EXPECT_FALSE(gpu.is_there());
}

TEST_F(CudaTest, GivesUpAGpuThatHangs) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda gpu(fakes);
    expect_same(gpu, array.view(), options);
    call<void(bool)>("fake_gpu_hang", true);
    const auto payload = gpu.encode(array.view(), options, base::Seconds(0.05));
    ASSERT_FALSE(payload);
    EXPECT_EQ(payload.error().code, ErrorCode::timeout);
    EXPECT_FALSE(gpu.is_there());
    EXPECT_GT(kept(), 0U);  // into which it may be writing
}

TEST_F(CudaTest, WorksForSeveralThreads) {
    Cuda gpu(fakes);
    std::vector<std::thread> threads;
    for (int i = 1; i <= 4; ++i) {
        threads.emplace_back([&gpu, i] {
            for (int turn = 0; turn < 3; ++turn) {
                const auto array = random_walk<float>({30 * i, 50}, static_cast<unsigned>(turn));
                expect_same(gpu, array.view(), {.bound = Bound::absolute(0.1 * i)});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_TRUE(gpu.is_there());
    EXPECT_EQ(gpu.tiles().coded, 12);
}

TEST_F(CudaTest, WhoWaitsForItToOpenMayGiveUp) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda gpu(fakes);
    call<void(bool)>("fake_gpu_hold", true);
    EXPECT_TRUE(is_busy(gpu.encode(array.view(), options, base::Seconds(0.02)).error()));
    EXPECT_FALSE(gpu.is_there());
    call<void(bool)>("fake_gpu_hold", false);
    gpu.wait_until_opened();
    EXPECT_TRUE(gpu.is_there());
    expect_same(gpu, array.view(), options);
}

TEST_F(CudaTest, WhatItHasPinnedIsWithinTheLimits) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    const std::int64_t before = usage().memory;
    {
        Cuda gpu(fakes);
        set_limits({.memory = before + 1000});
        EXPECT_TRUE(is_busy(gpu.encode(array.view(), options, long_enough).error()));
        EXPECT_TRUE(gpu.is_there());
        set_limits({});
        expect_same(gpu, array.view(), options);
        EXPECT_GE(usage().memory, before + 12'000);
    }
    EXPECT_EQ(usage().memory, before);
}

TEST_F(CudaTest, WhatItHasNoRoomToPinMoreOfItGivesBack) {
    const auto small = random_walk<float>({50, 60}, 4);
    const auto large = random_walk<float>({90, 80}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    const std::int64_t before = usage().memory;
    Cuda gpu(fakes);
    expect_same(gpu, small.view(), options);
    const std::size_t kept_before = kept();
    set_limits({.memory = before + 20'000});
    EXPECT_TRUE(is_busy(gpu.encode(large.view(), options, long_enough).error()));
    EXPECT_EQ(usage().memory, before);
    EXPECT_EQ(kept(), kept_before - 1) << "it is not pinned any more";
    expect_same(gpu, small.view(), options);
    EXPECT_GE(usage().memory, before + 12'000);
    set_limits({});
    expect_same(gpu, large.view(), options);
}

/// There is nothing to wait for, then.
TEST_F(CudaTest, WhatTheCpuDoesTakesNoTurnOfTheGpu) {
    const testing::Array<float> constant{{50, 30}, std::vector<float>(1500, 3.0F)};
    const auto array = random_walk<float>({50, 60}, 4);
    Cuda gpu(fakes);
    expect_same(gpu, array.view(), {.bound = Bound::absolute(0.01)});
    call<void(bool)>("fake_gpu_hold", true);
    std::thread other([&] { expect_same(gpu, array.view(), {.bound = Bound::absolute(0.01)}); });
    while (gpu.is_there()) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(gpu.encode(constant.view(), {.bound = Bound::relative(1e-3)}, base::Seconds(0)));
    call<void(bool)>("fake_gpu_hold", false);
    other.join();
}

TEST_F(CudaTest, OpensAheadWithoutAnybodyWaiting) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda gpu(fakes);
    gpu.open_ahead();
    gpu.wait_until_opened();
    EXPECT_TRUE(gpu.is_there());
    expect_same(gpu, array.view(), options);

    constexpr int no_device = 100;
    fail_at(1, no_device);
    Cuda without_gpu(fakes);
    without_gpu.open_ahead();
    without_gpu.wait_until_opened();
    EXPECT_FALSE(without_gpu.is_there());
}

TEST(Cuda, IsADeviceWhereItIsChosen) {
    EXPECT_TRUE(devices_here().empty());
    const staithe::testing::EnvironmentVariable on("STAITHE_CUDA", "on");
    const auto devices = devices_here();
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices.front()->name(), "cuda");
    EXPECT_EQ(devices, devices_here());
}

TEST(Cuda, SaysWhatIsMissing) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.bound = Bound::absolute(0.01)};
    Cuda without_driver({"libno_such_driver.so", {"libno_such_compiler.so"}});
    EXPECT_TRUE(without_driver.is_there());
    const auto payload = without_driver.encode(array.view(), options, long_enough);
    ASSERT_FALSE(payload);
    EXPECT_EQ(payload.error().code, ErrorCode::not_found);
    EXPECT_THAT(payload.error().message, ::testing::HasSubstr("no driver of NVIDIA's"));
    EXPECT_FALSE(without_driver.is_there());

    const auto compiler = Compiler::load({"", {"libno_such_compiler.so", fake_gpu, "libc.so.6"}});
    EXPECT_TRUE(compiler);
    const auto no_compiler = Compiler::load({"", {"libno_such_compiler.so", "libc.so.6"}});
    ASSERT_FALSE(no_compiler);
    EXPECT_THAT(no_compiler.error().message, ::testing::HasSubstr("pip install 'staithe[cuda]'"));
}

/// What the kernels are compiled by where there is a GPU compiles them here, too.
TEST(Cuda, NvrtcCompilesTheKernelsWithoutWarnings) {
    const auto compiler = Compiler::load({});
    if (!compiler) {
        GTEST_SKIP() << compiler.error().message;
    }
    for (const auto& [major, minor] : {std::pair(7, 5), {8, 0}, {8, 6}, {9, 0}, {10, 0}}) {
        const auto compiled = compile_kernels(*compiler, major, minor);
        ASSERT_TRUE(compiled) << compiled.error().message;
        EXPECT_EQ(compiled->log, "") << major << '.' << minor;
        EXPECT_EQ(std::string(compiled->code.data() + 1, 3), "ELF");
    }
    const auto unknown = compile_kernels(*compiler, 1, 0);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, ::testing::HasSubstr("architecture 1.0"));
}

/// What no machine without a GPU can tell: that it makes these bytes, too.
TEST(Cuda, ARealGpuMakesTheBytesOfTheCpu) {
    if (const auto opened = Gpu::open({}); !opened) {
        GTEST_SKIP() << opened.error().message;
    }
    Cuda gpu;
    for (const Extents& shape : {Extents{1000}, Extents{7, 64, 31}, Extents{3, 4, 5, 6, 37}, Extents{300, 600, 500}}) {
        for (const double bound : {1e-6, 1e-3, 0.1, 100.0}) {
            const codecs::EncodeOptions options{.bound = Bound::absolute(bound), .fill = 1e20, .threads = 2};
            expect_same(gpu, masked<float>(shape, 3, 20).view(), options);
            expect_same(gpu, masked<double>(shape, 3, 20).view(), options);
            expect_same(gpu, random_walk<float>(shape, 5, 0.01).view(), options);
            expect_same(gpu, random_walk<double>(shape, 5).view(), options);
        }
    }
    EXPECT_GT(gpu.tiles().coded, 1000);
}

}  // namespace
}  // namespace staithe::transform::cuda
