// Writing and reading packed bytes, in the machine's byte order. Reading checks every length: the bytes may come from
// another process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace staithe::base {

/// After something that is too long nothing more is written, and `ok()` is false: check once, at the end.
class ByteWriter {
  public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void number(T value) {
        append(std::as_bytes(std::span(&value, 1)));
    }
    /// Length (32 bits), then the bytes: below 4 GiB of them.
    void sized(std::span<const std::byte> bytes) {
        ok_ = ok_ && bytes.size() <= UINT32_MAX;
        if (ok_) {
            number(static_cast<std::uint32_t>(bytes.size()));
            append(bytes);
        }
    }
    void sized(std::string_view text) { sized(std::as_bytes(std::span(text))); }
    /// Without a length, which whoever reads knows.
    void raw(std::span<const std::byte> bytes) { append(bytes); }
    void raw(std::string_view text) { append(std::as_bytes(std::span(text))); }
    void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }

    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  private:
    void append(std::span<const std::byte> bytes) {
        if (ok_) {
            bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        }
    }

    std::vector<std::byte> bytes_;
    bool ok_ = true;
};

/// After a read beyond the end everything reads as zero or empty, and `ok()` is false: check once, at the end.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
        requires std::is_trivially_copyable_v<T>
    T number() {
        T value{};
        if (const auto raw = take(sizeof(T)); raw.size() == sizeof(T)) {
            std::memcpy(&value, raw.data(), sizeof(T));
        }
        return value;
    }
    std::span<const std::byte> sized() { return take(number<std::uint32_t>()); }
    std::span<const std::byte> raw(std::size_t count) { return take(count); }
    std::string_view text() {
        const auto raw = sized();
        return {reinterpret_cast<const char*>(raw.data()), raw.size()};
    }

    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size(); }

  private:
    std::span<const std::byte> take(std::size_t count) {
        if (!ok_ || count > bytes_.size()) {
            ok_ = false;
            return {};
        }
        const auto taken = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return taken;
    }

    std::span<const std::byte> bytes_;
    bool ok_ = true;
};

}  // namespace staithe::base
