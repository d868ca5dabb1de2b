// Holds blocks that a test reads by RDMA: fabric_owner PROVIDER VERSION SOCKET POOL0 POOL1, descriptors that it
// inherits. Ends with the socket.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fabric/owner_messages.hpp"
#include "os/shared_memory.hpp"
#include "support/sanitizers.hpp"  // what is no leak of ours

using namespace staithe;

int main(int argc, char** argv) {
    if (argc != 6) {
        return 2;
    }
    const int socket = std::atoi(argv[3]);
    transport::fabric::ExposedPools::Files files;
    for (std::uint32_t store = 0; store < 2; ++store) {
        files.emplace(store, os::FileDescriptor(std::atoi(argv[4 + store])));
    }
    testing::OwnerIsAt here;
    const auto pools = transport::fabric::ExposedPools::open({argv[1], argv[2]}, "127.0.0.1", files);
    if (pools) {
        const std::string& address = (*pools)->address();
        std::copy_n(address.begin(), std::min(address.size(), here.address.size()), here.address.begin());
        here.address_bytes = address.size();
        here.greeting = (*pools)->greeting();
        here.greeting_number = (*pools)->greeting_number();
    } else {
        std::fprintf(stderr, "fabric_owner: %s\n", pools.error().message.c_str());
    }
    if (::write(socket, &here, sizeof(here)) != sizeof(here) || !pools) {
        return 1;
    }
    for (testing::PlaceAsked asked; ::read(socket, &asked, sizeof(asked)) == sizeof(asked);) {
        const auto place = (*pools)->place_of(asked.store, asked.offset, asked.bytes);
        const testing::PlaceAnswered answer{place ? 0 : 1, place.value_or(transport::fabric::Place{})};
        if (::write(socket, &answer, sizeof(answer)) != sizeof(answer)) {
            return 1;
        }
    }
    return 0;
}
