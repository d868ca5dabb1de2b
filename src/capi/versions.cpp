// What this library is, and the numbers that programs have compiled in.
#include <staithe/staithe.h>
#include <staithe/dtype.hpp>
#include <staithe/version.hpp>

namespace {

using staithe::Dtype;
static_assert(STAITHE_BOOL == static_cast<int>(Dtype::boolean) && STAITHE_I8 == static_cast<int>(Dtype::i8) &&
              STAITHE_I16 == static_cast<int>(Dtype::i16) && STAITHE_I32 == static_cast<int>(Dtype::i32) &&
              STAITHE_I64 == static_cast<int>(Dtype::i64) && STAITHE_U8 == static_cast<int>(Dtype::u8) &&
              STAITHE_U16 == static_cast<int>(Dtype::u16) && STAITHE_U32 == static_cast<int>(Dtype::u32) &&
              STAITHE_U64 == static_cast<int>(Dtype::u64) && STAITHE_F16 == static_cast<int>(Dtype::f16) &&
              STAITHE_F32 == static_cast<int>(Dtype::f32) && STAITHE_F64 == static_cast<int>(Dtype::f64) &&
              STAITHE_F128 == static_cast<int>(Dtype::f128) && STAITHE_C64 == static_cast<int>(Dtype::c64) &&
              STAITHE_C128 == static_cast<int>(Dtype::c128) && STAITHE_C256 == static_cast<int>(Dtype::c256));
static_assert(staithe::dtype_count == STAITHE_C256 + 1);

}  // namespace

extern "C" {

int32_t staithe_abi_version() { return STAITHE_ABI_VERSION; }

const char* staithe_version() { return STAITHE_VERSION; }

int64_t staithe_dtype_size(staithe_dtype dtype) {
    const auto known = staithe::dtype_from_code(static_cast<std::uint64_t>(dtype));
    return known ? size_of(*known) : 0;
}

const char* staithe_dtype_name(staithe_dtype dtype) {
    const auto known = staithe::dtype_from_code(static_cast<std::uint64_t>(dtype));
    return known ? name_of(*known) : "unknown";
}
}
