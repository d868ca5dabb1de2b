// What the targets share: an input that is cut into parts, and a place for files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "transport/frame.hpp"

namespace staithe::fuzz {

using Bytes = std::span<const std::byte>;

inline Bytes bytes_of(const std::uint8_t* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

inline std::uint8_t take_byte(Bytes& input) {
    if (input.empty()) {
        return 0;
    }
    const auto byte = std::to_integer<std::uint8_t>(input.front());
    input = input.subspan(1);
    return byte;
}

/// Two bytes of length, then so many bytes, or what is left.
inline Bytes take_part(Bytes& input) {
    const std::size_t low = take_byte(input);
    const std::size_t high = take_byte(input);
    const std::size_t length = std::min(input.size(), low + 256 * high);
    const Bytes part = input.first(length);
    input = input.subspan(length);
    return part;
}

/// A header that fits the body: mutations then reach what lies behind the decoder.
inline std::vector<std::byte> framed(Bytes body, std::uint8_t descriptors) {
    auto frame = transport::encode_frame({}, descriptors).value();
    frame.resize(transport::frame_header_bytes);
    const auto size = static_cast<std::uint32_t>(body.size());
    std::memcpy(frame.data() + 4, &size, sizeof(size));
    frame.insert(frame.end(), body.begin(), body.end());
    return frame;
}

/// What must hold whatever the input.
inline void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "broken: %s\n", what);
        std::abort();
    }
}

/// Removed when the program ends. One for each target.
inline std::string directory_of_its_own() {
    std::string path = (std::filesystem::temp_directory_path() / "staithe-fuzz-XXXXXX").string();
    require(::mkdtemp(path.data()) != nullptr, "there is room for a run directory");
    static std::string to_remove;
    to_remove = path;
    std::atexit([] { std::filesystem::remove_all(to_remove); });
    return path;
}

}  // namespace staithe::fuzz
