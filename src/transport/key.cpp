#include "transport/key.hpp"

#include <sodium.h>

#include <string_view>
#include <utility>

#include "base/config.hpp"
#include "base/deadline.hpp"
#include "os/files.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t longest_key_file = 4096;
constexpr base::Seconds longest_lock_for_key{5.0};  // it is held for a few small files

base::Result<> make_key(const std::string& file) {
    if (auto started = start_cryptography(); !started) {
        return started;
    }
    Secret secret;
    randombytes_buf(secret.bytes().data(), Secret::size);
    std::string digits = hex_of(secret.bytes()) + "\n";
    auto written = os::write_atomically(file, digits);
    sodium_memzero(digits.data(), digits.size());
    return written;
}

}  // namespace

base::Result<std::shared_ptr<const Key>> Key::load(const std::string& file, const std::string& whose) {
    if (auto started = start_cryptography(); !started) {
        return base::fail(std::move(started));
    }
    auto content = os::read_secret(file, longest_key_file);
    if (!content) {
        return base::fail(content.error().code, "the key of {}: {}", whose, content.error().message);
    }
    const auto end = content->find_last_not_of(" \n");
    auto key = from_hex(std::string_view(*content).substr(0, end + 1), whose);
    sodium_memzero(content->data(), content->size());
    if (!key) {
        return base::fail(ErrorCode::invalid_argument,
                          "the key of {}: {} does not hold a key, which is {} hexadecimal digits: make one with "
                          "`staithe key`",
                          whose, file, 2 * size);
    }
    return key;
}

std::shared_ptr<const Key> Key::from_hex(std::string_view digits, const std::string& whose) {
    std::shared_ptr<Key> key(new Key);
    key->whose_ = whose;
    return transport::from_hex(digits, key->secret_.bytes()) ? key : nullptr;
}

base::Result<std::shared_ptr<const Key>> Key::of_environment() {
    const auto file = base::key_file();
    return file ? load(*file) : base::Result<std::shared_ptr<const Key>>(nullptr);
}

base::Result<std::shared_ptr<const Key>> Key::of_run_directory(const std::string& directory, IfMissing then) {
    const std::string file = directory + "/key";
    if (!os::is_there(file)) {
        if (then == IfMissing::leave) {
            return nullptr;
        }
        // Of several processes that find none, one makes it.
        const auto locked = os::lock_directory(directory, base::Deadline(longest_lock_for_key));
        auto made = locked && !os::is_there(file) ? make_key(file) : base::Result<>();
        if (!locked || !made) {
            return locked ? base::fail(std::move(made)) : base::fail(locked);
        }
    }
    return load(file, "the run directory");
}

}  // namespace staithe::transport
