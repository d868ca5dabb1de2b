// The sources of extents that pools stand on, and one of tests: pages of this process that no reader can map.
#include <cstdlib>
#include <mutex>

#include "conformance/extent_suite.hpp"
#include "memory/extents/budgeted.hpp"
#include "memory/extents/disk_file.hpp"
#include "memory/extents/leased.hpp"
#include "memory/extents/own_memory.hpp"
#include "memory/extents/recycling_file.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::testing {
namespace {

struct OwnMemory {
    static std::unique_ptr<memory::ExtentSource> open() { return memory::own_memory("test").value(); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(OwnMemory, ExtentSourceSuite, OwnMemory);

struct DiskFile {
    [[nodiscard]] std::unique_ptr<memory::ExtentSource> open() const {
        return memory::disk_file(directory.path()).value();
    }
    TemporaryDirectory directory;
};
INSTANTIATE_TYPED_TEST_SUITE_P(DiskFile, ExtentSourceSuite, DiskFile);

struct Recycling {
    static std::unique_ptr<memory::ExtentSource> open() {
        return std::make_unique<memory::RecyclingFile>(os::create_disk_file("/dev/shm").value());
    }
};
INSTANTIATE_TYPED_TEST_SUITE_P(RecyclingFile, ExtentSourceSuite, Recycling);

template <class Source>
struct Budgeted {
    static std::unique_ptr<memory::ExtentSource> open() { return memory::budgeted(Source::open(), "test"); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Budgeted, ExtentSourceSuite, Budgeted<OwnMemory>);
INSTANTIATE_TYPED_TEST_SUITE_P(BudgetedAndRecycling, ExtentSourceSuite, Budgeted<Recycling>);

struct Leased {
    static std::unique_ptr<memory::ExtentSource> open() {
        return memory::leased(
            os::create_memory_file("test").value(),
            {.lease = [](std::int64_t) { return base::Result<>(); }, .end_lease = [](std::int64_t) {}});
    }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Leased, ExtentSourceSuite, Leased);

/// Offsets go down: nothing says that a source appends.
class PrivatePages final : public memory::ExtentSource {
  public:
    base::Result<memory::Extent> make(std::int64_t length) override {
        const std::lock_guard lock(mutex_);
        if (length > lowest_) {
            return base::fail(ErrorCode::limit_reached, "no {} bytes are left", length);
        }
        const std::int64_t offset = lowest_ -= length;
        Pages memory(static_cast<std::byte*>(std::aligned_alloc(os::page_size(), static_cast<std::size_t>(length))));
        const memory::Extent extent{offset, {memory.get(), static_cast<std::size_t>(length)}};
        pages_.emplace(offset, std::move(memory));
        return extent;
    }
    void give_back(const memory::Extent& extent) override {
        const std::lock_guard lock(mutex_);
        pages_.erase(extent.offset);
    }
    [[nodiscard]] const os::FileDescriptor& file() const override { return none_; }

  private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }  // NOLINT
    };
    using Pages = std::unique_ptr<std::byte, Free>;

    std::mutex mutex_;
    std::int64_t lowest_ = std::int64_t{1} << 40;
    std::map<std::int64_t, Pages> pages_;
    const os::FileDescriptor none_;
};
struct OfTests {
    static std::unique_ptr<memory::ExtentSource> open() { return std::make_unique<PrivatePages>(); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(PrivatePages, ExtentSourceSuite, OfTests);

}  // namespace
}  // namespace staithe::testing
