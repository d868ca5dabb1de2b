#include "transform/expression/subscripts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include <staithe/box.hpp>

#include "base/text.hpp"
#include "transform/expression/tokens.hpp"

namespace staithe::transform::expression {
namespace {

/// For each dimension one, as many new ones, and an ellipsis.
constexpr std::size_t most_subscripts = 2 * max_dimensions + 1;
constexpr std::size_t longest_shown_subscript = 40;

std::optional<std::int64_t> whole_number_in(std::string_view text) {
    const char* const end = text.data() + text.size();
    const char* const begin = text.data() + (text.starts_with('+') && !text.starts_with("+-") ? 1 : 0);
    std::int64_t number = 0;
    const auto [last, error] = std::from_chars(begin, end, number);
    return error == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

/// One of those between the commas.
class SubscriptText {
  public:
    SubscriptText(std::string_view text, std::string_view one)
        : text_(text), one_(base::trimmed(one)), position_(static_cast<std::size_t>(one.data() - text.data())) {}

    [[nodiscard]] base::Result<Subscript> parse() const {
        if (one_ == "...") {
            return Subscript{.kind = Subscript::Kind::ellipsis};
        }
        if (one_ == "None") {
            return Subscript{.kind = Subscript::Kind::new_dimension};
        }
        if (one_.find(':') != std::string_view::npos) {
            return slice();
        }
        const auto index = whole_number_in(one_);
        return index ? Subscript{.start = index} : base::Result<Subscript>(no_subscript());
    }

  private:
    [[nodiscard]] base::Result<Subscript> slice() const {
        std::array<std::optional<std::int64_t>, 3> numbers;
        std::size_t i = 0;
        for (std::string_view left = one_;; ++i) {
            const std::size_t end = left.find(':');
            const std::string_view number = base::trimmed(left.substr(0, end));
            if (i == numbers.size()) {
                return no_subscript();
            }
            numbers[i] = whole_number_in(number);
            if (!number.empty() && !numbers[i]) {
                return no_subscript();
            }
            if (end == std::string_view::npos) {
                break;
            }
            left.remove_prefix(end + 1);
        }
        if (numbers[2].value_or(1) <= 0) {
            return fail_at(text_, position_,
                           fmt::format("the step of '{}' is {}: elements are taken forwards, by steps of 1 and more",
                                       shown(), *numbers[2]));
        }
        return Subscript{
            .kind = Subscript::Kind::slice, .start = numbers[0], .stop = numbers[1], .step = numbers[2].value_or(1)};
    }

    [[nodiscard]] std::string shown() const { return base::printable(one_.substr(0, longest_shown_subscript)); }

    [[nodiscard]] tl::unexpected<base::Failure> no_subscript() const {
        return fail_at(text_, position_,
                       fmt::format("'{}' is no subscript: in brackets are whole numbers, slices, '...' and None; the "
                                   "unit of a name, as in 'v [m/s] = 2 * u'",
                                   shown()));
    }

    std::string_view text_;
    std::string_view one_;
    std::size_t position_;
};

}  // namespace

base::Result<std::vector<Subscript>> parse_subscripts(std::string_view text, const Token& bracketed) {
    std::vector<Subscript> subscripts;
    std::string_view left = bracketed.text;
    for (;;) {
        const std::size_t comma = left.find(',');
        auto subscript = SubscriptText(text, left.substr(0, comma)).parse();
        if (!subscript) {
            return base::fail(std::move(subscript));
        }
        subscripts.push_back(*subscript);
        if (subscripts.size() > most_subscripts) {
            return fail_at(text, bracketed.position, "no array has as many dimensions as there are subscripts");
        }
        left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
        if (base::trimmed(left).empty()) {  // a comma may stand behind the last one
            break;
        }
    }
    if (std::ranges::count(subscripts, Subscript::Kind::ellipsis, &Subscript::kind) > 1) {
        return fail_at(text, bracketed.position, "'...' stands for all dimensions that are left, and only once");
    }
    return subscripts;
}

}  // namespace staithe::transform::expression
