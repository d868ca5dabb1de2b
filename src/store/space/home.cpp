#include "store/space/home.hpp"

#include <cstdint>
#include <span>
#include <string>

#include "transform/checksum.hpp"

namespace staithe::store::space {
namespace {

/// All bits of a number depend on all of what it was made of (the finalizer of MurmurHash3).
std::uint64_t mixed(std::uint64_t number) {
    number ^= number >> 33;
    number *= 0xff51afd7ed558ccdULL;
    number ^= number >> 33;
    number *= 0xc4ceb9fe1a85ec53ULL;
    return number ^ (number >> 33);
}

}  // namespace

int home_of(std::string_view space, std::string_view name, int servers) {
    if (servers == 1) {
        return 0;
    }
    std::string both(space);
    both.push_back('\0');  // in no name of a space
    both += name;
    const std::uint64_t key = transform::checksum(std::as_bytes(std::span(both)));
    int home = 0;
    std::uint64_t highest = 0;
    for (int server = 0; server < servers; ++server) {
        const std::uint64_t weight = mixed(key ^ mixed(static_cast<std::uint64_t>(server) + 1));
        if (weight > highest) {
            home = server;
            highest = weight;
        }
    }
    return home;
}

}  // namespace staithe::store::space
