#include "transport/keyed_challenge.hpp"

#include <sodium.h>

#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "transport/frame.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t proof_size = crypto_generichash_BYTES;
static_assert(Key::size == crypto_generichash_KEYBYTES);

// Other uses of the same key, and other versions of this one, must come to other results.
constexpr std::string_view domain_of_proofs = "staithe 1 challenge";
constexpr std::string_view domain_of_sessions = "staithe 1 session";

using Hash = std::array<unsigned char, proof_size>;

void hash_all(std::span<unsigned char> hash, const Key& key, std::string_view domain, std::string_view role,
              const Parties& parties, const Nonce& callers, const Nonce& listeners, std::string_view token = {}) {
    base::ByteWriter message;
    for (const std::string_view text :
         {domain, role, std::string_view(parties.caller), std::string_view(parties.listener)}) {
        message.sized(text);
    }
    message.sized(std::as_bytes(std::span(callers)));
    message.sized(std::as_bytes(std::span(listeners)));
    if (!token.empty()) {
        message.sized(token);
    }
    const auto bytes = message.bytes();
    crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                       key.bytes().data(), key.bytes().size());
}

}  // namespace

std::string party(const os::PeerCredentials& process) {
    return fmt::format("process {} of user {}", process.pid, process.uid);
}

Nonce fresh_nonce() {
    Nonce nonce;
    randombytes_buf(nonce.data(), nonce.size());
    return nonce;
}

std::string to_hex(const Nonce& nonce) { return hex_of(nonce); }

base::Result<Nonce> nonce_from_hex(const std::string& text) {
    Nonce nonce;
    if (!from_hex(text, nonce)) {
        return base::fail(ErrorCode::protocol, "a challenge is garbled");
    }
    return nonce;
}

std::string proof_of(const Key& key, Role role, const Parties& parties, const Nonce& callers, const Nonce& listeners,
                     std::string_view token) {
    Hash proof{};
    hash_all(proof, key, domain_of_proofs, role == Role::caller ? "caller" : "listener", parties, callers, listeners,
             token);
    return hex_of(proof);
}

Session session_of(const Key& key, const Parties& parties, const Nonce& callers, const Nonce& listeners) {
    auto secret = std::make_shared<Secret>();
    hash_all(secret->bytes(), key, domain_of_sessions, "both", parties, callers, listeners);
    return Session(std::move(secret));
}

bool same_proof(const std::string& expected, const std::string& given) {
    return expected.size() == 2 * proof_size && given.size() == expected.size() &&
           sodium_memcmp(expected.data(), given.data(), expected.size()) == 0;
}

Gate::Gate(std::shared_ptr<const Key> key, Parties parties)
    : key_(std::move(key)), parties_(std::move(parties)), own_(fresh_nonce()) {}

base::Result<Attributes> Gate::answer_challenge(const Attributes& message) {
    auto callers = nonce_from_hex(text_of(message, "challenge"));
    if (!callers) {
        return base::fail(ErrorCode::protocol, "it sent no challenge first");
    }
    Attributes answer{{"challenge", to_hex(own_)}};
    if (parties_.caller.empty()) {
        parties_.caller = text_of(message, "process");
        if (parties_.caller.empty()) {
            return base::fail(ErrorCode::protocol, "it does not say who it is");
        }
        answer["process"] = parties_.listener;
    }
    callers_ = *callers;
    session_ = session_of(*key_, parties_, *callers, own_);
    answer["proof"] = proof_of(*key_, Role::listener, parties_, *callers, own_);
    challenged_.store(true, std::memory_order_release);
    return answer;
}

base::Result<Attributes> Gate::answer(const Attributes& message, std::string_view token) {
    if (!callers_) {
        return answer_challenge(message);
    }
    if (!same_proof(proof_of(*key_, Role::caller, parties_, *callers_, own_, token), text_of(message, "proof"))) {
        return base::fail(ErrorCode::system, "it does not have the key{}",
                          token.empty() ? "" : ", or not the token of what its connection is for");
    }
    open_.store(true, std::memory_order_release);
    return Attributes{};
}

Visitor::Visitor(std::shared_ptr<const Key> key, Parties parties, Purpose purpose)
    : key_(std::move(key)),
      parties_(std::move(parties)),
      purpose_(std::move(purpose)),
      by_own_word_(parties_.listener.empty()),
      own_(fresh_nonce()) {}

Attributes Visitor::challenge() const {
    Attributes challenge{{"challenge", to_hex(own_)}};
    if (by_own_word_) {
        challenge["process"] = parties_.caller;
    }
    return challenge;
}

base::Result<Attributes> Visitor::answer(const Attributes& message) {
    if (by_own_word_) {
        parties_.listener = text_of(message, "process");
    }
    const auto listeners = nonce_from_hex(text_of(message, "challenge"));
    if (!listeners ||
        !same_proof(proof_of(*key_, Role::listener, parties_, own_, *listeners), text_of(message, "proof"))) {
        return base::fail(ErrorCode::system, "does not prove that it has the key of {}: is it the same key?",
                          key_->whose());
    }
    session_ = session_of(*key_, parties_, own_, *listeners);
    Attributes proof{{"proof", proof_of(*key_, Role::caller, parties_, own_, *listeners, purpose_.token)}};
    if (!purpose_.name.empty()) {
        proof["purpose"] = purpose_.name;
    }
    return proof;
}

}  // namespace staithe::transport
