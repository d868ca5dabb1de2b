// Which files of a folder make which steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace staithe::stream::npy {

struct StepFiles {
    std::int64_t number = 0;
    std::map<std::string, std::filesystem::path> files;  // by variable
};

/// By their numbers, which end the names of files or of folders: `pressure_0007.npy`, `0007.npy` (the variable is
/// `data` then), `0007/pressure.npy`. Files of another kind, folders without .npy files and hidden names are passed by.
/// `not_found` if there is no step, `invalid_argument` where names are in doubt.
base::Result<std::vector<StepFiles>> find_steps(const std::string& folder);

}  // namespace staithe::stream::npy
