#include "store/devices/messages.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace staithe::store::devices {
namespace {

Job job() {
    return {Dtype::f32,
            {3, 0, 5},
            {.codec = "dq",
             .mode = codecs::Mode::dense,
             .bound = codecs::Bound::absolute(0.25),
             .fill = std::numeric_limits<double>::infinity()},
            base::Seconds(1.5)};
}

TEST(DeviceMessages, AJobComesAsItWasSent) {
    const Job sent = job();
    const Job came = decode_job(encode_job(sent)).value();
    EXPECT_EQ(came.dtype, sent.dtype);
    EXPECT_EQ(came.shape, sent.shape);
    EXPECT_EQ(came.options.codec, "dq");
    EXPECT_EQ(came.options.mode, codecs::Mode::dense);
    EXPECT_EQ(came.options.bound, sent.options.bound);
    EXPECT_EQ(came.options.fill, sent.options.fill);
    EXPECT_EQ(came.longest, sent.longest);
    EXPECT_EQ(came.bytes(), 0);
}

TEST(DeviceMessages, WhatMakesNoSenseIsRefused) {
    const std::pair<const char*, Value> wrong[]{
        {"codec", 3},
        {"codec", std::string(65, 'x')},
        {"dtype", "f33"},
        {"dtype", nullptr},
        {"shape", 7},
        {"shape", List{-1}},
        {"shape", List{1.5}},
        {"shape", List(9, 1)},
        {"shape", List{std::int64_t{1} << 62, std::int64_t{1} << 62}},
        {"shape", List{most_elements_bytes / 4 + 1}},
        {"bound", 5},
        {"bound", -1},
        {"bound", 99},
        {"value", std::numeric_limits<double>::quiet_NaN()},
        {"value", -1.0},
        {"value", "0.1"},
        {"fill", 0.5},
        {"seconds", 0.0},
        {"seconds", std::numeric_limits<double>::infinity()},
    };
    ASSERT_TRUE(decode_job(encode_job(job())));
    for (const auto& [field, value] : wrong) {
        Attributes body = encode_job(job());
        body[field] = value;
        const auto came = decode_job(body);
        ASSERT_FALSE(came) << field << " " << to_json(value);
        EXPECT_EQ(came.error().code, ErrorCode::protocol);
    }
    for (const char* field : {"codec", "dtype", "shape", "bound", "value", "seconds"}) {
        Attributes body = encode_job(job());
        body.erase(field);
        EXPECT_FALSE(decode_job(body)) << field;
    }
}

TEST(DeviceMessages, CodecsThatAreThereAreTold) {
    codecs::CodecInfo dq;
    dq.name = "dq";
    dq.lossless = dq.lossy = true;
    dq.lossy_dtypes = {Dtype::f32, Dtype::c64};
    codecs::CodecInfo absent;
    absent.name = "absent";
    absent.missing = "it was not built";
    const auto came = decode_codecs({{"codecs", encode_codecs({dq, absent})}});
    ASSERT_EQ(came.size(), 1U);
    EXPECT_EQ(came[0].name, "dq");
    EXPECT_TRUE(came[0].lossless && came[0].lossy);
    EXPECT_EQ(came[0].lossy_dtypes, dq.lossy_dtypes);
}

TEST(DeviceMessages, OfCodecsThatMakeNoSenseNothingIsBelieved) {
    EXPECT_TRUE(decode_codecs({}).empty());
    EXPECT_TRUE(decode_codecs({{"codecs", "dq"}}).empty());
    const List garbled{3, "dq", Attributes{}, Attributes{{"name", ""}}, Attributes{{"name", std::string(65, 'x')}}};
    EXPECT_TRUE(decode_codecs({{"codecs", garbled}}).empty());
    const auto odd = decode_codecs({{"codecs", List{Attributes{{"name", "a"}, {"lossy_dtypes", List{1, "f33"}}}}}});
    ASSERT_EQ(odd.size(), 1U);
    EXPECT_FALSE(odd[0].lossy || odd[0].lossless);
    EXPECT_EQ(decode_codecs({{"codecs", List(1000, Attributes{{"name", "a"}})}}).size(), 256U);
}

}  // namespace
}  // namespace staithe::store::devices
