// Turns an MPI communicator into a group, for C. Header-only: the library itself is built without MPI, so that one
// package works with every MPI.
#ifndef STAITHE_MPI_H
#define STAITHE_MPI_H

#include <mpi.h>
#include <stdio.h>

#include <staithe/staithe.h>

/// Fills the group for this rank. Collective over the communicator, and waits for its rank 0. Where the ranks are on
/// several hosts, they are told how to find rank 0, which listens for them from then on. Returns what MPI does, or
/// MPI_ERR_OTHER if the ranks have different versions of Staithe.
static inline int staithe_group_from_mpi(MPI_Comm communicator, staithe_group* group) {
    int rank = 0;
    int size = 1;
    int elsewhere = 0;
    int error = MPI_Comm_rank(communicator, &rank);
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_size(communicator, &size);
    }
    // Rank 0's stamp tells this group apart from another of the same program and size.
    long long shared[2] = {(long long)staithe_group_stamp(), (long long)staithe_host_number()};
    if (error == MPI_SUCCESS) {
        error = MPI_Bcast(shared, 2, MPI_LONG_LONG, 0, communicator);
    }
    if (error == MPI_SUCCESS) {
        elsewhere = shared[1] != (long long)staithe_host_number();
        error = MPI_Allreduce(MPI_IN_PLACE, &elsewhere, 1, MPI_INT, MPI_MAX, communicator);
    }
    if (error == MPI_SUCCESS && elsewhere) {
        char contact[STAITHE_GROUP_CONTACT_SIZE] = "";
        if (rank == 0) {
            staithe_group_make_contact(contact);
        }
        error = MPI_Bcast(contact, STAITHE_GROUP_CONTACT_SIZE, MPI_CHAR, 0, communicator);
        if (error == MPI_SUCCESS && rank != 0 && staithe_group_take_contact(contact) != STAITHE_OK) {
            error = MPI_ERR_OTHER;
        }
    }
    group->rank = rank;
    group->size = size;
    snprintf(group->id, sizeof group->id, "%lld", shared[0]);
    return error;
}

#endif
