#include "format/hdf5/checksum.hpp"

#include <array>
#include <bit>

namespace staithe::format::hdf5 {
namespace {

/// Twelve bytes are taken at a time, as three numbers.
struct State {
    std::uint32_t a, b, c;

    void mix() {
        a = (a - c) ^ std::rotl(c, 4), c += b;
        b = (b - a) ^ std::rotl(a, 6), a += c;
        c = (c - b) ^ std::rotl(b, 8), b += a;
        a = (a - c) ^ std::rotl(c, 16), c += b;
        b = (b - a) ^ std::rotl(a, 19), a += c;
        c = (c - b) ^ std::rotl(b, 4), b += a;
    }
    void end() {
        c = (c ^ b) - std::rotl(b, 14);
        a = (a ^ c) - std::rotl(c, 11);
        b = (b ^ a) - std::rotl(a, 25);
        c = (c ^ b) - std::rotl(b, 16);
        a = (a ^ c) - std::rotl(c, 4);
        b = (b ^ a) - std::rotl(a, 14);
        c = (c ^ b) - std::rotl(b, 24);
    }
    /// Missing bytes count as zeros.
    void add(std::span<const std::byte> bytes) {
        std::array<std::uint32_t, 3> numbers{};
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            numbers[i / 4] += static_cast<std::uint32_t>(bytes[i]) << 8 * (i % 4);
        }
        a += numbers[0], b += numbers[1], c += numbers[2];
    }
};

constexpr std::size_t at_a_time = 12;

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes) {
    const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size());
    State state{start, start, start};
    while (bytes.size() > at_a_time) {
        state.add(bytes.first(at_a_time));
        state.mix();
        bytes = bytes.subspan(at_a_time);
    }
    if (!bytes.empty()) {
        state.add(bytes);
        state.end();
    }
    return state.c;
}

}  // namespace staithe::format::hdf5
