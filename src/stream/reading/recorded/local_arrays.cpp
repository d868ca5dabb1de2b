#include "stream/reading/recorded/local_arrays.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "stream/recording/local_rows.hpp"

namespace staithe::stream::recorded {
namespace {

/// What a file says may be anybody's: each takes memory.
constexpr std::int64_t most_ranks = std::int64_t{1} << 18;

base::Result<std::vector<std::int64_t>> read_rows(const format::RecordingReader& recording,
                                                  const format::StoredArray& array) {
    if (array.info.shape[0] > most_ranks) {
        return base::fail(ErrorCode::protocol, "it is of {} ranks, more than there can be", array.info.shape[0]);
    }
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(array.info.shape[0]));
    for (const format::StoredPart& part : array.parts) {
        const auto to = std::span(numbers).subspan(static_cast<std::size_t>(part.box.offset[0]),
                                                   static_cast<std::size_t>(part.box.count[0]));
        const auto read = part.packing == format::Packing::none ? recording.read(part, 0, std::as_writable_bytes(to))
                                                                : base::fail(ErrorCode::protocol, "it is compressed");
        if (!read) {
            return base::fail(read);
        }
    }
    return numbers;
}

/// Whether these are all rows of the array.
bool share_all(const LocalArrays& local, const format::ArrayInfo& array) {
    if (array.shape.empty() || (local.are_scalars && array.shape.size() > 1)) {
        return false;
    }
    std::int64_t left = array.shape[0];
    for (const std::int64_t rows : local.rows) {
        const bool can_be = rows == no_rows || (local.are_scalars ? rows == 1 : rows >= 0);
        if (!can_be || rows > left) {
            return false;
        }
        left -= std::max<std::int64_t>(rows, 0);
    }
    return left == 0 && std::ranges::any_of(local.rows, [](std::int64_t rows) { return rows != no_rows; });
}

/// The array of whose rows that one tells; null: it is a variable like others.
const format::StoredArray* rows_told_by(const format::StoredArray& array, const format::StoredStep& step) {
    const auto name = base::text_field(array.info.attributes, rows_of_attribute);
    if (!name || array.info.name != rows_name(*name) || array.info.dtype != Dtype::i64 ||
        array.info.shape.size() != 1) {
        return nullptr;
    }
    const auto found =
        std::ranges::find_if(step.arrays, [&](const format::StoredArray& each) { return each.info.name == *name; });
    return found == step.arrays.end() ? nullptr : &*found;
}

}  // namespace

base::Result<std::map<std::string, LocalArrays>> local_arrays_of(const format::RecordingReader& recording,
                                                                 const format::StoredStep& step) {
    std::map<std::string, LocalArrays> all;
    for (const format::StoredArray& array : step.arrays) {
        const format::StoredArray* const of = rows_told_by(array, step);
        if (of == nullptr) {
            continue;
        }
        auto rows = read_rows(recording, array);
        if (!rows) {
            return base::fail(rows.error().code, "step {}, '{}': {}", step.number, base::printable(array.info.name),
                              rows.error().message);
        }
        LocalArrays local{.rows = *std::move(rows),
                          .are_scalars = base::flag_field(array.info.attributes, scalars_attribute)};
        if (!share_all(local, of->info)) {
            return base::fail(ErrorCode::protocol, "step {}: '{}' does not say of all rows of '{}' whose they are",
                              step.number, base::printable(array.info.name), base::printable(of->info.name));
        }
        all.emplace(of->info.name, std::move(local));
    }
    return all;
}

}  // namespace staithe::stream::recorded
