#include "os/machine_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "os/files.hpp"

namespace staithe::os {
namespace {

/// The number that the file holds; nothing where there is none, such as "max".
std::optional<std::int64_t> limit_in(const std::string& path) {
    constexpr std::size_t longest = 64;
    const std::string text = read_file(path, longest).value_or("");
    std::int64_t limit = 0;
    const bool is_limit = std::from_chars(text.data(), text.data() + text.size(), limit).ec == std::errc();
    return is_limit ? std::optional(limit) : std::nullopt;
}

/// The group as it is found below `top`: where a container sees its own groups at the top, without the first names.
std::string_view found_below(const std::string& top, std::string_view group) {
    std::error_code ignored;
    while (!group.empty() && !std::filesystem::is_directory(top + std::string(group), ignored)) {
        group = group.substr(std::min(group.find('/', 1), group.size()));
    }
    return group;
}

/// A group is limited by those that it lies in, too.
void take_limits(MachineMemory& memory, const std::string& top, std::string_view group, const char* file) {
    group = group.starts_with('/') ? found_below(top, group) : "";
    for (;; group = group.substr(0, group.find_last_of('/'))) {
        const std::string directory = top + std::string(group);
        if (const auto limit = limit_in(directory + "/" + file); limit && *limit < memory.bytes) {
            memory = {*limit, directory};
        }
        if (group.empty()) {
            return;
        }
    }
}

/// Whether `name` is among the names in a list with commas.
bool has_name(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const auto comma = list.find(',');
        if (list.substr(0, comma) == name) {
            return true;
        }
        list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
    }
    return false;
}

}  // namespace

MachineMemory machine_memory(const std::string& own_groups, const std::string& groups) {
    MachineMemory memory{static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE),
                         "this machine"};
    std::ifstream file(own_groups);
    for (std::string line; std::getline(file, line);) {  // number:controllers:/group
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
        const auto group = std::string_view(line).substr(second + 1);
        if (controllers.empty()) {
            take_limits(memory, groups, group, "memory.max");
        } else if (has_name(controllers, "memory")) {
            take_limits(memory, groups + "/memory", group, "memory.limit_in_bytes");
        }
    }
    return memory;
}

}  // namespace staithe::os
