// CBOR (RFC 8949), as far as values need it. By hand: messages wait for it, and a general parser takes five times as
// long.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "base/value_codec.hpp"

namespace staithe::base {
namespace {

enum class Kind : std::uint8_t { integer, negative, bytes, text, list, map, tag, other };
constexpr std::uint8_t first_with_bytes = 24, float16 = 25, float32 = 26, float64 = 27, indefinite = 31;
constexpr std::uint8_t false_value = 20, true_value = 21, null_value = 22;
constexpr std::byte end_of_indefinite{0xff};

/// Writes what is small as few bytes as there are for it: most messages are that, and wait for it.
class CborWriter {
  public:
    explicit CborWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    void write(const Value& value) {
        std::visit([this](const auto& each) { write(each); }, value.storage());
    }
    void write(const Attributes& map) {
        head(Kind::map, map.size());
        for (const auto& [name, value] : map) {
            write(name);
            write(value);
        }
    }

  private:
    void write(std::nullptr_t) { head(Kind::other, null_value); }
    void write(bool value) { head(Kind::other, value ? true_value : false_value); }
    void write(std::int64_t value) {
        if (value < 0) {
            head(Kind::negative, static_cast<std::uint64_t>(-(value + 1)));
        } else {
            head(Kind::integer, static_cast<std::uint64_t>(value));
        }
    }
    void write(double value) {
        byte(Kind::other, float64);
        number<8>(std::bit_cast<std::uint64_t>(value));
    }
    void write(const std::string& text) {
        head(Kind::text, text.size());
        const auto* const first = reinterpret_cast<const std::byte*>(text.data());
        bytes_.insert(bytes_.end(), first, first + text.size());
    }
    void write(const List& list) {
        head(Kind::list, list.size());
        for (const Value& value : list) {
            write(value);
        }
    }

    void head(Kind kind, std::uint64_t count) {
        if (count < 24) {
            byte(kind, static_cast<std::uint8_t>(count));
        } else if (count <= UINT8_MAX) {
            byte(kind, 24);
            number<1>(count);
        } else if (count <= UINT16_MAX) {
            byte(kind, 25);
            number<2>(count);
        } else if (count <= UINT32_MAX) {
            byte(kind, 26);
            number<4>(count);
        } else {
            byte(kind, 27);
            number<8>(count);
        }
    }
    void byte(Kind kind, std::uint8_t info) {
        bytes_.push_back(static_cast<std::byte>(static_cast<unsigned>(kind) << 5U | info));
    }
    template <std::size_t size>
    void number(std::uint64_t value) {
        std::array<std::byte, size> written{};
        for (std::size_t i = 0; i < size; ++i) {
            written[i] = static_cast<std::byte>(value >> (8 * (size - 1 - i)));
        }
        bytes_.insert(bytes_.end(), written.begin(), written.end());
    }

    std::vector<std::byte>& bytes_;
};

double float_of_half(std::uint64_t half) {
    const int exponent = static_cast<int>(half >> 10U & 0x1fU);
    const auto fraction = static_cast<double>(half & 0x3ffU);
    double value = std::ldexp(fraction + 1024.0, exponent - 25);
    if (exponent == 0) {
        value = std::ldexp(fraction, -24);
    } else if (exponent == 31) {
        value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    return (half & 0x8000U) != 0 ? -value : value;
}

/// What a length claims is believed only as its elements arrive, and nesting is bounded.
class CborReader {
  public:
    explicit CborReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    Result<Value> read() {
        Value value;
        if (!read(value, 0)) {
            return fail(ErrorCode::protocol, "attributes cannot be decoded: {}", problem_);
        }
        return at_ == bytes_.size() ? Result<Value>(std::move(value))
                                    : fail(ErrorCode::protocol, "attributes cannot be decoded: bytes follow them");
    }

  private:
    struct Head {
        Kind kind = Kind::other;
        std::uint8_t info = 0;
        std::uint64_t number = 0;
    };

    bool stop(const char* problem) {
        problem_ = problem;
        return false;
    }

    bool read_head(Head& head) {
        if (at_ == bytes_.size()) {
            return stop("they are cut short");
        }
        const auto first = std::to_integer<std::uint8_t>(bytes_[at_++]);
        head = {static_cast<Kind>(first >> 5U), static_cast<std::uint8_t>(first & 31U), first & 31U};
        if (head.info >= first_with_bytes && head.info <= float64) {
            const std::size_t size = std::size_t{1} << (head.info - first_with_bytes);
            if (size > bytes_.size() - at_) {
                return stop("they are cut short");
            }
            head.number = 0;
            for (const std::byte byte : bytes_.subspan(at_, size)) {
                head.number = head.number << 8U | std::to_integer<std::uint64_t>(byte);
            }
            at_ += size;
        }
        return head.info <= float64 || head.info == indefinite || stop("a length makes no sense");
    }

    bool read(Value& value, std::size_t depth) {
        Head head;
        if (!read_head(head)) {
            return false;
        }
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        const bool is_number = head.kind == Kind::integer || head.kind == Kind::negative;
        if (is_number && (head.number > most || head.info == indefinite)) {
            return stop("an integer exceeds 63 bits");
        }
        switch (head.kind) {
            case Kind::integer: value = static_cast<std::int64_t>(head.number); return true;
            case Kind::negative: value = -1 - static_cast<std::int64_t>(head.number); return true;
            case Kind::text: {
                std::string text;
                const bool is_read = read_text(head, text);
                value = std::move(text);
                return is_read;
            }
            case Kind::list:
                return depth == max_value_depth ? stop("it is nested too deeply") : read_list(head, value, depth);
            case Kind::map:
                return depth == max_value_depth ? stop("it is nested too deeply") : read_map(head, value, depth);
            case Kind::other: return read_other(head, value);
            case Kind::bytes:
            case Kind::tag: break;
        }
        return stop("byte strings and tags are not attributes");
    }

    bool read_text(const Head& head, std::string& text) {
        if (head.info == indefinite) {
            return stop("a text of theirs comes in pieces");
        }
        if (head.number > bytes_.size() - at_) {
            return stop("they are cut short");
        }
        text.assign(reinterpret_cast<const char*>(bytes_.data() + at_), static_cast<std::size_t>(head.number));
        at_ += text.size();
        return is_utf8(text) || stop("a text is not UTF-8");
    }

    /// Whether another element comes, of as many as the head says, of which there were `known`.
    bool goes_on(const Head& head, std::uint64_t known) {
        if (head.info != indefinite) {
            return known < head.number;
        }
        if (at_ < bytes_.size() && bytes_[at_] == end_of_indefinite) {
            ++at_;
            return false;
        }
        return true;
    }

    bool read_list(const Head& head, Value& value, std::size_t depth) {
        List list;
        constexpr std::uint64_t most_at_first = 4096;
        list.reserve(head.info == indefinite ? 0 : static_cast<std::size_t>(std::min(head.number, most_at_first)));
        while (goes_on(head, list.size())) {
            if (!read(list.emplace_back(), depth + 1)) {
                return false;
            }
        }
        value = std::move(list);
        return true;
    }

    bool read_map(const Head& head, Value& value, std::size_t depth) {
        Attributes map;
        for (std::uint64_t known = 0; goes_on(head, known); ++known) {
            Head name;
            std::string text;
            if (!read_head(name) || (name.kind != Kind::text && !stop("a name is no text")) || !read_text(name, text)) {
                return false;
            }
            // Names come in order, unless somebody else has written them.
            if (!read(map.insert_or_assign(map.end(), std::move(text), Value())->second, depth + 1)) {
                return false;
            }
        }
        value = std::move(map);
        return true;
    }

    bool read_other(const Head& head, Value& value) {
        switch (head.info) {
            case false_value:
            case true_value: value = head.info == true_value; return true;
            case null_value: value = nullptr; return true;
            case float16: value = float_of_half(head.number); return true;
            case float32:
                value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(head.number)));
                return true;
            case float64: value = std::bit_cast<double>(head.number); return true;
            default: return stop("it is nothing that attributes may be");
        }
    }

    const std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    const char* problem_ = "";
};

}  // namespace

std::vector<std::byte> to_cbor(const Value& value) {
    std::vector<std::byte> bytes;
    to_cbor(value, bytes);
    return bytes;
}

void to_cbor(const Value& value, std::vector<std::byte>& bytes) { CborWriter{bytes}.write(value); }
void to_cbor(const Attributes& map, std::vector<std::byte>& bytes) { CborWriter{bytes}.write(map); }

Result<Value> from_cbor(std::span<const std::byte> bytes) { return CborReader(bytes).read(); }

}  // namespace staithe::base
