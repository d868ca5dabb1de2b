#include "stream/reading/npy/step_files.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace staithe::stream::npy {
namespace {

namespace fs = std::filesystem;
using base::fail;

constexpr const char* unnamed = "data";

/// A name and the number at its end.
struct Numbered {
    std::string_view name;
    std::int64_t number = 0;
};

std::optional<Numbered> numbered(std::string_view text) {
    Numbered parts;
    const auto digits = text.substr(text.find_last_not_of("0123456789") + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.number);
    if (error != std::errc()) {
        return std::nullopt;
    }
    parts.name = text.substr(0, text.size() - digits.size());
    parts.name = parts.name.substr(0, parts.name.find_last_not_of("_-. ") + 1);
    return parts;
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }
bool is_array(const fs::path& path) { return path.extension() == ".npy" && !is_hidden(path); }

/// Sorted, so that the same folder gives the same message.
base::Result<std::set<fs::path>> entries_of(const fs::path& folder) {
    std::set<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        entries.insert(entry->path());
    }
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
        return fail(ErrorCode::not_found, "there is no folder '{}' to read steps from", folder.string());
    }
    return error ? fail(ErrorCode::system, "cannot list the folder '{}': {}", folder.string(), error.message())
                 : base::Result<std::set<fs::path>>(std::move(entries));
}

using Steps = std::map<std::int64_t, StepFiles>;

base::Result<> add(Steps& steps, std::int64_t number, const std::string& variable, const fs::path& path) {
    StepFiles& step = steps[number];
    step.number = number;
    const auto [at, fresh] = step.files.emplace(variable, path);
    return fresh ? base::Result<>()
                 : fail(ErrorCode::invalid_argument, "'{}' and '{}' are both '{}' in step {}: remove one of them",
                        at->second.string(), path.string(), variable, number);
}

base::Result<> add_entry(Steps& steps, const fs::path& path) {
    std::error_code ignored;
    if (is_array(path)) {
        const std::string stem = path.stem().string();
        const auto parts = numbered(stem);
        return parts ? add(steps, parts->number, parts->name.empty() ? unnamed : std::string(parts->name), path)
                     : fail(ErrorCode::invalid_argument,
                            "which step is '{}'? Its name is to end in a number, as in '{}_0007.npy'", path.string(),
                            stem);
    }
    const std::string name = path.filename().string();
    const auto parts = numbered(name);
    if (!parts || is_hidden(path) || !fs::is_directory(path, ignored)) {
        return {};
    }
    const auto files = entries_of(path);
    if (!files) {
        return fail(files);
    }
    for (const fs::path& file : *files) {
        if (auto added = is_array(file) ? add(steps, parts->number, file.stem().string(), file) : base::Result<>();
            !added) {
            return added;
        }
    }
    return {};
}

}  // namespace

base::Result<std::vector<StepFiles>> find_steps(const std::string& folder) {
    const auto entries = entries_of(folder);
    if (!entries) {
        return fail(entries);
    }
    Steps steps;
    for (const fs::path& path : *entries) {
        if (auto added = add_entry(steps, path); !added) {
            return fail(added);
        }
    }
    if (steps.empty()) {
        return fail(ErrorCode::not_found,
                    "there are no steps in the folder '{}': no files such as 'pressure_0007.npy' or "
                    "'0007/pressure.npy'",
                    folder);
    }
    std::vector<StepFiles> found;
    for (auto& [number, step] : steps) {
        found.push_back(std::move(step));
    }
    return found;
}

}  // namespace staithe::stream::npy
