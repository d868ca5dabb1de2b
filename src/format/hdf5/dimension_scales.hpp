// What netCDF, and so xarray, makes dimensions of: for each an object of the file, its *scale*, to which the attribute
// DIMENSION_LIST of arrays refers (https://docs.hdfgroup.org/documentation/hdf5/latest/_h5_d_s__u_g.html and
// https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html). That of steps is the array of their
// numbers. Others are arrays of no elements that anybody has written, which are there for their length alone.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/datasets.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/messages.hpp"
#include "format/hdf5/texts.hpp"

namespace staithe::format::hdf5 {

struct Dimension {
    std::string name;
    std::int64_t length = 0;  // not that of steps, which grows

    friend auto operator<=>(const Dimension&, const Dimension&) = default;
};
[[nodiscard]] Dimension dimension_of_steps();
/// Those of an array, the slowest first.
[[nodiscard]] std::vector<Dimension> dimensions_of(const Dataset& dataset);

struct Scale {
    std::string name;  // of the link to it
    Address address = nowhere;
};
using Scales = std::map<Dimension, Scale>;

/// Those of the arrays of a group. `taken` are the names of all other objects of the group: a scale gets another one
/// then, as where a name has several lengths. What was written `before`, as that of steps always was, is not again.
[[nodiscard]] Scales write_scales(std::span<const Dimension> dimensions, std::set<std::string> taken,
                                  const Scales& before, Tail& tail);

/// What makes an array the scale of a dimension of its own name.
[[nodiscard]] std::vector<Message> encode_scale(const std::string& name);
/// Whether it is a scale, and nothing else.
[[nodiscard]] bool is_mere_scale(std::span<const Message> messages);

/// What the attributes of arrays refer to lies where texts do.
void add_references(const Scales& scales, TextCollections& texts);
/// The attribute of an array with those dimensions, once these are placed; none if it has no dimensions.
[[nodiscard]] std::vector<Message> encode_dimension_list(std::span<const Dimension> dimensions, const Scales& scales,
                                                         const TextCollections& texts);

}  // namespace staithe::format::hdf5
