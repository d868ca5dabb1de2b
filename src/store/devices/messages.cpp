#include "store/devices/messages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/fields.hpp"

namespace staithe::store::devices {
namespace {

constexpr std::size_t longest_codec = 64;
constexpr std::size_t most_codecs = 256;
constexpr base::Seconds longest_job{3600.0};

auto garbled(const char* field) {
    return base::fail(ErrorCode::protocol, "what is to be encoded has no '{}' that can be", field);
}

/// A finite number.
std::optional<double> number_field(const Attributes& body, const std::string& name) {
    const Value* const value = find(body, name);
    const auto number = value == nullptr ? std::nullopt : value->as_double();
    return number && std::isfinite(*number) ? number : std::nullopt;
}

base::Result<Extents> shape_in(const Attributes& body) {
    const List* const list = base::list_field(body, "shape");
    if (list == nullptr || list->size() > max_dimensions) {
        return garbled("shape");
    }
    Extents shape;
    for (const Value& each : *list) {
        const auto length = each.as_int();
        if (!length || *length < 0) {
            return garbled("shape");
        }
        shape.push_back(*length);
    }
    return shape;
}

base::Result<codecs::Bound> bound_in(const Attributes& body) {
    using Kind = codecs::Bound::Kind;
    const auto kind = base::integer_field(body, "bound", 0, static_cast<std::int64_t>(Kind::pointwise_relative));
    const auto value = number_field(body, "value");
    if (!kind || !value || *value < 0.0) {
        return garbled("bound");
    }
    return codecs::Bound{static_cast<Kind>(*kind), *value};
}

}  // namespace

Attributes encode_job(const Job& job) {
    Attributes body{{"codec", job.options.codec},
                    {"dense", job.options.mode == codecs::Mode::dense},
                    {"dtype", name_of(job.dtype)},
                    {"shape", List(job.shape.begin(), job.shape.end())},
                    {"bound", static_cast<std::int64_t>(job.options.bound.kind)},
                    {"value", job.options.bound.value},
                    {"seconds", job.longest.count()},
                    {"window", job.window}};
    if (job.options.fill) {
        // As bits: a number in a message is finite.
        body["fill"] = static_cast<std::int64_t>(std::bit_cast<std::int64_t>(*job.options.fill));
    }
    return body;
}

base::Result<Job> decode_job(const Attributes& body) {
    Job job;
    const auto codec = base::text_field(body, "codec");
    const auto dtype_name = base::text_field(body, "dtype");
    const auto dtype = dtype_name ? dtype_from_name(*dtype_name) : std::nullopt;
    const auto seconds = number_field(body, "seconds");
    auto shape = shape_in(body);
    const auto bound = bound_in(body);
    const auto window = base::integer_field(body, "window", 0, INT64_MAX);
    if (!window) {
        return garbled("window");
    }
    if (!codec || codec->size() > longest_codec) {
        return garbled("codec");
    }
    if (!dtype || !seconds || *seconds <= 0.0) {
        return garbled(dtype ? "seconds" : "dtype");
    }
    if (!shape || !bound) {
        return shape ? base::fail(bound) : base::fail(std::move(shape));
    }
    const auto bytes = size_in_bytes(*shape, *dtype);
    if (!bytes || *bytes > most_elements_bytes) {
        return garbled("shape");
    }
    job.dtype = *dtype;
    job.shape = *std::move(shape);
    job.options = {.codec = *codec,
                   .mode = base::flag_field(body, "dense") ? codecs::Mode::dense : codecs::Mode::fast,
                   .bound = *bound};
    if (const Value* const fill = find(body, "fill")) {
        const auto bits = fill->as_int();
        if (!bits) {
            return garbled("fill");
        }
        job.options.fill = std::bit_cast<double>(*bits);
    }
    job.window = *window;
    job.longest = std::min(base::Seconds(*seconds), longest_job);
    return job;
}

List encode_codecs(const std::vector<codecs::CodecInfo>& codecs) {
    List list;
    for (const codecs::CodecInfo& codec : codecs) {
        if (codec.missing.empty()) {
            List lossy;
            for (const Dtype dtype : codec.lossy ? codec.lossy_dtypes : std::vector<Dtype>()) {
                lossy.emplace_back(name_of(dtype));
            }
            list.emplace_back(
                Attributes{{"name", codec.name}, {"lossless", codec.lossless}, {"lossy_dtypes", std::move(lossy)}});
        }
    }
    return list;
}

std::vector<codecs::CodecInfo> decode_codecs(const Attributes& body) {
    std::vector<codecs::CodecInfo> codecs;
    const List* const list = base::list_field(body, "codecs");
    for (const Value& each : list == nullptr ? List() : *list) {
        const Attributes* const fields = each.as_map();
        const auto name = fields == nullptr ? base::Result<std::string>("") : base::text_field(*fields, "name");
        if (!name || name->empty() || name->size() > longest_codec || codecs.size() >= most_codecs) {
            continue;
        }
        codecs::CodecInfo& codec = codecs.emplace_back();
        codec.name = *name;
        codec.lossless = base::flag_field(*fields, "lossless");
        const List* const lossy = base::list_field(*fields, "lossy_dtypes");
        for (const Value& dtype : lossy == nullptr ? List() : *lossy) {
            const auto known = dtype.as_string() == nullptr ? std::nullopt : dtype_from_name(*dtype.as_string());
            if (known) {
                codec.lossy_dtypes.push_back(*known);
            }
        }
        codec.lossy = !codec.lossy_dtypes.empty();
    }
    return codecs;
}

}  // namespace staithe::store::devices
