#include <cstring>

#include <gtest/gtest.h>

#include "transform/coding.hpp"
#include "unit/transform/arrays.hpp"

namespace staithe::transform {
namespace {

using testing::like;
using testing::random_walk;

TEST(EncodeInto, MakesTheSamePayload) {
    const auto array = random_walk<float>({20, 128, 1024}, 3, 0.01);
    for (const int threads : {1, 3}) {
        const codecs::EncodeOptions options{.bound = codecs::Bound::absolute(0.5), .threads = threads};
        const auto expected = transform::encode(array.view(), options).value();
        std::vector<std::byte> memory(payload_bound(array.shape, Dtype::f32).value());
        const auto bytes = transform::encode_into(memory, array.view(), options);
        ASSERT_TRUE(bytes) << bytes.error().message;
        memory.resize(*bytes);
        EXPECT_EQ(memory, expected);
    }
}

TEST(EncodeInto, NeverTakesMoreThanItsBound) {
    std::mt19937_64 random(7);
    for (const Extents& shape :
         {Extents{}, Extents{0}, Extents{1}, Extents{3, 0, 5}, Extents{700, 900}, Extents{5, 4, 3, 2, 2}}) {
        auto noise = random_walk<double>(shape, 1);
        for (double& value : noise.values) {
            const std::uint64_t bits = random();
            std::memcpy(&value, &bits, sizeof(value));
        }
        const std::size_t bound = payload_bound(shape, Dtype::f64).value();
        for (const codecs::CodecInfo& info : codecs::list()) {
            for (const codecs::Bound& kept : {codecs::Bound::exact(), codecs::Bound::absolute(1e-300)}) {
                if (info.missing.empty()) {
                    const auto payload = transform::encode(noise.view(), {.codec = info.name, .bound = kept});
                    ASSERT_TRUE(payload) << payload.error().message;
                    EXPECT_LE(payload->size(), bound) << info.name;
                }
            }
        }
    }
}

TEST(EncodeInto, WhatDoesNotFitIsAnErrorAndStaysWithinTheMemory) {
    const auto array = random_walk<float>({20, 128, 1024}, 3);
    const std::size_t needed = transform::encode(array.view(), {})->size();
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, needed / 2, needed - 1}) {
        for (const int threads : {1, 3}) {
            std::vector<std::byte> memory(size + 100, std::byte{7});
            const auto refused =
                transform::encode_into(std::span(memory).first(size), array.view(), {.threads = threads});
            ASSERT_FALSE(refused);
            EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
            EXPECT_NE(refused.error().message.find("payload_bound"), std::string::npos);
            EXPECT_TRUE(std::all_of(memory.end() - 100, memory.end(), [](std::byte b) { return b == std::byte{7}; }));
        }
    }
    std::vector<std::byte> memory(needed);
    EXPECT_EQ(codecs::encode_into(memory, array.view()), needed);
    auto decoded = like(array);
    codecs::decode(memory, decoded.view());
    EXPECT_EQ(decoded.values, array.values);
}

TEST(Coding, FailuresAreResultsInsideAndExceptionsOutside) {
    const auto array = random_walk<float>({10}, 1);
    EXPECT_EQ(transform::encode(array.view(), {.codec = "none"}).error().code, ErrorCode::not_found);
    EXPECT_THROW(static_cast<void>(codecs::encode(array.view(), {.codec = "none"})), NotFound);
    const std::vector<std::byte> garbled(100);
    auto decoded = like(array);
    EXPECT_EQ(transform::decode(garbled, decoded.view()).error().code, ErrorCode::protocol);
    EXPECT_EQ(transform::inspect(garbled).error().code, ErrorCode::protocol);
    EXPECT_THROW(codecs::decode(garbled, decoded.view()), ProtocolError);
    EXPECT_EQ(payload_bound({INT64_MAX, 8}, Dtype::f64).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace staithe::transform
