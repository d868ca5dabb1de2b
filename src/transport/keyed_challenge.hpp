// How two processes prove to each other that they were given the same key, without showing it.
//
// Each side sends a number that nobody has used before (a nonce), and answers the other's with a keyed hash of both
// numbers, of its own role, and of who the two processes are: by the kernel's word where they share one, by their own
// where they do not. So an answer can be neither used again nor sent back to its author, and is of no use to another
// pair. What both know then, and nobody else, is a session. docs/formats/stream_protocol.md has the bytes.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "os/socket.hpp"
#include "transport/key.hpp"
#include "transport/session.hpp"

namespace staithe::transport {

/// Both ends of a connection.
struct Parties {
    std::string caller;  // who connected
    std::string listener;
};
/// By the kernel's word.
std::string party(const os::PeerCredentials& process);

using Nonce = std::array<unsigned char, 32>;
Nonce fresh_nonce();

/// The answer of the party in that role, as text; with the token of what the connection is for, if it has one.
std::string proof_of(const Key& key, Role role, const Parties& parties, const Nonce& callers, const Nonce& listeners,
                     std::string_view token = {});
/// What the two have in common after the proofs.
Session session_of(const Key& key, const Parties& parties, const Nonce& callers, const Nonce& listeners);

std::string to_hex(const Nonce& nonce);
base::Result<Nonce> nonce_from_hex(const std::string& text);
/// Takes the same time whatever differs.
bool same_proof(const std::string& expected, const std::string& given);

/// The listener's side: lets nothing in until the caller has proved that it has the key.
class Gate {
  public:
    /// A `caller` that is empty says itself who it is, and is told who the listener is.
    Gate(std::shared_ptr<const Key> key, Parties parties);

    [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_acquire); }
    /// Whether the caller has said so much as a challenge.
    [[nodiscard]] bool is_challenged() const { return challenged_.load(std::memory_order_acquire); }

    /// What to answer to a message that came before the gate was open; opens it when that was the proof. The failure
    /// is for the log; the caller is told no more than that it was refused.
    /// Of what the connection is for, the token: the caller proves that it has that as well.
    base::Result<Attributes> answer(const Attributes& message, std::string_view token = {});
    /// Once somebody has proved the key.
    [[nodiscard]] const std::optional<Session>& session() const { return session_; }
    [[nodiscard]] const std::string& caller() const { return parties_.caller; }

  private:
    base::Result<Attributes> answer_challenge(const Attributes& message);

    std::shared_ptr<const Key> key_;
    Parties parties_;
    Nonce own_{};
    std::optional<Nonce> callers_;
    std::optional<Session> session_;
    std::atomic<bool> challenged_{false};
    std::atomic<bool> open_{false};
};

/// What a connection is for that is no link (Endpoint::take_connections).
struct Purpose {
    std::string name;
    std::string token;  // which the two processes of a link alone know
};

/// The caller's side. The listener proves itself first: what is at the other end may be anyone's.
class Visitor {
  public:
    /// A `listener` that is empty says itself who it is, and is told who the caller is.
    Visitor(std::shared_ptr<const Key> key, Parties parties, Purpose purpose = {});

    /// What it says first.
    [[nodiscard]] Attributes challenge() const;
    /// What it says then, if the listener's answer proves that that has the key.
    base::Result<Attributes> answer(const Attributes& message);
    /// Once it has answered.
    [[nodiscard]] const std::optional<Session>& session() const { return session_; }
    [[nodiscard]] const std::string& listener() const { return parties_.listener; }

  private:
    std::shared_ptr<const Key> key_;
    Parties parties_;
    Purpose purpose_;
    bool by_own_word_;
    Nonce own_;
    std::optional<Session> session_;
};

}  // namespace staithe::transport
