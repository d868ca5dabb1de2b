#include "stream/reading/npy/array_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <staithe/array_view.hpp>

#include "base/bytes.hpp"
#include "base/config.hpp"
#include "os/files.hpp"
#include "os/shared_memory.hpp"

namespace staithe::stream::npy {
namespace {

using base::fail;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_dictionary = 1
                                           << 16;  // NumPy itself takes no more than 10,000 bytes unless it is told to

/// The few Python literals that a header has.
class Literals {
  public:
    explicit Literals(std::string_view text) : text_(text) {}

    bool take(std::string_view word) {
        skip_spaces();
        const bool there = text_.starts_with(word);
        text_.remove_prefix(there ? word.size() : 0);
        return there;
    }
    std::optional<std::string_view> text() {
        skip_spaces();
        const char quote = text_.empty() ? '\0' : text_.front();
        const auto end = text_.find(quote, 1);
        if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
            return std::nullopt;
        }
        const auto found = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return found;
    }
    std::optional<bool> boolean() {
        return take("True") ? std::optional(true) : take("False") ? std::optional(false) : std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> numbers() {
        std::vector<std::int64_t> found;
        if (!take("(")) {
            return std::nullopt;
        }
        while (!take(")")) {
            skip_spaces();
            std::int64_t number = 0;
            const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
            if (error != std::errc()) {
                return std::nullopt;
            }
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            take("L");  // as Python 2 wrote it
            found.push_back(number);
            if (!take(",") && !text_.starts_with(')')) {
                return std::nullopt;
            }
        }
        return found;
    }
    bool is_at_end() {
        skip_spaces();
        return text_.empty();
    }

  private:
    void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size())); }

    std::string_view text_;
};

base::Result<Dtype> dtype_of(std::string_view described) {
    const char order = described.empty() ? '\0' : described.front();
    const std::string_view name = described.substr(described.empty() ? 0 : 1);
    const auto dtype = name == "b1" ? std::optional(Dtype::boolean) : dtype_from_name(name);
    if (!dtype || name == "bool" || std::string_view("<>|=").find(order) == std::string_view::npos) {
        return fail(ErrorCode::protocol, "its elements are '{}', which Staithe has no dtype for", described);
    }
    if (order == '>' && size_of(*dtype) > 1) {
        return fail(ErrorCode::protocol, "its elements are big-endian ('{}'): save it as '<{}'", described, name);
    }
    return *dtype;
}

}  // namespace

base::Result<ArrayFile> parse_dictionary(std::string_view text) {
    const auto unreadable = fail(ErrorCode::protocol, "its header cannot be understood");
    Literals in(text);
    std::optional<Dtype> dtype;
    std::optional<bool> column_major;
    std::optional<std::vector<std::int64_t>> shape;
    if (!in.take("{")) {
        return unreadable;
    }
    for (; !in.take("}"); in.take(",")) {
        const auto key = in.text();
        if (!key || !in.take(":")) {
            return unreadable;
        }
        if (*key == "descr") {
            if (in.take("[") || in.take("(")) {
                return fail(ErrorCode::protocol, "its elements are structured: save each field to a file of its own");
            }
            const auto described = in.text();
            if (!described) {
                return unreadable;
            }
            const auto known = dtype_of(*described);
            if (!known) {
                return fail(known);
            }
            dtype = *known;
        } else if (*key == "fortran_order") {
            column_major = in.boolean();
        } else if (*key == "shape") {
            shape = in.numbers();
        } else {
            return unreadable;
        }
    }
    if (!dtype || !column_major || !shape || !in.is_at_end()) {
        return unreadable;
    }
    if (shape->size() > max_dimensions) {
        return fail(ErrorCode::protocol, "its array has {} dimensions, and one of Staithe has {} at most",
                    shape->size(), max_dimensions);
    }
    ArrayFile array{*dtype, *column_major, {}, 0, 0};
    for (const std::int64_t length : *shape) {
        array.shape.push_back(length);
    }
    const auto bytes = size_in_bytes(array.shape, array.dtype);
    if (!bytes) {
        return unreadable;
    }
    array.bytes = *bytes;
    return array;
}

namespace {

base::Result<ArrayFile> read_unnamed(const os::FileDescriptor& file) {
    std::array<std::byte, 12> start{};
    const auto had = os::read_at(file, 0, start);
    if (!had) {
        return fail(had);
    }
    const std::string_view text(reinterpret_cast<const char*>(start.data()), *had);
    if (text.size() < 10 || !text.starts_with(magic)) {
        return fail(ErrorCode::protocol, "it does not begin as such a file does");
    }
    const auto version = std::to_integer<unsigned>(start[6]);
    if (version < 1 || version > 3) {
        return fail(ErrorCode::protocol, "it has version {}.{} of the format", version,
                    std::to_integer<unsigned>(start[7]));
    }
    base::ByteReader lengths(std::span<const std::byte>(start).subspan(magic.size() + 2));
    const std::int64_t at = version == 1 ? 10 : 12;
    const std::size_t length = version == 1 ? lengths.number<std::uint16_t>() : lengths.number<std::uint32_t>();
    if (length > longest_dictionary) {
        return fail(ErrorCode::protocol, "its header of {} bytes is too long", length);
    }
    std::string dictionary(length, '\0');
    const auto read = os::read_at(file, at, std::as_writable_bytes(std::span(dictionary)));
    if (!read || *read < length) {
        return read ? fail(ErrorCode::protocol, "it ends within its header") : fail(read);
    }
    auto array = parse_dictionary(dictionary);
    const auto size = os::size_of_file(file);
    if (!array || !size) {
        return array ? fail(size) : array;
    }
    array->offset = at + static_cast<std::int64_t>(length);
    if (*size - array->offset < array->bytes) {
        return fail(ErrorCode::protocol, "it has {} of the {} that its array takes",
                    base::format_bytes(*size - array->offset), base::format_bytes(array->bytes));
    }
    return array;
}

}  // namespace

base::Result<ArrayFile> read_header(const os::FileDescriptor& file, const std::string& path) {
    auto array = read_unnamed(file);
    if (!array && array.error().code == ErrorCode::protocol) {
        return fail(ErrorCode::protocol, "cannot read '{}' as a .npy file: {}", path, array.error().message);
    }
    return array;
}

}  // namespace staithe::stream::npy
