// Structures of options: programs built with an older or a newer header than the library's.
#include "capi/structures.hpp"

#include <array>
#include <cstring>

#include <staithe/error.hpp>

#include <gtest/gtest.h>

#include "capi/options.hpp"

namespace staithe::capi {
namespace {

TEST(Structures, InitLeavesEverythingUnset) {
    staithe_writer_options options;
    std::memset(&options, 0xff, sizeof options);
    staithe_writer_options_init(&options, sizeof options);
    const WriterOptions made = writer_options_of(&options);
    EXPECT_EQ(made.group.rank, 0);
    EXPECT_EQ(made.group.size, 1);
    EXPECT_EQ(made.group.id, "");
    EXPECT_FALSE(made.timeout || made.queue_steps || made.queue_bytes || made.readers || made.placement);
    EXPECT_FALSE(made.listen || made.address || made.keep_steps || made.keep_bytes);
    EXPECT_TRUE(made.error.empty());
    EXPECT_FALSE(made.overflow || made.spill_directory || made.spill_bytes || made.resume);
    EXPECT_EQ(made.reserve_bytes, 0);
    EXPECT_TRUE(made.attributes.empty());
}

TEST(Structures, FieldsArriveUnderTheirNames) {
    staithe_writer_options options;
    staithe_writer_options_init(&options, sizeof options);
    options.group = {1, 3, "twin"};
    options.timeout = 0;
    options.queue_steps = 4;
    options.queue_bytes = int64_t{1} << 40;
    options.readers = 0;
    options.reserve_bytes = 7;
    options.placement = "inline";
    options.overflow = "spill";
    options.spill_directory = "/scratch";
    options.spill_bytes = 9;
    options.resume = 1;
    options.listen = ":7700";
    options.address = "node7:7700";
    options.error = "exact";
    options.keep_steps = 0;
    options.keep_bytes = 5;
    const WriterOptions made = writer_options_of(&options);
    EXPECT_EQ(made.group.rank, 1);
    EXPECT_EQ(made.group.size, 3);
    EXPECT_EQ(made.group.id, "twin");
    EXPECT_EQ(made.timeout, 0.0);
    EXPECT_EQ(made.queue_steps, 4);
    EXPECT_EQ(made.queue_bytes, int64_t{1} << 40);
    EXPECT_EQ(made.readers, 0);
    EXPECT_EQ(made.reserve_bytes, 7);
    EXPECT_EQ(made.placement, "inline");
    EXPECT_EQ(made.overflow, "spill");
    EXPECT_EQ(made.spill_directory, "/scratch");
    EXPECT_EQ(made.spill_bytes, 9);
    EXPECT_TRUE(made.resume);
    EXPECT_EQ(made.listen, ":7700");
    EXPECT_EQ(made.address, "node7:7700");
    EXPECT_EQ(made.error, (Errors{{"*", codecs::Bound::exact()}}));
    EXPECT_EQ(made.keep_steps, 0);
    EXPECT_EQ(made.keep_bytes, 5);

    staithe_reader_options reader;
    staithe_reader_options_init(&reader, sizeof reader);
    EXPECT_EQ(reader_options_of(&reader).start, start_oldest);
    EXPECT_FALSE(reader_options_of(&reader).overflow || reader_options_of(&reader).resume);
    EXPECT_TRUE(reader_options_of(&reader).error.empty() && reader_options_of(&reader).codec.empty());
    reader.timeout = 2.5;
    reader.overflow = "latest";
    reader.start = STAITHE_START_NEXT;
    reader.resume = 1;
    reader.program = "probe";
    reader.placement = "inline";
    reader.listen = "off";
    reader.address = "node8:7700";
    reader.error = "T=0.5 abs";
    reader.codec = "none";
    const ReaderOptions read = reader_options_of(&reader);
    EXPECT_EQ(read.listen, "off");
    EXPECT_EQ(read.address, "node8:7700");
    EXPECT_EQ(read.error, (Errors{{"T", codecs::Bound::absolute(0.5)}}));
    EXPECT_EQ(read.codec, "none");
    EXPECT_EQ(read.placement, "inline");
    EXPECT_EQ(read.timeout, 2.5);
    EXPECT_EQ(read.overflow, "latest");
    EXPECT_EQ(read.start, start_next);
    EXPECT_TRUE(read.resume);
    EXPECT_EQ(read.program, "probe");
}

TEST(Structures, WhatNobodyInitialisedIsRefused) {
    staithe_writer_options options{};
    EXPECT_THROW(static_cast<void>(writer_options_of(&options)), InvalidArgument);
    std::memset(&options, 0xcd, sizeof options);
    EXPECT_THROW(static_cast<void>(writer_options_of(&options)), InvalidArgument);
    staithe_writer_options_init(&options, 3);  // no room for the size itself: leaves it alone
    EXPECT_THROW(static_cast<void>(writer_options_of(&options)), InvalidArgument);
    staithe_writer_options_init(nullptr, sizeof options);
}

/// What options will look like to this library once their header has grown by a field.
struct NewerOptions {
    staithe_reader_options known;
    int64_t added;
};

TEST(Structures, ANewerProgramMaySayNothingNew) {
    NewerOptions options;
    std::memset(&options, 0xff, sizeof options);
    staithe_reader_options_init(&options.known, sizeof options);
    EXPECT_EQ(options.known.struct_size, sizeof options);
    EXPECT_EQ(options.added, 0);
    options.known.timeout = 1;
    EXPECT_EQ(reader_options_of(&options.known).timeout, 1.0);
    options.added = 1;
    EXPECT_THROW(static_cast<void>(reader_options_of(&options.known)), InvalidArgument);
}

TEST(Structures, AnOlderProgramLacksWhatIsUnset) {
    // As if the header had ended one field earlier, when `smallest` was its size.
    std::array<unsigned char, sizeof(staithe_reader_options)> memory;
    memory.fill(0xee);
    constexpr std::size_t older = offsetof(staithe_reader_options, program);
    auto* options = reinterpret_cast<staithe_reader_options*>(memory.data());
    staithe_reader_options_init(options, older);
    EXPECT_EQ(memory[older], 0xee) << "wrote beyond what the program has";
    staithe_reader_options unset;
    staithe_reader_options_init(&unset, sizeof unset);
    const staithe_reader_options made = complete(options, unset, older, "options");
    EXPECT_EQ(made.program, nullptr);
    EXPECT_THROW(static_cast<void>(complete(options, unset, sizeof unset, "options")), InvalidArgument);
}

TEST(Structures, ResultsAreFilledAsFarAsTheyGo) {
    const staithe_reader_statistics filled{1, 2, 3.0, 4};
    std::array<int64_t, 5> place{9, 9, 9, 9, 9};
    fill(place.data(), sizeof(int64_t), filled);
    EXPECT_EQ(place, (std::array<int64_t, 5>{1, 9, 9, 9, 9}));
    fill(place.data(), sizeof place, filled);
    EXPECT_EQ(place[3], 4);
    EXPECT_EQ(place[4], 0);
}

TEST(Structures, NumbersThatCannotBeAreRefused) {
    staithe_writer_options options;
    staithe_writer_options_init(&options, sizeof options);
    options.queue_steps = int64_t{1} << 33;
    EXPECT_THROW(static_cast<void>(writer_options_of(&options)), InvalidArgument);
    staithe_writer_options_init(&options, sizeof options);
    std::memset(options.group.id, 'x', sizeof options.group.id);  // has no end
    EXPECT_THROW(static_cast<void>(writer_options_of(&options)), InvalidArgument);
    staithe_put_options put;
    staithe_put_options_init(&put, sizeof put);
    put.order = 2;
    EXPECT_THROW(static_cast<void>(put_of(&put, 1)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(capi::dtype_of(STAITHE_C256 + 1)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(capi::dtype_of(-1)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(extents_of(nullptr, 1, "count")), InvalidArgument);
    EXPECT_THROW(static_cast<void>(extents_of(nullptr, -1, "count")), InvalidArgument);
    EXPECT_THROW(static_cast<void>(extents_of(nullptr, 9, "count")), InvalidArgument);
    EXPECT_EQ(extents_of(nullptr, 0, "count").size(), 0U);
}

Errors errors_said(const char* text) {
    staithe_reader_options options;
    staithe_reader_options_init(&options, sizeof options);
    options.error = text;
    return reader_options_of(&options).error;
}

TEST(Structures, ErrorsAreOfAllVariablesOrOfEach) {
    using codecs::Bound;
    EXPECT_EQ(errors_said("1e-3 rel"), (Errors{{"*", Bound::relative(1e-3)}}));
    EXPECT_EQ(errors_said("T=1e-3 rel, mask = exact ,*=0.01 abs"),
              (Errors{{"T", Bound::relative(1e-3)}, {"mask", Bound::exact()}, {"*", Bound::absolute(0.01)}}));
    EXPECT_EQ(errors_said(" a=b = 2 pw_rel"), (Errors{{"a=b", Bound::pointwise_relative(2)}}))
        << "names may have a = in them";
    for (const char* wrong : {"", ",", "T=", "T=1e-3", "1e-3 rel,", "T=exact, T=1 abs", "exact, 1 abs", "rel 1"}) {
        EXPECT_THROW(static_cast<void>(errors_said(wrong)), InvalidArgument) << wrong;
    }
    staithe_put_options put;
    staithe_put_options_init(&put, sizeof put);
    EXPECT_FALSE(put_of(&put, 1).options.error);
    put.error = "1e-3 rel";
    EXPECT_EQ(put_of(&put, 1).options.error, Bound::relative(1e-3));
    put.error = "T=exact";  // of which variable, the put says
    EXPECT_THROW(static_cast<void>(put_of(&put, 1)), InvalidArgument);
}

}  // namespace
}  // namespace staithe::capi
