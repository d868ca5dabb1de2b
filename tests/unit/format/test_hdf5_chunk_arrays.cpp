// Indices of chunks that are arrays, of which the blocks have the right checksums, whatever they say.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "format/hdf5/checked_blocks.hpp"
#include "format/hdf5/checksum.hpp"
#include "format/hdf5/chunk_arrays.hpp"
#include "format/hdf5/image.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::ByteWriter;

Address add(Tail& tail, std::string_view signature, const ByteWriter& content) {
    ByteWriter block;
    block.raw(signature);
    block.zeros(signature.empty() ? 0 : 1);  // version
    block.raw(content.bytes());
    block.number(checksum(block.bytes()));
    return tail.add(block.bytes());
}

/// Tails as files.
class Files {
  public:
    Image write(const Tail& tail) {
        EXPECT_TRUE(os::write_at(file_, static_cast<std::int64_t>(tail.begin()), tail.bytes()));
        return {file_, tail.next()};
    }

  private:
    testing::TemporaryDirectory directory_;
    os::FileDescriptor file_{os::open_kept_file_alone(directory_.path() + "/x.h5").value()};
};

struct FixedArray {
    std::uint8_t entry_bytes = 8;
    std::uint8_t page_bits = 10;
    std::uint64_t count = 0;
    Address data = nowhere;

    Address write(Tail& tail) const {
        ByteWriter out;
        out.number(std::uint8_t{0});  // of chunks
        out.number(entry_bytes);
        out.number(page_bits);
        out.number(count);
        out.number(data);
        return add(tail, "FAHD", out);
    }
};

/// So many entries, the chunk of each being where its number says.
Address add_data(Tail& tail, std::uint64_t count) {
    ByteWriter out;
    out.zeros(1 + sizeof(Address));
    for (Address chunk = 0; chunk < count; ++chunk) {
        out.number(chunk);
    }
    return add(tail, "FADB", out);
}

TEST(Hdf5ChunkArrays, HaveWhatWasPutThere) {
    Tail tail(48);
    const Address array = FixedArray{.count = 5, .data = add_data(tail, 5)}.write(tail);
    const Address empty = FixedArray{.count = 5}.write(tail);
    Files files;
    const Image image = files.write(tail);
    CheckedBlocks blocks(image);
    EXPECT_EQ(find_in_fixed_array(blocks, array, 4).value()->address, 4U);
    EXPECT_EQ(find_in_fixed_array(blocks, array, 4).value()->bytes, 0U) << "which is as many as a chunk has";
    EXPECT_FALSE(find_in_fixed_array(blocks, array, 5)) << "nobody can have written that";
    EXPECT_FALSE(find_in_fixed_array(blocks, empty, 4).value());
}

TEST(Hdf5ChunkArrays, ThatCannotBeAreDamaged) {
    Tail tail(48);
    const Address data = add_data(tail, 5);
    Files files;
    for (const FixedArray& array : {FixedArray{.entry_bytes = 0, .count = 5, .data = data},
                                    {.entry_bytes = 9, .count = 5, .data = data},
                                    {.entry_bytes = 255, .count = 5, .data = data},
                                    {.page_bits = 63, .count = 5, .data = data},
                                    {.count = 6, .data = data},
                                    {.count = UINT64_MAX, .data = data},
                                    {.page_bits = 1, .count = 5, .data = data},
                                    {.page_bits = 0, .count = UINT64_MAX, .data = data},
                                    {.count = 5, .data = nowhere - 1}}) {
        Tail all = tail;
        const Address address = array.write(all);
        const Image image = files.write(all);
        CheckedBlocks blocks(image);
        const auto found = find_in_fixed_array(blocks, address, 4);
        ASSERT_FALSE(found) << array.count;
        EXPECT_EQ(found.error().code, ErrorCode::protocol);
    }
}

TEST(Hdf5ChunkArrays, OfAnyHeaderHarmNobody) {
    std::mt19937_64 chance(7);
    Files files;
    for (int i = 0; i < 2000; ++i) {
        Tail tail(48);
        ByteWriter entries;
        entries.zeros(1 + chance() % 500);
        const Address block = add(tail, chance() % 2 == 0 ? "EAIB" : "FADB", entries);
        ByteWriter head;
        head.zeros(1);
        head.number(static_cast<std::uint8_t>(chance() % 24));
        for (int field = 0; field < 5; ++field) {  // powers of two, for the most part
            head.number(static_cast<std::uint8_t>(chance() % 4 == 0 ? chance() : 1U << chance() % 7));
        }
        head.zeros(6 * sizeof(std::uint64_t));
        head.number(block);
        const Address extensible = add(tail, "EAHD", head);
        const FixedArray fixed{.entry_bytes = static_cast<std::uint8_t>(chance() % 24),
                               .page_bits = static_cast<std::uint8_t>(chance() % 20),
                               .count = chance() >> chance() % 64,
                               .data = block};
        const Address other = fixed.write(tail);
        const Image image = files.write(tail);
        CheckedBlocks blocks(image);
        const std::uint64_t number = chance() >> chance() % 64;
        static_cast<void>(find_in_extensible_array(blocks, extensible, number));
        static_cast<void>(find_in_fixed_array(blocks, other, number));
    }
}

}  // namespace
}  // namespace staithe::format::hdf5
