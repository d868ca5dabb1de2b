// Containers of a space: what names of variables have before a `/`, as folders of files, with attributes of their own.
//
// A container is there as long as a variable lies in it, or as it has attributes. So have variables, whatever their
// versions say. The empty path is the space itself. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/value.hpp>

namespace staithe::store::space {

class Containers {
  public:
    /// What is null is taken away.
    void set_attributes(const std::string& path, const Attributes& attributes);
    [[nodiscard]] Attributes attributes_of(const std::string& path) const;
    /// Takes away all attributes of the container, and of whatever lies in it: of these paths.
    std::vector<std::string> remove(const std::string& path);
    [[nodiscard]] bool is_empty() const { return attributes_.empty(); }
    /// By path.
    [[nodiscard]] const std::map<std::string, Attributes>& all() const { return attributes_; }
    /// In place of all that it had.
    void replace_attributes(const std::string& path, const Attributes& attributes) {
        attributes_.erase(path);
        set_attributes(path, attributes);
    }

    /// What the names of all that lies in a container begin with; of the space itself, that is nothing.
    [[nodiscard]] static std::string beginning_of_all_in(const std::string& path) {
        return path.empty() ? path : path + '/';
    }
    /// All containers that fit the pattern, sorted: those of the variables, whose names are sorted, and those that have
    /// attributes and are no variables.
    [[nodiscard]] std::vector<std::string> list(const std::vector<std::string>& variables,
                                                std::string_view pattern) const;

  private:
    std::map<std::string, Attributes> attributes_;  // by path; none is empty
};

}  // namespace staithe::store::space
