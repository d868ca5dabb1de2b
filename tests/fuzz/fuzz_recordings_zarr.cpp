// A file that is to be a recording: the metadata of a Zarr store, beside which lie the numbers of its steps, the
// attributes of one, and a chunk.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "format/formats.hpp"
#include "fuzz/bytes.hpp"
#include "fuzz/recordings.hpp"

using namespace staithe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = [] {
        const std::string folder = fuzz::directory_of_its_own() + "/x.zarr";
        std::filesystem::create_directories(folder + "/step");
        std::filesystem::create_directories(folder + "/step_attributes");
        std::filesystem::create_directories(folder + "/T");
        return folder;
    }();
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    fuzz::write_file(path + "/step/c.0", fuzz::take_part(input));
    fuzz::write_file(path + "/step_attributes/c.0", fuzz::take_part(input));
    fuzz::write_file(path + "/T/c.0.0.0", fuzz::take_part(input));
    fuzz::write_file(path + "/zarr.json", input);
    if (const auto recording = format::open_recording(path)) {
        fuzz::look_at(**recording);
    }
    return 0;
}
