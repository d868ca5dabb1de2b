// Local arrays of several ranks, as recordings have them (stream/recording/local_rows).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::stream::recorded {

/// How the rows of an array are shared.
struct LocalArrays {
    std::vector<std::int64_t> rows;  // by rank; `no_rows` of one that has put nothing
    bool are_scalars = false;        // each a number, without dimensions
};

/// By their names, those of a step. Beside each there is an array of the name of its rows, which is no variable.
/// `protocol` if what one says cannot be.
[[nodiscard]] base::Result<std::map<std::string, LocalArrays>> local_arrays_of(const format::RecordingReader& recording,
                                                                               const format::StoredStep& step);

}  // namespace staithe::stream::recorded
