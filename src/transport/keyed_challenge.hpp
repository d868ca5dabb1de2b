// How a process proves to one of another user that it was given the same key, without showing it.
//
// Each side sends a number that nobody has used before (a nonce), and answers the other's with a keyed hash of both
// numbers, of its own role, and of who the kernel says the two processes are. So an answer cannot be replayed, sent
// back to its author, or passed on by a process in between. docs/formats/stream_protocol.md has the bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/socket.hpp"

namespace staithe::transport {

/// A secret that users share. Wiped from memory at its end.
class Key {
  public:
    static constexpr std::size_t size = 32;

    /// From a file that only this user can read: 64 hexadecimal digits.
    static base::Result<std::shared_ptr<const Key>> load(const std::string& file);
    ~Key();
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;

    [[nodiscard]] const std::array<unsigned char, size>& bytes() const { return bytes_; }

  private:
    Key() = default;
    std::array<unsigned char, size> bytes_{};
};

/// Both ends of a connection, by the kernel's word.
struct Parties {
    os::PeerCredentials caller;  // who connected
    os::PeerCredentials listener;
};

using Nonce = std::array<unsigned char, 32>;
Nonce fresh_nonce();

enum class Role { caller, listener };

/// The answer of the party in that role, as text.
std::string proof_of(const Key& key, Role role, const Parties& parties, const Nonce& callers, const Nonce& listeners);

std::string to_hex(const Nonce& nonce);
base::Result<Nonce> nonce_from_hex(const std::string& text);
/// Takes the same time whatever differs.
bool same_proof(const std::string& expected, const std::string& given);

/// The listener's side: lets nothing in until the caller has proved that it has the key.
class Gate {
  public:
    /// An open one, for peers of the same user.
    Gate() : open_(true) {}
    Gate(std::shared_ptr<const Key> key, const Parties& parties);

    [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_acquire); }
    /// The caller's side opens its own, once the listener has proved itself.
    void open() { open_.store(true, std::memory_order_release); }

    /// What to answer to a message that came before the gate was open; opens it when that was the proof. The failure
    /// is for the log; the caller is told no more than that it was refused.
    base::Result<Attributes> answer(const Attributes& message);

  private:
    std::shared_ptr<const Key> key_;
    Parties parties_{};
    Nonce own_{};
    std::string expected_;  // the caller's proof, once it has sent its nonce
    std::atomic<bool> open_{false};
};

}  // namespace staithe::transport
