#include "store/reducing/reduction.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "store/reducing/operations.hpp"
#include "store/space/chunks.hpp"

namespace staithe::store::reducing {
namespace {

/// Calls visit(at, run, to, step) for runs of elements that lie dense in C order, along the last dimension, and more
/// where their states go on alike: from which one on, how many, and the place of the first one's state and how far
/// apart those are, in states.
template <class Visit>
void for_each_run(const Extents& shape, const Extents& strides, const Visit& visit) {
    std::size_t outer = shape.empty() ? 0 : shape.size() - 1;
    std::int64_t run = shape.empty() ? 1 : shape[outer];
    const std::int64_t step = shape.empty() ? 0 : strides[outer];
    while (outer > 0 && strides[outer - 1] == step * run) {
        run *= shape[--outer];
    }
    Extents index = Extents::filled(outer, 0);
    for (std::int64_t at = 0, end = volume(shape).value_or(0); at < end; at += run) {
        std::int64_t to = 0;
        for (std::size_t i = 0; i < outer; ++i) {
            to += index[i] * strides[i];
        }
        visit(at, run, to, step);
        for (std::size_t i = outer; i > 0 && ++index[i - 1] == shape[i - 1]; --i) {
            index[i - 1] = 0;
        }
    }
}

/// Elements that lie dense in C order, into states that lie as `strides` say.
template <class Operation>
void take_dense(const Operation& operation, const typename Operation::Element* elements, const Extents& shape,
                typename Operation::Number* states, const Extents& strides) {
    const std::int64_t width = operation.width();
    for_each_run(shape, strides, [&](std::int64_t at, std::int64_t run, std::int64_t to, std::int64_t step) {
        auto* const state = states + to * width;
        if (step == 0) {
            operation.take_all(state, elements + at, run);
        } else if (step == 1) {  // which compilers make the most of
            for (std::int64_t i = 0; i < run; ++i) {
                operation.take(state + i * width, elements[at + i]);
            }
        } else {
            for (std::int64_t i = 0; i < run; ++i) {
                operation.take(state + i * step * width, elements[at + i]);
            }
        }
    });
}

template <class T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof(value));
}

/// What becomes of a sum, or of the squares of what elements are off their mean.
template <class Number>
auto shared_among(Kind kind, const Number* state, std::int64_t count) {
    using Real = decltype(std::abs(Number()));
    if (kind == Kind::mean) {
        return state[0] / static_cast<Real>(count);
    }
    const Number variance = state[1] / static_cast<Real>(count);
    if constexpr (std::is_same_v<Number, Real>) {
        return kind == Kind::std ? std::sqrt(variance) : variance;
    } else {
        return variance;
    }
}

}  // namespace

base::Result<Reduction> Reduction::make(const Recipe& recipe, Dtype dtype, const Box& box,
                                        const std::optional<std::vector<std::int64_t>>& axes) {
    if (auto checked = check(recipe, dtype); !checked) {
        return base::fail(std::move(checked));
    }
    Reduction reduction;
    reduction.recipe_ = recipe;
    reduction.box_ = box;
    reduction.elements_ = dtype;
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
    Extents reduced;
    for (std::size_t i = 0; i < dimensions; ++i) {
        (reduction.is_reduced_[i] ? reduced : reduction.shape_).push_back(box.count[i]);
    }
    const auto elements = volume(reduced);
    const auto places = volume(reduction.shape_);
    if (!elements || !places) {
        return base::fail(ErrorCode::invalid_argument, "an array of {} has more elements than can be counted",
                          to_string(box.count));
    }
    reduction.elements_of_each_ = *elements;
    reduction.strides_ = Extents::filled(dimensions, 0);
    for (std::int64_t i = static_cast<std::int64_t>(dimensions) - 1, stride = 1; i >= 0 && *places > 0; --i) {
        if (const auto dimension = static_cast<std::size_t>(i); !reduction.is_reduced_[dimension]) {
            reduction.strides_[dimension] = stride;
            stride *= box.count[dimension];
        }
    }
    if (recipe.kind == Kind::histogram) {
        if (reduction.shape_.size() == max_dimensions) {
            return base::fail(ErrorCode::invalid_argument,
                              "the bins of a histogram would be dimension {} of the result, which may have {}: reduce "
                              "along one at least",
                              max_dimensions + 1, max_dimensions);
        }
        reduction.shape_.push_back(recipe.bins);
    }
    if (*places > std::numeric_limits<std::int64_t>::max() / reduction.bytes_of_state()) {
        return base::fail(ErrorCode::invalid_argument, "no memory has {} times {}", *places, to_string(recipe));
    }
    reduction.states_.resize(static_cast<std::size_t>(*places * reduction.bytes_of_state()));
    reduction.clear();
    return reduction;
}

Reduction Reduction::like(const Reduction& other) {
    Reduction reduction = other;
    reduction.clear();
    return reduction;
}

void Reduction::clear() {
    with_operation(recipe_, elements_, [&]<class Operation>(const Operation& operation) {
        using Number = typename Operation::Number;
        auto* const numbers = reinterpret_cast<Number*>(states_.data());
        for (std::size_t i = 0; i < states_.size() / sizeof(Number); i += static_cast<std::size_t>(operation.width())) {
            operation.begin(numbers + i);
        }
    });
}

void Reduction::add(const Box& part, const ArrayView& elements) {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < part.dimensions(); ++i) {
        first += (part.offset[i] - box_.offset[i]) * strides_[i];
    }
    space::ChunkReader reader(elements, taken_as(recipe_.kind, elements_));
    with_operation(recipe_, elements_, [&]<class Operation>(const Operation& operation) {
        space::for_each_chunk(elements.shape, [&](const Box& chunk) {
            std::int64_t at = first;
            for (std::size_t i = 0; i < chunk.dimensions(); ++i) {
                at += chunk.offset[i] * strides_[i];
            }
            take_dense(operation, reinterpret_cast<const typename Operation::Element*>(reader.read(chunk)), chunk.count,
                       reinterpret_cast<typename Operation::Number*>(states_.data()) + at * operation.width(),
                       strides_);
        });
    });
}

base::Result<> Reduction::add(std::span<const std::byte> parts) {
    if (parts.size() != states_.size()) {
        return base::fail(ErrorCode::protocol, "{} bytes of a reduction came in place of {}", parts.size(),
                          states_.size());
    }
    const auto states = static_cast<std::int64_t>(states_.size()) / bytes_of_state();
    merge(recipe_, elements_, {states_.data(), dtype_of_states(recipe_.kind, elements_), {states}, {bytes_of_state()}},
          parts.data());
    return {};
}

base::Result<> Reduction::add(const Reduction& other) {
    if (other.elements_ != elements_) {
        return base::fail(ErrorCode::invalid_argument, "it is {}, what was added before {}", name_of(other.elements_),
                          name_of(elements_));
    }
    if (other.shape_ != shape_ || other.recipe_ != recipe_) {
        return base::fail(ErrorCode::invalid_argument, "its {} has the shape {}, the {} of what was added before {}",
                          to_string(other.recipe_), to_string(other.shape_), to_string(recipe_), to_string(shape_));
    }
    elements_of_each_ += other.elements_of_each_;
    return add(other.parts());
}

MutableArrayView Reduction::states() {
    MutableArrayView all{states_.data(), dtype_of_states(recipe_.kind, elements_), box_.count, strides_};
    for (std::int64_t& stride : all.strides) {
        stride *= bytes_of_state();
    }
    return all;
}

base::Result<std::vector<std::byte>> Reduction::take() {
    const Kind kind = recipe_.kind;
    if (elements_of_each_ == 0 && !has_result_of_nothing(kind) && !states_.empty()) {
        return base::fail(ErrorCode::invalid_argument, "there is no {} of no elements", to_string(recipe_));
    }
    if (kind != Kind::mean && kind != Kind::var && kind != Kind::std) {
        return std::move(states_);
    }
    const auto places = states_.size() / static_cast<std::size_t>(bytes_of_state());
    const auto size = static_cast<std::size_t>(size_of(dtype()));
    with_type(dtype_of_states(kind, elements_), [&]<class Number>(Number) {
        if constexpr (!std::is_integral_v<Number>) {
            const auto* const numbers = reinterpret_cast<const Number*>(states_.data());
            const auto width = static_cast<std::size_t>(numbers_of_state(recipe_, elements_));
            for (std::size_t i = 0; i < places; ++i) {  // from the first on: no result is longer than its state
                const auto value = shared_among(kind, numbers + i * width, elements_of_each_);
                if constexpr (std::is_same_v<Number, long double>) {
                    if (dtype() == Dtype::f64) {
                        store(states_.data() + i * size, static_cast<double>(value));
                        continue;
                    }
                }
                store(states_.data() + i * size, value);
            }
        }
    });
    states_.resize(places * size);
    return std::move(states_);
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

base::Result<Reduction> Reduction::make(std::string_view recipe, Dtype dtype, const Box& box,
                                        const std::optional<std::vector<std::int64_t>>& axes) {
    auto parsed = parse_recipe(recipe);
    return parsed ? make(*parsed, dtype, box, axes) : base::fail(std::move(parsed));
}

void merge(const Recipe& recipe, Dtype elements, const MutableArrayView& into, const std::byte* states) {
    Extents strides = into.strides;  // in states
    for (std::int64_t& stride : strides) {
        stride /= bytes_of_state(recipe, elements);
    }
    with_operation(recipe, elements, [&]<class Operation>(const Operation& operation) {
        using Number = typename Operation::Number;
        const std::int64_t width = operation.width();
        for_each_run(into.shape, strides, [&](std::int64_t at, std::int64_t run, std::int64_t to, std::int64_t step) {
            for (std::int64_t i = 0; i < run; ++i) {
                operation.merge(static_cast<Number*>(into.data) + (to + i * step) * width,
                                reinterpret_cast<const Number*>(states) + (at + i) * width);
            }
        });
    });
}

}  // namespace staithe::store::reducing
