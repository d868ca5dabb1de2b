// What Zarr's metadata say of arrays, read back, and what nobody should write.
#include <cstdint>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/value_codec.hpp"
#include "format/conventions.hpp"
#include "format/zarr/metadata.hpp"

namespace staithe::format::zarr {
namespace {

using ::testing::HasSubstr;

ArrayNode array(Dtype dtype = Dtype::f64) {
    return {.info = {.name = "T",
                     .dtype = dtype,
                     .shape = {4, 6},
                     .unit = "K",
                     .attributes = {{"dims", List{"y", "x"}}, {"n", 3}}},
            .grid = {1, {2, 6}}};
}

TEST(ZarrMetadata, AreReadBack) {
    for (std::size_t code = 0; code < dtype_count; ++code) {
        const ArrayNode written = array(dtype_from_code(code).value());
        if (!check(written.info)) {
            continue;
        }
        const auto read = decode("T", encode(written, 5), true);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->array.info, written.info);
        EXPECT_EQ(read->array.grid, written.grid);
        EXPECT_EQ(read->steps, 5);
        EXPECT_EQ(read->keys, own_keys);
        EXPECT_EQ(read->array.packing, Packing::none);
        ArrayNode packed = written;
        packed.packing = Packing::blosc;
        EXPECT_EQ(decode("T", encode(packed, 5), true).value().array.packing, Packing::blosc);
        packed.packing = Packing::payload;
        packed.codec = "dq";
        packed.error = codecs::Bound::relative(0.5);
        packed.info.attributes["error"] = "of somebody";
        const Attributes metadata = encode(packed, 5);
        EXPECT_EQ(
            *find(metadata, "codecs"),
            Value(List{Attributes{{"name", "staithe"},
                                  {"configuration", Attributes{{"codec", "dq"}, {"mode", "auto"}, {"rel", 0.5}}}}}));
        const auto again = decode("T", metadata, true);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->array.packing, Packing::payload);
        EXPECT_EQ(again->array.codec, "dq");
        EXPECT_EQ(again->array.error, codecs::Bound::relative(0.5));
        const auto alone = decode("T", encode(written, std::nullopt), false);
        ASSERT_TRUE(alone) << alone.error().message;
        EXPECT_EQ(alone->array.info, written.info);
    }
}

TEST(ZarrMetadata, OfShardsAreReadBack) {
    for (const Packing packing : {Packing::none, Packing::blosc, Packing::payload}) {
        ArrayNode written = array();
        written.packing = packing;
        written.grid.shard = Shard{.steps = 3, .count = {2, 1}};
        const Attributes metadata = encode(written, 5);
        const auto read = decode("T", metadata, true);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->array.grid, written.grid);
        EXPECT_EQ(read->array.packing, packing);
        EXPECT_EQ(to_json(metadata.at("chunk_grid")), R"({"configuration":{"chunk_shape":[3,4,6]},"name":"regular"})");
        EXPECT_EQ(decode("T", encode(written, std::nullopt), false).value().array.grid.shard->count, (Extents{2, 1}));
    }
}

TEST(ZarrMetadata, OfShardsThatNobodyShouldWriteAreRefused) {
    const auto refused = [](const std::string& field, const Value& value) {
        ArrayNode cut = array();
        cut.grid.shard = Shard{.steps = 1, .count = {2, 1}};
        Attributes metadata = encode(cut, 5);
        Attributes codec = *metadata.at("codecs").as_list()->front().as_map();
        Attributes configuration = *codec.at("configuration").as_map();
        configuration[field] = value;
        codec["configuration"] = configuration;
        metadata["codecs"] = List{codec};
        const auto read = decode("T", metadata, true);
        return read ? std::string() : read.error().message;
    };
    EXPECT_EQ(refused("chunk_shape", List{1, 2, 6}), "");
    EXPECT_EQ(refused("chunk_shape", List{1, 1, 6}), "");
    for (const List& shape : {List{1, 3, 6}, List{1, 0, 6}, List{0, 2, 6}, List{1, 2}, List{1, 8, 6}, List{}}) {
        EXPECT_THAT(refused("chunk_shape", shape), HasSubstr("cannot be")) << to_json(shape);
    }
    EXPECT_EQ(refused("chunk_shape", List{1, 2, 3}), "");
    EXPECT_THAT(refused("chunk_shape", "all"), HasSubstr("cannot be"));
    EXPECT_THAT(refused("codecs", "all"), HasSubstr("encoded"));
    EXPECT_THAT(refused("codecs", List{Attributes{{"name", "sharding_indexed"}}}), HasSubstr("encoded"));
    EXPECT_THAT(refused("index_codecs", List{Attributes{{"name", "crc32c"}}}), HasSubstr("encoded"));
    EXPECT_THAT(refused("index_location", "start"), HasSubstr("encoded"));
}

TEST(ZarrMetadata, OfShardsOfTooManyChunksAreRefused) {
    ArrayNode cut = array();
    cut.grid.shard = Shard{.steps = std::int64_t{1} << 20, .count = {2, 1}};
    EXPECT_FALSE(decode("T", encode(cut, 5), true));
    cut.grid.shard->steps /= 2;
    EXPECT_TRUE(decode("T", encode(cut, 5), true));
}

TEST(ZarrMetadata, NameDimensionsAsFarAsTheyCan) {
    const auto dimensions = [](const Value& dims) {
        ArrayNode named = array();
        named.info.attributes = {{"dims", dims}};
        return encode(named, 1).at("dimension_names");
    };
    EXPECT_EQ(dimensions(List{"y", "x"}), Value(List{"step", "y", "x"}));
    EXPECT_EQ(dimensions("y x"), Value(List{"step", "y", "x"}));
    const Value unnamed(List{"step", "T_dim_0", "T_dim_1"});
    for (const Value& dims :
         {Value(), Value("x"), Value(List{"x", "x"}), Value(List{"step", "x"}), Value(List{1, 2}), Value(3)}) {
        EXPECT_EQ(dimensions(dims), unnamed) << to_json(dims);
    }
}

TEST(ZarrMetadata, ThatNobodyShouldWriteAreRefused) {
    const auto refused = [](const std::string& field, const Value& value) {
        Attributes metadata = encode(array(), 5);
        metadata[field] = value;
        const auto read = decode("T", metadata, true);
        return read ? std::string() : read.error().message;
    };
    EXPECT_EQ(refused("node_type", "array"), "");
    const auto grid = [](const List& shape) {
        return Attributes{{"name", "regular"}, {"configuration", Attributes{{"chunk_shape", shape}}}};
    };
    EXPECT_THAT(refused("shape", List{5, 4}), HasSubstr("cut into"));
    EXPECT_THAT(refused("shape", List{-5, 4, 6}), HasSubstr("cannot be"));
    EXPECT_THAT(refused("shape", List{5, INT64_MAX, INT64_MAX}), HasSubstr("cannot be"));
    EXPECT_THAT(refused("shape", "all"), HasSubstr("not described"));
    EXPECT_THAT(refused("data_type", "string"), HasSubstr("no dtype"));
    EXPECT_THAT(refused("data_type", Attributes{{"name", "r16"}}), HasSubstr("not described"));
    EXPECT_EQ(refused("chunk_grid", grid({1, 3, 3})), "");
    EXPECT_THAT(refused("chunk_grid", grid({0, 4, 6})), HasSubstr("cut into"));
    EXPECT_THAT(refused("chunk_grid", grid({INT64_MAX, 4, 6})), HasSubstr("cannot be"));
    EXPECT_THAT(refused("chunk_grid", grid({1, 4})), HasSubstr("cut into"));
    EXPECT_THAT(refused("chunk_grid", grid({})), HasSubstr("cannot be"));
    EXPECT_THAT(refused("chunk_grid", Attributes{{"name", "rectilinear"}}), HasSubstr("cannot be"));
    EXPECT_THAT(
        refused("codecs", List{Attributes{{"name", "bytes"}, {"configuration", Attributes{{"endian", "odd"}}}}}),
        HasSubstr("encoded"));
    EXPECT_THAT(refused("fill_value", "all"), HasSubstr("fill value"));
    EXPECT_THAT(refused("codecs", List{}), HasSubstr("encoded"));
    EXPECT_THAT(refused("codecs", List{Attributes{{"name", "zstd"}}}), HasSubstr("encoded"));
}

TEST(ZarrMetadata, OfAStepAreATextOrDamaged) {
    const Attributes attributes{{"time", 0.5}, {"of", List{1, "é"}}};
    const std::string chunk = encode_attributes(attributes);
    EXPECT_EQ(decode_attributes(chunk).value(), attributes);
    for (const std::string& damaged :
         {std::string(), chunk.substr(0, 7), chunk.substr(0, chunk.size() - 1), chunk + "x", "\2" + chunk.substr(1),
          chunk.substr(0, 8) + std::string(chunk.size() - 8, ' ')}) {
        EXPECT_FALSE(decode_attributes(damaged));
    }
}

}  // namespace
}  // namespace staithe::format::zarr
