// The words that the text of an expression is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "transform/expression/tree.hpp"

namespace staithe::transform::expression {

struct Token {
    enum class Kind : std::uint8_t { end, number, name, quoted, bracketed, symbol };
    Kind kind = Kind::end;
    std::string_view text{};  // what is between quotes or brackets
    std::size_t position = 0;
    Number number{};
};

/// The text with its position, for messages: all of it, or what is around the place in a long one.
[[nodiscard]] tl::unexpected<base::Failure> fail_at(std::string_view text, std::size_t position, std::string_view why);

class Tokens {
  public:
    explicit Tokens(std::string_view text) : text_(text) {}

    /// The one after the last; again and again that of the end, when there are no more.
    base::Result<Token> next();

  private:
    base::Result<Token> take_number();
    base::Result<Token> take_up_to(char last, Token::Kind kind, std::string_view open);
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace staithe::transform::expression
