// Where the programs lie that tests start: beside the test's own. Their paths are no definitions of the compiler, so
// that what one checkout has compiled is another's as well.
#pragma once

#include <filesystem>
#include <string>

namespace staithe::testing {

inline std::string beside(const std::string& program) {
    return std::filesystem::read_symlink("/proc/self/exe").replace_filename(program);
}

}  // namespace staithe::testing
