// Values: what attributes hold.
//
// A `Value` is null, a bool, a 64-bit integer, a double, a UTF-8 string, a list of values or a map of values by name.
// `Attributes` are such a map; streams, steps and variables carry them. Values own what they hold and are as safe to
// share between threads as a std::map. Literals convert: `Attributes{{"units", "lj"}, {"dt", 0.005}}`. A number beyond
// the 64-bit integers throws `InvalidArgument`, and so does a text that is no JSON; nothing blocks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <staithe/error.hpp>
#include <staithe/export.hpp>

namespace staithe {

class Value;
using List = std::vector<Value>;
using Attributes = std::map<std::string, Value>;

/// Null, a bool, a number, a text, a list or a map.
class Value {
  public:
    using Storage = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Attributes>;

    // NOLINTBEGIN(google-explicit-constructor): attributes are written as literals
    Value(std::nullptr_t = nullptr) {}
    Value(std::same_as<bool> auto value) : storage_(value) {}  // a template, lest pointers decay to true
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Value(T value) : storage_(checked(value)) {}
    Value(std::floating_point auto value) : storage_(static_cast<double>(value)) {}
    Value(const char* value) : storage_(std::string(value)) {}
    Value(std::string_view value) : storage_(std::string(value)) {}
    Value(std::string value) : storage_(std::move(value)) {}
    Value(List value) : storage_(std::move(value)) {}
    Value(Attributes value) : storage_(std::move(value)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] bool is_null() const { return storage_.index() == 0; }
    [[nodiscard]] std::optional<bool> as_bool() const { return get<bool>(); }
    [[nodiscard]] std::optional<std::int64_t> as_int() const { return get<std::int64_t>(); }
    /// An integer counts as a number, too.
    [[nodiscard]] std::optional<double> as_double() const {
        const auto integer = as_int();
        return integer ? static_cast<double>(*integer) : get<double>();
    }
    [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&storage_); }
    [[nodiscard]] const List* as_list() const { return std::get_if<List>(&storage_); }
    [[nodiscard]] const Attributes* as_map() const { return std::get_if<Attributes>(&storage_); }
    [[nodiscard]] List* as_list() { return std::get_if<List>(&storage_); }
    [[nodiscard]] Attributes* as_map() { return std::get_if<Attributes>(&storage_); }

    /// For std::visit over all kinds.
    [[nodiscard]] const Storage& storage() const { return storage_; }

    friend bool operator==(const Value&, const Value&) = default;

  private:
    template <class T>
    [[nodiscard]] std::optional<T> get() const {
        const T* value = std::get_if<T>(&storage_);
        return value == nullptr ? std::nullopt : std::optional<T>(*value);
    }

    template <std::integral T>
    static std::int64_t checked(T value) {
        if (value > T{} && static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(INT64_MAX)) {
            throw InvalidArgument(
                "an attribute holds integers up to 9223372036854775807: pass a larger one as a string");
        }
        return static_cast<std::int64_t>(value);
    }

    Storage storage_;
};

/// The value of that name, or nullptr.
[[nodiscard]] inline const Value* find(const Attributes& attributes, const std::string& name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
}

/// NaN and infinities become null, which is all that JSON has for them. `indent` < 0: one line.
[[nodiscard]] STAITHE_API std::string to_json(const Value& value, int indent = -1);

/// What the text says; what is wrong with it if it is not JSON.
[[nodiscard]] STAITHE_API Value value_from_json(std::string_view text);

}  // namespace staithe
