// What somebody waits for in a stream, and who must act before it can go on. Its director knows.
#pragma once

#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "transport/link.hpp"

namespace staithe::stream {

struct Awaited {
    enum class Absent { nobody, readers, writers };

    std::string reason;               // "writer rank 1, lammps (pid 7 on node3), has not ended step 5"
    std::vector<transport::Peer> on;  // processes that must act, all of them
    /// Who has yet to open the stream, and how many of them: reader groups, or ranks. Those that have are in `present`,
    /// by the names of their programs.
    Absent absent = Absent::nobody;
    int absent_count = 0;
    std::vector<std::string> present{};
};

Attributes encode(const Awaited& awaited);
base::Result<Awaited> decode_awaited(const Attributes& body);

}  // namespace staithe::stream
