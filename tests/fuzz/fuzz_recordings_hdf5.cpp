// An HDF5 file that is to be a recording, with checksums that are right: to who reads it, and to who goes on with it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <regex>
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

/// Likewise of the block that a failure tells of, if it does: where it ends, who reads it knows. Whether that changed
/// anything.
bool mend_told(const base::Failure& failure, std::vector<std::byte>& file) {
    static const std::regex told("the ([0-9]+) bytes of metadata at ([0-9]+) are damaged");
    std::smatch match;
    if (!std::regex_search(failure.message, match, told)) {
        return false;
    }
    const std::uint64_t bytes = std::stoull(match[1]), address = std::stoull(match[2]);
    if (address > file.size() || bytes > file.size() - address || bytes < sizeof(std::uint32_t)) {
        return false;
    }
    const auto before = file;
    mend(file, address, address + bytes - sizeof(std::uint32_t));
    return file != before;
}

/// Mutations then reach what lies behind the checks of blocks that lead to links, attributes and chunks, too.
bool mend_one(const base::Result<std::unique_ptr<format::RecordingReader>>& recording, std::vector<std::byte>& file) {
    constexpr std::size_t most_steps = 16;
    if (!recording) {
        return mend_told(recording.error(), file);
    }
    for (std::size_t place = 0; place < std::min(most_steps, (*recording)->steps().size()); ++place) {
        if (const auto step = (*recording)->step(place); !step && mend_told(step.error(), file)) {
            return true;
        }
    }
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = fuzz::directory_of_its_own() + "/x.h5";
    const fuzz::Bytes input = fuzz::bytes_of(data, size);
    std::vector<std::byte> file(input.begin(), input.end());
    mend_all(file);
    for (int blocks_left = 64; blocks_left >= 0; --blocks_left) {
        fuzz::write_file(path, file);
        const auto recording = format::open_recording(path);
        if (blocks_left > 0 && mend_one(recording, file)) {
            continue;
        }
        if (recording) {
            fuzz::look_at(**recording);
            static_cast<void>(format::create_recording(path, {}, true));
        }
        break;
    }
    return 0;
}
