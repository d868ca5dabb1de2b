#include "transform/expression/number.hpp"

#include <cstring>
#include <type_traits>
#include <variant>

#include "transform/expression/operation.hpp"

namespace staithe::transform::expression {
namespace {

template <class T>
T element_as(const Element& element) {
    T value;
    std::memcpy(&value, element.bytes, sizeof(value));
    return value;
}

}  // namespace

Dtype kind_of(const Number& number) {
    return std::visit([](auto value) { return dtype_of<decltype(value)>(); }, number);
}

Element element_of(const Number& number, Dtype kind) {
    Element written;
    std::visit([&](auto value) { std::memcpy(written.bytes, &value, sizeof(value)); }, number);
    if (kind_of(number) == kind) {
        return written;
    }
    Element element;
    const void* const from = written.bytes;
    conversion(kind_of(number), kind)(1, element.bytes, &from);
    return element;
}

Number number_in(const Element& element, Dtype kind) {
    switch (kind) {
        case Dtype::boolean: return element_as<bool>(element);
        case Dtype::f32: return static_cast<double>(element_as<float>(element));
        case Dtype::f64: return element_as<double>(element);
        case Dtype::c64: return std::complex<double>(element_as<std::complex<float>>(element));
        case Dtype::c128: return element_as<std::complex<double>>(element);
        default: return element_as<std::int64_t>(element);
    }
}

}  // namespace staithe::transform::expression
