// The roster: which programs `staithe run` has launched to open which streams, and whether they live.
//
// `<run directory>/programs.json`. Without it nobody knows who is still to come.
#pragma once

#include <string>
#include <vector>

namespace staithe::stream {

enum class Side { writes, reads };

struct ProgramToCome {
    std::string name;
    bool lives = false;  // or is about to be started
};

/// Those that are to open the stream; none without a roster.
[[nodiscard]] std::vector<ProgramToCome> programs_to_come(const std::string& run_directory, const std::string& stream,
                                                          Side side);

}  // namespace staithe::stream
