// What the targets of recordings share: what is understood of a file lies within bounds, and is read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include <staithe/array_view.hpp>

#include "format/packing.hpp"
#include "format/recording.hpp"
#include "fuzz/bytes.hpp"

namespace staithe::fuzz {

inline void write_file(const std::string& path, Bytes bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline void look_at(const format::RecordingReader& recording) {
    constexpr std::size_t steps_looked_at = 16;
    constexpr std::int64_t most_read = 4096;
    for (std::size_t place = 0; place < recording.steps().size() && place < steps_looked_at; ++place) {
        const auto step = recording.step(place);
        if (!step) {
            continue;
        }
        for (const format::StoredArray& array : step->arrays) {
            std::int64_t elements = 0;
            for (const format::StoredPart& part : array.parts) {
                require(fits(part.box, array.info.shape) && part.offset >= 0 && part.bytes >= 0,
                        "a part lies in its array");
                elements += volume(part.box.count).value();
                std::array<std::byte, most_read> read{};
                if (part.bytes > most_read || part.packed_bytes > most_read) {
                    continue;
                }
                if (part.packing == format::Packing::none) {
                    static_cast<void>(recording.read(part, part.bytes / 3, std::span(read).first(part.bytes / 2)));
                } else if (const auto packed = recording.read_packed(part); packed) {
                    Box box = Box::whole(part.box.count);
                    if (box.dimensions() > 0) {
                        box.offset[0] = box.count[0] / 2;
                        box.count[0] -= box.offset[0];
                    }
                    const auto to = MutableArrayView::row_major(read.data(), part.dtype, box.count);
                    if (*packed) {
                        static_cast<void>(format::unpack(part, **packed, box, to));
                    } else {
                        format::fill(part, to);
                    }
                }
            }
            require(elements == volume(array.info.shape), "parts are all of an array");
        }
    }
}

}  // namespace staithe::fuzz
