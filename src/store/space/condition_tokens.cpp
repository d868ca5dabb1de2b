#include "store/space/condition_tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace staithe::store::space {
namespace {

using Kind = Token::Kind;

// Independent of the locale, as the text is.
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_space(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }
bool begins_name(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           static_cast<unsigned char>(letter) >= 0x80;
}
bool is_of_name(char letter) { return begins_name(letter) || is_digit(letter) || letter == '.' || letter == '/'; }
/// Of a character in UTF-8, not the first byte.
bool continues_character(char letter) { return (static_cast<unsigned char>(letter) & 0xc0U) == 0x80U; }

constexpr std::array<std::pair<std::string_view, Relation>, 6> relations{{{"<=", Relation::less_equal},
                                                                          {">=", Relation::greater_equal},
                                                                          {"==", Relation::equal},
                                                                          {"!=", Relation::not_equal},
                                                                          {"<", Relation::less},
                                                                          {">", Relation::greater}}};
constexpr std::array<std::string_view, 4> reserved{"and", "or", "not", "isnan"};

std::optional<Number> named_number(std::string_view word) {
    if (word == "true" || word == "True") {
        return 1;
    }
    if (word == "false" || word == "False") {
        return 0;
    }
    if (word == "inf" || word == "nan") {
        return word == "inf" ? std::numeric_limits<Number>::infinity() : std::numeric_limits<Number>::quiet_NaN();
    }
    return std::nullopt;
}

template <class T>
std::pair<std::size_t, bool> read(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return {static_cast<std::size_t>(end - text.data()), error == std::errc()};
}

}  // namespace

base::Result<Token> ConditionTokens::next() {
    while (at_ < text_.size() && is_space(text_[at_])) {
        ++at_;
    }
    if (at_ == text_.size()) {
        return Token{Kind::end, rest()};
    }
    const char letter = text_[at_];
    if (letter == '\'' || letter == '"' || letter == '`') {
        return quoted(letter);
    }
    const bool is_signed = letter == '-' || letter == '+';
    const char first = is_signed && at_ + 1 < text_.size() ? text_[at_ + 1] : letter;
    if (is_digit(first) || first == '.' || (is_signed && rest().substr(1, 3) == "inf")) {
        return number();
    }
    return begins_name(letter) ? word() : sign();
}

tl::unexpected<base::Failure> ConditionTokens::fail_at(std::string_view place, const std::string& what) const {
    constexpr std::size_t shown_around = 40;
    const auto at = static_cast<std::size_t>(place.data() - text_.data());
    std::size_t begin = at > shown_around ? at - shown_around : 0;
    std::size_t end = std::min(text_.size(), at + shown_around);
    while (begin > 0 && continues_character(text_[begin])) {
        --begin;
    }
    while (end < text_.size() && continues_character(text_[end])) {
        ++end;
    }
    const auto continuing =
        std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), continues_character);
    return base::fail(ErrorCode::invalid_argument, "condition \"{}{}{}\": {} at column {}", begin > 0 ? "…" : "",
                      text_.substr(begin, end - begin), end < text_.size() ? "…" : "", what,
                      at - static_cast<std::size_t>(continuing) + 1);
}

base::Result<Token> ConditionTokens::quoted(char quote) {
    const std::size_t begin = at_;
    const Kind kind = quote == '`' ? Kind::name : Kind::text;
    std::string value;
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
        if (text_[i] == quote) {
            return Token{kind, take(i + 1 - begin), std::move(value)};
        }
        if (text_[i] == '\\' && kind == Kind::text) {
            const std::string_view escaped = text_.substr(i + 1, 1);
            if (escaped != "\\" && escaped != "'" && escaped != "\"") {
                return fail_at(text_.substr(i), "expected a backslash or a quote after '\\'");
            }
            ++i;
        }
        value += text_[i];
    }
    return fail_at(text_.substr(begin), fmt::format("the {} that begins with {} does not end; it begins",
                                                    kind == Kind::name ? "name" : "text", quote));
}

base::Result<Token> ConditionTokens::number() {
    const bool is_negative = text_[at_] == '-';
    const std::size_t sign = is_negative || text_[at_] == '+' ? 1 : 0;
    const std::string_view magnitude = rest().substr(sign);
    std::uint64_t integer = 0;
    double real = 0.0;
    const auto [real_length, is_real] = read(magnitude, real);
    const auto [integer_length, is_integer] = read(magnitude, integer);
    if (real_length == 0) {
        return fail_at(rest(), fmt::format("expected digits beside '{}'", rest().substr(0, sign + 1)));
    }
    const std::string_view shown = rest().substr(0, sign + real_length);
    const bool is_whole = is_integer && integer_length == real_length;
    if (!is_whole && !is_real) {
        return fail_at(shown, fmt::format("a double cannot hold {}", shown));
    }
    const Number value = is_whole ? static_cast<Number>(integer) : static_cast<Number>(real);
    return Token{Kind::number, take(shown.size()), {}, is_negative ? -value : value};
}

Token ConditionTokens::word() {
    const std::string_view letters = rest();
    const auto length =
        static_cast<std::size_t>(std::find_if_not(letters.begin(), letters.end(), is_of_name) - letters.begin());
    const std::string_view shown = take(length);
    if (std::find(reserved.begin(), reserved.end(), shown) != reserved.end()) {
        return {Kind::symbol, shown};
    }
    if (const auto number = named_number(shown)) {
        return {Kind::number, shown, {}, *number};
    }
    return {Kind::name, shown, std::string(shown)};
}

Token ConditionTokens::sign() {
    for (const auto& [shown, relation] : relations) {
        if (rest().starts_with(shown)) {
            return {Kind::relation, take(shown.size()), {}, 0, relation};
        }
    }
    return {Kind::symbol, take(1)};
}

std::string_view ConditionTokens::take(std::size_t count) {
    const std::string_view taken = text_.substr(at_, count);
    at_ += count;
    return taken;
}

}  // namespace staithe::store::space
