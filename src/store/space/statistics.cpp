#include "store/space/statistics.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "store/space/chunks.hpp"

namespace staithe::store::space {
namespace {

// The rest of a long double on x86 is padding, which may be anything.
constexpr std::size_t number_bytes = std::numeric_limits<Number>::digits == 64 ? 10 : sizeof(Number);
using WrittenNumber = std::array<std::byte, 16>;

WrittenNumber written(Number number) {
    WrittenNumber bytes{};
    std::memcpy(bytes.data(), &number, number_bytes);
    return bytes;
}

Number number_of(const WrittenNumber& bytes) {
    Number number = 0;
    std::memcpy(&number, bytes.data(), number_bytes);
    return number;
}

}  // namespace

void Statistics::add(const Statistics& others) {
    count += others.count;
    nans += others.nans;
    min = std::min(min, others.min);
    max = std::max(max, others.max);
}

Statistics summarize(const ArrayView& array) {
    // Any order will do, and elements in their own are not copied.
    const bool is_turned = is_column_major(array);
    const ArrayView ordered =
        is_turned ? ArrayView::row_major(array.data, array.dtype, {volume(array.shape).value_or(0)}) : array;
    Summarize* const summarize_chunk = kernels().summarize[static_cast<std::size_t>(compared_as(array.dtype))];
    ChunkReader reader(ordered);
    Statistics statistics;
    for_each_chunk(ordered.shape, [&](const Box& chunk) {
        statistics.add(summarize_chunk(reader.read(chunk), volume(chunk.count).value_or(0)));
    });
    return statistics;
}

void write(base::ByteWriter& to, const Statistics& statistics) {
    to.number(statistics.count);
    to.number(statistics.nans);
    to.number(written(statistics.min));
    to.number(written(statistics.max));
}

base::Result<Statistics> read_statistics(base::ByteReader& from) {
    Statistics statistics;
    statistics.count = from.number<std::int64_t>();
    statistics.nans = from.number<std::int64_t>();
    statistics.min = number_of(from.number<WrittenNumber>());
    statistics.max = number_of(from.number<WrittenNumber>());
    const bool has_numbers = statistics.nans < statistics.count;
    const bool is_range = has_numbers ? statistics.min <= statistics.max
                                      : statistics.min == Statistics().min && statistics.max == Statistics().max;
    if (!from.ok() || statistics.nans < 0 || statistics.nans > statistics.count || !is_range) {
        return base::fail(ErrorCode::protocol, "statistics of a block that no elements have: {} elements, {} NaN",
                          statistics.count, statistics.nans);
    }
    return statistics;
}

}  // namespace staithe::store::space
