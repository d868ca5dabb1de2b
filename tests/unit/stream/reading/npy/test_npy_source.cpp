#include "stream/reading/npy/npy_source.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <staithe/staithe.hpp>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/stream_test.hpp"

namespace staithe::stream::npy {
namespace {

class NpySourceTest : public testing::StreamTest {
  protected:
    NpySourceTest() {
        for (const int step : {2, 3, 5}) {
            save(step, step);
        }
    }
    /// Four numbers.
    void save(int step, double value) const {
        const std::string header = "{'descr':'<f8','fortran_order':False,'shape':(4,)}\n";
        std::ofstream file(path_of(step), std::ios::binary);
        file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
        const double values[4] = {value, value, value, value};
        file.write(reinterpret_cast<const char*>(values), sizeof(values));
    }
    [[nodiscard]] std::string path_of(int step) const { return folder_ / ("x_" + std::to_string(step) + ".npy"); }
    [[nodiscard]] Reader open(ReaderOptions options = {}) const {
        options.placement = "npy";
        return Reader(folder_.path(), options);
    }
    static double first_of(const ReadStep& step) { return step.variable("x").read<double>().front(); }

    testing::TemporaryDirectory folder_;
};

TEST_F(NpySourceTest, StartsAtAStep) {
    Reader in = open({.start = 3});
    EXPECT_EQ(in.next()->index(), 3);
    EXPECT_EQ(in.next()->index(), 5);
    EXPECT_FALSE(in.next());
}

TEST_F(NpySourceTest, RefusesWhatAFolderCannotDo) {
    EXPECT_THROW(static_cast<void>(open({.start = start_next})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(open({.overflow = "latest"})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(open({.group = {.rank = 2, .size = 2}})), InvalidArgument);
    EXPECT_NO_THROW(static_cast<void>(open({.overflow = "block"})));
    EXPECT_THROW(Writer(folder_.path(), {.placement = "npy"}), InvalidArgument);
}

TEST_F(NpySourceTest, IsFoundByTheNameOfAStream) {
    const std::string streams = R"({"melt": {"placement": "npy", "folder": ")" + folder_.path() + R"("}})";
    const testing::EnvironmentVariable settings("STAITHE_STREAMS", streams.c_str());
    Reader in("melt");
    EXPECT_EQ(in.name(), "melt");
    EXPECT_EQ(first_of(*in.next()), 2);
    const testing::EnvironmentVariable wrong("STAITHE_STREAMS", R"({"melt": {"placement": "npy", "folder": 1}})");
    EXPECT_THROW(Reader("melt"), InvalidArgument);
}

TEST_F(NpySourceTest, ADamagedFileIsTriedAgain) {
    Reader in = open();
    static_cast<void>(in.next());
    std::filesystem::resize_file(path_of(3), 80);
    EXPECT_THROW(static_cast<void>(in.next()), ProtocolError);
    EXPECT_THROW(static_cast<void>(in.next()), ProtocolError);
    save(3, 3);
    EXPECT_EQ(first_of(*in.next()), 3);
    std::filesystem::remove(path_of(5));
    EXPECT_THROW(static_cast<void>(in.next()), SystemFailure);
}

TEST_F(NpySourceTest, AStepKeepsItsFiles) {
    Reader in = open();
    const auto two = in.next();
    const auto three = in.next();
    std::filesystem::remove(path_of(2));
    save(2, 17);
    EXPECT_EQ(first_of(*two), 2);
    std::filesystem::resize_file(path_of(3), 80);
    EXPECT_THROW(first_of(*three), ProtocolError) << "and no signal";
}

TEST_F(NpySourceTest, AViewHasTheOrderOfTheFile) {
    const std::string header = "{'descr':'<i2','fortran_order':True,'shape':(2,3)}\n";
    std::ofstream(path_of(7), std::ios::binary)
        << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header << "a b c d e f ";
    const auto step = open({.start = 7}).next();
    const Variable x = step->variable("x");
    for (const View& view : {x.block(0), *x.view(Selection{Slice{0, 1, 2}, Slice{1, 1, 2}})}) {
        EXPECT_TRUE(is_column_major(view.array));
    }
    EXPECT_EQ(static_cast<const char*>(x.block(0).array.data)[2], 'b');
    EXPECT_EQ(x.read<std::int16_t>()[1] & 0x7f, 'c');
}

TEST_F(NpySourceTest, IsClosedInAForkedChild) {
    Reader in = open();
    testing::ChildProcess child([&] {
        EXPECT_EQ(testing::code_thrown_by([&] { static_cast<void>(in.next()); }), ErrorCode::closed);
        EXPECT_EQ(first_of(*open().next()), 2);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(first_of(*in.next()), 2);
}

}  // namespace
}  // namespace staithe::stream::npy
