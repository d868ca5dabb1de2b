#include "store/checked_file.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "base/rounding.hpp"
#include "transform/checksum.hpp"

namespace staithe::store {
namespace {

/// What is checked as a whole: long enough that its checksum is nothing beside it, short enough to lie in the cache
/// between being read and being checked.
constexpr std::int64_t stretch = 64 << 10;
constexpr std::int64_t checksum_bytes = sizeof(std::uint64_t);

std::int64_t stretches_of(std::int64_t bytes) { return bytes / stretch + (bytes % stretch > 0 ? 1 : 0); }

/// From the block's first byte on.
std::int64_t place_of_checksums(std::int64_t bytes) { return base::round_up(bytes, checksum_bytes); }

/// Of bytes that lie there: those of another place are not taken for them.
std::uint64_t checksum_at(std::int64_t offset, std::span<const std::byte> bytes) {
    return transform::checksum(bytes) ^ static_cast<std::uint64_t>(offset);
}

}  // namespace

std::int64_t size_with_checksums(std::int64_t bytes) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    return bytes > most ? bytes : place_of_checksums(bytes) + stretches_of(bytes) * checksum_bytes;
}

void write_with_checksums(std::byte* place, const BlockRef& ref, const std::byte* bytes) {
    std::byte* to = place + place_of_checksums(ref.bytes);
    for (std::int64_t first = 0; first < ref.bytes; first += stretch) {
        const auto size = static_cast<std::size_t>(std::min(stretch, ref.bytes - first));
        const std::uint64_t sum = checksum_at(ref.offset + first, {bytes + first, size});
        if (place != bytes) {
            std::memcpy(place + first, bytes + first, size);
        }
        std::memcpy(to, &sum, sizeof(sum));
        to += sizeof(sum);
    }
}

base::Result<> CheckedFile::read_part(const transport::FilePart& part, std::span<std::byte> destination) const {
    const auto wanted = static_cast<std::int64_t>(destination.size());
    if (auto checked = check(part, wanted); !checked || wanted == 0) {
        return checked;
    }
    const std::int64_t begin = part.first / stretch;
    const std::int64_t end = stretches_of(part.first + wanted);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(end - begin));
    const std::int64_t place = part.offset + place_of_checksums(part.bytes) + begin * checksum_bytes;
    auto done = read(place, std::as_writable_bytes(std::span(sums)));
    std::unique_ptr<std::byte[]> aside;  // for stretches of which a part is wanted
    for (std::int64_t i = begin; done && i < end; ++i) {
        const std::int64_t first = i * stretch;
        const std::int64_t last = std::min(first + stretch, part.bytes);
        const std::int64_t wanted_first = std::max(first, part.first);
        const std::int64_t wanted_last = std::min(last, part.first + wanted);
        const bool is_whole = wanted_first == first && wanted_last == last;
        if (!is_whole && aside == nullptr) {
            aside = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(stretch));
        }
        std::byte* const to = destination.data() + (wanted_first - part.first);
        const std::span<std::byte> bytes(is_whole ? to : aside.get(), static_cast<std::size_t>(last - first));
        done = read(part.offset + first, bytes);
        if (done && checksum_at(part.offset + first, bytes) != sums[static_cast<std::size_t>(i - begin)]) {
            return base::fail(ErrorCode::protocol,
                              "the spill file of {} is damaged: bytes {} to {} of the block are not what was written. "
                              "Remove this version and put it again, and look after that disk",
                              whose_, first, last);
        }
        if (done && !is_whole) {
            std::memcpy(to, bytes.data() + (wanted_first - first),
                        static_cast<std::size_t>(wanted_last - wanted_first));
        }
    }
    return done;
}

}  // namespace staithe::store
