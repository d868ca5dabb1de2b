#include <staithe/value.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/value_codec.hpp"

namespace staithe::base {
namespace {

using Json = nlohmann::json;

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

Result<> check(const Value& value, std::size_t depth) {
    if (const std::string* text = value.as_string(); text != nullptr && !is_utf8(*text)) {
        return fail(ErrorCode::invalid_argument, "the text of an attribute is not UTF-8");
    }
    const List* list = value.as_list();
    const Attributes* map = value.as_map();
    if ((list != nullptr || map != nullptr) && depth == max_value_depth) {
        return fail(ErrorCode::invalid_argument, "an attribute is nested more than {} deep", max_value_depth);
    }
    if (list != nullptr) {
        for (const Value& element : *list) {
            if (auto checked = check(element, depth + 1); !checked) {
                return checked;
            }
        }
    }
    if (map != nullptr) {
        for (const auto& [name, element] : *map) {
            if (!is_utf8(name)) {
                return fail(ErrorCode::invalid_argument, "the name of an attribute is not UTF-8");
            }
            if (auto checked = check(element, depth + 1); !checked) {
                return checked;
            }
        }
    }
    return {};
}

Json json_of(const Value& value) {
    return std::visit(Overloaded{[](const List& list) {
                                     Json json = Json::array();
                                     for (const Value& element : list) {
                                         json.push_back(json_of(element));
                                     }
                                     return json;
                                 },
                                 [](const Attributes& map) {
                                     Json json = Json::object();
                                     for (const auto& [name, element] : map) {
                                         json.emplace(name, json_of(element));
                                     }
                                     return json;
                                 },
                                 [](const auto& scalar) { return Json(scalar); }},
                      value.storage());
}

/// Builds a Value from the parser's events. Answering false stops the parser, so it never recurses deeper than the
/// limit, and what a length claims is believed only as its elements arrive.
class Builder final : public Json::json_sax_t {
  public:
    Builder() = default;
    /// Of what others have written.
    static Builder lenient() { return {true, max_value_depth + most_around}; }

    [[nodiscard]] Value take() { return std::move(root_); }
    [[nodiscard]] const std::string& problem() const { return problem_; }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(std::int64_t value) override { return add(value); }
    bool number_unsigned(std::uint64_t value) override {
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            return has_large_as_texts_ ? add(std::to_string(value)) : stop("an integer exceeds 63 bits");
        }
        return add(static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string&) override { return add(value); }
    bool string(std::string& value) override {
        return is_utf8(value) ? add(std::move(value)) : stop("a text is not UTF-8");
    }
    bool binary(Json::binary_t&) override { return stop("byte strings are not attributes"); }
    bool start_object(std::size_t) override { return open(Attributes{}); }
    bool start_array(std::size_t) override { return open(List{}); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& name) override {
        name_ = std::move(name);
        return is_utf8(name_) || stop("a name is not UTF-8");
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
        const std::string_view what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, …"
        return stop(what.data() + (what.starts_with('[') ? what.find("] ") + 2 : 0));
    }

  private:
    bool stop(const char* reason) {
        problem_ = reason;
        return false;
    }

    bool add(Value value) {
        place(std::move(value));
        return true;
    }

    bool open(Value container) {
        if (open_.size() == most_open_) {
            return stop("it is nested too deeply");
        }
        open_.push_back(place(std::move(container)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    // The address stays good while the place is open: its parent does not grow before it is closed.
    Value* place(Value value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        if (List* list = open_.back()->as_list()) {
            return &list->emplace_back(std::move(value));
        }
        return &(open_.back()->as_map()->insert_or_assign(std::move(name_), std::move(value)).first->second);
    }

    Builder(bool has_large_as_texts, std::size_t most_open)
        : has_large_as_texts_(has_large_as_texts), most_open_(most_open) {}

    /// What files of metadata put around an attribute.
    static constexpr std::size_t most_around = 8;

    const bool has_large_as_texts_ = false;
    const std::size_t most_open_ = max_value_depth;
    Value root_;
    std::vector<Value*> open_;
    std::string name_;
    std::string problem_;
};

Result<Value> parse(std::string_view text, Builder builder) {
    if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
        return fail(ErrorCode::invalid_argument, "this is not JSON as expected: {}", builder.problem());
    }
    return builder.take();
}

/// Words that stand for numbers become texts.
std::string with_texts_for_numbers(std::string_view text) {
    constexpr std::array<std::string_view, 3> words{"-Infinity", "Infinity", "NaN"};
    std::string result;
    result.reserve(text.size());
    bool is_in_text = false;
    while (!text.empty()) {
        const auto* const word =
            is_in_text ? words.end()
                       : std::ranges::find_if(words, [&](std::string_view each) { return text.starts_with(each); });
        const std::size_t taken = word != words.end() ? word->size() : is_in_text && text.front() == '\\' ? 2 : 1;
        const std::string_view next = text.substr(0, taken);
        is_in_text = is_in_text != (next == "\"");
        if (word == words.end()) {
            result += next;
        } else {
            result.append("\"").append(next).append("\"");
        }
        text.remove_prefix(next.size());
    }
    return result;
}

}  // namespace

Result<> check(const Value& value) { return check(value, 0); }

Result<Value> from_json(std::string_view text) { return parse(text, Builder()); }

Result<Value> from_json_of_others(std::string_view text) {
    return parse(with_texts_for_numbers(text), Builder::lenient());
}

}  // namespace staithe::base

namespace staithe {

std::string to_json(const Value& value, int indent) {
    return base::json_of(value).dump(indent, ' ', false, base::Json::error_handler_t::replace);
}

Value value_from_json(std::string_view text) { return base::value_or_raise(base::from_json(text)); }

}  // namespace staithe
