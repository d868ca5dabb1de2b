// The elements of a variable: found, copied, converted.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "names.hpp"
#include "numpy.hpp"
#include "reading.hpp"
#include "selection.hpp"
#include "waiting.hpp"

namespace nb = nanobind;

namespace staithe::python {
namespace {

std::int64_t bytes_of(const Variable& variable, const Selection& selection) {
    return size_in_bytes(shape_of(selection), variable.dtype()).value_or(0);
}

/// Whether other threads may run meanwhile. What comes from another host is waited for, however little it is.
bool takes_a_while(const Variable& variable, const Selection& selection) {
    return variable.comes_from_afar() || bytes_of(variable, selection) >= long_copy_bytes;
}

Extents shape_of_array(const Index& index) { return without_dropped(shape_of(index.selection), index.dropped); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): another thread may release the step meanwhile
void read(Variable variable, const Index& index, MutableArrayView destination) {
    destination.shape = shape_of(index.selection);
    destination.strides = with_dropped(destination.strides, index);
    without_gil_if(takes_a_while(variable, index.selection), [&] { variable.read(index.selection, destination); });
}

/// What NumPy calls axes of the array that is selected, as dimensions of the selection; and those that do not show in
/// it.
std::vector<std::int64_t> dimensions_of(const Extents& axes, const Index& index, nb::handle variable) {
    std::vector<std::int64_t> shown, gone;
    for (std::size_t i = 0; i < index.selection.size(); ++i) {
        ((index.dropped >> i & 1U) == 0 ? shown : gone).push_back(static_cast<std::int64_t>(i));
    }
    const auto count = static_cast<std::int64_t>(shown.size());
    for (const std::int64_t axis : axes) {
        if (axis < -count || axis >= count) {
            throw InvalidArgument("variable " + quoted(variable) + ": there is no axis " + std::to_string(axis) +
                                  " of an array of " + std::to_string(count) + " dimensions");
        }
        gone.push_back(shown[static_cast<std::size_t>(axis < 0 ? axis + count : axis)]);
    }
    return gone;
}

}  // namespace

VariableObject::Reduced VariableObject::to_reduce(nb::handle key, const std::optional<Extents>& axes) const {
    const std::optional<Index> index = index_from(key, get().shape(), "variable");
    if (!index) {
        throw InvalidArgument(
            "variable " + quoted(name_) +
            ": of new axes, masks and lists of indices there is no reduction: index the variable, and "
            "reduce the array");
    }
    std::optional<std::vector<std::int64_t>> dimensions;
    if (axes) {
        dimensions = dimensions_of(*axes, *index, name_);
    }
    return {get(), index->selection, std::move(dimensions)};
}

nb::object VariableObject::reduce(const std::string& how, nb::handle key, const std::optional<Extents>& axes) const {
    const Reduced of = to_reduce(key, axes);
    View reduced;
    without_gil_if(takes_a_while(of.variable, of.selection),
                   [&] { reduced = of.variable.reduce(how, of.selection, of.axes); });
    return scalar_if_0d(wrap(reduced.array, std::move(reduced.owner)));
}

VariableObject::Elements VariableObject::elements(const Index& index) const {
    // A copy: the step may be released by another thread.
    const Variable variable = get();
    std::optional<View> view;
    without_gil_if(takes_a_while(variable, index.selection), [&] { view = variable.view(index.selection); });
    if (view) {
        view->array.shape = without_dropped(view->array.shape, index.dropped);
        view->array.strides = without_dropped(view->array.strides, index.dropped);
        return {wrap(view->array, std::move(view->owner)), false};
    }
    nb::object array = new_array(variable.dtype(), shape_of_array(index));
    read(variable, index, output_array(array));
    return {std::move(array), true};
}

nb::object VariableObject::at(nb::handle key) const {
    const std::optional<Index> index = index_from(key, get().shape(), "variable");
    if (!index) {
        return nb::module_::import_("staithe.indexing").attr("select")(nb::find(*this), key);
    }
    auto [array, fresh] = elements(*index);
    if (fresh) {
        freeze(array);  // as views are: how the variable was cut must not decide what users may do with it
    }
    return index->scalar ? scalar_if_0d(std::move(array)) : array;
}

namespace {

/// Reads and converts by and by, so that no second array of that size is there.
void convert(const VariableObject& variable, const Index& index, nb::handle out) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
    const auto* axis = std::find_if(index.selection.begin(), index.selection.end(),
                                    [](const Slice& slice) { return slice.count != 1; });
    if (axis == index.selection.end() || is_empty(index.selection)) {
        assign(out, variable.elements(index).array);
        return;
    }
    const auto dimension = static_cast<std::size_t>(axis - index.selection.begin());
    nb::list place;
    for (std::size_t i = 0; i < dimension; ++i) {
        if ((index.dropped >> i & 1U) == 0) {
            place.append(nb::slice(nb::none(), nb::none(), nb::none()));
        }
    }
    place.append(nb::none());  // the rows, below
    const std::int64_t row_bytes = bytes_of(variable.get(), index.selection) / axis->count;
    const std::int64_t rows = std::max<std::int64_t>(1, most_bytes / std::max<std::int64_t>(1, row_bytes));
    for (std::int64_t first = 0; first < axis->count; first += rows) {
        Index piece = index;
        Slice& slice = piece.selection[dimension];
        slice = {axis->start + first * axis->step, axis->step, std::min(rows, axis->count - first)};
        place[nb::len(place) - 1] = nb::slice(nb::int_(first), nb::int_(first + slice.count), nb::none());
        assign(nb::object(out[nb::tuple(place)]), variable.elements(piece).array);
    }
}

void check_shape(nb::handle wanted, nb::handle out) {
    const nb::object given = out.attr("shape");
    if (!given.equal(wanted)) {
        throw InvalidArgument(std::string("the selection is of shape ") + nb::str(wanted).c_str() +
                              ", but out is of shape " + nb::str(given).c_str());
    }
}

}  // namespace

void VariableObject::read_into(nb::handle out, nb::handle key, nb::handle casting) const {
    const std::optional<Index> index = index_from(key, get().shape(), "variable");
    const Variable variable = get();  // only now: the key may be of a class of the user's, whose code releases the step
    if (index && is_array(out) && is_of(variable.dtype(), out) && has_shape(out, shape_of_array(*index))) {
        read(variable, *index, output_array(out));
        return;
    }
    check_writable(out);
    const nb::object plain = is_derived_array(out) ? plain_array(out) : nb::borrow(out);
    if (!is_of(variable.dtype(), out) && !can_cast(variable.dtype(), out, casting)) {
        const std::string wanted = nb::str(nb::object(out.attr("dtype"))).c_str();
        throw InvalidArgument("variable " + quoted(name_) + " is " + nb::str(dtype_object(variable.dtype())).c_str() +
                              ", and " + wanted +
                              " cannot hold all of its values: take a wider dtype, or accept the "
                              "loss by .astype(" +
                              quoted(wanted) + ", casting=\"unsafe\")");
    }
    if (index) {
        check_shape(to_python(shape_of_array(*index)), plain);
        convert(*this, *index, plain);
    } else {
        const nb::object selected = at(key);
        check_shape(selected.attr("shape"), plain);
        assign(plain, selected);
    }
}

}  // namespace staithe::python
