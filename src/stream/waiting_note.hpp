// Waiting notes: who waits for a stream that nobody has opened.
//
// Such a process is in no director's books yet. `<run directory>/<stream>.<pid>.<n>.waiting` tells `staithe doctor` of
// it; nothing else depends on it. What a killed process left is removed by the next writer of any stream
// (`contact.cpp`).
#pragma once

#include <string>

#include "base/deadline.hpp"
#include "transport/link.hpp"

namespace staithe::stream {

/// The file is there while this lives; no matter if it cannot be.
class WaitingNote {
  public:
    WaitingNote(const std::string& run_directory, const std::string& stream, const transport::Peer& self,
                base::Clock::time_point since);
    ~WaitingNote();
    WaitingNote(const WaitingNote&) = delete;
    WaitingNote& operator=(const WaitingNote&) = delete;

  private:
    std::string path_;
};

}  // namespace staithe::stream
