#include "memory/extents/own_memory.hpp"

#include <utility>

#include "memory/extents/growing_file.hpp"

namespace staithe::memory {
namespace {

class OwnMemory final : public ExtentSource {
  public:
    explicit OwnMemory(os::FileDescriptor file) : extents_(std::move(file)) {}

    base::Result<Extent> make(std::int64_t length) override {
        if (auto checked = os::check_available_memory(length); !checked) {
            return base::fail(std::move(checked));
        }
        return extents_.make(length);
    }
    void give_back(const Extent& extent) override { extents_.give_back(extent); }
    [[nodiscard]] const os::FileDescriptor& file() const override { return extents_.file(); }

  private:
    GrowingFile extents_;
};

}  // namespace

base::Result<std::unique_ptr<ExtentSource>> own_memory(const std::string& name) {
    auto file = os::create_memory_file(name);
    if (!file) {
        return base::fail(std::move(file));
    }
    return std::make_unique<OwnMemory>(*std::move(file));
}

}  // namespace staithe::memory
