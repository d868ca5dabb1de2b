#include "memory/extents/leased.hpp"

#include <utility>

#include "memory/extents/growing_file.hpp"

namespace staithe::memory {
namespace {

class Leased final : public ExtentSource {
  public:
    Leased(os::FileDescriptor file, Lessor lessor) : file_(std::move(file)), lessor_(std::move(lessor)) {}

    base::Result<Extent> make(std::int64_t length) override {
        if (auto leased = lessor_.lease(length); !leased) {
            return base::fail(std::move(leased));
        }
        auto extent = file_.make(length);
        if (!extent) {
            lessor_.end_lease(length);
        }
        return extent;
    }
    [[nodiscard]] bool is_lent() const override { return true; }
    void give_back(const Extent& extent) override {
        file_.give_back(extent);
        lessor_.end_lease(static_cast<std::int64_t>(extent.memory.size()));
    }
    [[nodiscard]] const os::FileDescriptor& file() const override { return file_.file(); }

  private:
    GrowingFile file_;
    const Lessor lessor_;
};

}  // namespace

std::unique_ptr<ExtentSource> leased(os::FileDescriptor file, Lessor lessor) {
    return std::make_unique<Leased>(std::move(file), std::move(lessor));
}

}  // namespace staithe::memory
