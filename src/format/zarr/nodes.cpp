#include "format/zarr/nodes.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/conventions.hpp"
#include "format/zarr/metadata.hpp"
#include "format/zarr/version_2.hpp"
#include "os/files.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

/// Arrays and groups, each in files of its own; more than programs write.
constexpr std::size_t most_nodes = std::size_t{1} << 16;

/// Nothing if there is no such file.
base::Result<std::optional<Attributes>> read_map(const std::string& path) {
    if (os::is_absent(path)) {  // nor where what should be its folder is a file
        return std::nullopt;
    }
    const auto text = os::read_file(path, most_metadata);
    if (!text) {
        return fail(text);
    }
    auto value = base::from_json_of_others(*text);
    const Attributes* const map = value ? value->as_map() : nullptr;
    if (map == nullptr) {
        return fail(ErrorCode::protocol, "'{}' is no metadata of Zarr: {}", base::printable(path),
                    value ? "it is no object of JSON" : value.error().message);
    }
    return std::optional(*map);
}

/// Of an array or a group in that folder, of either version. Nothing if there is none.
base::Result<std::optional<Attributes>> read_node(const std::string& folder) {
    const auto read = [&](const char* name) { return read_map(folder + "/" + name); };
    auto metadata = read(metadata_name);
    if (!metadata || *metadata) {
        return metadata;
    }
    const auto array = read(array_name_2);
    auto group = array && !*array ? read(group_name_2) : array;
    if (!group || !*group) {
        return group;
    }
    const auto attributes = read(attributes_name_2);
    if (!attributes) {
        return fail(attributes);
    }
    const Attributes said = attributes->value_or(Attributes());
    return std::optional(*array ? array_of_version_3(**array, said) : group_of_version_3(said));
}

tl::unexpected<base::Failure> too_many(const std::string& path) {
    return fail(ErrorCode::protocol, "'{}' has more arrays and groups, or more of them in each other, than can be",
                base::printable(path));
}

/// What it has in its folders.
base::Result<> find_nodes(const std::string& root, const std::string& group, int depth, Nodes& nodes) {
    const auto names = os::read_directory(root + "/" + group);
    if (!names) {
        return fail(names);
    }
    for (const std::string& name : *names) {
        const std::string path = group + name;
        auto metadata = read_node(root + "/" + path);
        if (!metadata) {
            return fail(std::move(metadata));
        }
        if (!*metadata) {
            continue;
        }
        const bool is_end = is_array(**metadata);
        nodes.all.emplace(path, **std::move(metadata));
        if (nodes.all.size() > most_nodes || depth > most_groups) {
            return too_many(root);
        }
        if (auto found = is_end ? base::Result<>() : find_nodes(root, path + "/", depth + 1, nodes); !found) {
            return found;
        }
    }
    return {};
}

/// The file of all metadata of a store of version 2: each under its path.
base::Result<bool> take_consolidated_2(const std::string& path, Nodes& nodes) {
    const auto file = read_map(path + "/" + consolidated_name_2);
    const Attributes* const all = file && *file ? base::map_field(**file, "metadata") : nullptr;
    if (all == nullptr) {
        return file ? base::Result<bool>(false) : fail(file);
    }
    for (const auto& [key, value] : *all) {
        const auto slash = key.rfind('/');
        const Attributes* const array = value.as_map();
        if (slash == std::string::npos || key.substr(slash + 1) != array_name_2 || array == nullptr) {
            continue;
        }
        const std::string node = key.substr(0, slash);
        const Attributes* const attributes = base::map_field(*all, node + "/" + attributes_name_2);
        nodes.all.emplace(node, array_of_version_3(*array, attributes == nullptr ? Attributes() : *attributes));
        if (nodes.all.size() > most_nodes) {
            return too_many(path);
        }
    }
    return true;
}

base::Result<> take_consolidated(const std::string& path, const Attributes& consolidated, Nodes& nodes) {
    for (const auto& [name, node] : consolidated) {
        if (node.as_map() == nullptr) {
            return fail(ErrorCode::protocol, "'{}' cannot be read: the metadata of '{}' are garbled",
                        base::printable(path), base::printable(name));
        }
        nodes.all.emplace(name, *node.as_map());
    }
    return {};
}

/// What the array is called that a store is: as its folder.
std::string name_of(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.find('.'));
}

}  // namespace

base::Result<Nodes> read_nodes(const std::string& path) {
    auto root = read_node(path);
    if (!root) {
        return fail(std::move(root));
    }
    if (!*root) {
        return fail(ErrorCode::not_found, "there is no recording '{}': no file '{}' in a folder of that name",
                    base::printable(path), metadata_name);
    }
    Attributes& metadata = **root;
    if (!find(metadata, "zarr_format") || find(metadata, "zarr_format")->as_int() != 3) {
        return fail(ErrorCode::protocol, "'{}' is no Zarr store of version 2 or 3", base::printable(path));
    }
    Nodes nodes;
    if (is_array(metadata)) {
        nodes.is_array = true;
        nodes.all.emplace(name_of(path), std::move(metadata));
        return nodes;
    }
    if (const Attributes* const attributes = base::map_field(metadata, "attributes")) {
        nodes.attributes = *attributes;
    }
    const Attributes* const consolidated = base::map_field(metadata, "consolidated_metadata");
    const Attributes* const known = consolidated == nullptr ? nullptr : base::map_field(*consolidated, "metadata");
    const auto are_taken = known != nullptr ? take_consolidated(path, *known, nodes).map([] { return true; })
                                            : take_consolidated_2(path, nodes);
    auto taken = are_taken && !*are_taken ? find_nodes(path, "", 0, nodes)
                 : are_taken              ? base::Result<>()
                                          : fail(are_taken);
    return taken ? base::Result<Nodes>(std::move(nodes)) : fail(std::move(taken));
}

}  // namespace staithe::format::zarr
