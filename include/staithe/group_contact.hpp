// How the ranks of a group on several hosts find its rank 0, without a directory that the hosts share and without
// settings. For whoever makes groups of what starts processes, as mpi.hpp does; others need none of it.
//
// Rank 0 makes a contact and passes it to all others, before any of them opens a stream. It holds a key: pass it by
// ways that nobody else can read. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include <staithe/export.hpp>

namespace staithe {

/// Differs between hosts, and is the same in all processes of one.
[[nodiscard]] STAITHE_API std::int64_t host_number();

/// Of this process, which is rank 0 of a group: it listens for the others from now on until it ends, where
/// STAITHE_LISTEN says, else at a port that is free. Empty, which the others take as well, if that is "off", or if it
/// cannot listen: a warning says why.
[[nodiscard]] STAITHE_API std::string make_group_contact();

/// In every other rank: what `make_group_contact` gave in rank 0. From now on this process finds there what rank 0 has
/// or knows of. ProtocolError if the ranks have different versions of Staithe.
STAITHE_API void take_group_contact(const std::string& contact);

}  // namespace staithe
