#include "format/hdf5/own_filters.hpp"

#include <algorithm>

#include "base/bytes.hpp"

namespace staithe::format::hdf5 {

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
    constexpr std::size_t most_pairs = 360;  // before a sum overflows
    constexpr std::uint32_t low = 0xffff;
    std::uint32_t sum = 0, of_sums = 0;
    const auto fold = [](std::uint32_t& each) { each = (each & low) + (each >> 16U); };
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.size(), at + 2 * most_pairs);
        for (; at < end; at += 2) {
            const auto second = at + 1 < end ? std::to_integer<std::uint32_t>(bytes[at + 1]) : 0;
            sum += std::to_integer<std::uint32_t>(bytes[at]) << 8U | second;
            of_sums += sum;
        }
        fold(sum);
        fold(of_sums);
    }
    fold(sum);
    fold(of_sums);
    return of_sums << 16U | sum;
}

/// Runs of bytes as they are, and what repeats some of those before: how many, and how far back.
bool undo_lzf(std::span<const std::byte> packed, std::span<std::byte> to) {
    constexpr std::size_t least_repeated = 32, longest_short = 7;
    base::ByteReader in(packed);
    std::size_t made = 0;
    while (in.left() > 0) {
        const std::size_t control = in.number<std::uint8_t>();
        if (control < least_repeated) {
            const auto run = in.raw(control + 1);
            if (!in.ok() || run.size() > to.size() - made) {
                return false;
            }
            std::ranges::copy(run, to.subspan(made).begin());
            made += run.size();
            continue;
        }
        std::size_t length = control >> 5U;
        length += 2 + (length == longest_short ? in.number<std::uint8_t>() : 0);
        const std::size_t back = ((control & 0x1fU) << 8U) + in.number<std::uint8_t>() + 1;
        if (!in.ok() || back > made || length > to.size() - made) {
            return false;
        }
        for (; length > 0; --length, ++made) {  // it may repeat what it has just made
            to[made] = to[made - back];
        }
    }
    return made == to.size();
}

}  // namespace staithe::format::hdf5
