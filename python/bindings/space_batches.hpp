// Many small blocks of spaces.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include <staithe/space.hpp>

namespace staithe::python {

/// Of a block that is put.
SpacePut what_is_said(nanobind::handle offset, nanobind::handle shape, std::optional<std::int64_t> version,
                      std::string unit, nanobind::handle attributes, bool complete, std::optional<bool> overlap,
                      bool persist);

/// Of what is got.
SpaceGet what_to_get(std::optional<std::int64_t> version, nanobind::handle box, std::optional<double> timeout);

void bind_space_batches(nanobind::module_& module, nanobind::class_<Space>& space);

}  // namespace staithe::python
