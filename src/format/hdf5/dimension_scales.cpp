#include "format/hdf5/dimension_scales.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/attributes.hpp"
#include "format/hdf5/datatypes.hpp"
#include "format/hdf5/objects.hpp"

namespace staithe::format::hdf5 {
namespace {

constexpr std::string_view class_of_scales = "DIMENSION_SCALE";
/// How netCDF knows that there is no variable of that name; it writes the length behind.
constexpr std::string_view no_variable = "This is a netCDF dimension but not a netCDF variable.";

Message encode_text(std::string_view name, const std::string& text) {
    const std::span<const char> with_end(text.c_str(), text.size() + 1);
    return encode_attribute(name, encode_text_type(with_end.size()), {}, std::as_bytes(with_end));
}

Message encode_name(const std::string& name) { return encode_text("NAME", name); }

Address add_scale(std::int64_t length, Tail& tail) {
    const auto elements = static_cast<std::uint64_t>(length);
    std::vector<Message> messages{{MessageKind::dataspace, encode_dataspace({elements}, false)},
                                  {MessageKind::datatype, encode_datatype(Dtype::u8)},
                                  {MessageKind::fill_value, encode_fill_value(false)},
                                  {MessageKind::layout, encode_layout({.bytes = elements}, 1)}};
    for (Message& message : encode_scale(fmt::format("{}{:10}", no_variable, length))) {
        messages.push_back(std::move(message));
    }
    return add_header(messages, tail);
}

/// A name that an object of a group can have, whatever the dimension is called.
std::string name_of_object(const std::string& dimension) {
    std::string name = dimension;
    std::ranges::replace(name, '/', '_');
    const bool is_possible =
        name.size() <= 200 && name.find_first_not_of('.') != std::string::npos && name.find('\0') == std::string::npos;
    return is_possible ? name : "dim";
}

std::string free_name(const Dimension& dimension, const std::set<std::string>& taken) {
    const auto is_free = [&](const std::string& name) { return !taken.contains(name) && !step_of(name); };
    std::string name = name_of_object(dimension.name);
    if (!is_free(name)) {
        name = fmt::format("{}_{}", name, dimension.length);
    }
    while (!is_free(name)) {
        name += '_';
    }
    return name;
}

/// The bytes of a list of one reference.
std::string reference_to(Address address) {
    base::ByteWriter out;
    out.number(address);
    return {reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size()};
}

}  // namespace

Dimension dimension_of_steps() { return {.name = step_dimension}; }

std::vector<Dimension> dimensions_of(const Dataset& dataset) {
    const bool lies_along_steps = dataset.steps.has_value();
    const ArrayInfo& info = dataset.node.info;
    std::vector<Dimension> dimensions;
    for (const Value& name : labels_of(info, lies_along_steps).dimensions) {
        const std::size_t place = dimensions.size();
        dimensions.push_back(lies_along_steps && place == 0
                                 ? dimension_of_steps()
                                 : Dimension{*name.as_string(), info.shape[place - (lies_along_steps ? 1 : 0)]});
    }
    return dimensions;
}

Scales write_scales(std::span<const Dimension> dimensions, std::set<std::string> taken, const Scales& before,
                    Tail& tail) {
    Scales scales;
    for (const Dimension& dimension : dimensions) {
        if (scales.contains(dimension)) {
            continue;
        }
        const auto known = before.find(dimension);
        std::string name = dimension == dimension_of_steps() ? dimension.name : free_name(dimension, taken);
        taken.insert(name);
        scales[dimension] = {std::move(name),
                             known == before.end() ? add_scale(dimension.length, tail) : known->second.address};
    }
    return scales;
}

std::vector<Message> encode_scale(const std::string& name) {
    return {encode_text("CLASS", std::string(class_of_scales)), encode_name(name)};
}

bool is_mere_scale(std::span<const Message> messages) {
    if (find_message(messages, MessageKind::attribute) == nullptr) {  // h5repack leaves those of scales out
        const Message* const type = find_message(messages, MessageKind::datatype);
        const Message* const space = find_message(messages, MessageKind::dataspace);
        const auto element = type == nullptr ? std::nullopt : element_type_in(type->content);
        const auto extent = space == nullptr ? base::Result<Dataspace>(Dataspace()) : dataspace_in(space->content);
        return element && element->dtype == Dtype::u8 && extent && extent->shape.size() == 1 && !extent->grows();
    }
    return std::ranges::any_of(messages, [](const Message& message) {
        const auto raw = message.kind == MessageKind::attribute ? raw_attribute(message)
                                                                : base::Result<std::optional<RawAttribute>>({});
        if (!raw || !*raw || (*raw)->name != "NAME") {
            return false;
        }
        const auto text = std::as_bytes(std::span(no_variable));
        const auto& elements = (*raw)->elements;
        return elements.size() >= text.size() && std::ranges::equal(text, elements.first(text.size()));
    });
}

void add_references(const Scales& scales, TextCollections& texts) {
    for (const auto& [dimension, scale] : scales) {
        texts.add(reference_to(scale.address));
    }
}

std::vector<Message> encode_dimension_list(std::span<const Dimension> dimensions, const Scales& scales,
                                           const TextCollections& texts) {
    if (dimensions.empty()) {
        return {};
    }
    base::ByteWriter elements;
    for (const Dimension& dimension : dimensions) {
        texts.refer_to(reference_to(scales.at(dimension).address), 1, elements);
    }
    return {encode_attribute("DIMENSION_LIST", encode_reference_list_type(), {dimensions.size()}, elements.bytes())};
}

}  // namespace staithe::format::hdf5
