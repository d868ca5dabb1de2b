#include "space/member_name.hpp"

#include <charconv>
#include <string_view>

#include "base/result.hpp"

namespace staithe::space {
namespace {

constexpr std::string_view before_rank = ".", before_size = "-of-";

std::optional<int> number_in(std::string_view digits) {
    if (digits.empty() || digits.front() == '-') {
        return std::nullopt;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string member_name(const std::string& servers, int rank, int size) {
    return size == 1 ? servers : fmt::format("{}{}{}{}{}", servers, before_rank, rank, before_size, size);
}

std::optional<Member> member_of(const std::string& name) {
    const auto size_at = name.rfind(before_size);
    const auto rank_at = size_at == std::string::npos ? size_at : name.rfind(before_rank, size_at);
    if (rank_at == std::string::npos || rank_at == 0) {
        return std::nullopt;
    }
    const std::string_view all(name);
    const auto rank = number_in(all.substr(rank_at + before_rank.size(), size_at - rank_at - before_rank.size()));
    const auto size = number_in(all.substr(size_at + before_size.size()));
    return rank && size && *rank < *size && *size <= most_members
               ? std::optional(Member{name.substr(0, rank_at), *rank, *size})
               : std::nullopt;
}

}  // namespace staithe::space
