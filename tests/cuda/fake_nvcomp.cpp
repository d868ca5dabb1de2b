// Stands for nvCOMP where there is no GPU: as much of it as Staithe calls. Pieces are compressed by the libraries of
// the CPU, when the fake GPU (fake_gpu.cpp) comes to it; and it can be told to do so wrongly.
#include <lz4.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/fake_gpu.hpp"
#include "transform/cuda/nvcomp.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using staithe::transform::cuda::Nvcomp;
using staithe::transform::cuda::Stream;
namespace fake_gpu = staithe::testing::fake_gpu;

constexpr std::size_t alignment = 64;
constexpr std::int32_t cannot_compress = 19;
std::string manner;  // empty: as it should

using Compress = std::size_t (*)(const void* from, std::size_t bytes, void* to, std::size_t room);

std::size_t zstd(const void* from, std::size_t bytes, void* to, std::size_t room) {
    return ZSTD_compress(to, room, from, bytes, 1);
}
std::size_t lz4(const void* from, std::size_t bytes, void* to, std::size_t room) {
    return static_cast<std::size_t>(LZ4_compress_default(static_cast<const char*>(from), static_cast<char*>(to),
                                                         static_cast<int>(bytes), static_cast<int>(room)));
}

bool are_zeros(const Nvcomp::Options& options) { return options.zeros == Nvcomp::Options().zeros; }

int tell_alignments(const Nvcomp::Options& options, Nvcomp::Alignments* alignments) {
    const bool is_wide = manner == "wide";
    *alignments = {1, is_wide ? std::size_t{4096} : alignment, alignment};
    return fake_gpu::answer(are_zeros(options));
}

int tell_work_bytes(std::size_t pieces, std::size_t longest, const Nvcomp::Options& options, std::size_t* bytes,
                    std::size_t all_bytes, Stream stream) {
    *bytes = 100 * pieces;
    return fake_gpu::answer(are_zeros(options) && fake_gpu::is_the_stream(stream) && all_bytes <= pieces * longest);
}

int tell_most_bytes(std::size_t bound, const Nvcomp::Options& options, std::size_t* bytes) {
    *bytes = manner == "greedy" ? std::size_t{1} << 40 : bound;
    return fake_gpu::answer(are_zeros(options));
}

struct Batch {
    const void* const* pieces;
    const std::size_t* bytes;
    std::size_t longest;
    std::size_t count;
    void* work;
    std::size_t work_bytes;
    void* const* made;
    std::size_t* made_bytes;
    std::int32_t* statuses;
};

void compress_all(const Batch& batch, Compress compress, std::size_t room) {
    std::memset(batch.work, 0x77, batch.work_bytes);
    for (std::size_t i = 0; i < batch.count; ++i) {
        const bool is_right = batch.bytes[i] <= batch.longest &&
                              fake_gpu::is_in_memory(batch.pieces[i], batch.bytes[i]) &&
                              fake_gpu::is_in_memory(batch.made[i], room) &&
                              reinterpret_cast<std::uintptr_t>(batch.made[i]) % alignment == 0;
        if (!is_right || manner == "unable") {
            batch.statuses[i] = cannot_compress;
            continue;
        }
        batch.made_bytes[i] = compress(batch.pieces[i], batch.bytes[i], batch.made[i], room);
        batch.statuses[i] = 0;
        if (manner == "too long") {
            batch.made_bytes[i] = std::size_t{1} << 40;
        } else if (manner == "empty") {
            batch.made_bytes[i] = 0;
        } else if (manner == "something else") {
            static_cast<std::byte*>(batch.made[i])[batch.made_bytes[i] / 2] ^= std::byte{0x10};
        }
    }
}

int begin(const Batch& batch, Compress compress, std::size_t room, const Nvcomp::Options& options, Stream stream) {
    const bool is_right =
        are_zeros(options) && fake_gpu::is_the_stream(stream) && fake_gpu::is_in_memory(batch.work, batch.work_bytes) &&
        batch.work_bytes >= 100 * batch.count && fake_gpu::is_in_memory(batch.pieces, batch.count * sizeof(void*)) &&
        fake_gpu::is_in_memory(batch.bytes, batch.count * sizeof(std::size_t)) &&
        fake_gpu::is_in_memory(batch.made, batch.count * sizeof(void*)) &&
        fake_gpu::is_in_memory(batch.made_bytes, batch.count * sizeof(std::size_t)) &&
        fake_gpu::is_in_memory(batch.statuses, batch.count * sizeof(std::int32_t));
    const int answer = fake_gpu::answer(is_right);
    if (answer == 0) {
        fake_gpu::begin([=] { compress_all(batch, compress, room); });
    }
    return answer;
}

}  // namespace

EXPORTED int nvcompBatchedZstdCompressGetRequiredAlignments(Nvcomp::Options options, Nvcomp::Alignments* alignments) {
    return tell_alignments(options, alignments);
}
EXPORTED int nvcompBatchedZstdCompressGetTempSize(std::size_t pieces, std::size_t longest, Nvcomp::Options options,
                                                  std::size_t* bytes, std::size_t all_bytes, Stream stream) {
    return tell_work_bytes(pieces, longest, options, bytes, all_bytes, stream);
}
EXPORTED int nvcompBatchedZstdCompressGetMaxOutputChunkSize(std::size_t longest, Nvcomp::Options options,
                                                            std::size_t* bytes) {
    return tell_most_bytes(ZSTD_compressBound(longest), options, bytes);
}
EXPORTED int nvcompBatchedZstdCompressAsync(const void* const* pieces, const std::size_t* bytes, std::size_t longest,
                                            std::size_t count, void* work, std::size_t work_bytes, void* const* made,
                                            std::size_t* made_bytes, Nvcomp::Options options, std::int32_t* statuses,
                                            Stream stream) {
    return begin({pieces, bytes, longest, count, work, work_bytes, made, made_bytes, statuses}, zstd,
                 ZSTD_compressBound(longest), options, stream);
}

EXPORTED int nvcompBatchedLZ4CompressGetRequiredAlignments(Nvcomp::Options options, Nvcomp::Alignments* alignments) {
    return tell_alignments(options, alignments);
}
EXPORTED int nvcompBatchedLZ4CompressGetTempSize(std::size_t pieces, std::size_t longest, Nvcomp::Options options,
                                                 std::size_t* bytes, std::size_t all_bytes, Stream stream) {
    return tell_work_bytes(pieces, longest, options, bytes, all_bytes, stream);
}
EXPORTED int nvcompBatchedLZ4CompressGetMaxOutputChunkSize(std::size_t longest, Nvcomp::Options options,
                                                           std::size_t* bytes) {
    return tell_most_bytes(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(longest))), options, bytes);
}
EXPORTED int nvcompBatchedLZ4CompressAsync(const void* const* pieces, const std::size_t* bytes, std::size_t longest,
                                           std::size_t count, void* work, std::size_t work_bytes, void* const* made,
                                           std::size_t* made_bytes, Nvcomp::Options options, std::int32_t* statuses,
                                           Stream stream) {
    return begin({pieces, bytes, longest, count, work, work_bytes, made, made_bytes, statuses}, lz4,
                 static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(longest))), options, stream);
}

/// From now on: "unable", "too long", "empty", "something else", "wide", "greedy"; or as it should.
EXPORTED void fake_nvcomp_be(const char* what) { manner = what; }
