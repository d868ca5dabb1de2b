// A put, as tests of catalogs have it.
#pragma once

#include <cstdint>
#include <optional>

#include "store/space/catalog.hpp"

namespace staithe::store::space {

/// Of so many f64 from `offset` on, of the 10 of 'T'. Where its bytes lie it does not say.
inline Put put_of_ten(std::int64_t offset, std::int64_t count, std::optional<std::int64_t> version) {
    Put put;
    put.block = {
        .variable = "T", .dtype = Dtype::f64, .shape = {10}, .box = {{offset}, {count}}, .unit = {}, .attributes = {}};
    put.version = version;
    put.by = {"lmp (pid 7 on a)"};
    return put;
}

}  // namespace staithe::store::space
