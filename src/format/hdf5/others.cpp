#include "format/hdf5/others.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/fields.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/attributes.hpp"
#include "format/hdf5/datatypes.hpp"
#include "format/hdf5/symbol_tables.hpp"
#include "format/hdf5/texts.hpp"
#include "format/steps_of_others.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// Attributes by which netCDF has dimensions: what they say is among the names of dimensions then.
constexpr std::array own_attributes{"_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties"};
constexpr const char* references_attribute = "DIMENSION_LIST";
/// Of an array that is there for its length alone.
constexpr std::string_view no_array = "This is a netCDF dimension but not a netCDF variable";
/// Of a dimension that has no name, and no limit.
constexpr const char* unnamed = "";
/// Of all arrays, which are in memory at once.
constexpr std::uint64_t most_bytes_of_headers = std::uint64_t{1} << 30;

struct FoundArray {
    std::string path;
    Address address = nowhere;
    std::vector<Message> messages;
    Attributes attributes;
    Dataspace space{};
    List dimensions{};
};

FoundArray found_array(std::string path, Address address, std::vector<Message> messages, Attributes attributes) {
    FoundArray array{std::move(path), address, std::move(messages), std::move(attributes)};
    if (const Message* const space = find_message(array.messages, MessageKind::dataspace)) {
        array.space = dataspace_in(space->content).value_or(Dataspace());  // what cannot be is told when it is decoded
    }
    return array;
}

class LoadingOthers {
  public:
    LoadingOthers(const Image& image, const std::string& path, Store& store)
        : image_(image),
          path_(path),
          texts_(image),
          store_(store),
          left_(std::min(image.end(), most_bytes_of_headers)) {}

    base::Result<> load(std::span<const Message> root) {
        auto attributes = read_attributes(texts_, root);
        auto found = attributes ? find_arrays(root, "", 0) : base::Result<>(fail(attributes));
        if (!found) {
            return found;
        }
        store_.is_own = false;
        store_.attributes = without_own(*std::move(attributes));
        std::ranges::sort(arrays_, {}, &FoundArray::path);
        for (FoundArray& array : arrays_) {
            name_dimensions(array);
        }
        std::erase_if(arrays_, [](const FoundArray& each) {
            return base::text_field(each.attributes, "NAME").value_or("").starts_with(no_array);
        });
        return take_all();
    }

  private:
    static Attributes without_own(Attributes attributes) {
        for (const char* const name : own_attributes) {
            attributes.erase(name);
        }
        return attributes;
    }

    /// Of a group, whose path ends with a slash. What has been found already is not looked at again.
    base::Result<> find_arrays(std::span<const Message> group, const std::string& path, int depth) {
        const auto links = links_of(image_, group, left_);
        if (!links || depth > most_groups) {
            return links ? fail(ErrorCode::protocol, "its groups have no end") : base::Result<>(fail(links));
        }
        for (const auto& [name, object] : *links) {
            if (!seen_.insert(object).second) {
                continue;
            }
            if (!base::is_utf8(name)) {
                base::log(LogLevel::warn, "a file is read without '{}': its name is no UTF-8",
                          base::printable(path + name));
                continue;
            }
            if (auto checked = check_name_of_others(path + name); !checked) {
                return checked;
            }
            auto messages = read_header(image_, object, left_);
            if (!messages) {
                return fail(ErrorCode::protocol, "'{}': {}", base::printable(path + name), messages.error().message);
            }
            if (is_group(*messages)) {
                if (auto found = find_arrays(*messages, path + name + "/", depth + 1); !found) {
                    return found;
                }
                continue;
            }
            if (find_message(*messages, MessageKind::layout) == nullptr) {
                continue;  // a type that has a name
            }
            auto attributes = read_attributes(texts_, *messages);
            if (!attributes) {
                return fail(ErrorCode::protocol, "'{}': {}", base::printable(path + name), attributes.error().message);
            }
            names_.emplace(object, name);
            arrays_.push_back(found_array(path + name, object, *std::move(messages), *std::move(attributes)));
        }
        return {};
    }

    /// The scale of each dimension, which is the first that it has, says its name.
    [[nodiscard]] List names_by_references(const FoundArray& array) {
        List names;
        for (const Message& message : array.messages) {
            const auto raw = message.kind == MessageKind::attribute ? raw_attribute(message)
                                                                    : base::Result<std::optional<RawAttribute>>({});
            if (!raw || !*raw || (*raw)->name != references_attribute || (*raw)->shape.size() != 1) {
                continue;
            }
            base::ByteReader in((*raw)->elements);
            for (std::uint64_t i = 0; i < (*raw)->shape.front() && in.left() >= bytes_of_reference; ++i) {
                const auto list = texts_.read_list(in, sizeof(Address));
                const std::string scales = list ? *list : std::string();
                base::ByteReader first(std::as_bytes(std::span(scales)));
                const auto found = names_.find(first.number<Address>());
                names.push_back(first.ok() && found != names_.end() ? Value(found->second) : Value());
            }
        }
        return names;
    }

    void name_dimensions(FoundArray& array) {
        const std::size_t dimensions = array.space.shape.size();
        const List* const labels = base::list_field(array.attributes, labels_attribute);
        array.dimensions = names_by_references(array);
        if (array.dimensions.size() != dimensions && labels != nullptr) {
            array.dimensions = *labels;
        }
        const bool is_scale = base::text_field(array.attributes, "CLASS").value_or("") == "DIMENSION_SCALE";
        if (array.dimensions.size() != dimensions && is_scale && dimensions == 1) {
            array.dimensions = {Value(names_.at(array.address))};
        }
        if (array.dimensions.size() != dimensions) {
            array.dimensions.assign(dimensions, Value());
        }
        const bool is_unnamed = dimensions > 0 && array.dimensions.front().as_string() == nullptr;
        if (is_unnamed && array.space.grows()) {
            array.dimensions.front() = Value(unnamed);
        }
    }

    [[nodiscard]] static SeenArray seen(const FoundArray& array) {
        return {.name = array.path,
                .dimensions = array.dimensions,
                .unit = base::text_field(array.attributes, units_attribute).value_or(""),
                .length = array.space.shape.empty() ? 0 : static_cast<std::int64_t>(array.space.shape.front()),
                .grows = array.space.grows()};
    }

    /// nullptr: it is none of those that others have and Staithe has not.
    [[nodiscard]] static const char* why_left_out(const FoundArray& array, bool is_along) {
        const Message* const type = find_message(array.messages, MessageKind::datatype);
        if (type != nullptr && !element_type_in(type->content)) {
            return "Staithe has no dtype for its elements";
        }
        const Message* const space = find_message(array.messages, MessageKind::dataspace);
        const std::size_t most = max_dimensions + (is_along ? 1 : 0);
        return array.space.shape.size() > most || (space != nullptr && is_of_no_array(space->content))
                   ? "it has no shape, or more dimensions than Staithe's arrays"
                   : nullptr;
    }

    base::Result<> take_all() {
        std::vector<SeenArray> all;
        std::ranges::transform(arrays_, std::back_inserter(all), seen);
        const auto steps_are = dimension_of_steps(all);
        std::int64_t steps = arrays_.empty() ? 0 : 1;
        for (FoundArray& array : arrays_) {
            const bool is_along = lies_along(array.dimensions, steps_are);
            if (const char* const why = why_left_out(array, is_along)) {
                base::log(LogLevel::warn, "'{}' is read without the array '{}': {}", base::printable(path_),
                          base::printable(array.path), why);
                continue;
            }
            array.attributes[labels_attribute] = array.dimensions;
            auto dataset = decode(array.path, array.messages, without_own(std::move(array.attributes)), is_along);
            if (!dataset) {
                return fail(std::move(dataset));
            }
            steps = is_along ? *dataset->steps : steps;
            (is_along ? store_.arrays : store_.still).push_back(*std::move(dataset));
        }
        store_.numbers = numbered_from_zero(steps);
        return {};
    }

    const Image& image_;
    const std::string& path_;
    TextReader texts_;
    Store& store_;
    std::uint64_t left_;  // for headers
    std::set<Address> seen_;
    std::map<Address, std::string> names_;
    std::vector<FoundArray> arrays_;
};

}  // namespace

base::Result<> load_others(const Image& image, std::span<const Message> root, const std::string& path, Store& store) {
    return LoadingOthers(image, path, store).load(root);
}

}  // namespace staithe::format::hdf5
