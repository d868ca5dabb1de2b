// The gate that strangers stand before, and what a visitor is told: whatever it is, nobody gets in, or is believed,
// without the key.
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
    transport::Gate gate(key, {"a caller", "a listener"});
    transport::Gate gate_of_host(key, {"", "a listener"});
    transport::Visitor visitor(key, {"a caller", ""});
    while (!input.empty()) {
        const auto message = base::from_cbor(fuzz::take_part(input));
        if (const Attributes* map = message ? message->as_map() : nullptr) {
            static_cast<void>(gate.answer(*map));
            static_cast<void>(gate_of_host.answer(*map));
            fuzz::require(!gate.is_open() && !gate_of_host.is_open(), "nobody guesses a proof");
            fuzz::require(!visitor.answer(*map), "nor a listener's");
        }
    }
    return 0;
}
