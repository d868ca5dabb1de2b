#include "memory/extents/budgeted.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/budget.hpp"

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
        auto extent = source_->make(length);
        if (extent) {
            const std::lock_guard lock(mutex_);
            claims_.emplace(extent->offset, *std::move(claim));
        }
        return extent;
    }
    void give_back(const Extent& extent) override {
        source_->give_back(extent);
        const std::lock_guard lock(mutex_);
        claims_.erase(extent.offset);
    }
    [[nodiscard]] const os::FileDescriptor& file() const override { return source_->file(); }

  private:
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
