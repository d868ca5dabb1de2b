// A file that is to be a recording: the metadata of a Zarr store, beside which lie the numbers of its steps, the
// attributes of one, and a chunk. What is understood of it lies within bounds, and is read.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include <staithe/array_view.hpp>
#include <staithe/error.hpp>

#include "format/formats.hpp"
#include "fuzz/bytes.hpp"

using namespace staithe;

namespace {

constexpr std::int64_t steps_looked_at = 16;
constexpr std::int64_t most_read = 4096;

void write(const std::string& path, fuzz::Bytes bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void look_at(const format::RecordingReader& recording) {
    for (std::size_t place = 0; place < recording.steps().size() && place < steps_looked_at; ++place) {
        const auto step = recording.step(place);
        if (!step) {
            continue;
        }
        for (const format::StoredArray& array : step->arrays) {
            std::int64_t elements = 0;
            for (const format::StoredPart& part : array.parts) {
                fuzz::require(fits(part.box, array.info.shape) && part.offset >= 0 && part.bytes >= 0,
                              "a part lies in its array");
                elements += volume(part.box.count).value();
                if (part.bytes <= most_read && part.packed_bytes <= most_read) {
                    std::array<std::byte, most_read> read{};
                    static_cast<void>(recording.read(part, part.bytes / 3, std::span(read).first(part.bytes / 2)));
                }
            }
            fuzz::require(elements == volume(array.info.shape), "parts are all of an array");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = [] {
        const std::string folder = fuzz::directory_of_its_own() + "/x.zarr";
        std::filesystem::create_directories(folder + "/step");
        std::filesystem::create_directories(folder + "/step_attributes");
        std::filesystem::create_directories(folder + "/T");
        return folder;
    }();
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    write(path + "/step/c.0", fuzz::take_part(input));
    write(path + "/step_attributes/c.0", fuzz::take_part(input));
    write(path + "/T/c.0.0.0", fuzz::take_part(input));
    write(path + "/zarr.json", input);
    if (const auto recording = format::open_recording(path)) {
        look_at(**recording);
    }
    return 0;
}
