#include "format/hdf5/headers.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "format/conventions.hpp"
#include "format/hdf5/attributes.hpp"
#include "format/hdf5/dimension_scales.hpp"
#include "format/hdf5/objects.hpp"
#include "format/hdf5/texts.hpp"

namespace staithe::format::hdf5 {
namespace {

/// Objects in groups, by their names.
struct Group {
    std::map<std::string, Group> groups{};
    std::map<std::string, Address> arrays{};

    void add(const std::string& path, Address array) {
        const auto slash = path.find('/');
        if (slash == std::string::npos) {
            arrays[path] = array;
        } else {
            groups[path.substr(0, slash)].add(path.substr(slash + 1), array);
        }
    }
    Address write(std::vector<Message> messages, Tail& tail) const {
        for (const auto& [name, group] : groups) {
            const Address address = group.write(begin_group(), tail);
            messages.push_back({MessageKind::link, encode_link(name, address)});
        }
        for (const auto& [name, address] : arrays) {
            messages.push_back({MessageKind::link, encode_link(name, address)});
        }
        return add_header(messages, tail);
    }
};

void add_to(std::vector<Message>& messages, const std::vector<Message>& more) {
    messages.insert(messages.end(), more.begin(), more.end());
}

Address add_header_of(Growing& array, const TextCollections& texts, const std::vector<Message>& of_dimensions,
                      Tail& tail) {
    if (array.dataset.layout.chunk) {
        array.dataset.layout.address = array.index.write(tail);
    }
    std::vector<Message> messages = encode(array.dataset);
    add_to(messages, array.attributes.encode(texts));
    add_to(messages, of_dimensions);
    return add_header(messages, tail);
}

/// What a group has of arrays and of their dimensions, of which `scales` become those that there are now. Texts of the
/// group itself may be among `texts`, which are placed.
void add_arrays(std::span<Growing* const> arrays, Scales& scales, TextCollections& texts, Group& group, Tail& tail) {
    std::vector<Dimension> dimensions;
    std::set<std::string> taken{numbers_name, attributes_name};
    for (const Growing* const array : arrays) {
        const std::string& path = array->dataset.node.info.name;
        taken.insert(path.substr(0, path.find('/')));
        std::ranges::move(dimensions_of(array->dataset), std::back_inserter(dimensions));
        array->attributes.add_texts(texts);
    }
    scales = write_scales(dimensions, std::move(taken), scales, tail);
    add_references(scales, texts);
    texts.place(tail);
    for (const auto& [dimension, scale] : scales) {
        group.add(scale.name, scale.address);
    }
    for (Growing* const array : arrays) {
        group.add(
            array->dataset.node.info.name,
            add_header_of(*array, texts, encode_dimension_list(dimensions_of(array->dataset), scales, texts), tail));
    }
}

/// Links to steps that are unlike the others.
void add_links(LinksApart& apart, std::vector<Message>& messages, Tail& tail) {
    while (std::ssize(apart.newest) >= LinksApart::most) {
        const auto end = apart.newest.begin() + LinksApart::most;
        std::vector<Message> block(apart.newest.begin(), end);
        apart.newest.erase(apart.newest.begin(), end);
        if (apart.others.address != nowhere) {
            block.push_back(encode_continuation(apart.others));
        }
        apart.others = add_block(block, tail);
    }
    add_to(messages, apart.newest);
    if (apart.others.address != nowhere) {
        messages.push_back(encode_continuation(apart.others));
    }
}

std::vector<Growing*> pointers_to(std::vector<Growing>& arrays) {
    std::vector<Growing*> pointers;
    std::ranges::transform(arrays, std::back_inserter(pointers), [](Growing& array) { return &array; });
    return pointers;
}

}  // namespace

Address add_root(WriterState& next, Tail& tail) {
    TextCollections of_numbers;
    next.numbers.attributes.add_texts(of_numbers);
    of_numbers.place(tail);
    next.scales[dimension_of_steps()] = {numbers_name,
                                         add_header_of(next.numbers, of_numbers, encode_scale(numbers_name), tail)};
    std::vector<Growing*> arrays = pointers_to(next.arrays);
    arrays.push_back(&next.texts);
    TextCollections texts;
    next.attributes.add_texts(texts);
    Group root;
    add_arrays(arrays, next.scales, texts, root, tail);
    std::vector<Message> messages = begin_group();
    add_to(messages, next.attributes.encode(texts));
    add_links(next.apart, messages, tail);
    return root.write(std::move(messages), tail);
}

Address add_step(const Attributes& attributes, std::vector<Growing>& arrays, Tail& tail) {
    TextCollections texts;
    add_texts(attributes, texts);
    Group group;
    Scales scales;
    add_arrays(pointers_to(arrays), scales, texts, group, tail);
    std::vector<Message> messages = begin_group();
    add_to(messages, encode(attributes, texts));
    return group.write(std::move(messages), tail);
}

}  // namespace staithe::format::hdf5
