// Exact arrays on the device cuda, by stand-ins for the GPU and for nvCOMP.
#include "transform/cuda/nvcomp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#if __has_include(<nvcomp.h>)
#include <nvcomp.h>
#define STAITHE_HAS_NVCOMP_HEADER
#endif

#include "array/strided_copy.hpp"
#include "transform/coding.hpp"
#include "transform/cuda/shuffled_tiles.hpp"
#include "transform/payload.hpp"
#include "unit/transform/arrays.hpp"
#include "unit/transform/cuda/cuda_test.hpp"

namespace staithe::transform::cuda {
namespace {

using codecs::Bound;
using testing::random_walk;

constexpr const char* codecs_of_nvcomp[] = {"shuffle+zstd", "shuffle+lz4"};

class NvcompTest : public CudaTest {
  protected:
    void SetUp() override {
        CudaTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        if (fake_->function<void(const char*)>("fake_nvcomp_be") == nullptr) {
            GTEST_SKIP() << "the stand-in for nvCOMP takes LZ4 and Zstandard";
        }
        be("");
    }
    void be(const char* what) const { call<void(const char*)>("fake_nvcomp_be", what); }
};

std::vector<std::byte> bytes_of(const ArrayView& array) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size_in_bytes(array.shape, array.dtype).value()));
    array::copy(MutableArrayView::row_major(bytes.data(), array.dtype, array.shape), array);
    return bytes;
}

/// Whether the CPU decodes the payload to these elements.
void expect_whole(const base::Result<std::vector<std::byte>>& payload, const ArrayView& array) {
    ASSERT_TRUE(payload) << payload.error().message;
    std::vector<std::byte> came(bytes_of(array).size());
    const auto decoded =
        transform::decode(*payload, MutableArrayView::row_major(came.data(), array.dtype, array.shape));
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_TRUE(came == bytes_of(array)) << to_string(array.shape);
}

TEST_F(NvcompTest, MakesPayloadsThatTheCpuDecodes) {
    Cuda gpu(fakes);
    for (const char* const codec : codecs_of_nvcomp) {
        for (const Extents& shape : {Extents{}, {1}, {1000}, {40, 33}, {17, 16, 16}, {70, 90, 61}, {0, 7}}) {
            const auto floats = random_walk<float>(shape, 3, 0.01);
            const auto doubles = random_walk<double>(shape, 4);
            const codecs::EncodeOptions options{.codec = codec, .threads = 2};
            expect_whole(gpu.encode(floats.view(), options, long_enough), floats.view());
            expect_whole(gpu.encode(doubles.view(), options, long_enough), doubles.view());
        }
    }
    EXPECT_GT(gpu.tiles().coded, 20);
    EXPECT_EQ(gpu.tiles().left, 0);
}

TEST_F(NvcompTest, TakesEveryDtypeAndAnyStrides) {
    Cuda gpu(fakes);
    std::vector<std::uint16_t> memory(60 * 70 * 16);
    for (std::size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<std::uint16_t>(i / 50);
    }
    for (const char* const codec : codecs_of_nvcomp) {
        for (const Dtype dtype : {Dtype::boolean, Dtype::i8, Dtype::u16, Dtype::f16, Dtype::i32, Dtype::i64, Dtype::c64,
                                  Dtype::c128, Dtype::f128, Dtype::c256}) {
            const std::int64_t item = size_of(dtype);
            const ArrayView array{memory.data(), dtype, {30, 50}, {70 * item, item}};
            const ArrayView turned{memory.data(), dtype, {50, 30}, {item, 70 * item}};
            expect_whole(gpu.encode(array, {.codec = codec}, long_enough), array);
            expect_whole(gpu.encode(turned, {.codec = codec}, long_enough), turned);
        }
    }
    EXPECT_GT(gpu.tiles().coded, 30);
}

TEST_F(NvcompTest, GainsWhatTheCpuGains) {
    Cuda gpu(fakes);
    const auto array = random_walk<float>({64, 64, 200}, 5);
    for (const char* const codec : codecs_of_nvcomp) {
        const auto expected = transform::encode(array.view(), {.codec = codec});
        const auto payload = gpu.encode(array.view(), {.codec = codec}, long_enough);
        ASSERT_TRUE(expected && payload);
        EXPECT_LT(static_cast<double>(payload->size()), 1.03 * static_cast<double>(expected->size()));
        EXPECT_TRUE(check_payload(*payload, array.view(), {.codec = codec}));
    }
}

TEST_F(NvcompTest, StoresAsItIsWhatGetsNoSmaller) {
    Cuda gpu(fakes);
    std::vector<std::uint64_t> noise(300'000);
    std::mt19937_64 random(5);
    for (std::uint64_t& value : noise) {
        value = random();
    }
    const auto array = ArrayView::row_major(noise.data(), Dtype::u64, {300'000});
    const auto payload = gpu.encode(array, {.codec = "shuffle+zstd"}, long_enough);
    expect_whole(payload, array);
    const auto header = read_header(*payload);
    ASSERT_TRUE(header);
    for (const TileEntry& tile : header->tiles) {
        EXPECT_EQ(tile.method, TileMethod::raw);
    }
    EXPECT_EQ(gpu.tiles().left, 0);  // and nobody tries once more
}

TEST_F(NvcompTest, RoundsValuesThatMayBeOffByAShareOfThemselves) {
    Cuda gpu(fakes);
    const auto array = random_walk<float>({50, 60, 70}, 8);
    const codecs::EncodeOptions options{.codec = "shuffle+zstd", .bound = Bound::pointwise_relative(1e-3)};
    const auto expected = transform::encode(array.view(), options);
    const auto payload = gpu.encode(array.view(), options, long_enough);
    ASSERT_TRUE(expected && payload);
    std::vector<float> as_expected(array.values.size());
    std::vector<float> came(array.values.size());
    const auto into = [&](std::vector<float>& values) {
        return MutableArrayView::row_major(values.data(), Dtype::f32, array.shape);
    };
    ASSERT_TRUE(transform::decode(*expected, into(as_expected)));
    ASSERT_TRUE(transform::decode(*payload, into(came)));
    EXPECT_EQ(came, as_expected);
    EXPECT_GT(gpu.tiles().coded, 0);
}

TEST_F(NvcompTest, SuitsWhatIsExactOnceItIsLoaded) {
    Cuda gpu(fakes);
    const Task exact{"shuffle+zstd", codecs::Mode::fast, Dtype::i32, false};
    EXPECT_FALSE(gpu.suits(exact));
    gpu.open_ahead();
    gpu.wait_until_opened();
    EXPECT_TRUE(gpu.suits(exact));
    EXPECT_TRUE(gpu.suits({"shuffle+lz4", codecs::Mode::fast, Dtype::f32, false}));
    EXPECT_FALSE(gpu.suits({"shuffle+zstd", codecs::Mode::dense, Dtype::f32, false}));
    EXPECT_FALSE(gpu.suits({"shuffle+zstd", codecs::Mode::fast, Dtype::f32, true}));
    EXPECT_FALSE(gpu.suits({"bitshuffle+zstd", codecs::Mode::fast, Dtype::f32, false}));
    EXPECT_FALSE(gpu.suits({"dq", codecs::Mode::fast, Dtype::f32, false}));
}

TEST_F(NvcompTest, IsDoneWithoutWhereItIsAbsent) {
    Cuda gpu({fake_gpu, {fake_gpu}, "libno_such_nvcomp.so"});
    gpu.open_ahead();
    gpu.wait_until_opened();
    EXPECT_TRUE(gpu.is_there());
    EXPECT_FALSE(gpu.suits({"shuffle+zstd", codecs::Mode::fast, Dtype::f32, false}));
    EXPECT_TRUE(gpu.suits({"dq", codecs::Mode::fast, Dtype::f32, true}));
    const auto array = random_walk<float>({50, 60}, 4);
    expect_whole(gpu.encode(array.view(), {.codec = "shuffle+zstd"}, long_enough), array.view());
    EXPECT_EQ(gpu.tiles().coded, 0);

    const auto absent = Nvcomp::load({"", {}, "libno_such_nvcomp.so"});
    ASSERT_FALSE(absent);
    EXPECT_THAT(absent.error().message, ::testing::HasSubstr("pip install 'staithe[cuda]'"));
    const auto another = Nvcomp::load({"", {}, "libc.so.6"});
    ASSERT_FALSE(another);
    EXPECT_THAT(another.error().message, ::testing::HasSubstr("libc.so.6 has no nvcompBatched"));
}

/// Of pieces that it gives up the CPU makes the tiles, as of those that it says nonsense of.
TEST_F(NvcompTest, LeavesToTheCpuWhatItIsUnableToDo) {
    const auto array = random_walk<float>({50, 60, 70}, 4);
    for (const char* const manner : {"unable", "too long", "empty"}) {
        be(manner);
        Cuda gpu(fakes);
        const auto payload = gpu.encode(array.view(), {.codec = "shuffle+zstd"}, long_enough);
        ASSERT_TRUE(payload);
        EXPECT_TRUE(*payload == *transform::encode(array.view(), {.codec = "shuffle+zstd"})) << manner;
        EXPECT_EQ(gpu.tiles().coded, 0);
        EXPECT_TRUE(gpu.is_there());
    }
}

/// Then it is not asked any more, and the GPU goes on with what else it does.
TEST_F(NvcompTest, IsGivenUpWhereItMakesSomethingElse) {
    const auto array = random_walk<float>({50, 60}, 4);
    for (const char* const codec : codecs_of_nvcomp) {
        for (const char* const manner : {"something else", "wide", "greedy"}) {
            be(manner);
            Cuda gpu(fakes);
            expect_whole(gpu.encode(array.view(), {.codec = codec}, long_enough), array.view());
            EXPECT_EQ(gpu.tiles().coded, 0) << manner;
            EXPECT_FALSE(gpu.suits({codec, codecs::Mode::fast, Dtype::f32, false}));
            EXPECT_TRUE(gpu.is_there());
            const codecs::EncodeOptions lossy{.bound = Bound::absolute(0.01)};
            EXPECT_TRUE(gpu.encode(array.view(), lossy, long_enough).value() ==
                        *transform::encode(array.view(), lossy));
            EXPECT_GT(gpu.tiles().coded, 0);
        }
    }
}

TEST_F(NvcompTest, LosesNothingWhateverCallFails) {
    const auto array = random_walk<float>({50, 60}, 4);
    const codecs::EncodeOptions options{.codec = "shuffle+lz4"};
    int calls = 0;
    {
        Cuda gpu(fakes);
        ASSERT_TRUE(gpu.encode(array.view(), options, long_enough));
        calls = call<int()>("fake_gpu_calls");
    }
    EXPECT_EQ(kept(), 0U);
    int without_nvcomp = 0;
    for (int number = 0; number < calls; ++number) {
        constexpr int some_failure = 719;
        call<void()>("fake_gpu_forget");
        Cuda gpu(fakes);
        fail_at(number, some_failure);
        const auto payload = gpu.encode(array.view(), options, long_enough);
        if (payload) {
            ++without_nvcomp;
            expect_whole(payload, array.view());
            EXPECT_TRUE(gpu.is_there());
            EXPECT_FALSE(gpu.suits({"shuffle+lz4", codecs::Mode::fast, Dtype::f32, false}));
        } else {
            EXPECT_EQ(payload.error().code, ErrorCode::system);
            EXPECT_FALSE(gpu.is_there());
            EXPECT_EQ(kept(), 0U) << number;
        }
    }
    EXPECT_EQ(without_nvcomp, 4);  // its own calls
}

TEST_F(NvcompTest, GivesUpAGpuThatHangsInIt) {
    const auto array = random_walk<float>({50, 60}, 4);
    Cuda gpu(fakes);
    ASSERT_TRUE(gpu.encode(array.view(), {.codec = "shuffle+zstd"}, long_enough));
    call<void(bool)>("fake_gpu_hang", true);
    const auto payload = gpu.encode(array.view(), {.codec = "shuffle+zstd"}, base::Seconds(0.05));
    ASSERT_FALSE(payload);
    EXPECT_EQ(payload.error().code, ErrorCode::timeout);
    EXPECT_FALSE(gpu.is_there());
}

/// What can be told of the real one without a GPU.
TEST(Nvcomp, HasTheFunctionsThatAreCalled) {
    const auto nvcomp = Nvcomp::load({});
    if (!nvcomp) {
        GTEST_SKIP() << nvcomp.error().message;
    }
    for (const Nvcomp::Compressor* const each : {&nvcomp->zstd, &nvcomp->lz4}) {
        Nvcomp::Alignments alignments;
        EXPECT_EQ(each->alignments({}, &alignments), 0);
        EXPECT_GE(alignments.input, 1U);
        EXPECT_LE(std::max({alignments.input, alignments.output, alignments.work}), Shares::alignment);
        std::size_t bytes = 0;
        EXPECT_EQ(each->most_bytes(each->longest_piece, {}, &bytes), 0);
        EXPECT_GE(bytes, each->longest_piece);
        EXPECT_LT(bytes, 2 * each->longest_piece);
    }
}

#ifdef STAITHE_HAS_NVCOMP_HEADER
template <class A, class B>
constexpr bool is_passed_alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
                                 std::is_integral_v<A> == std::is_integral_v<B>;
template <class R, class... Declared, class Q, class... Theirs>
consteval bool are_called_alike(R (*)(Declared...), Q (*)(Theirs...)) {
    return sizeof(R) == sizeof(Q) && (is_passed_alike<Declared, Theirs> && ...);
}
template <class Mine, class Theirs>
constexpr bool is_function = are_called_alike(Mine(nullptr), static_cast<Theirs*>(nullptr));

// clang-format off
static_assert(is_function<decltype(Nvcomp::Compressor::alignments), decltype(nvcompBatchedZstdCompressGetRequiredAlignments)>);
static_assert(is_function<decltype(Nvcomp::Compressor::work_bytes), decltype(nvcompBatchedZstdCompressGetTempSize)>);
static_assert(is_function<decltype(Nvcomp::Compressor::most_bytes), decltype(nvcompBatchedZstdCompressGetMaxOutputChunkSize)>);
static_assert(is_function<decltype(Nvcomp::Compressor::compress), decltype(nvcompBatchedZstdCompressAsync)>);
static_assert(is_function<decltype(Nvcomp::Compressor::alignments), decltype(nvcompBatchedLZ4CompressGetRequiredAlignments)>);
static_assert(is_function<decltype(Nvcomp::Compressor::work_bytes), decltype(nvcompBatchedLZ4CompressGetTempSize)>);
static_assert(is_function<decltype(Nvcomp::Compressor::most_bytes), decltype(nvcompBatchedLZ4CompressGetMaxOutputChunkSize)>);
static_assert(is_function<decltype(Nvcomp::Compressor::compress), decltype(nvcompBatchedLZ4CompressAsync)>);
// clang-format on

TEST(Nvcomp, IsDeclaredAsItsHeaderHasIt) {
    const nvcompBatchedZstdCompressOpts_t zstd = nvcompBatchedZstdCompressDefaultOpts;
    const nvcompBatchedLZ4CompressOpts_t lz4 = nvcompBatchedLZ4CompressDefaultOpts;
    const Nvcomp::Options zeros;
    EXPECT_EQ(std::memcmp(&zstd, &zeros, sizeof(zeros)), 0);
    EXPECT_EQ(std::memcmp(&lz4, &zeros, sizeof(zeros)), 0);
    EXPECT_EQ(offsetof(nvcompAlignmentRequirements_t, output), offsetof(Nvcomp::Alignments, output));
    EXPECT_EQ(offsetof(nvcompAlignmentRequirements_t, temp), offsetof(Nvcomp::Alignments, work));
    EXPECT_LE(Nvcomp().lz4.longest_piece, nvcompLZ4CompressionMaxAllowedChunkSize);
    EXPECT_LE(Nvcomp().zstd.longest_piece, nvcompZstdCompressionMaxAllowedChunkSize);
    EXPECT_EQ(nvcompSuccess, 0);
}
#endif

/// What no machine without a GPU can tell: that nvCOMP takes the calls, and makes what the CPU reads.
TEST(Cuda, ARealGpuMakesExactPayloadsByNvcomp) {
    if (const auto opened = Gpu::open({}); !opened) {
        GTEST_SKIP() << opened.error().message;
    }
    if (const auto nvcomp = Nvcomp::load({}); !nvcomp) {
        GTEST_SKIP() << nvcomp.error().message;
    }
    Cuda gpu;
    for (const char* const codec : codecs_of_nvcomp) {
        for (const Extents& shape : {Extents{1}, {1000}, {7, 64, 31}, {3, 4, 5, 6, 37}, {300, 600, 500}}) {
            const codecs::EncodeOptions options{.codec = codec, .threads = 2};
            const auto floats = random_walk<float>(shape, 5, 0.01);
            const auto doubles = random_walk<double>(shape, 6);
            expect_whole(gpu.encode(floats.view(), options, long_enough), floats.view());
            expect_whole(gpu.encode(doubles.view(), options, long_enough), doubles.view());
            EXPECT_TRUE(gpu.suits({codec, codecs::Mode::fast, Dtype::f32, false})) << "nvCOMP was given up";
        }
    }
    EXPECT_GT(gpu.tiles().coded, 1000);
    EXPECT_EQ(gpu.tiles().left, 0);
}

}  // namespace
}  // namespace staithe::transform::cuda
