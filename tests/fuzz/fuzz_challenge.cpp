// The gate that strangers stand before: whatever they send, it opens for nobody without the key.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "transport/keyed_challenge.hpp"

using namespace staithe;

namespace {

std::shared_ptr<const transport::Key> some_key() {
    std::string path = (std::filesystem::temp_directory_path() / "staithe-key-XXXXXX").string();
    const int file = ::mkstemp(path.data());
    fuzz::require(file >= 0, "there is room for a key");
    std::ofstream(path) << std::string(64, '5');
    auto key = transport::Key::load(path).value();
    std::filesystem::remove(path);
    return key;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto key = some_key();
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    transport::Gate gate(key, {{10, 1000}, {20, 2000}});
    while (!input.empty()) {
        const auto message = base::from_cbor(fuzz::take_part(input));
        if (const Attributes* map = message ? message->as_map() : nullptr) {
            static_cast<void>(gate.answer(*map));
            fuzz::require(!gate.is_open(), "nobody guesses a proof");
        }
    }
    return 0;
}
