// Turns an MPI communicator into a group. Header-only: the library itself is built without MPI, so that one package
// works with every MPI.
//
// Collective over the communicator. Errors of MPI are handled by the communicator's error handler.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <string>

#include <staithe/group.hpp>

namespace staithe {

/// The group of this rank.
inline Group group(MPI_Comm communicator) {
    Group group;
    MPI_Comm_rank(communicator, &group.rank);
    MPI_Comm_size(communicator, &group.size);
    // Rank 0's clock tells this group apart from another of the same program and size.
    auto stamp = std::chrono::system_clock::now().time_since_epoch().count();
    std::array<long long, 1> shared{static_cast<long long>(stamp)};
    MPI_Bcast(shared.data(), 1, MPI_LONG_LONG, 0, communicator);
    group.id = std::to_string(shared[0]);
    return group;
}

}  // namespace staithe
