#include "transport/secret.hpp"

#include <sodium.h>

namespace staithe::transport {

Secret::~Secret() { sodium_memzero(bytes_.data(), bytes_.size()); }

base::Result<> start_cryptography() {
    static const bool started = sodium_init() >= 0;
    if (!started) {
        return base::fail(ErrorCode::system, "libsodium cannot be used here: the system gives no random numbers");
    }
    return {};
}

std::string hex_of(std::span<const unsigned char> bytes) {
    std::string text(2 * bytes.size() + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
    text.pop_back();  // the terminating zero
    return text;
}

bool from_hex(std::string_view text, std::span<unsigned char> bytes) {
    std::size_t length = 0;
    return text.size() == 2 * bytes.size() &&
           sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &length, nullptr) == 0 &&
           length == bytes.size();
}

}  // namespace staithe::transport
