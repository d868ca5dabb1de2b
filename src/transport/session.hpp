// What two processes have in common once each has proved to the other that it has the key: a secret of this one
// connection.
//
// Its frames carry seals made with it. So a process in between that passed the proofs on can pass on frames as well,
// and read them, but neither change nor add, leave out, repeat or reorder one without being noticed. Tokens of it let
// other connections of the same two processes in. docs/formats/stream_protocol.md has the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "transport/secret.hpp"

namespace staithe::transport {

enum class Role : std::uint8_t { caller, listener };  // who connected, and to whom

/// Seals the frames of one side, or checks those of the other. Each takes the place of its frame into account.
class Seal {
  public:
    static constexpr std::size_t size = 16;
    using Bytes = std::array<std::byte, size>;

    explicit Seal(std::shared_ptr<const Secret> key) : key_(std::move(key)) {}
    /// Of the next frame.
    [[nodiscard]] Bytes of(std::span<const std::byte> frame) const;
    [[nodiscard]] bool fits(std::span<const std::byte> frame, std::span<const std::byte> seal) const;
    /// That frame went, or came.
    void advance() { ++frames_; }

  private:
    std::shared_ptr<const Secret> key_;
    std::uint64_t frames_ = 0;
};

class Session {
  public:
    explicit Session(std::shared_ptr<const Secret> secret) : secret_(std::move(secret)) {}

    /// Of the frames that the process in that role sends.
    [[nodiscard]] Seal seal_of(Role sender) const;
    /// 64 hexadecimal digits that only these two processes know, others for each purpose.
    [[nodiscard]] std::string token(std::string_view purpose) const;

  private:
    [[nodiscard]] std::shared_ptr<const Secret> derived(std::string_view domain, std::string_view purpose) const;

    std::shared_ptr<const Secret> secret_;
};

}  // namespace staithe::transport
