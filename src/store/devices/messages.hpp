// What processes that hold data and devices tell each other: docs/formats/device_protocol.md.
#pragma once

#include <cstdint>
#include <vector>

#include <staithe/transform.hpp>
#include <staithe/value.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::store::devices {

/// What requests name as their service.
inline constexpr const char* service = "/device";

namespace request {
inline constexpr const char* describe = "describe";  // which codecs it has, and what it has done
inline constexpr const char* window = "window";      // memory that both see
inline constexpr const char* drop = "drop";          // of which there is no more need
inline constexpr const char* encode = "encode";
}  // namespace request

/// Of elements that are encoded at a time.
constexpr std::int64_t most_elements_bytes = 16 << 20;
/// In a window: elements, and behind them what becomes of them.
constexpr std::int64_t most_window_bytes = 64 << 20;
/// Of one process: of each of its streams to other hosts.
constexpr std::size_t most_windows_of_one = 64;

/// Elements, in C order, that are to become a payload.
struct Job {
    Dtype dtype = Dtype::u8;
    Extents shape{};
    codecs::EncodeOptions options{};
    base::Seconds longest{};  // that it is waited for
    std::int64_t window = 0;  // in which they lie, on the same host

    [[nodiscard]] std::int64_t bytes() const { return size_in_bytes(shape, dtype).value_or(0); }
};

Attributes encode_job(const Job& job);
/// `protocol` if it makes no sense, or is of more elements than are encoded at a time.
base::Result<Job> decode_job(const Attributes& body);

List encode_codecs(const std::vector<codecs::CodecInfo>& codecs);
/// Those that are there; what cannot be understood is left out.
std::vector<codecs::CodecInfo> decode_codecs(const Attributes& body);

}  // namespace staithe::store::devices
