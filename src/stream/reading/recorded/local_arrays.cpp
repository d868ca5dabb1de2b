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

base::Result<std::vector<std::int64_t>> read_numbers(const format::RecordingReader& recording,
                                                     const format::StoredArray& array) {
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
    if (array.shape.empty() || local.rows.empty() || (local.are_scalars && array.shape.size() > 1)) {
        return false;
    }
    std::int64_t left = array.shape[0];
    for (const std::int64_t rows : local.rows) {
        if (rows < 0 || rows > (local.are_scalars ? std::min<std::int64_t>(left, 1) : left)) {
            return false;
        }
        left -= rows;
    }
    return left == 0;
}

}  // namespace

std::optional<std::string> tells_rows_of(const format::ArrayInfo& array) {
    const auto name = base::text_field(array.attributes, rows_of_attribute);
    const bool tells = name && array.name == rows_name(*name) && array.dtype == Dtype::i64 && array.shape.size() == 1;
    return tells ? std::optional(*name) : std::nullopt;
}

base::Result<std::map<std::string, LocalArrays>> local_arrays_of(const format::RecordingReader& recording,
                                                                 const format::StoredStep& step) {
    std::map<std::string, LocalArrays> all;
    for (const format::StoredArray& array : step.arrays) {
        const auto name = tells_rows_of(array.info);
        if (!name) {
            continue;
        }
        auto rows = read_numbers(recording, array);
        if (!rows) {
            return base::fail(rows.error().code, "step {}, '{}': {}", step.number, base::printable(array.info.name),
                              rows.error().message);
        }
        LocalArrays local{.rows = *std::move(rows),
                          .are_scalars = base::flag_field(array.info.attributes, scalars_attribute)};
        const auto rows_are =
            std::ranges::find(step.arrays, *name, [](const format::StoredArray& each) { return each.info.name; });
        if (rows_are == step.arrays.end() || !share_all(local, rows_are->info)) {
            return base::fail(ErrorCode::protocol, "step {}: '{}' does not say of all rows of '{}' whose they are",
                              step.number, base::printable(array.info.name), base::printable(*name));
        }
        all.emplace(*name, std::move(local));
    }
    return all;
}

}  // namespace staithe::stream::recorded
