#include "numpy.hpp"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <staithe/error.hpp>

#include "names.hpp"

namespace nb = nanobind;

namespace staithe::python {
namespace {

// NumPy is imported by who first comes to need it: programs that only look at streams, and servers, never do. Through
// `PyArray_API` go all names of its C interface that are no mere fields of an array.
void** numpy_interface() {
    static bool is_imported = false;
    if (!is_imported && _import_array() < 0) {
        throw nb::python_error();
    }
    is_imported = true;
    return PyArray_API;
}
#define PyArray_API numpy_interface()

// In the order of `Dtype`.
constexpr std::array<int, dtype_count> numpy_type = {
    NPY_BOOL,   NPY_INT8, NPY_INT16, NPY_INT32,  NPY_INT64,      NPY_UINT8,  NPY_UINT16,  NPY_UINT32,
    NPY_UINT64, NPY_HALF, NPY_FLOAT, NPY_DOUBLE, NPY_LONGDOUBLE, NPY_CFLOAT, NPY_CDOUBLE, NPY_CLONGDOUBLE,
};

std::optional<Dtype> dtype_of_numpy(int type) {
    switch (type) {  // C types of equal size are types of their own to NumPy
        case NPY_LONG: return sizeof(long) == 8 ? Dtype::i64 : Dtype::i32;
        case NPY_ULONG: return sizeof(long) == 8 ? Dtype::u64 : Dtype::u32;
        case NPY_LONGLONG: return Dtype::i64;
        case NPY_ULONGLONG: return Dtype::u64;
        default: break;
    }
    const auto* found = std::find(numpy_type.begin(), numpy_type.end(), type);
    if (found == numpy_type.end()) {
        return std::nullopt;
    }
    return static_cast<Dtype>(found - numpy_type.begin());
}

[[noreturn]] void refuse_dtype(PyArray_Descr* descr, const Subject& subject) {
    const bool of_stream = subject.variable != nullptr;
    std::string advice = "it must be bool, an integer, or a real or complex floating-point type";
    switch (descr->type_num) {
        case NPY_DATETIME:
        case NPY_TIMEDELTA:
            advice = of_stream ? "pass x.view('i8') and name the unit of time in an attribute" : "pass x.view('i8')";
            break;
        case NPY_STRING:
        case NPY_UNICODE: advice = of_stream ? "text goes into attributes" : advice; break;
        case NPY_VOID: advice = of_stream ? "put each field as a variable of its own" : "pass each field alone"; break;
        case NPY_OBJECT: advice = "convert it to a numeric dtype first"; break;
        default: break;
    }
    throw InvalidArgument(subject.text() + " cannot have dtype " +
                          nb::str(nb::handle(reinterpret_cast<PyObject*>(descr))).c_str() + ": " + advice);
}

Dtype checked_dtype(PyArray_Descr* descr, const Subject& subject) {
    const std::optional<Dtype> dtype = dtype_of_numpy(descr->type_num);
    if (!dtype) {
        refuse_dtype(descr, subject);
    }
    return *dtype;
}

PyArrayObject* array_cast(nb::handle array) { return reinterpret_cast<PyArrayObject*>(array.ptr()); }

Extents extents(const npy_intp* values, int dimensions) {
    Extents result;
    result.resize(static_cast<std::size_t>(dimensions));
    std::copy_n(values, dimensions, result.begin());
    return result;
}

// `view` of the array, whose dtype has been checked.
template <class View>
View view_of(PyArrayObject* array, Dtype dtype) {
    const int dimensions = PyArray_NDIM(array);
    return {PyArray_DATA(array), dtype, extents(PyArray_DIMS(array), dimensions),
            extents(PyArray_STRIDES(array), dimensions)};
}

nb::object make_array(Dtype dtype, const Extents& shape, const Extents* strides, void* data, int flags) {
    static_assert(sizeof(npy_intp) == sizeof(std::int64_t));
    PyObject* array = PyArray_NewFromDescr(
        &PyArray_Type, PyArray_DescrFromType(numpy_type[static_cast<std::size_t>(dtype)]),
        static_cast<int>(shape.size()), reinterpret_cast<const npy_intp*>(shape.data()),
        strides == nullptr ? nullptr : reinterpret_cast<const npy_intp*>(strides->data()), data, flags, nullptr);
    if (array == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(array);
}

nb::object wrap_memory(Dtype dtype, const Extents& shape, const Extents& strides, void* data,
                       std::shared_ptr<const void>&& owner, int flags) {
    nb::object array = make_array(dtype, shape, &strides, data, flags);
    using Kept = std::shared_ptr<const void>;
    auto kept = std::make_unique<Kept>(std::move(owner));
    nb::capsule base(kept.get(), [](void* kept) noexcept { delete static_cast<Kept*>(kept); });
    kept.release();  // NOLINT(bugprone-unused-return-value): the capsule deletes it
    if (PyArray_SetBaseObject(array_cast(array), base.release().ptr()) != 0) {
        throw nb::python_error();
    }
    return array;
}

}  // namespace

std::string Subject::text() const { return variable == nullptr ? role : "variable " + quoted(*variable); }

InputArray input_array(nb::handle object, const Subject& subject) {
    nb::object owner = PyArray_Check(object.ptr())
                           ? nb::borrow(object)
                           : nb::steal(PyArray_FromAny(object.ptr(), nullptr, 0, 0, 0, nullptr));
    if (!owner.is_valid()) {
        throw nb::python_error();
    }
    PyArrayObject* array = array_cast(owner);
    const Dtype dtype = checked_dtype(PyArray_DESCR(array), subject);
    if (!PyArray_ISNOTSWAPPED(array)) {
        owner = nb::steal(PyArray_FromArray(array, PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE), 0));
        if (!owner.is_valid()) {
            throw nb::python_error();
        }
        array = array_cast(owner);
    }
    if (PyArray_NDIM(array) > static_cast<int>(max_dimensions)) {
        throw InvalidArgument(subject.text() + " has " + std::to_string(PyArray_NDIM(array)) +
                              " dimensions: there can be 8");
    }
    return {view_of<ArrayView>(array, dtype), std::move(owner)};
}

void check_writable(nb::handle object) {
    if (!is_array(object)) {
        throw InvalidArgument(std::string("out must be an array of NumPy's or of a GPU, not ") +
                              nb::type_name(object.type()).c_str());
    }
    if (!PyArray_ISWRITEABLE(array_cast(object))) {
        throw InvalidArgument(
            "out is read-only, as all is that a selection gives: np.empty, or .copy() of a selection, is yours to "
            "write "
            "to");
    }
}

MutableArrayView output_array(nb::handle object) {
    check_writable(object);
    PyArrayObject* array = array_cast(object);
    const Dtype dtype = checked_dtype(PyArray_DESCR(array), {nullptr, "out"});
    if (!PyArray_ISNOTSWAPPED(array)) {
        throw InvalidArgument("out is not in the byte order of this machine");
    }
    if (PyArray_NDIM(array) > static_cast<int>(max_dimensions)) {
        throw InvalidArgument("out has more than 8 dimensions");
    }
    return view_of<MutableArrayView>(array, dtype);
}

bool is_of(Dtype dtype, nb::handle array) {
    return dtype_of_numpy(PyArray_TYPE(array_cast(array))) == dtype && PyArray_ISNOTSWAPPED(array_cast(array));
}

bool has_shape(nb::handle array, const Extents& shape) {
    const npy_intp* lengths = PyArray_DIMS(array_cast(array));
    return PyArray_NDIM(array_cast(array)) == static_cast<int>(shape.size()) &&
           std::equal(shape.begin(), shape.end(), lengths);
}

bool can_cast(Dtype from, nb::handle array, nb::handle casting) {
    NPY_CASTING rule = NPY_SAFE_CASTING;
    if (!casting.is_none() && PyArray_CastingConverter(casting.ptr(), &rule) == NPY_FAIL) {
        throw nb::python_error();
    }
    const nb::object descr = dtype_object(from);
    return PyArray_CanCastTypeTo(reinterpret_cast<PyArray_Descr*>(descr.ptr()), PyArray_DESCR(array_cast(array)),
                                 rule) != 0;
}

nb::object plain_array(nb::handle array) {
    const nb::object view = nb::steal(PyArray_View(array_cast(array), nullptr, &PyArray_Type));
    if (!view.is_valid()) {
        throw nb::python_error();
    }
    return view;
}

void assign(nb::handle to, nb::handle from) {
    if (PyArray_CopyInto(array_cast(to), array_cast(from)) != 0) {
        throw nb::python_error();
    }
}

nb::object new_array(Dtype dtype, const Extents& shape) { return make_array(dtype, shape, nullptr, nullptr, 0); }

nb::object wrap(const ArrayView& view, std::shared_ptr<const void> owner) {
    // Not writable: neither through this array nor through any made of it.
    return wrap_memory(view.dtype, view.shape, view.strides, const_cast<void*>(view.data), std::move(owner), 0);
}

nb::object wrap_writable(const MutableArrayView& view, std::shared_ptr<const void> owner) {
    return wrap_memory(view.dtype, view.shape, view.strides, view.data, std::move(owner), NPY_ARRAY_WRITEABLE);
}

void freeze(nb::handle array) { PyArray_CLEARFLAGS(array_cast(array), NPY_ARRAY_WRITEABLE); }

nb::object scalar_if_0d(nb::object array) { return nb::steal(PyArray_Return(array_cast(array.release()))); }

bool is_array(nb::handle object) { return PyArray_Check(object.ptr()); }
bool is_derived_array(nb::handle object) { return PyArray_Check(object.ptr()) && !PyArray_CheckExact(object.ptr()); }

nb::object plain_python(nb::handle object) {
    if (PyArray_IsScalar(object.ptr(), LongDouble)) {
        return nb::float_(object);
    }
    if (!is_array(object) && !PyArray_CheckScalar(object.ptr())) {
        return {};
    }
    nb::object plain = object.attr("tolist")();
    return plain.type().is(object.type()) ? nb::object() : plain;
}

Dtype dtype_from(nb::handle object, const Subject& subject) {
    PyArray_Descr* descr = nullptr;
    if (PyArray_DescrConverter(object.ptr(), &descr) == NPY_FAIL) {
        throw nb::python_error();
    }
    const nb::object owner = nb::steal(reinterpret_cast<PyObject*>(descr));
    if (!PyArray_ISNBO(descr->byteorder)) {
        throw InvalidArgument(subject.text() + " must be in the byte order of this machine");
    }
    return checked_dtype(descr, subject);
}

nb::object dtype_object(Dtype dtype) {
    return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type[static_cast<std::size_t>(dtype)])));
}

}  // namespace staithe::python
