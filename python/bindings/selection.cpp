#include "selection.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <staithe/error.hpp>

#include "numpy.hpp"

namespace nb = nanobind;

namespace staithe::python {
namespace {

// The class staithe.Box. Never given back, like all that is kept for as long as the interpreter lives.
nb::handle box_class() {
    static const nb::handle cached = nb::object(nb::module_::import_("staithe.box").attr("Box")).release();
    return cached;
}

std::int64_t integer(nb::handle object) {
    const Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), PyExc_IndexError);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return value;
}

Slice slice_from(nb::handle slice, std::int64_t length) {
    Py_ssize_t start = 0;
    Py_ssize_t stop = 0;
    Py_ssize_t step = 0;
    if (PySlice_Unpack(slice.ptr(), &start, &stop, &step) < 0) {
        throw nb::python_error();
    }
    const Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
    // Where nothing is selected the start may lie outside: it means nothing.
    return count == 0 ? Slice{} : Slice{start, step, count};
}

Slice slice_of_integer(nb::handle object, std::int64_t length, std::size_t dimension) {
    const std::int64_t index = integer(object);
    if (index < -length || index >= length) {
        const std::string message = "index " + std::to_string(index) + " is out of bounds for dimension " +
                                    std::to_string(dimension) + " of length " + std::to_string(length);
        throw nb::index_error(message.c_str());
    }
    return {index < 0 ? index + length : index, 1, 1};
}

bool is_integer(nb::handle item) {
    // Arrays and booleans pass for integers, too, when asked; but mean lists of indices or masks.
    return PyLong_CheckExact(item.ptr()) || (PyIndex_Check(item.ptr()) && !is_array(item) && !PyBool_Check(item.ptr()));
}

// What staithe.indexing leaves to NumPy.
bool is_for_numpy(nb::handle item) {
    return item.is_none() || is_array(item) || PyList_Check(item.ptr()) || PyBool_Check(item.ptr());
}

Selection selection_of(const Box& box, const Extents& shape, const char* what) {
    if (!fits(box, shape)) {
        throw InvalidArgument("the box " + to_string(box) + " does not lie in a " + what + " of shape " +
                              to_string(shape));
    }
    return Selection(box);
}

// The items of an index tuple, one after the other.
class IndexBuilder {
  public:
    IndexBuilder(const Extents& shape, const char* what) : shape_(shape), what_(what) {}

    void add(nb::handle item, std::size_t items_that_follow) {
        if (item.ptr() == Py_Ellipsis) {
            if (ellipsis_) {
                throw nb::index_error("an index can only have a single ellipsis ('...')");
            }
            ellipsis_ = true;
            fill(shape_.size() - std::min(shape_.size(), items_that_follow));
            return;
        }
        const std::size_t dimension = index_.selection.size();
        const bool one = is_integer(item);
        if (!one && !PySlice_Check(item.ptr())) {
            throw InvalidArgument(std::string("a ") + what_ + " is indexed by integers, slices, an ellipsis, a Box, " +
                                  "a list of indices or a mask, not by " + nb::type_name(item.type()).c_str());
        }
        if (dimension >= shape_.size()) {
            const std::string message =
                std::string("too many indices: the ") + what_ + " has " + std::to_string(shape_.size()) + " dimensions";
            throw nb::index_error(message.c_str());
        }
        index_.selection.push_back(one ? slice_of_integer(item, shape_[dimension], dimension)
                                       : slice_from(item, shape_[dimension]));
        index_.dropped |= std::uint32_t{one} << dimension;
    }

    Index finish() {
        const std::size_t given = index_.selection.size();
        fill(shape_.size());
        index_.scalar = !ellipsis_ && given == shape_.size() && index_.dropped == (1U << given) - 1;
        return index_;
    }

  private:
    // Everything along the dimensions up to `end`.
    void fill(std::size_t end) {
        for (std::size_t i = index_.selection.size(); i < end; ++i) {
            index_.selection.push_back({0, 1, shape_[i]});
        }
    }

    const Extents& shape_;
    const char* what_;
    Index index_;
    bool ellipsis_ = false;
};

}  // namespace

std::optional<Index> index_from(nb::handle key, Extents shape, const char* what) {
    if (key.ptr() == Py_Ellipsis) {
        return Index{Selection::all(shape)};
    }
    const bool several = PyTuple_Check(key.ptr());
    if (!several && !PySlice_Check(key.ptr()) && nb::isinstance(key, box_class())) {
        return Index{selection_of(box_from(key), shape, what)};
    }
    PyObject* const one = key.ptr();
    PyObject* const* items = several ? PySequence_Fast_ITEMS(key.ptr()) : &one;
    const auto count = several ? static_cast<std::size_t>(PyTuple_GET_SIZE(key.ptr())) : 1;
    if (std::any_of(items, items + count, is_for_numpy)) {
        return std::nullopt;
    }
    IndexBuilder builder(shape, what);
    for (std::size_t i = 0; i < count; ++i) {
        builder.add(items[i], count - i - 1);
    }
    return builder.finish();
}

Extents without_dropped(const Extents& of_selection, std::uint32_t dropped) {
    if (dropped == 0) {
        return of_selection;
    }
    Extents result;
    for (std::size_t i = 0; i < of_selection.size(); ++i) {
        if ((dropped >> i & 1U) == 0) {
            result.push_back(of_selection[i]);
        }
    }
    return result;
}

Extents with_dropped(const Extents& of_array, const Index& index) {
    Extents result;
    const std::int64_t* next = of_array.begin();
    for (std::size_t i = 0; i < index.selection.size(); ++i) {
        result.push_back((index.dropped >> i & 1U) != 0 ? 0 : *next++);
    }
    return result;
}

namespace {

std::int64_t extent(nb::handle number, const char* what) {
    const Py_ssize_t value = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
            throw nb::python_error();
        }
        PyErr_Clear();
        throw InvalidArgument(std::string(what) + " has a number that 64 bits cannot hold");
    }
    return value;
}

}  // namespace

Box box_from(nb::handle box) {
    return {extents_from(box.attr("offset"), "offset"), extents_from(box.attr("count"), "count")};
}

std::optional<Box> box_or_none(nb::handle box) { return box.is_none() ? std::nullopt : std::optional(box_from(box)); }

Extents extents_from(nb::handle object, const char* what) {
    Extents result;
    if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
        // Each is looked up anew, and kept: a number of a class of the user's may change the list it is in.
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object.ptr()); ++i) {
            const nb::object item = nb::borrow(PySequence_Fast_GET_ITEM(object.ptr(), i));
            if (!PyIndex_Check(item.ptr())) {
                throw InvalidArgument(std::string(what) + " must be made of whole numbers, not " +
                                      nb::type_name(item.type()).c_str());
            }
            result.push_back(extent(item, what));
        }
        return result;
    }
    if (!is_array(object) && PyIndex_Check(object.ptr())) {
        result.push_back(extent(object, what));
        return result;
    }
    if (const nb::object list = nb::steal(PySequence_List(object.ptr())); list.is_valid()) {
        return extents_from(list, what);
    }
    PyErr_Clear();
    throw InvalidArgument(std::string(what) + " must be a whole number or a sequence of them, one a dimension, not " +
                          nb::type_name(object.type()).c_str());
}

nb::object all_if_none(nb::handle key) { return key.is_none() ? nb::borrow(Py_Ellipsis) : nb::borrow(key); }

std::optional<Extents> axes_from(nb::handle axis) {
    return axis.is_none() ? std::nullopt : std::optional(extents_from(axis, "axis"));
}

nb::tuple to_python(Extents extents) {
    const nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(extents.size())));
    for (std::size_t i = 0; i < extents.size(); ++i) {
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(extents[i]));
    }
    return nb::borrow<nb::tuple>(tuple);
}

nb::object to_python(const Box& box) { return box_class()(to_python(box.offset), to_python(box.count)); }

nb::object to_python(const Selection& selection) {
    if (const std::optional<Box> box = as_box(selection)) {
        return to_python(*box);
    }
    nb::list slices;
    for (const Slice& slice : selection) {
        // Going down to index 0, no stop but None comes before it.
        const std::int64_t stop = slice.start + slice.step * slice.count;
        slices.append(
            nb::slice(nb::int_(slice.start), stop < 0 ? nb::object(nb::none()) : nb::int_(stop), nb::int_(slice.step)));
    }
    return nb::tuple(slices);
}

}  // namespace staithe::python
