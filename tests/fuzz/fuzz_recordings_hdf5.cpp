// An HDF5 file that is to be a recording, with checksums that are right: to who reads it, and to who goes on with it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "format/formats.hpp"
#include "format/hdf5/checksum.hpp"
#include "format/hdf5/image.hpp"
#include "fuzz/bytes.hpp"
#include "fuzz/recordings.hpp"

using namespace staithe;

namespace {

/// Of the bytes from `begin` to `end`, behind them, if the file has room for it there.
void mend(std::vector<std::byte>& file, std::size_t begin, std::uint64_t end) {
    if (end + sizeof(std::uint32_t) <= file.size()) {
        const auto sum = format::hdf5::checksum(std::span(file).subspan(begin, end - begin));
        std::memcpy(file.data() + end, &sum, sizeof(sum));
    }
}

/// Mutations then reach what lies behind the checks.
void mend_all(std::vector<std::byte>& file) {
    constexpr std::string_view header = "OHDR";
    constexpr std::size_t before_messages = 10;  // of headers as they are written
    const auto signature = std::as_bytes(std::span(header));
    for (auto at = file.begin(); (at = std::search(at, file.end(), signature.begin(), signature.end())) != file.end();
         ++at) {
        const auto begin = static_cast<std::size_t>(at - file.begin());
        if (begin + before_messages <= file.size()) {
            std::uint32_t bytes = 0;
            std::memcpy(&bytes, file.data() + begin + 6, sizeof(bytes));
            mend(file, begin, begin + before_messages + std::uint64_t{bytes});
        }
    }
    mend(file, 0, format::hdf5::Superblock::bytes - sizeof(std::uint32_t));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = fuzz::directory_of_its_own() + "/x.h5";
    const fuzz::Bytes input = fuzz::bytes_of(data, size);
    std::vector<std::byte> file(input.begin(), input.end());
    mend_all(file);
    fuzz::write_file(path, file);
    if (const auto recording = format::open_recording(path)) {
        fuzz::look_at(**recording);
        static_cast<void>(format::create_recording(path, {}, true));
    }
    return 0;
}
