#include "codecs.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <staithe/error.hpp>
#include <staithe/transform.hpp>

#include "numpy.hpp"
#include "selection.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

codecs::Bound bound_from(const std::string& kind, double value) {
    if (kind == "abs") {
        return codecs::Bound::absolute(value);
    }
    if (kind == "rel") {
        return codecs::Bound::relative(value);
    }
    if (kind == "rate") {
        return codecs::Bound::rate(value);
    }
    if (kind == "pw_rel") {
        return codecs::Bound::pointwise_relative(value);
    }
    return kind == "psnr" ? codecs::Bound::psnr(value) : codecs::Bound::exact();
}

codecs::Mode mode_from(const std::string& name) {
    if (name == "dense") {
        return codecs::Mode::dense;
    }
    return name == "auto" ? codecs::Mode::automatic : codecs::Mode::fast;
}

/// The bytes of an array of u1, which the package makes of any buffer.
std::span<const std::byte> bytes_of(const InputArray& payload) {
    return {static_cast<const std::byte*>(payload.view.data),
            static_cast<std::size_t>(volume(payload.view.shape).value_or(0))};
}

nb::object encode(nb::handle array, const std::string& codec, const std::string& mode, const std::string& kind,
                  double value, std::optional<double> fill, int threads, std::optional<int> level) {
    const InputArray input = input_array(array, {nullptr, "the array"});
    auto payload = std::make_shared<std::vector<std::byte>>(without_gil([&] {
        return codecs::encode(input.view,
                              {codec, mode_from(mode), bound_from(kind, value), fill, threads, nullptr, level});
    }));
    const auto bytes = ArrayView::row_major(payload->data(), Dtype::u8, {static_cast<std::int64_t>(payload->size())});
    nb::object wrapped = wrap(bytes, std::move(payload));
    freeze(wrapped);
    return wrapped;
}

nb::object decode(nb::handle payload, nb::handle box, nb::handle out, int threads) {
    const InputArray input = input_array(payload, {nullptr, "the payload"});
    const codecs::PayloadInfo info = codecs::inspect(bytes_of(input));
    const std::optional<Index> index =
        index_from(box.is_none() ? nb::handle(Py_Ellipsis) : box, info.shape, "payload's array");
    const std::optional<Box> part = index ? as_box(index->selection) : std::nullopt;
    if (!part) {
        throw InvalidArgument("a payload is decoded by boxes: slices without steps, integers or a Box");
    }
    nb::object array =
        out.is_none() ? new_array(info.dtype, without_dropped(part->count, index->dropped)) : nb::borrow(out);
    MutableArrayView view = output_array(array);
    if (const Extents wanted = without_dropped(part->count, index->dropped); view.shape == wanted) {
        view.shape = part->count;
        view.strides = with_dropped(view.strides, *index);
    }
    without_gil([&] { codecs::decode(bytes_of(input), view, box.is_none() ? std::nullopt : part, threads); });
    return array;
}

nb::dict payload_info(nb::handle payload) {
    const InputArray input = input_array(payload, {nullptr, "the payload"});
    const codecs::PayloadInfo info = codecs::inspect(bytes_of(input));
    nb::dict found;
    found["codec"] = info.codec;
    found["dtype"] = dtype_object(info.dtype);
    found["shape"] = to_python(info.shape);
    found["tile"] = to_python(info.tile);
    found["bound"] = info.bound;
    found["tiles"] = info.tiles;
    found["raw_tiles"] = info.raw_tiles;
    found["fallback_tiles"] = info.fallback_tiles;
    found["nbytes"] = info.raw_bytes;
    return found;
}

nb::tuple fields_of(const codecs::CodecInfo& info) {
    nb::list dtypes;
    for (const Dtype dtype : info.lossy_dtypes) {
        dtypes.append(dtype_object(dtype));
    }
    return nb::make_tuple(info.name, info.summary, info.missing, info.lossless, nb::tuple(dtypes), info.levels);
}

nb::list codec_list() {
    nb::list found;
    for (const codecs::CodecInfo& info : codecs::list()) {
        found.append(fields_of(info));
    }
    return found;
}

nb::tuple load_codec(const std::string& path) {
    return fields_of(without_gil([&] { return codecs::load(path); }));
}

nb::tuple probe(nb::handle array, const std::string& codec, const std::string& mode, const std::string& kind,
                double value, std::optional<double> fill, std::optional<int> level, double share) {
    const InputArray input = input_array(array, {nullptr, "the array"});
    const codecs::Probe found = without_gil([&] {
        return codecs::probe(input.view, {codec, mode_from(mode), bound_from(kind, value), fill, 1, nullptr, level},
                             share);
    });
    return nb::make_tuple(found.ratio, found.seconds, found.tiles);
}

}  // namespace

void bind_codecs(nb::module_& module) {
    module.def("encode", encode, "array"_a, "codec"_a, "mode"_a, "kind"_a, "value"_a, "fill"_a.none(), "threads"_a,
               "level"_a.none(),
               nb::sig("def encode(array: numpy.typing.ArrayLike, codec: str, mode: str, kind: str, value: float, "
                       "fill: float | None, threads: int, level: int | None) -> numpy.typing.NDArray[numpy.uint8]"),
               "The payload of an array.");
    module.def("decode", decode, "payload"_a, "box"_a.none(), "out"_a.none(), "threads"_a,
               nb::sig("def decode(payload: numpy.typing.NDArray[numpy.uint8], box: typing.Any, "
                       "out: numpy.typing.NDArray[typing.Any] | None, threads: int) -> "
                       "numpy.typing.NDArray[typing.Any]"),
               "The array of a payload, or a box of it.");
    module.def("payload_info", payload_info, "payload"_a,
               nb::sig("def payload_info(payload: numpy.typing.NDArray[numpy.uint8]) -> dict[str, typing.Any]"),
               "What a payload says of itself.");
    module.def(
        "codec_list", codec_list,
        nb::sig("def codec_list() -> list[tuple[str, str, str, bool, tuple[numpy.dtype[typing.Any], ...], int]]"),
        "Name, summary, why it is missing, whether it is lossless, what it takes with a bound, how many levels it has: "
        "each codec.");
    module.def(
        "load_codec", load_codec, "path"_a,
        nb::sig("def load_codec(path: str) -> tuple[str, str, str, bool, tuple[numpy.dtype[typing.Any], ...], int]"),
        "Loads a plugin; the same of its codec.");
    module.def("probe", probe, "array"_a, "codec"_a, "mode"_a, "kind"_a, "value"_a, "fill"_a.none(), "level"_a.none(),
               "share"_a,
               nb::sig("def probe(array: numpy.typing.ArrayLike, codec: str, mode: str, kind: str, value: float, "
                       "fill: float | None, level: int | None, share: float) -> tuple[float, float, int]"),
               "Ratio, seconds and tiles looked at.");
}

}  // namespace staithe::python
