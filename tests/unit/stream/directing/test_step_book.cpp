#include "stream/directing/step_book.hpp"

#include <array>
#include <string>
#include <vector>

#include <staithe/limits.hpp>

#include <gtest/gtest.h>

#include "memory/sources.hpp"
#include "stream/describing/schema.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::stream {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

class StepBookTest : public ::testing::Test {
  protected:
    /// A rank's part, with one block for each offset.
    void take(int rank, std::int64_t step, std::uint64_t schema, const std::vector<std::int64_t>& offsets,
              const std::string& attributes = "") {
        std::vector<store::BlockRef> blocks;
        for (const std::int64_t offset : offsets) {
            blocks.push_back({.store = static_cast<std::uint32_t>(rank), .offset = offset, .bytes = 8});
        }
        const auto encoded = bytes_of(attributes);
        ASSERT_TRUE(book_.take(rank, step, {schema, blocks, encoded}, schema_of(rank, schema, blocks.size())));
    }
    /// It tells by the names of its blocks whose it is, and which.
    static std::vector<std::byte> schema_of(int rank, std::uint64_t schema, std::size_t blocks) {
        std::vector<BlockDescription> described(blocks);
        for (BlockDescription& block : described) {
            block.variable = "schema " + std::to_string(schema) + " of rank " + std::to_string(rank);
        }
        return encode_schema(described).value();
    }
    [[nodiscard]] StepEntry written(std::int64_t step) {
        EXPECT_TRUE(book_.write(step));
        return book_.entry(step);
    }
    [[nodiscard]] std::vector<std::byte> in_segment(Place place) {
        const auto bytes = seen_.bytes(place.offset, place.bytes).value();
        return {bytes.begin(), bytes.end()};
    }
    /// The names of the first blocks of the ranks, which tell whose schema it is, and which.
    [[nodiscard]] std::vector<std::string> schemas_of(std::uint64_t layout) {
        std::vector<std::string> schemas;
        const auto bytes = in_segment(book_.layout(layout));
        const auto parts = split_layout(bytes, layout).value();
        for (const std::uint32_t head : parts.head_of_rank) {
            const auto blocks = decode_schema_head(parts.heads[head]).value();
            schemas.push_back(blocks.empty() ? "" : blocks.front().variable);
        }
        return schemas;
    }

    StepBook book_{memory::open_pool("book").value(), 2};
    transport::MappedPool seen_{os::duplicate_read_only(book_.file()).value()};
};

TEST_F(StepBookTest, WritesTheBlocksRankByRankWhateverTheirOrder) {
    take(1, 0, 1, {300}, "b");
    EXPECT_FALSE(book_.is_whole(0));
    take(0, 0, 1, {100, 200});
    ASSERT_TRUE(book_.is_whole(0));
    const StepEntry entry = written(0);
    EXPECT_FALSE(entry.block);
    const StepTable table = decode_step_table(in_segment(entry.table), 0).value();
    EXPECT_EQ(table.layout, entry.layout);
    ASSERT_EQ(table.blocks.size(), 3U);
    EXPECT_EQ(table.blocks[0].offset, 100);
    EXPECT_EQ(table.blocks[1].offset, 200);
    EXPECT_EQ(table.blocks[2].offset, 300);
    EXPECT_EQ(table.attributes.size(), sizeof(std::uint32_t) + 1);
    EXPECT_EQ(schemas_of(entry.layout), (std::vector<std::string>{"schema 1 of rank 0", "schema 1 of rank 1"}));
}

TEST_F(StepBookTest, StepOfOneBlockNeedsNoTable) {
    take(0, 0, 1, {});
    take(1, 0, 1, {64});
    const StepEntry entry = written(0);
    ASSERT_TRUE(entry.block);
    EXPECT_EQ(entry.block->offset, 64);
    EXPECT_EQ(entry.table.bytes, 0);
}

TEST_F(StepBookTest, LayoutIsWrittenWhenASchemaChangesAndStaysWhileAStepHasIt) {
    for (std::int64_t step = 0; step < 3; ++step) {
        take(0, step, step < 2 ? 1 : 2, {100});
        take(1, step, 1, {100});
    }
    const std::uint64_t first = written(0).layout;
    EXPECT_EQ(written(1).layout, first);
    const std::uint64_t second = written(2).layout;
    EXPECT_NE(second, first);
    EXPECT_EQ(book_.newest_layout(), second);
    book_.forget(0);
    EXPECT_EQ(schemas_of(first).front(), "schema 1 of rank 0");
    book_.forget(1);
    EXPECT_EQ(book_.layout(first).bytes, 0);
    book_.forget(2);
    EXPECT_EQ(schemas_of(second).front(), "schema 2 of rank 0") << "the next step may have it, too";
}

TEST_F(StepBookTest, RanksMayBeSeveralSchemasApart) {
    take(0, 0, 1, {1});
    take(0, 1, 2, {2});
    take(0, 2, 3, {3});
    for (std::int64_t step = 0; step < 3; ++step) {
        take(1, step, 1, {4});
        const StepEntry entry = written(step);
        EXPECT_EQ(schemas_of(entry.layout).front(), "schema " + std::to_string(step + 1) + " of rank 0");
    }
}

TEST_F(StepBookTest, SchemaThatWasNeverGivenIsRefused) {
    EXPECT_FALSE(book_.knows_schema(0, 1));
    EXPECT_EQ(book_.take(0, 0, {1, {}, {}}, {}).error().code, ErrorCode::protocol);
    take(0, 0, 1, {1});
    EXPECT_TRUE(book_.knows_schema(0, 1));
    EXPECT_TRUE(book_.take(0, 1, {1, std::array<store::BlockRef, 1>{}, {}}, {}));
}

// Else two ranks that lie, one with a block too few and one with a block too many, would give the readers another block
// of the rank between them than it has written.
TEST_F(StepBookTest, RecordOfMoreOrFewerBlocksThanItsSchemaDescribesIsRefused) {
    const std::array<store::BlockRef, 3> blocks{};
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
        const RecordView record{1, std::span(blocks).first(count), {}};
        EXPECT_EQ(book_.take(0, 0, record, schema_of(0, 1, 2)).error().code, ErrorCode::protocol) << count;
    }
    EXPECT_TRUE(book_.take(0, 0, {1, std::span(blocks).first(2), {}}, {}));
}

TEST_F(StepBookTest, SchemaThatIsGarbledIsRefused) {
    EXPECT_EQ(book_.take(0, 0, {1, {}, {}}, bytes_of("nonsense")).error().code, ErrorCode::protocol);
    EXPECT_FALSE(book_.knows_schema(0, 1));
}

TEST_F(StepBookTest, HoldsAsManyStepsAsThereAre) {
    constexpr std::int64_t steps = 100;
    for (std::int64_t step = 0; step < steps; ++step) {
        take(0, step, 1, {step, step});
        take(1, step, 1, {});
        ASSERT_TRUE(book_.write(step));
    }
    for (std::int64_t step = 0; step < steps; ++step) {
        EXPECT_EQ(decode_step_table(in_segment(book_.entry(step).table), static_cast<std::uint64_t>(step))
                      .value()
                      .blocks.front()
                      .offset,
                  step);
        book_.forget(step);
    }
    book_.forget(steps);  // of which nobody has spoken
}

TEST_F(StepBookTest, StepThatFoundNoMemoryLeavesTheOthersTheirLayout) {
    take(0, 0, 1, {1, 2});
    take(1, 0, 1, {});
    ASSERT_TRUE(book_.write(0));
    const std::uint64_t first = book_.entry(0).layout;
    take(0, 1, 1, {1, 2}, std::string(1 << 20, 'a'));
    take(1, 1, 1, {});
    set_limits({.memory = usage().memory});
    EXPECT_EQ(book_.write(1).error().code, ErrorCode::limit_reached);
    set_limits({});
    book_.forget(1);
    take(0, 2, 2, {1, 2});
    take(1, 2, 1, {});
    ASSERT_TRUE(book_.write(2));
    EXPECT_EQ(schemas_of(first).front(), "schema 1 of rank 0") << "step 0 has it still";
}

TEST_F(StepBookTest, TextsAreThereForMembers) {
    const auto bytes = in_segment(book_.write_text("the disk is full").value());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "the disk is full");
}

}  // namespace
}  // namespace staithe::stream
