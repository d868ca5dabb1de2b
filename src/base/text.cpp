#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace staithe::base {

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; };
    const auto* const first = std::find_if_not(text.begin(), text.end(), is_space);
    const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), is_space);
    return {first, static_cast<std::size_t>(last.base() - first)};
}

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: no UTF-8
};

// The character that `text` begins with.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    if (byte(0) < 0x80) {
        return {byte(0), 1};
    }
    const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) {
        return {};
    }
    std::uint32_t code = byte(0) & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) {
            return {};
        }
        code = code << 6U | (byte(i) & 0x3fU);
    }
    return {code, length};
}

bool harms(std::uint32_t code) {
    constexpr std::pair<std::uint32_t, std::uint32_t> ranges[] = {
        {0x00, 0x1f},      {0x7f, 0x9f},      // control characters
        {0x200b, 0x200f},  {0x2028, 0x202e},  // of no width, of direction, ends of lines
        {0x2060, 0x206f},  {0xfeff, 0xfeff},  // the same
        {0xd800, 0xdfff},                     // halves of characters
        {0xe0000, 0xe007f}                    // tags: text that is not shown
    };
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [&](const auto& range) { return code >= range.first && code <= range.second; });
}

std::string escaped(std::uint32_t code) {
    switch (code) {
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\t': return "\\t";
        default: break;
    }
    if (code < 0x100) {
        return fmt::format("\\x{:02x}", code);
    }
    return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

// Two for each letter that must be changed, added or left out to make one of the other; one if only the case differs.
std::size_t distance(std::string_view one, std::string_view other) {
    constexpr std::size_t looked_at = 64;  // what comes behind makes no name likelier, but the search longer
    one = one.substr(0, looked_at);
    other = other.substr(0, looked_at);
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = 2 * j;
    }
    const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], 2 * (i + 1));
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t change = one[i] == other[j] ? 0 : lower(one[i]) == lower(other[j]) ? 1 : 2;
            const std::size_t best = std::min({diagonal + change, row[j] + 2, row[j + 1] + 2});
            diagonal = std::exchange(row[j + 1], best);
        }
    }
    return row.back();
}

}  // namespace

bool is_utf8(std::string_view text) {
    // By leading byte: how many bytes follow, and the range of the first of them (later ones are 80 to bf). The
    // narrowed ranges shut out overlong forms, surrogates and code points beyond 10ffff.
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
        const unsigned lead = byte(i++);
        if (lead < 0x80) {
            continue;
        }
        if (lead < 0xc2 || lead > 0xf4) {
            return false;
        }
        const unsigned lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const unsigned highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (byte(i) < lowest || byte(i) > highest) {
            return false;
        }
        const std::size_t end = i + (lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3);
        for (++i; i < end; ++i) {
            if (byte(i) < 0x80 || byte(i) > 0xbf) {
                return false;
            }
        }
    }
    return true;
}

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_character(text);
        if (character.bytes == 0) {
            shown += escaped(static_cast<unsigned char>(text[0]));
        } else if (harms(character.code)) {
            shown += escaped(character.code);
        } else {
            shown += text.substr(0, character.bytes);
        }
        text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
    }
    return shown;
}

std::string closest(std::string_view wanted, const std::vector<std::string>& names) {
    constexpr std::size_t most = 10;
    if (names.empty()) {
        return "none";
    }
    std::vector<std::pair<std::size_t, const std::string*>> ordered;
    ordered.reserve(names.size());
    for (const std::string& name : names) {
        ordered.emplace_back(distance(wanted, name), &name);
    }
    std::sort(ordered.begin(), ordered.end());  // those that are equally close, as they came
    const std::size_t shown = std::min(most, ordered.size());
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        text += fmt::format("{}'{}'", i == 0 ? "" : ", ", *ordered[i].second);
    }
    return shown == ordered.size() ? text : text + fmt::format(" and {} more", ordered.size() - shown);
}

}  // namespace staithe::base
