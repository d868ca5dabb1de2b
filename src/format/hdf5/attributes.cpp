#include "format/hdf5/attributes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/datatypes.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::ByteReader;
using base::ByteWriter;
using base::fail;

/// The attribute with the names of those that are JSON.
constexpr const char* json_names = "staithe_json";
/// Of an attribute in the header of its object: a message has 64 KiB at most.
constexpr std::size_t most_elements = 4000;
constexpr std::size_t most_name_bytes = 1024;

/// What all elements of an attribute are.
enum class Kind : std::uint8_t { boolean, integer, real, text, other };

Kind kind_of(const Value& value) {
    if (const std::string* const text = value.as_string()) {
        return text->find('\0') == std::string::npos ? Kind::text : Kind::other;
    }
    return value.as_bool()     ? Kind::boolean
           : value.as_int()    ? Kind::integer
           : value.as_double() ? Kind::real
                               : Kind::other;
}

/// Integers among reals are reals.
Kind common(Kind a, Kind b) {
    if (a == b) {
        return a;
    }
    const auto is_number = [](Kind kind) { return kind == Kind::integer || kind == Kind::real; };
    return is_number(a) && is_number(b) ? Kind::real : Kind::other;
}

/// An attribute as it is kept.
struct Kept {
    Kind kind;
    std::span<const Value> elements;
    bool is_list;
    std::string json{};
};

Kept keep(const Value& value) {
    const List* const list = value.as_list();
    const std::span<const Value> elements = list != nullptr ? std::span(*list) : std::span(&value, 1);
    Kind kind = elements.empty() || elements.size() > most_elements ? Kind::other : kind_of(elements.front());
    for (const Value& element : elements) {
        kind = common(kind, kind_of(element));
    }
    return kind != Kind::other ? Kept{kind, elements, list != nullptr}
                               : Kept{kind, {}, false, base::to_json(without_special_numbers(value))};
}

/// The names of those that are JSON, if there are any.
std::optional<Value> names_of_json(const Attributes& attributes) {
    List names;
    for (const auto& [name, value] : attributes) {
        if (keep(value).kind == Kind::other) {
            names.emplace_back(name);
        }
    }
    return names.empty() ? std::nullopt : std::optional<Value>(std::move(names));
}

void add_texts(const Value& value, TextCollections& texts) {
    const Kept kept = keep(value);
    texts.add(kept.json);
    for (const Value& element : kept.elements) {
        if (kept.kind == Kind::text) {
            texts.add(*element.as_string());
        }
    }
}

Bytes type_of(Kind kind) {
    switch (kind) {
        case Kind::boolean: return encode_datatype(Dtype::boolean);
        case Kind::integer: return encode_datatype(Dtype::i64);
        case Kind::real: return encode_datatype(Dtype::f64);
        default: return encode_text_type();
    }
}

void encode_element(const Value& element, Kind kind, const TextCollections& texts, ByteWriter& out) {
    switch (kind) {
        case Kind::boolean: out.number(static_cast<std::uint8_t>(*element.as_bool() ? 1 : 0)); break;
        case Kind::integer: out.number(*element.as_int()); break;
        case Kind::real: out.number(*element.as_double()); break;
        default: texts.refer_to(*element.as_string(), out); break;
    }
}

Message encode(const std::string& name, const Value& value, const TextCollections& texts) {
    const Kept kept = keep(value);
    ByteWriter elements;
    for (const Value& element : kept.elements) {
        encode_element(element, kept.kind, texts, elements);
    }
    if (kept.kind == Kind::other) {
        texts.refer_to(kept.json, elements);
    }
    return encode_attribute(name, type_of(kept.kind), kept.is_list ? Shape{kept.elements.size()} : Shape{},
                            elements.bytes());
}

/// What elements of an attribute are.
struct AttributeType {
    Kind kind = Kind::other;
    Dtype dtype = Dtype::u8;  // of texts none
    bool is_big_endian = false;
    std::size_t text_bytes = 0;  // of texts that lie in the attribute
};

std::optional<AttributeType> type_in(std::span<const std::byte> type) {
    if (is_text_type(type)) {
        return AttributeType{Kind::text};
    }
    if (const auto bytes = bytes_of_text_type(type)) {
        return AttributeType{.kind = Kind::text, .text_bytes = *bytes};
    }
    const auto element = element_type_in(type);
    if (!element || element->dtype == Dtype::f16 || element->dtype >= Dtype::c64) {
        return std::nullopt;
    }
    const Kind kind = element->dtype == Dtype::boolean ? Kind::boolean
                      : element->dtype < Dtype::f16    ? Kind::integer
                                                       : Kind::real;
    return AttributeType{kind, element->dtype, element->is_big_endian};
}

Value read_number(const AttributeType& type, ByteReader& in) {
    std::array<std::byte, sizeof(double)> bytes{};
    const auto size = static_cast<std::size_t>(size_of(type.dtype));
    std::ranges::copy(in.raw(size), bytes.begin());
    if (type.is_big_endian) {
        std::ranges::reverse(std::span(bytes).first(size));
    }
    ByteReader number(bytes);
    switch (type.dtype) {
        case Dtype::boolean: return number.number<std::uint8_t>() != 0;
        case Dtype::i8: return number.number<std::int8_t>();
        case Dtype::i16: return number.number<std::int16_t>();
        case Dtype::i32: return number.number<std::int32_t>();
        case Dtype::i64: return number.number<std::int64_t>();
        case Dtype::u16: return number.number<std::uint16_t>();
        case Dtype::u32: return number.number<std::uint32_t>();
        case Dtype::f32: return number.number<float>();
        case Dtype::f64: return number.number<double>();
        case Dtype::u64: {
            const auto value = number.number<std::uint64_t>();
            return std::in_range<std::int64_t>(value) ? Value(value) : Value(static_cast<double>(value));
        }
        default: return number.number<std::uint8_t>();
    }
}

base::Result<Value> read_element(TextReader& texts, const AttributeType& type, ByteReader& in) {
    if (type.kind != Kind::text) {
        return read_number(type, in);
    }
    auto text = type.text_bytes == 0 ? texts.read(in) : base::Result<std::string>(std::string());
    if (text && type.text_bytes > 0) {
        const auto raw = in.raw(type.text_bytes);
        text->assign(reinterpret_cast<const char*>(raw.data()), raw.size());
        text->resize(std::min(text->find('\0'), text->size()));
    }
    return text ? base::Result<Value>(*std::move(text)) : fail(std::move(text));
}

struct Named {
    std::string name;
    Value value;
};

base::Result<std::optional<Named>> read_attribute(TextReader& texts, const Message& message) {
    const auto raw = raw_attribute(message);
    if (!raw || !*raw) {
        return raw ? base::Result<std::optional<Named>>(std::nullopt) : fail(raw);
    }
    const auto& [name, type, shape, bytes] = **raw;
    const auto elements_are = type_in(type);
    if (!base::is_utf8(name) || shape.size() > 1 || !elements_are) {
        return std::nullopt;
    }
    ByteReader in(bytes);
    List elements;
    const std::uint64_t count = shape.empty() ? 1 : shape.front();
    while (elements.size() < count) {
        auto element = read_element(texts, *elements_are, in);
        if (!element || !in.ok()) {
            return element ? fail(ErrorCode::protocol, "the attribute '{}' ends too soon", base::printable(name))
                           : fail(std::move(element));
        }
        if (const std::string* const text = element->as_string(); text != nullptr && !base::is_utf8(*text)) {
            return std::nullopt;
        }
        elements.push_back(*std::move(element));
    }
    return std::optional(Named{name, shape.empty() ? std::move(elements.front()) : Value(std::move(elements))});
}

/// Takes the names of those that are JSON away, and reads these.
base::Result<> read_json(Attributes& attributes) {
    const auto named = attributes.extract(json_names);
    const List* const names = named.empty() ? nullptr : named.mapped().as_list();
    for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
        const std::string* const name = (*names)[i].as_string();
        const auto found = name == nullptr ? attributes.end() : attributes.find(*name);
        if (found == attributes.end() || found->second.as_string() == nullptr) {
            return fail(ErrorCode::protocol, "'{}' names an attribute that is no text", json_names);
        }
        auto value = base::from_json(*found->second.as_string());
        if (!value) {
            return fail(ErrorCode::protocol, "the attribute '{}' is no JSON: {}", base::printable(*name),
                        value.error().message);
        }
        found->second = *std::move(value);
    }
    return {};
}

}  // namespace

base::Result<> check(const Attributes& attributes) {
    for (const auto& [name, value] : attributes) {
        if (name.empty() || name.size() > most_name_bytes || name.find('\0') != std::string::npos ||
            name == json_names) {
            return fail(ErrorCode::invalid_argument,
                        "an HDF5 file has no attribute '{}': its name has 1 to {} bytes, none of them zero, and is not "
                        "'{}'",
                        base::printable(name), most_name_bytes, json_names);
        }
    }
    return {};
}

Message encode_attribute(std::string_view name, const Bytes& type, const Shape& shape,
                         std::span<const std::byte> elements) {
    const Bytes space = encode_dataspace(shape, false);
    ByteWriter out;
    out.number(std::uint8_t{3});  // version
    out.number(std::uint8_t{0});  // flags
    out.number(static_cast<std::uint16_t>(name.size() + 1));
    out.number(static_cast<std::uint16_t>(type.size()));
    out.number(static_cast<std::uint16_t>(space.size()));
    out.number(std::uint8_t{1});  // the name is UTF-8
    out.raw(name);
    out.number(std::uint8_t{0});
    out.raw(type);
    out.raw(space);
    out.raw(elements);
    return {MessageKind::attribute, bytes_in(out)};
}

void add_texts(const Attributes& attributes, TextCollections& texts) {
    for (const auto& [name, value] : attributes) {
        add_texts(value, texts);
    }
    if (const auto names = names_of_json(attributes)) {
        add_texts(*names, texts);
    }
}

std::vector<Message> encode(const Attributes& attributes, const TextCollections& texts) {
    std::vector<Message> messages;
    for (const auto& [name, value] : attributes) {
        messages.push_back(encode(name, value, texts));
    }
    if (const auto names = names_of_json(attributes)) {
        messages.push_back(encode(json_names, *names, texts));
    }
    return messages;
}

/// Version 1, which h5py writes, too, has a name, a type and a shape in multiples of 8 bytes.
base::Result<std::optional<RawAttribute>> raw_attribute(const Message& message) {
    ByteReader in(message.content);
    const auto version = in.number<std::uint8_t>(), flags = in.number<std::uint8_t>();
    const auto name_bytes = in.number<std::uint16_t>(), type_bytes = in.number<std::uint16_t>(),
               space_bytes = in.number<std::uint16_t>();
    in.raw(version == 3 ? 1 : 0);
    const auto take = [&](std::size_t bytes) {
        const auto taken = in.raw(version == 1 ? aligned(bytes) : bytes);
        return taken.first(std::min(bytes, taken.size()));
    };
    const auto raw_name = take(name_bytes);
    const auto type = take(type_bytes);
    auto space = dataspace_in(take(space_bytes));
    if (!in.ok() || version < 1 || version > 3 || raw_name.empty()) {
        return fail(ErrorCode::protocol, "an attribute is garbled");
    }
    const bool is_shared = version > 1 && flags != 0;  // its type, with others
    if (!space || is_shared) {
        return std::nullopt;
    }
    return std::optional(RawAttribute{.name = {reinterpret_cast<const char*>(raw_name.data()), raw_name.size() - 1},
                                      .type = type,
                                      .shape = std::move(space->shape),
                                      .elements = in.raw(in.left())});
}

base::Result<Attributes> read_attributes(TextReader& texts, std::span<const Message> messages) {
    Attributes attributes;
    for (const Message& message : messages) {
        if (message.kind != MessageKind::attribute) {
            continue;
        }
        auto attribute = read_attribute(texts, message);
        if (!attribute) {
            return fail(std::move(attribute));
        }
        if (*attribute) {
            attributes.insert_or_assign(std::move((*attribute)->name), std::move((*attribute)->value));
        }
    }
    if (auto read = read_json(attributes); !read) {
        return fail(std::move(read));
    }
    return attributes;
}

}  // namespace staithe::format::hdf5
