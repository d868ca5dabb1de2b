// Messages on a stream socket: a fixed header, then a CBOR map. File descriptors travel beside the bytes.
//
//     offset 0   4 bytes  magic "STH1"
//     offset 4   4 bytes  length of the body, little-endian, at most max_body
//     offset 8   4 bytes  number of file descriptors that came with this message
//     offset 12  4 bytes  number of bytes that are enclosed, at most max_enclosed
//     offset 16           body: CBOR, one map with text keys; then what is enclosed
//     then      16 bytes  seal of all before, once both sides have proved that they have the same key
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "os/socket.hpp"
#include "transport/session.hpp"

namespace staithe::transport {

constexpr std::size_t frame_header_bytes = 16;
constexpr std::uint32_t max_body = 64 << 20;
constexpr std::uint32_t max_enclosed = 64 << 20;

/// What a message has beside its body.
struct Beside {
    Beside() = default;
    // NOLINTBEGIN(google-explicit-constructor): most messages have one of the two, if any
    Beside(std::vector<int> passed) : descriptors(std::move(passed)) {}
    Beside(std::span<const std::byte> bytes) : enclosed(bytes) {}
    // NOLINTEND(google-explicit-constructor)
    std::vector<int> descriptors{};
    std::span<const std::byte> enclosed{};
};

struct Packet {
    Attributes body;
    std::vector<os::FileDescriptor> descriptors{};
    std::vector<std::byte> enclosed{};

    /// Of a request; 0 if it wants no answer.
    [[nodiscard]] std::int64_t id() const;
};

/// A field that is text; empty if it is missing or of another kind.
std::string text_of(const Attributes& body, const std::string& name);

/// What went wrong, if the body says so under that name: its value is the number of the code, `protocol` if this
/// version knows none of that number.
std::optional<base::Failure> failure_in(const Attributes& body, const std::string& name);

base::Result<std::vector<std::byte>> encode_frame(const Attributes& body, std::size_t descriptors,
                                                  std::span<const std::byte> enclosed = {});

/// Until they have proved themselves, peers have no more to say than a challenge, its answer, or a refusal.
constexpr std::uint32_t max_body_of_strangers = 1024;

/// Puts packets together from what the socket gives, in pieces of any size. What it reads is untrusted.
class FrameDecoder {
  public:
    /// Bodies longer than `body_bytes`, and more beside them, make no sense from now on.
    struct Bounds {
        std::uint32_t body_bytes = max_body;
        std::size_t descriptors = os::max_descriptors_per_message;
        std::uint32_t enclosed = max_enclosed;
    };
    void set_bounds(Bounds bounds) { bounds_ = bounds; }
    /// From the next packet on, whatever has no seal that fits makes no sense.
    void expect_seals(Seal seal) { seal_ = std::move(seal); }

    void feed(std::span<const std::byte> bytes, std::vector<os::FileDescriptor> descriptors);
    /// A complete packet, nothing if more bytes are needed, or `protocol` once the bytes make no sense: the
    /// connection is of no use then.
    base::Result<std::optional<Packet>> next();
    /// As many bytes as the next packet surely lacks: whoever reads no more leaves all that comes after it.
    [[nodiscard]] std::size_t lacks() const;

  private:
    [[nodiscard]] std::size_t bytes_of_frame() const;

    Bounds bounds_;
    std::optional<Seal> seal_;
    std::vector<std::byte> bytes_;
    std::deque<os::FileDescriptor> descriptors_;
};

}  // namespace staithe::transport
