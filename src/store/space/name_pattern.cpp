#include "store/space/name_pattern.hpp"

#include <algorithm>
#include <cstddef>

namespace staithe::store::space {
namespace {

/// Where the letter after this one begins: text is UTF-8.
std::size_t after_letter(std::string_view text, std::size_t at) {
    constexpr unsigned char mark = 0xC0, of_inner_byte = 0x80;
    do {
        ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & mark) == of_inner_byte);
    return at;
}

}  // namespace

// With a bookmark at the last *: no pattern takes long.
bool fits_pattern(std::string_view name, std::string_view pattern) {
    std::size_t at = 0, in_pattern = 0, star = std::string_view::npos, taken = 0;
    while (at < name.size()) {
        if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            taken = at;
        } else if (in_pattern < pattern.size() && pattern[in_pattern] == '?') {
            ++in_pattern;
            at = after_letter(name, at);
        } else if (in_pattern < pattern.size() && pattern[in_pattern] == name[at]) {
            ++in_pattern;
            ++at;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            at = taken = after_letter(name, taken);
        } else {
            return false;
        }
    }
    return std::ranges::all_of(pattern.substr(in_pattern), [](char letter) { return letter == '*'; });
}

}  // namespace staithe::store::space
