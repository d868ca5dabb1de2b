// Turns an MPI communicator into a group. Header-only: the library itself is built without MPI, so that one package
// works with every MPI.
//
// Collective over the communicator. Where its ranks are on several hosts, they are told how to find rank 0, which
// listens for them from then on: group_contact.hpp. Errors of MPI are handled by the communicator's error handler.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <staithe/group.hpp>
#include <staithe/group_contact.hpp>

namespace staithe {

/// The group of this rank. ProtocolError if the ranks have different versions of Staithe.
inline Group group(MPI_Comm communicator) {
    Group group;
    MPI_Comm_rank(communicator, &group.rank);
    MPI_Comm_size(communicator, &group.size);
    // Rank 0's clock tells this group apart from another of the same program and size.
    const auto stamp = std::chrono::system_clock::now().time_since_epoch().count();
    const std::int64_t host = host_number();
    std::array<long long, 2> shared{static_cast<long long>(stamp), host};
    MPI_Bcast(shared.data(), 2, MPI_LONG_LONG, 0, communicator);
    group.id = std::to_string(shared[0]);
    int elsewhere = shared[1] == host ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &elsewhere, 1, MPI_INT, MPI_MAX, communicator);
    if (elsewhere != 0) {
        std::string contact = group.rank == 0 ? make_group_contact() : "";
        int size = static_cast<int>(contact.size());
        MPI_Bcast(&size, 1, MPI_INT, 0, communicator);
        contact.resize(static_cast<std::size_t>(size));
        MPI_Bcast(contact.data(), size, MPI_CHAR, 0, communicator);
        if (group.rank != 0) {
            take_group_contact(contact);
        }
    }
    return group;
}

}  // namespace staithe
