#include "store/pool_source.hpp"

#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "os/pipe.hpp"
#include "os/shared_memory.hpp"

namespace staithe::store {
namespace {

TEST(PoolSource, ShowsMemoryThatStaysAndFetchesFromOtherFiles) {
    const std::array values{1.0, 2.0, 3.0};
    BlockDescription block;
    block.variable = "pressure";
    block.dtype = Dtype::f64;
    block.shape = block.box.count = {3};
    block.box.offset = {0};
    const BlockRef ref{.offset = 64, .bytes = sizeof(values)};
    const Piece piece{0, &block, {{{0}, {3}}, Selection::all({3})}};
    for (const bool stays : {true, false}) {
        const auto file = (stays ? os::create_memory_file("pool") : os::create_disk_file("/dev/shm")).value();
        ASSERT_EQ(::pwrite(file.get(), values.data(), sizeof(values), ref.offset), ssize_t{sizeof(values)});
        const auto source = open_pool_source(os::duplicate_read_only(file).value()).value();
        EXPECT_EQ(source->view(ref, block)->has_value(), stays);
        std::array<double, 3> got{};
        EXPECT_TRUE(source->fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got)));
        EXPECT_EQ(got, values);
    }
    EXPECT_EQ(open_pool_source(std::move(os::create_pipe().value().read_end)).error().code, ErrorCode::protocol);
}

}  // namespace
}  // namespace staithe::store
