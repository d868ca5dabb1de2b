// Attributes, typed.
#include <algorithm>
#include <array>
#include <span>

#include <staithe/value.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

namespace {

using staithe::List;
using staithe::Value;

// The indices of staithe::Value::Storage.
constexpr std::array kind_names{"null", "a bool", "an int", "a double", "a string", "a list", "a map"};
static_assert(kind_names.size() == std::variant_size_v<Value::Storage>);
static_assert(std::is_same_v<std::variant_alternative_t<STAITHE_KIND_BOOL, Value::Storage>, bool>);
static_assert(std::is_same_v<std::variant_alternative_t<STAITHE_KIND_INT, Value::Storage>, std::int64_t>);
static_assert(std::is_same_v<std::variant_alternative_t<STAITHE_KIND_DOUBLE, Value::Storage>, double>);
static_assert(std::is_same_v<std::variant_alternative_t<STAITHE_KIND_STRING, Value::Storage>, std::string>);
static_assert(std::is_same_v<std::variant_alternative_t<STAITHE_KIND_LIST, Value::Storage>, List>);
static_assert(std::is_same_v<std::variant_alternative_t<STAITHE_KIND_MAP, Value::Storage>, staithe::Attributes>);

const Value& value_of(const staithe_attributes* attributes, const char* name) {
    const staithe::Attributes& map = given(attributes, "attributes").map;
    const Value* value = find(map, &given(name, "name"));
    if (value == nullptr) {
        std::string known;
        for (const auto& [other, ignored] : map) {
            known.append(known.empty() ? "'" : ", '").append(other).append("'");
        }
        throw staithe::NotFound("there is no attribute '" + std::string(name) + "'; there are " +
                                (known.empty() ? "none" : known));
    }
    return *value;
}

[[noreturn]] void refuse(const char* name, const Value& value, const char* wanted) {
    throw staithe::InvalidArgument("attribute '" + std::string(name) + "' is " + kind_names[value.storage().index()] +
                                   ", not " + wanted);
}

/// What `as` finds in an attribute, which is nothing if that is of another kind.
template <class As>
auto get(const staithe_attributes* attributes, const char* name, const char* wanted, As as) {
    const Value& value = value_of(attributes, name);
    const auto found = as(value);
    if (!found) {
        refuse(name, value, wanted);
    }
    return *found;
}

std::optional<std::int64_t> as_int(const Value& value) { return value.as_int(); }
std::optional<double> as_double(const Value& value) { return value.as_double(); }

template <class Number, class As>
staithe_status get_numbers(const staithe_attributes* attributes, const char* name, Number* values, size_t capacity,
                           size_t* count, const char* wanted, As as) {
    return guard([&] {
        std::size_t& found = given(count, "count");
        const Value& value = value_of(attributes, name);
        const List* list = value.as_list();
        if (list == nullptr || !std::all_of(list->begin(), list->end(), [&](const Value& one) { return as(one); })) {
            refuse(name, value, wanted);
        }
        if (capacity > 0) {
            static_cast<void>(given(values, "values"));
        }
        for (std::size_t i = 0; i < std::min(capacity, list->size()); ++i) {
            values[i] = *as((*list)[i]);
        }
        found = list->size();
    });
}

staithe_status set(staithe_attributes* attributes, const char* name, Value value) {
    return guard([&] { given(attributes, "attributes").map.insert_or_assign(&given(name, "name"), std::move(value)); });
}

template <class Number>
staithe_status set_numbers(staithe_attributes* attributes, const char* name, const Number* values, size_t count) {
    return guard([&] {
        List list;
        if (count > 0) {
            const std::span numbers(&given(values, "values"), count);
            list.assign(numbers.begin(), numbers.end());
        }
        given(attributes, "attributes").map.insert_or_assign(&given(name, "name"), std::move(list));
    });
}

}  // namespace

extern "C" {

staithe_status staithe_attributes_create(staithe_attributes** attributes) {
    return guard([&] {
        staithe_attributes*& result = emptied(attributes, "attributes");
        result = new staithe_attributes;
    });
}

void staithe_attributes_free(staithe_attributes** attributes) { free_handle(attributes); }

staithe_status staithe_attributes_set_bool(staithe_attributes* attributes, const char* name, int32_t value) {
    return set(attributes, name, value != 0);
}

staithe_status staithe_attributes_set_int(staithe_attributes* attributes, const char* name, int64_t value) {
    return set(attributes, name, value);
}

staithe_status staithe_attributes_set_double(staithe_attributes* attributes, const char* name, double value) {
    return set(attributes, name, value);
}

staithe_status staithe_attributes_set_string(staithe_attributes* attributes, const char* name, const char* value) {
    return guard([&] {
        given(attributes, "attributes").map.insert_or_assign(&given(name, "name"), Value(&given(value, "value")));
    });
}

staithe_status staithe_attributes_set_ints(staithe_attributes* attributes, const char* name, const int64_t* values,
                                           size_t count) {
    return set_numbers(attributes, name, values, count);
}

staithe_status staithe_attributes_set_doubles(staithe_attributes* attributes, const char* name, const double* values,
                                              size_t count) {
    return set_numbers(attributes, name, values, count);
}

staithe_status staithe_attributes_set_json(staithe_attributes* attributes, const char* name, const char* json) {
    return guard([&] {
        given(attributes, "attributes")
            .map.insert_or_assign(&given(name, "name"), staithe::value_from_json(&given(json, "json")));
    });
}

staithe_status staithe_attributes_get_kind(const staithe_attributes* attributes, const char* name, staithe_kind* kind) {
    return guard(
        [&] { given(kind, "kind") = static_cast<staithe_kind>(value_of(attributes, name).storage().index()); });
}

staithe_status staithe_attributes_get_bool(const staithe_attributes* attributes, const char* name, int32_t* value) {
    return guard([&] {
        given(value, "value") = get(attributes, name, "a bool", [](const Value& any) { return any.as_bool(); }) ? 1 : 0;
    });
}

staithe_status staithe_attributes_get_int(const staithe_attributes* attributes, const char* name, int64_t* value) {
    return guard([&] { given(value, "value") = get(attributes, name, "an int", as_int); });
}

staithe_status staithe_attributes_get_double(const staithe_attributes* attributes, const char* name, double* value) {
    return guard([&] { given(value, "value") = get(attributes, name, "a number", as_double); });
}

staithe_status staithe_attributes_get_string(const staithe_attributes* attributes, const char* name,
                                             const char** value) {
    return guard([&] {
        const char*& result = emptied(value, "value");
        const Value& any = value_of(attributes, name);
        const std::string* text = any.as_string();
        if (text == nullptr) {
            refuse(name, any, "a string");
        }
        result = text->c_str();
    });
}

staithe_status staithe_attributes_get_ints(const staithe_attributes* attributes, const char* name, int64_t* values,
                                           size_t capacity, size_t* count) {
    return get_numbers(attributes, name, values, capacity, count, "a list of ints", as_int);
}

staithe_status staithe_attributes_get_doubles(const staithe_attributes* attributes, const char* name, double* values,
                                              size_t capacity, size_t* count) {
    return get_numbers(attributes, name, values, capacity, count, "a list of numbers", as_double);
}

staithe_status staithe_attributes_get_json(const staithe_attributes* attributes, const char* name, char** json) {
    return guard([&] {
        char*& text = emptied(json, "json");
        text = new_text(name == nullptr ? to_json(given(attributes, "attributes").map)
                                        : to_json(value_of(attributes, name)));
    });
}

staithe_status staithe_attributes_names(const staithe_attributes* attributes, staithe_names** names) {
    return guard([&] {
        staithe_names*& result = emptied(names, "names");
        auto list = std::make_unique<staithe_names>();
        for (const auto& [name, ignored] : given(attributes, "attributes").map) {
            list->list.push_back(name);
        }
        result = list.release();
    });
}
}
