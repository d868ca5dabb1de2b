// 32 bytes that nobody else may know, and bytes as hexadecimal digits.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace staithe::transport {

/// Wiped from memory at its end.
class Secret {
  public:
    static constexpr std::size_t size = 32;
    Secret() = default;
    ~Secret();
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;

    [[nodiscard]] const std::array<unsigned char, size>& bytes() const { return bytes_; }
    [[nodiscard]] std::array<unsigned char, size>& bytes() { return bytes_; }

  private:
    std::array<unsigned char, size> bytes_{};
};

/// Once a process, before all else that has to do with secrets.
base::Result<> start_cryptography();

[[nodiscard]] std::string hex_of(std::span<const unsigned char> bytes);
/// Whether the text is just as many bytes.
[[nodiscard]] bool from_hex(std::string_view text, std::span<unsigned char> bytes);

}  // namespace staithe::transport
