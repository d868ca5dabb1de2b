// What goes over a connection by which a program of another host fills the rooms that a server has given it:
// docs/formats/space_protocol.md. Integers are those of the processor, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace staithe::space::far {

inline constexpr std::uint16_t version = 1;

/// A part of a room, whose bytes follow.
struct PartHeader {
    static constexpr std::uint32_t known_magic = 0x70427453;  // "StBp"
    std::uint32_t magic = known_magic;
    std::uint16_t version = far::version;
    std::uint16_t reserved = 0;
    std::int64_t ticket = 0;  // of the room
    std::int64_t first = 0;   // byte of it
    std::int64_t bytes = 0;   // that follow, one at least
};
static_assert(sizeof(PartHeader) == 32 && offsetof(PartHeader, bytes) == 24);

/// All of that part is there.
struct PartTaken {
    static constexpr std::uint32_t known_magic = 0x74427453;  // "StBt"
    std::uint32_t magic = known_magic;
    std::uint16_t version = far::version;
    std::uint16_t reserved = 0;
    std::int64_t ticket = 0;
    std::int64_t first = 0;
};
static_assert(sizeof(PartTaken) == 24 && offsetof(PartTaken, first) == 16);

}  // namespace staithe::space::far
