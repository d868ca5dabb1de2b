// Turns an MPI communicator into a group, for C. Header-only: the library itself is built without MPI, so that one
// package works with every MPI.
#ifndef STAITHE_MPI_H
#define STAITHE_MPI_H

#include <mpi.h>
#include <stdio.h>

#include <staithe/staithe.h>

/// Fills the group for this rank. Collective over the communicator, and waits for its rank 0; returns what MPI does.
static inline int staithe_group_from_mpi(MPI_Comm communicator, staithe_group* group) {
    int rank = 0;
    int size = 1;
    int error = MPI_Comm_rank(communicator, &rank);
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_size(communicator, &size);
    }
    // Rank 0's stamp tells this group apart from another of the same program and size.
    long long stamp = rank == 0 ? (long long)staithe_group_stamp() : 0;
    if (error == MPI_SUCCESS) {
        error = MPI_Bcast(&stamp, 1, MPI_LONG_LONG, 0, communicator);
    }
    group->rank = rank;
    group->size = size;
    snprintf(group->id, sizeof group->id, "%lld", stamp);
    return error;
}

#endif
