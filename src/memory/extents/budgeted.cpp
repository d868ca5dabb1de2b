#include "memory/extents/budgeted.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/budget.hpp"
#include "os/shared_memory.hpp"

namespace staithe::memory {
namespace {

class Budgeted final : public ExtentSource {
  public:
    Budgeted(std::unique_ptr<ExtentSource> source, std::string name)
        : name_(std::move(name)), source_(std::move(source)) {}

    base::Result<Extent> make(std::int64_t length) override {
        auto claim = base::claim(base::Resource::memory, length, fmt::format("enlarge the pool '{}'", name_));
        if (!claim) {
            return base::fail(std::move(claim));
        }
        if (auto checked = os::check_available_memory(length); !checked) {
            return base::fail(std::move(checked));
        }
        auto extent = source_->make(length);
        if (extent) {
            const std::lock_guard lock(mutex_);
            claims_.emplace(extent->offset, *std::move(claim));
        }
        return extent;
    }
    void give_back(const Extent& extent) override {
        // Ends after what it is for. Taken out before, since the source may give the offset to another extent at once.
        const auto claim = take_claim(extent.offset);
        source_->give_back(extent);
    }
    [[nodiscard]] const os::FileDescriptor& file() const override { return source_->file(); }

  private:
    std::map<std::int64_t, base::Claim>::node_type take_claim(std::int64_t offset) {
        const std::lock_guard lock(mutex_);
        return claims_.extract(offset);
    }

    const std::string name_;
    std::mutex mutex_;
    std::map<std::int64_t, base::Claim> claims_;  // by offset
    const std::unique_ptr<ExtentSource> source_;  // the last member: claims end after what they are for
};

}  // namespace

std::unique_ptr<ExtentSource> budgeted(std::unique_ptr<ExtentSource> source, std::string name) {
    return std::make_unique<Budgeted>(std::move(source), std::move(name));
}

}  // namespace staithe::memory
