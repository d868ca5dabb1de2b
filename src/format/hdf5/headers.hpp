// What a writer writes anew each time that steps become visible: the headers of all objects, texts and dimensions among
// them. Of a step that lies apart that is once.
#pragma once

#include <vector>

#include <staithe/value.hpp>

#include "format/hdf5/image.hpp"
#include "format/hdf5/writer_state.hpp"

namespace staithe::format::hdf5 {

/// The group in which all else is.
[[nodiscard]] Address add_root(WriterState& next, Tail& tail);
/// The group of a step that is unlike the others, whose elements are written.
[[nodiscard]] Address add_step(const Attributes& attributes, std::vector<Growing>& arrays, Tail& tail);

}  // namespace staithe::format::hdf5
