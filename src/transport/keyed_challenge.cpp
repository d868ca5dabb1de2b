#include "transport/keyed_challenge.hpp"

#include <sodium.h>

#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "os/files.hpp"
#include "transport/frame.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t longest_key_file = 4096;
constexpr std::size_t proof_size = crypto_generichash_BYTES;
static_assert(Key::size == crypto_generichash_KEYBYTES);

// Other uses of the same key, and other versions of this one, must come to other proofs.
constexpr std::string_view domain = "staithe 1 challenge";

base::Result<> start_library() {
    static const bool started = sodium_init() >= 0;
    if (!started) {
        return base::fail(ErrorCode::system, "libsodium cannot be used here: the system gives no random numbers");
    }
    return {};
}

template <std::size_t N>
std::string hex_of(const std::array<unsigned char, N>& bytes) {
    std::string text(2 * N + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
    text.pop_back();  // the terminating zero
    return text;
}

template <std::size_t N>
bool from_hex(std::string_view text, std::array<unsigned char, N>& bytes) {
    std::size_t length = 0;
    return text.size() == 2 * N &&
           sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &length, nullptr) == 0 &&
           length == N;
}

}  // namespace

base::Result<std::shared_ptr<const Key>> Key::load(const std::string& file) {
    if (auto started = start_library(); !started) {
        return base::fail(std::move(started));
    }
    auto content = os::read_secret(file, longest_key_file);
    if (!content) {
        return base::fail(content.error().code, "the key of STAITHE_KEY_FILE: {}", content.error().message);
    }
    std::shared_ptr<Key> key(new Key);
    const auto end = content->find_last_not_of(" \n");
    const bool whole = from_hex(std::string_view(*content).substr(0, end + 1), key->bytes_);
    sodium_memzero(content->data(), content->size());
    if (!whole) {
        return base::fail(ErrorCode::invalid_argument,
                          "the key of STAITHE_KEY_FILE: {} does not hold a key, which is {} hexadecimal digits: make "
                          "one with `staithe key`",
                          file, 2 * size);
    }
    return std::shared_ptr<const Key>(std::move(key));
}

Key::~Key() { sodium_memzero(bytes_.data(), bytes_.size()); }

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

std::string proof_of(const Key& key, Role role, const Parties& parties, const Nonce& callers, const Nonce& listeners) {
    base::ByteWriter message;
    message.sized(domain);
    message.sized(role == Role::caller ? std::string_view("caller") : std::string_view("listener"));
    for (const os::PeerCredentials& party : {parties.caller, parties.listener}) {
        message.number(static_cast<std::uint32_t>(party.uid));
        message.number(static_cast<std::uint32_t>(party.pid));
    }
    message.sized(std::as_bytes(std::span(callers)));
    message.sized(std::as_bytes(std::span(listeners)));
    std::array<unsigned char, proof_size> proof{};
    const auto bytes = message.bytes();
    crypto_generichash(proof.data(), proof.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                       key.bytes().data(), key.bytes().size());
    return hex_of(proof);
}

bool same_proof(const std::string& expected, const std::string& given) {
    return expected.size() == 2 * proof_size && given.size() == expected.size() &&
           sodium_memcmp(expected.data(), given.data(), expected.size()) == 0;
}

Gate::Gate(std::shared_ptr<const Key> key, const Parties& parties)
    : key_(std::move(key)), parties_(parties), own_(fresh_nonce()) {}

base::Result<Attributes> Gate::answer(const Attributes& message) {
    if (expected_.empty()) {
        const auto callers = nonce_from_hex(text_of(message, "challenge"));
        if (!callers) {
            return base::fail(ErrorCode::protocol, "it sent no challenge first");
        }
        expected_ = proof_of(*key_, Role::caller, parties_, *callers, own_);
        return Attributes{{"challenge", to_hex(own_)},
                          {"proof", proof_of(*key_, Role::listener, parties_, *callers, own_)}};
    }
    if (!same_proof(expected_, text_of(message, "proof"))) {
        return base::fail(ErrorCode::system, "it does not have the key");
    }
    open();
    return Attributes{};
}

}  // namespace staithe::transport
