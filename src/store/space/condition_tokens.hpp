// The words of a condition's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/space/condition.hpp"

namespace staithe::store::space {

struct Token {
    enum class Kind : std::uint8_t { name, number, text, relation, symbol, end };
    Kind kind = Kind::end;
    std::string_view shown{};  // as it stands in the text: of a symbol, what it is
    std::string value{};       // a name or a text, without its quotes
    Number number = 0;
    Relation relation = Relation::equal;
};

class ConditionTokens {
  public:
    explicit ConditionTokens(std::string_view text) : text_(text) {}

    base::Result<Token> next();

    /// "condition "…": what is wrong at column 7". `place` is a part of the text.
    [[nodiscard]] tl::unexpected<base::Failure> fail_at(std::string_view place, const std::string& what) const;

  private:
    base::Result<Token> quoted(char quote);
    base::Result<Token> number();
    Token word();
    Token sign();
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    std::string_view take(std::size_t count);

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace staithe::store::space
