#include "store/space/reduction.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "store/space/chunks.hpp"

namespace staithe::store::space {
namespace {

constexpr std::array<std::pair<std::string_view, ReductionKind>, 4> kinds{{{"sum", ReductionKind::sum},
                                                                           {"mean", ReductionKind::mean},
                                                                           {"min", ReductionKind::min},
                                                                           {"max", ReductionKind::max}}};

bool has_order(ReductionKind kind) { return kind == ReductionKind::min || kind == ReductionKind::max; }

bool is_complex(Dtype dtype) { return dtype == Dtype::c64 || dtype == Dtype::c128 || dtype == Dtype::c256; }

/// The dtype in which elements are added up: it has all values of theirs.
Dtype dtype_of_sums(ReductionKind kind, Dtype dtype) {
    switch (dtype) {
        case Dtype::boolean:
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32: return kind == ReductionKind::mean ? Dtype::f64 : Dtype::i64;
        case Dtype::u8:
        case Dtype::u16:
        case Dtype::u32: return kind == ReductionKind::mean ? Dtype::f64 : Dtype::u64;
        case Dtype::i64:
        case Dtype::u64: return kind == ReductionKind::mean ? Dtype::f128 : dtype;
        case Dtype::f16:
        case Dtype::f32:
        case Dtype::f64: return Dtype::f64;
        case Dtype::c64:
        case Dtype::c128: return Dtype::c128;
        case Dtype::f128:
        case Dtype::c256: return dtype;
    }
    return dtype;
}

/// Calls use(T()) with the type of the values.
template <class Use>
void with_type(Dtype values, const Use& use) {
    switch (values) {
        // NOLINTNEXTLINE(bugprone-branch-clone): each case calls another function
        case Dtype::i8: return use(std::int8_t());
        case Dtype::i16: return use(std::int16_t());
        case Dtype::i32: return use(std::int32_t());
        case Dtype::i64: return use(std::int64_t());
        case Dtype::boolean:
        case Dtype::u8: return use(std::uint8_t());
        case Dtype::u16: return use(std::uint16_t());
        case Dtype::u32: return use(std::uint32_t());
        case Dtype::u64: return use(std::uint64_t());
        case Dtype::f16:
        case Dtype::f32: return use(float());
        case Dtype::f64: return use(double());
        case Dtype::f128: return use(static_cast<long double>(0));
        case Dtype::c64:
        case Dtype::c128: return use(std::complex<double>());
        case Dtype::c256: return use(std::complex<long double>());
    }
}

template <class T>
struct Add {
    static constexpr bool is_for = true;
    static T nothing() { return T(); }
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {  // as NumPy: modulo 2^64
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        } else {
            return a + b;
        }
    }
};

/// Without a branch, so that compilers look at several elements at once.
template <class T>
T second_if_or_nan(bool is_second, T first, T second) {
    const bool is_nan = second != second;  // NOLINT(misc-redundant-expression)
    return (static_cast<unsigned>(is_second) | static_cast<unsigned>(is_nan)) != 0 ? second : first;
}

/// NaN, if there is one.
template <class T>
struct Least {
    static constexpr bool is_for = std::is_arithmetic_v<T>;
    static T nothing() {
        return std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
    }
    T operator()(T a, T b) const { return second_if_or_nan(b < a, a, b); }
};

template <class T>
struct Greatest {
    static constexpr bool is_for = std::is_arithmetic_v<T>;
    static T nothing() {
        return std::is_integral_v<T> ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
    }
    T operator()(T a, T b) const { return second_if_or_nan(b > a, a, b); }
};

/// Calls use(T(), operation).
template <class Use>
void with_operation(ReductionKind kind, Dtype values, const Use& use) {
    with_type(values, [&]<class T>(T zero) {
        const auto use_one = [&](const auto& operation) {
            if constexpr (std::remove_cvref_t<decltype(operation)>::is_for) {
                use(zero, operation);
            }
        };
        kind == ReductionKind::min   ? use_one(Least<T>())
        : kind == ReductionKind::max ? use_one(Greatest<T>())
                                     : use_one(Add<T>());
    });
}

/// Several at a time, which shortens the chain of those that wait for each other, and rounds less.
template <class T, class Operation>
T fold(const T* values, std::int64_t count, const Operation& operation) {
    constexpr std::int64_t lanes = 8;
    std::array<T, lanes> partial{};
    partial.fill(Operation::nothing());
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            partial[static_cast<std::size_t>(lane)] =
                operation(partial[static_cast<std::size_t>(lane)], values[i + lane]);
        }
    }
    T all = Operation::nothing();
    for (; i < count; ++i) {
        all = operation(all, values[i]);
    }
    for (const T& each : partial) {
        all = operation(all, each);
    }
    return all;
}

/// Elements that lie dense in C order, to where `strides` say.
template <class T, class Operation>
void reduce_dense(const T* elements, const Extents& shape, T* values, const Extents& strides,
                  const Operation& operation) {
    const std::size_t dimensions = shape.size();
    const std::int64_t run = dimensions == 0 ? 1 : shape[dimensions - 1];
    const std::int64_t step = dimensions == 0 ? 0 : strides[dimensions - 1];
    Extents index = Extents::filled(dimensions, 0);
    for (std::int64_t at = 0, end = volume(shape).value_or(0); at < end; at += run) {
        T* to = values;
        for (std::size_t i = 0; i + 1 < dimensions; ++i) {
            to += index[i] * strides[i];
        }
        if (step == 0) {
            *to = operation(*to, fold(elements + at, run, operation));
        } else if (step == 1) {  // which compilers make the most of
            for (std::int64_t i = 0; i < run; ++i) {
                to[i] = operation(to[i], elements[at + i]);
            }
        } else {
            for (std::int64_t i = 0; i < run; ++i) {
                to[i * step] = operation(to[i * step], elements[at + i]);
            }
        }
        for (std::size_t i = dimensions > 0 ? dimensions - 1 : 0; i > 0 && ++index[i - 1] == shape[i - 1]; --i) {
            index[i - 1] = 0;
        }
    }
}

}  // namespace

std::string_view name_of(ReductionKind kind) { return kinds[static_cast<std::size_t>(kind)].first; }

base::Result<Reduction> Reduction::make(std::string_view kind, Dtype dtype, const Box& box,
                                        const std::optional<std::vector<std::int64_t>>& axes) {
    const auto* const named = std::ranges::find(kinds, kind, &std::pair<std::string_view, ReductionKind>::first);
    if (named == kinds.end()) {
        std::vector<std::string> names;
        std::ranges::transform(kinds, std::back_inserter(names),
                               [](const auto& each) { return std::string(each.first); });
        return base::fail(ErrorCode::invalid_argument, "there is no reduction '{}': there is {}",
                          base::printable(std::string(kind)), base::closest(std::string(kind), names));
    }
    Reduction reduction;
    reduction.kind_ = named->second;
    reduction.box_ = box;
    const std::size_t dimensions = box.dimensions();
    reduction.is_reduced_.assign(dimensions, !axes.has_value());
    for (const std::int64_t axis : axes.value_or(std::vector<std::int64_t>())) {
        const auto length = static_cast<std::int64_t>(dimensions);
        const std::int64_t dimension = axis < 0 ? axis + length : axis;
        if (dimension < 0 || dimension >= length || reduction.is_reduced_[static_cast<std::size_t>(dimension)]) {
            return base::fail(ErrorCode::invalid_argument, "an array of {} dimensions cannot be reduced along {}{}",
                              length, axis, dimension < 0 || dimension >= length ? "" : " twice");
        }
        reduction.is_reduced_[static_cast<std::size_t>(dimension)] = true;
    }
    if (has_order(reduction.kind_) && is_complex(dtype)) {
        return base::fail(ErrorCode::invalid_argument, "complex numbers have no order: there is no {} of them", kind);
    }
    reduction.strides_ = Extents::filled(dimensions, 0);
    std::int64_t values = 1;
    for (std::size_t i = dimensions; i-- > 0;) {
        if (reduction.is_reduced_[i]) {
            reduction.elements_of_each_ *= box.count[i];
        } else {
            reduction.strides_[i] = values;
            values *= box.count[i];
            reduction.shape_.push_back(box.count[i]);  // the last one first
        }
    }
    std::ranges::reverse(reduction.shape_);
    if (reduction.elements_of_each_ == 0 && reduction.kind_ != ReductionKind::sum && values > 0) {
        return base::fail(ErrorCode::invalid_argument, "there is no {} of no elements", kind);
    }
    reduction.summed_as_ = has_order(reduction.kind_) ? compared_as(dtype) : dtype_of_sums(reduction.kind_, dtype);
    const bool is_of_large_integers =
        reduction.kind_ == ReductionKind::mean && (dtype == Dtype::i64 || dtype == Dtype::u64);
    reduction.dtype_ = is_of_large_integers                                    ? Dtype::f64
                       : has_order(reduction.kind_) && dtype == Dtype::boolean ? Dtype::boolean
                                                                               : reduction.summed_as_;
    reduction.values_.resize(static_cast<std::size_t>(values * size_of(reduction.summed_as_)));
    reduction.clear();
    return reduction;
}

Reduction Reduction::like(const Reduction& other) {
    Reduction reduction = other;
    reduction.clear();
    return reduction;
}

void Reduction::clear() {
    with_operation(kind_, summed_as_, [&]<class T, class Operation>(T, const Operation&) {
        std::fill_n(reinterpret_cast<T*>(values_.data()), values_.size() / sizeof(T), Operation::nothing());
    });
}

void Reduction::add(const Box& part, const ArrayView& elements) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < part.dimensions(); ++i) {
        first += (part.offset[i] - box_.offset[i]) * strides_[i];
    }
    ChunkReader reader(elements, summed_as_);
    with_operation(kind_, summed_as_, [&]<class T, class Operation>(T, const Operation& operation) {
        for_each_chunk(elements.shape, [&](const Box& chunk) {
            std::int64_t at = first;
            for (std::size_t i = 0; i < chunk.dimensions(); ++i) {
                at += chunk.offset[i] * strides_[i];
            }
            reduce_dense(reinterpret_cast<const T*>(reader.read(chunk)), chunk.count,
                         reinterpret_cast<T*>(values_.data()) + at, strides_, operation);
        });
    });
}

base::Result<> Reduction::add(std::span<const std::byte> parts) {
    if (parts.size() != values_.size()) {
        return base::fail(ErrorCode::protocol, "{} bytes of a reduction came in place of {}", parts.size(),
                          values_.size());
    }
    with_operation(kind_, summed_as_, [&]<class T, class Operation>(T, const Operation& operation) {
        auto* const values = reinterpret_cast<T*>(values_.data());
        for (std::size_t i = 0; i < values_.size() / sizeof(T); ++i) {
            T other;
            std::memcpy(&other, parts.data() + i * sizeof(T), sizeof(T));
            values[i] = operation(values[i], other);
        }
    });
    return {};
}

MutableArrayView Reduction::values() {
    MutableArrayView all{values_.data(), summed_as_, box_.count, strides_};
    for (std::int64_t& stride : all.strides) {
        stride *= size_of(summed_as_);
    }
    return all;
}

std::vector<std::byte> Reduction::take() {
    if (kind_ != ReductionKind::mean) {
        return std::move(values_);
    }
    with_type(summed_as_, [&]<class T>(T) {
        if constexpr (!std::is_integral_v<T>) {
            auto* const values = reinterpret_cast<T*>(values_.data());
            const std::size_t count = values_.size() / sizeof(T);
            for (std::size_t i = 0; i < count; ++i) {
                values[i] /= static_cast<decltype(std::abs(T()))>(elements_of_each_);
            }
            if constexpr (std::is_same_v<T, long double>) {
                if (dtype_ == Dtype::f64) {
                    for (std::size_t i = 0; i < count; ++i) {
                        const auto narrow = static_cast<double>(values[i]);
                        std::memcpy(values_.data() + i * sizeof(double), &narrow, sizeof(double));
                    }
                    values_.resize(count * sizeof(double));
                }
            }
        }
    });
    return std::move(values_);
}

void combine(ReductionKind kind, const MutableArrayView& values, const std::byte* parts) {
    Extents strides = values.strides;  // in elements
    for (std::int64_t& stride : strides) {
        stride /= size_of(values.dtype);
    }
    with_operation(kind, values.dtype, [&]<class T, class Operation>(T, const Operation& operation) {
        reduce_dense(reinterpret_cast<const T*>(parts), values.shape, static_cast<T*>(values.data), strides, operation);
    });
}

std::vector<std::int64_t> Reduction::axes() const {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < is_reduced_.size(); ++i) {
        if (is_reduced_[i]) {
            axes.push_back(static_cast<std::int64_t>(i));
        }
    }
    return axes;
}

}  // namespace staithe::store::space
