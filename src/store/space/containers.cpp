#include "store/space/containers.hpp"

#include <algorithm>
#include <set>

#include "store/space/name_pattern.hpp"

namespace staithe::store::space {

void Containers::set_attributes(const std::string& path, const Attributes& attributes) {
    Attributes& own = attributes_[path];
    for (const auto& [name, value] : attributes) {
        if (value.is_null()) {
            own.erase(name);
        } else {
            own[name] = value;
        }
    }
    if (own.empty()) {
        attributes_.erase(path);
    }
}

Attributes Containers::attributes_of(const std::string& path) const {
    const auto found = attributes_.find(path);
    return found == attributes_.end() ? Attributes{} : found->second;
}

std::vector<std::string> Containers::remove(const std::string& path) {
    std::vector<std::string> removed;
    if (attributes_.erase(path) > 0) {
        removed.push_back(path);
    }
    const std::string beginning = beginning_of_all_in(path);
    for (auto each = attributes_.lower_bound(beginning);
         each != attributes_.end() && each->first.starts_with(beginning);) {
        removed.push_back(each->first);
        each = attributes_.erase(each);
    }
    return removed;
}

std::vector<std::string> Containers::list(const std::vector<std::string>& variables, std::string_view pattern) const {
    std::set<std::string> containers;
    const auto insert_parents = [&](const std::string& path) {
        for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
            containers.insert(path.substr(0, end));
        }
    };
    std::ranges::for_each(variables, insert_parents);
    for (const auto& [path, attributes] : attributes_) {
        insert_parents(path);
        if (!std::ranges::binary_search(variables, path)) {
            containers.insert(path);
        }
    }
    std::erase_if(containers, [&](const std::string& path) { return path.empty() || !fits_pattern(path, pattern); });
    return {containers.begin(), containers.end()};
}

}  // namespace staithe::store::space
