#include "transport/session.hpp"

#include <sodium.h>

#include "base/bytes.hpp"

namespace staithe::transport {
namespace {

static_assert(Secret::size == crypto_generichash_KEYBYTES);
static_assert(Seal::size >= crypto_generichash_BYTES_MIN);

const unsigned char* bytes_of(std::span<const std::byte> bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

Seal::Bytes Seal::of(std::span<const std::byte> frame) const {
    base::ByteWriter place;
    place.number(frames_);
    crypto_generichash_state state{};
    Bytes seal{};
    crypto_generichash_init(&state, key_->bytes().data(), key_->bytes().size(), seal.size());
    crypto_generichash_update(&state, bytes_of(place.bytes()), place.bytes().size());
    crypto_generichash_update(&state, bytes_of(frame), frame.size());
    crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(seal.data()), seal.size());
    return seal;
}

bool Seal::fits(std::span<const std::byte> frame, std::span<const std::byte> seal) const {
    const Bytes expected = of(frame);
    return seal.size() == size && sodium_memcmp(expected.data(), seal.data(), size) == 0;
}

std::shared_ptr<const Secret> Session::derived(std::string_view domain, std::string_view purpose) const {
    base::ByteWriter message;
    message.sized(domain);
    message.sized(purpose);
    auto key = std::make_shared<Secret>();
    crypto_generichash(key->bytes().data(), Secret::size, bytes_of(message.bytes()), message.bytes().size(),
                       secret_->bytes().data(), Secret::size);
    return key;
}

Seal Session::seal_of(Role sender) const {
    return Seal(derived("staithe 1 frames", sender == Role::caller ? "caller" : "listener"));
}

std::string Session::token(std::string_view purpose) const {
    return hex_of(derived("staithe 1 token", purpose)->bytes());
}

}  // namespace staithe::transport
