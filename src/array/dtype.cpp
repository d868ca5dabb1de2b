#include <staithe/dtype.hpp>

#include <array>

namespace staithe {
namespace {

// In the order of the enumeration.
constexpr std::array<const char*, dtype_count> names{"bool", "i1", "i2", "i4", "i8",  "u1", "u2",  "u4",
                                                     "u8",   "f2", "f4", "f8", "f16", "c8", "c16", "c32"};

}  // namespace

const char* name_of(Dtype dtype) noexcept {
    const auto code = static_cast<std::size_t>(dtype);
    return code < names.size() ? names[code] : "unknown";
}

std::optional<Dtype> dtype_from_name(std::string_view name) noexcept {
    for (std::size_t code = 0; code < names.size(); ++code) {
        if (name == names[code]) {
            return static_cast<Dtype>(code);
        }
    }
    return std::nullopt;
}

}  // namespace staithe
