// A group: the ranks that together write or read a stream, or the servers that keep spaces together.
//
// MPI is one way to get one (see mpi.hpp); a rank and a size are enough. Value type.
#pragma once

#include <string>

namespace staithe {

/// One rank of those that belong together.
struct Group {
    int rank = 0;
    int size = 1;
    /// Tells apart two groups of one program that open the same stream at the same time. Ranks of one group
    /// give the same text; empty is fine unless such twins exist.
    std::string id{};
};

}  // namespace staithe
