#include "transform/expression/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/text.hpp"

namespace staithe::transform::expression {
namespace {

constexpr std::size_t shown_around = 40;

// The longer ones first.
constexpr std::array<std::string_view, 23> symbols = {
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*", "/",
    "%",  "<",  ">",  "&",  "|",  "^",  "~",  "(",  ")", ",", "="};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
/// Letters of other scripts are several bytes, all of them beyond ASCII.
bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// Whether a character of several bytes began before.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t digits_at_start(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

}  // namespace

tl::unexpected<base::Failure> fail_at(std::string_view text, std::size_t position, std::string_view why) {
    std::size_t first = position > shown_around ? position - shown_around : 0;
    std::size_t end = std::min(first + 2 * shown_around, text.size());
    while (first > 0 && continues_character(text[first])) {
        --first;
    }
    while (end < text.size() && continues_character(text[end])) {
        ++end;
    }
    const auto characters =
        std::ranges::count_if(text.substr(0, position), [](char c) { return !continues_character(c); });
    return base::fail(ErrorCode::invalid_argument, "expression '{}{}{}', at character {}: {}", first > 0 ? "…" : "",
                      base::printable(text.substr(first, end - first)), end < text.size() ? "…" : "", characters + 1,
                      why);
}

base::Result<Token> Tokens::next() {
    at_ += static_cast<std::size_t>(std::ranges::find_if_not(rest(), is_space) - rest().begin());
    const std::string_view left = rest();
    if (left.empty()) {
        return Token{.position = at_};
    }
    if (is_digit(left[0]) || (left[0] == '.' && left.size() > 1 && is_digit(left[1]))) {
        return take_number();
    }
    if (left[0] == '\'' || left[0] == '"') {
        return take_up_to(left[0], Token::Kind::quoted, "the quote is never closed");
    }
    if (left[0] == '[') {
        return take_up_to(']', Token::Kind::bracketed, "the bracket is never closed");
    }
    Token token{.position = at_};
    if (begins_name(left[0])) {
        const auto end = std::ranges::find_if_not(left, [](char c) { return begins_name(c) || is_digit(c); });
        token.kind = Token::Kind::name;
        token.text = left.substr(0, static_cast<std::size_t>(end - left.begin()));
    } else {
        const auto* const symbol = std::ranges::find_if(symbols, [&](auto each) { return left.starts_with(each); });
        if (symbol == symbols.end()) {
            return fail_at(text_, at_,
                           left[0] == '.'
                               ? "there are no methods and modules: write sqrt(u), and reduce what is derived"
                               : fmt::format("'{}' means nothing here", base::printable(left.substr(0, 1))));
        }
        token.kind = Token::Kind::symbol;
        token.text = *symbol;
    }
    at_ += token.text.size();
    return token;
}

base::Result<Token> Tokens::take_number() {
    const std::string_view left = rest();
    std::size_t length = digits_at_start(left);
    const std::size_t whole = length;
    if (left.substr(length).starts_with('.')) {
        length += 1 + digits_at_start(left.substr(length + 1));
    }
    if (const std::string_view after = left.substr(length); after.starts_with('e') || after.starts_with('E')) {
        const std::size_t sign = after.substr(1).starts_with('-') || after.substr(1).starts_with('+') ? 2 : 1;
        const std::size_t digits = digits_at_start(after.substr(std::min(sign, after.size())));
        length += digits > 0 ? sign + digits : 0;
    }
    const bool is_imaginary = left.substr(length).starts_with('j') || left.substr(length).starts_with('J');
    Token token{.kind = Token::Kind::number, .position = at_};
    token.text = left.substr(0, length + (is_imaginary ? 1 : 0));
    if (const auto after = left.substr(token.text.size()); !after.empty() && begins_name(after[0])) {
        return fail_at(text_, at_, "names do not begin with digits, or stand in quotes; numbers are decimal");
    }
    const char* const begin = left.data();
    const char* const end = begin + length;
    if (length == whole && !is_imaginary) {
        std::int64_t value = 0;
        if (std::from_chars(begin, end, value).ec != std::errc()) {
            return fail_at(text_, at_, "integers are less than 2**63: write it with a decimal point");
        }
        token.number = value;
    } else {
        double value = 0.0;
        if (std::from_chars(begin, end, value).ec != std::errc()) {
            return fail_at(text_, at_, "no number of 64 bits is that large, or that small");
        }
        token.number = is_imaginary ? Number(std::complex<double>(0.0, value)) : Number(value);
    }
    at_ += token.text.size();
    return token;
}

base::Result<Token> Tokens::take_up_to(char last, Token::Kind kind, std::string_view open) {
    const std::size_t end = text_.find(last, at_ + 1);
    if (end == std::string_view::npos) {
        return fail_at(text_, at_, open);
    }
    Token token{.kind = kind, .text = text_.substr(at_ + 1, end - at_ - 1), .position = at_};
    at_ = end + 1;
    return token;
}

}  // namespace staithe::transform::expression
