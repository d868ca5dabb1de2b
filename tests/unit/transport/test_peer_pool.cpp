#include "transport/peer_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "os/pipe.hpp"

namespace staithe::transport {
namespace {

bool is_mapped(const PeerPool& pool) { return std::holds_alternative<std::shared_ptr<MappedPool>>(pool); }

TEST(PeerPool, MapsMemoryThatStaysAndReadsOtherFiles) {
    const auto sealed = os::create_memory_file("sealed").value();
    const os::FileDescriptor not_sealed(::memfd_create("not sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const auto on_tmpfs = os::create_disk_file("/dev/shm").value();
    const auto on_disk = os::create_disk_file("/tmp").value();
    for (const os::FileDescriptor* file : {&sealed, &not_sealed, &on_tmpfs, &on_disk}) {
        ASSERT_TRUE(os::allocate_range(*file, 0, 4096));
        ASSERT_EQ(::pwrite(file->get(), "note", 4, 100), 4);
        const auto pool = open_peer_pool(os::duplicate_read_only(*file).value()).value();
        EXPECT_EQ(is_mapped(pool), file == &sealed);
        const auto copy_of = [&](std::int64_t offset) {
            return std::visit([&](const auto& way) { return way->copy_of(offset, 4); }, pool);
        };
        EXPECT_EQ(copy_of(100).value(), (std::vector{std::byte{'n'}, std::byte{'o'}, std::byte{'t'}, std::byte{'e'}}));
        EXPECT_EQ(copy_of(4093).error().code, ErrorCode::protocol);
        if (!is_mapped(pool)) {
            ASSERT_EQ(::ftruncate(file->get(), 100), 0);  // a mapping would end this process
            EXPECT_EQ(copy_of(100).error().code, ErrorCode::protocol);
        }
    }
}

TEST(PeerPool, IsAFile) {
    auto pipe = os::create_pipe().value();
    EXPECT_EQ(open_peer_pool(std::move(pipe.read_end)).error().code, ErrorCode::protocol);
    EXPECT_EQ(open_peer_pool({}).error().code, ErrorCode::protocol);
}

}  // namespace
}  // namespace staithe::transport
