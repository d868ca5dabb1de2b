#include "stream/directing/record_writer.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "memory/sources.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::stream {
namespace {

TEST(RecordWriter, WritesWhatADirectorReads) {
    const auto pool = memory::open_pool("records").value();
    transport::MappedPool seen(os::duplicate_read_only(pool->file()).value());
    RecordWriter records(pool);
    const std::vector<store::BlockRef> blocks{{.store = 1, .offset = 64, .bytes = 8}};
    const std::vector<std::byte> attributes(3, std::byte{9});
    const std::vector<std::byte> schema(20, std::byte{7});
    for (std::int64_t step = 0; step < 50; ++step) {
        const std::uint64_t number = step < 10 ? 1 : 2;
        const Place place = records.write(step, {number, blocks, attributes}, schema).value();
        const auto bytes = seen.bytes(place.offset, place.bytes).value();
        const auto header = read_record_header(bytes, static_cast<std::uint64_t>(step));
        ASSERT_TRUE(header);
        EXPECT_EQ(header->schema, number);
        const bool is_new = step == 0 || step == 10;
        EXPECT_EQ(header->schema_bytes, is_new ? 20 : 0) << step;
        if (is_new) {
            EXPECT_EQ(seen.bytes(header->schema_offset, header->schema_bytes).value().front(), std::byte{7});
        }
        const RecordView record = view_record(bytes, *header);
        EXPECT_EQ(record.blocks.front(), blocks.front());
        EXPECT_EQ(record.attributes.front(), std::byte{9});
        records.forget(step);
    }
    EXPECT_LE(pool->capacity(), 1 << 20) << "memory of records is used again";
}

}  // namespace
}  // namespace staithe::stream
