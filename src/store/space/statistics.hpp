// What is known of a block's elements without looking at them: enough to tell that none of them, or all of them, meet a
// condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <staithe/array_view.hpp>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "store/space/condition.hpp"

namespace staithe::store::space {

struct Statistics {
    std::int64_t count = 0;
    std::int64_t nans = 0;  // complex numbers of which a part is NaN, too
    /// Of those that are no NaN; of complex numbers, the real parts. Exact. Infinite and reversed if there are none.
    Number min = std::numeric_limits<Number>::infinity();
    Number max = -std::numeric_limits<Number>::infinity();

    /// Of these elements and the others. What is copied in pieces is best summarized in the same, while they are in the
    /// cache.
    void add(const Statistics& others);
    friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// Any dtype, strides and address. One thread.
[[nodiscard]] Statistics summarize(const ArrayView& array);

inline constexpr std::size_t statistics_bytes = 48;  // as they are written

void write(base::ByteWriter& to, const Statistics& statistics);

/// From another process: fails with `protocol` on what no elements have.
[[nodiscard]] base::Result<Statistics> read_statistics(base::ByteReader& from);

}  // namespace staithe::store::space
