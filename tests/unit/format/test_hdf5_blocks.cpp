// The blocks of an HDF5 file, read back from where a tail has put them; and what nobody should write.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/hdf5/attributes.hpp"
#include "format/hdf5/checksum.hpp"
#include "format/hdf5/chunk_index.hpp"
#include "format/hdf5/datatypes.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"
#include "format/hdf5/objects.hpp"
#include "format/hdf5/texts.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::format::hdf5 {
namespace {

using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// A file to which tails go.
class File {
  public:
    File() : file_(os::open_kept_file_alone(directory_.path() + "/x.h5").value()) {}

    [[nodiscard]] Tail tail() const { return Tail(end_); }
    Image write(const Tail& tail) {
        EXPECT_TRUE(os::write_at(file_, static_cast<std::int64_t>(tail.begin()), tail.bytes()));
        end_ = tail.next();
        return {file_, end_};
    }
    void change(Address at) {
        std::byte byte{};
        EXPECT_EQ(os::read_at(file_, static_cast<std::int64_t>(at), std::span(&byte, 1)).value(), 1U);
        byte ^= std::byte{1};
        EXPECT_TRUE(os::write_at(file_, static_cast<std::int64_t>(at), std::span(&byte, 1)));
    }
    [[nodiscard]] const os::FileDescriptor& descriptor() const { return file_; }

  private:
    testing::TemporaryDirectory directory_;
    os::FileDescriptor file_;
    Address end_ = aligned(Superblock::bytes);
};

TEST(Hdf5Checksum, IsThatOfLookup3) {
    EXPECT_EQ(checksum({}), 0xdeadbeefU);
    EXPECT_EQ(checksum(bytes_of("Four score and seven years ago")), 0x17770551U);
}

TEST(Hdf5Superblock, IsReadBackOrDamaged) {
    File file;
    EXPECT_FALSE(has_superblock(file.descriptor()).value());
    EXPECT_FALSE(read_superblock(file.descriptor()));
    ASSERT_TRUE(write_superblock(file.descriptor(), {.end = 4096, .root = 96}));
    EXPECT_THAT(read_superblock(file.descriptor()).error().message, HasSubstr("ends before its superblock says so"));
    ASSERT_TRUE(os::cut(file.descriptor(), 4096));
    EXPECT_TRUE(has_superblock(file.descriptor()).value());
    const auto read = read_superblock(file.descriptor()).value();
    EXPECT_EQ(read.end, 4096U);
    EXPECT_EQ(read.root, 96U);
    for (Address at = 0; at < Superblock::bytes; ++at) {
        file.change(at);
        EXPECT_EQ(read_superblock(file.descriptor()).error().code, ErrorCode::protocol) << at;
        file.change(at);
    }
}

TEST(Hdf5Headers, AreReadBackInManyBlocks) {
    File file;
    Tail tail = file.tail();
    Continuation before;
    std::vector<Message> expected;
    for (int block = 0; block < 5; ++block) {
        std::vector<Message> messages = begin_group();
        messages.push_back({MessageKind::link, encode_link("n" + std::to_string(block), 8)});
        expected.insert(expected.begin(), messages.begin(), messages.end());
        if (before.address != nowhere) {
            messages.push_back(encode_continuation(before));
        }
        if (block < 4) {
            before = add_block(messages, tail);
            continue;
        }
        const Address header = add_header(messages, tail);
        const Image image = file.write(tail);
        std::uint64_t left = image.end();
        const auto read = read_header(image, header, left).value();
        std::vector<std::string> names;
        for (const Message& message : read) {
            if (message.kind == MessageKind::link) {
                names.emplace_back(link_in(message.content).value()->name);
            }
        }
        EXPECT_EQ(names, (std::vector<std::string>{"n4", "n3", "n2", "n1", "n0"}));
        EXPECT_TRUE(is_group(read));
        file.change(before.address + 6);
        left = image.end();
        EXPECT_THAT(read_header(image, header, left).error().message, HasSubstr("damaged"));
        EXPECT_FALSE(read_header(image, header + 8, left));
    }
}

TEST(Hdf5Headers, WithoutAnEndAreRefused) {
    File file;
    Tail tail = file.tail();
    // A block that leads to itself: its address is known before it is written.
    const Continuation itself{.address = tail.next(), .bytes = 4 + 4 + 16 + 4};
    const std::vector<Message> messages{encode_continuation(itself)};
    EXPECT_EQ(add_block(messages, tail).bytes, itself.bytes);
    const Address header = add_header(messages, tail);
    const Image image = file.write(tail);
    std::uint64_t left = image.end();
    EXPECT_THAT(read_header(image, header, left).error().message, HasSubstr("no end"));
}

TEST(Hdf5Headers, ThatHaveMoreThanTheirFileAreRefused) {
    File file;
    Tail tail = file.tail();
    const Continuation shared = add_block(std::vector{Message{MessageKind::attribute, Bytes(10'000)}}, tail);
    const std::vector<Message> messages{encode_continuation(shared)};
    const Address first = add_header(messages, tail), second = add_header(messages, tail);
    const Image image = file.write(tail);
    std::uint64_t left = image.end();
    EXPECT_TRUE(read_header(image, first, left));
    EXPECT_FALSE(read_header(image, second, left));
}

TEST(Hdf5Texts, OfAnyLengthAreReadBack) {
    File file;
    std::mt19937 random(5);
    std::vector<std::string> written{"", "a", std::string(8, 'b'), std::string(100'000, 'c'), "a"};
    for (int i = 0; i < 70'000; ++i) {  // more than a collection has
        written.push_back(std::to_string(random()));
    }
    TextCollections texts;
    for (const std::string& text : written) {
        texts.add(text);
    }
    Tail tail = file.tail();
    texts.place(tail);
    const Image image = file.write(tail);
    base::ByteWriter references;
    for (const std::string& text : written) {
        texts.refer_to(text, references);
    }
    ASSERT_EQ(references.bytes().size(), written.size() * bytes_of_reference);
    TextReader reader(image);
    for (std::size_t i = 0; i < written.size(); i += i < 10 ? 1 : 997) {
        base::ByteReader in(references.bytes().subspan(i * bytes_of_reference));
        EXPECT_EQ(reader.read(in).value(), written[i]);
    }
    base::ByteWriter wrong;
    wrong.number(std::uint32_t{3});
    wrong.number(tail.begin());
    wrong.number(std::uint32_t{65'535});
    base::ByteReader wrong_in(wrong.bytes());
    EXPECT_THAT(reader.read(wrong_in).error().message, HasSubstr("has no text"));
}

TEST(Hdf5Attributes, OfAllKindsAreReadBack) {
    File file;
    const Attributes written{{"null", Value()},
                             {"yes", true},
                             {"n", INT64_MIN},
                             {"x", -0.0},
                             {"text", "ü"},
                             {"empty", ""},
                             {"zero", std::string(1, '\0')},
                             {"flags", List{true, false}},
                             {"numbers", List{1, 2, 3}},
                             {"reals", List{1.5, 1e300}},
                             {"texts", List{"a", "", "b"}},
                             {"nothing", List{}},
                             {"mixed", List{1, "a"}},
                             {"map", Attributes{{"a", List{Value(), 2}}}}};
    TextCollections texts;
    add_texts(written, texts);
    Tail tail = file.tail();
    texts.place(tail);
    const Image image = file.write(tail);
    const auto messages = encode(written, texts);
    TextReader reader(image);
    EXPECT_EQ(read_attributes(reader, messages).value(), written);
    for (Message damaged : messages) {
        std::mt19937 random(3);
        for (int repeat = 0; repeat < 200; ++repeat) {
            damaged.content[random() % damaged.content.size()] = static_cast<std::byte>(random());
            static_cast<void>(read_attributes(reader, std::span(&damaged, 1)));
            static_cast<void>(read_attributes(reader, std::span(&damaged, 1)));
        }
        damaged.content.resize(damaged.content.size() / 2);
        EXPECT_FALSE(read_attributes(reader, std::span(&damaged, 1)));
    }
    EXPECT_FALSE(check({{"staithe_json", 1}}));
    EXPECT_FALSE(check({{"", 1}}));
    EXPECT_FALSE(check({{std::string("a\0b", 3), 1}}));
    EXPECT_TRUE(check(written));
}

TEST(Hdf5Messages, OfDtypesAreReadBack) {
    for (std::size_t code = 0; code < dtype_count; ++code) {
        const auto dtype = static_cast<Dtype>(code);
        const Bytes encoded = encode_datatype(dtype);
        if (dtype == Dtype::f128 || dtype == Dtype::c256) {
            EXPECT_TRUE(encoded.empty());
            continue;
        }
        EXPECT_EQ(element_type_in(encoded).value().dtype, dtype);
        EXPECT_FALSE(element_type_in(encoded)->is_big_endian);
        EXPECT_FALSE(is_text_type(encoded));
        EXPECT_FALSE(element_type_in(std::span(encoded).first(encoded.size() - 1)));
    }
    EXPECT_TRUE(is_text_type(encode_text_type()));
    EXPECT_FALSE(element_type_in(encode_text_type()));
}

TEST(Hdf5ChunkIndex, FindsAllChunksHoweverManyThereAre) {
    File file;
    const ChunkShape shape{.lengths = {1, 3, 5}, .element_bytes = 8};
    const auto offset_of = [](std::uint64_t i) { return ChunkOffset{i / 4, i / 2 % 2 * 3, i % 2 * 5}; };
    std::mt19937 random(7);
    ChunkIndex index(shape);
    EXPECT_TRUE(index.is_empty());
    std::uint64_t count = 0;
    Address root = nowhere;
    while (count < 6000) {
        for (auto left = random() % 3 == 0 ? random() % 700 : random() % 3; left > 0; --left, ++count) {
            index.append({.offset = offset_of(count), .place = {.address = 1000 + count, .bytes = 120}});
        }
        Tail tail = file.tail();
        root = index.write(tail);
        const Image image = file.write(tail);
        if (random() % 2 == 0) {  // another writer goes on
            index = ChunkIndex::load(image, root, shape).value();
        }
        for (std::uint64_t i = 0; i < count; i += 1 + random() % 4000) {
            const auto found = find_chunk(image, root, shape, offset_of(i)).value();
            ASSERT_TRUE(found) << i << " of " << count;
            EXPECT_EQ(found->address, 1000 + i);
        }
        EXPECT_FALSE(find_chunk(image, root, shape, offset_of(count)).value());
        EXPECT_FALSE(find_chunk(image, root, shape, {0, 1, 0}).value());
    }
    EXPECT_EQ(index.last().address, 1000 + count - 1);
    const Image image(file.descriptor(), root + 8);
    EXPECT_EQ(find_chunk(image, root, shape, {}).error().code, ErrorCode::protocol) << "the file ends within a node";
}

}  // namespace
}  // namespace staithe::format::hdf5
