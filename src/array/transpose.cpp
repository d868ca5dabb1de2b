#include "array/transpose.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "array/short_runs.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace staithe::array {
namespace {

constexpr std::int64_t cache_line = 64;
constexpr std::int64_t page = 4096;
// The hardware does not notice where each of so many rows leads.
constexpr std::int64_t fetch_ahead = 4 * cache_line;

using Vector = std::uint8_t __attribute__((vector_size(16)));

template <bool Stream>
void store(std::byte* destination, Vector value) {
#if defined(__SSE2__)
    if constexpr (Stream) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(destination), reinterpret_cast<__m128i>(value));
        return;
    }
#endif
    std::memcpy(destination, &value, sizeof value);
}

/// The low (high) halves of two vectors, item by item in turn.
template <std::size_t Size>
Vector interleave_low(Vector a, Vector b) {
    if constexpr (Size == 1) {
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    } else if constexpr (Size == 2) {
        return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
    } else if constexpr (Size == 4) {
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    } else {
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    }
}

template <std::size_t Size>
Vector interleave_high(Vector a, Vector b) {
    if constexpr (Size == 1) {
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    } else if constexpr (Size == 2) {
        return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
    } else if constexpr (Size == 4) {
        return __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    } else {
        return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    }
}

/// A square of as many rows as a vector has items: log2(rows) rounds of interleaving transpose it.
template <std::size_t Size, bool Stream>
void transpose_square(std::byte* destination, std::int64_t to_next, const std::byte* source, std::int64_t from_next) {
    constexpr std::int64_t rows = sizeof(Vector) / Size;
    Vector row[rows];
    for (std::int64_t i = 0; i < rows; ++i) {
        std::memcpy(&row[i], source + i * from_next, sizeof(Vector));
    }
    for (std::int64_t round = 1; round < rows; round *= 2) {
        Vector mixed[rows];
        for (std::int64_t i = 0; i < rows / 2; ++i) {
            mixed[2 * i] = interleave_low<Size>(row[i], row[i + rows / 2]);
            mixed[2 * i + 1] = interleave_high<Size>(row[i], row[i + rows / 2]);
        }
        std::copy_n(mixed, rows, row);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
        store<Stream>(destination + i * to_next, row[i]);
    }
}

/// Whole vectors; items of 16 or more bytes need no shuffling.
template <std::size_t Size, bool Stream>
void copy_vectors(std::byte* destination, const std::byte* source) {
    for (std::size_t at = 0; at < Size; at += sizeof(Vector)) {
        Vector part;
        std::memcpy(&part, source + at, sizeof part);
        store<Stream>(destination + at, part);
    }
}

/// One line of the source in each of as many rows as fill a line of the destination.
template <std::size_t Size, bool Stream>
void transpose_tile(std::byte* destination, std::int64_t to_next, const std::byte* source, std::int64_t from_next) {
    constexpr auto size = static_cast<std::int64_t>(Size);
    constexpr std::int64_t items = cache_line / size;
    constexpr std::int64_t step = std::max<std::int64_t>(1, sizeof(Vector) / Size);
    for (std::int64_t along = 0; along < items; along += step) {
        for (std::int64_t across = 0; across < items; across += step) {
            std::byte* to = destination + along * to_next + across * size;
            const std::byte* from = source + across * from_next + along * size;
            if constexpr (step > 1) {
                transpose_square<Size, Stream>(to, to_next, from, from_next);
            } else {
                copy_vectors<Size, Stream>(to, from);
            }
        }
    }
}

/// Both strides a multiple of a page: a load waits for earlier stores to the same place of other pages, so all loads of
/// a tile come first.
template <std::size_t Size>
void transpose_aliased_tile(std::byte* destination, std::int64_t to_next, const std::byte* source,
                            std::int64_t from_next) {
    constexpr std::int64_t items = cache_line / static_cast<std::int64_t>(Size);
    alignas(cache_line) std::byte lines[items * cache_line];
    for (std::int64_t i = 0; i < items; ++i) {
        copy_vectors<cache_line, false>(lines + i * cache_line, source + i * from_next);
    }
    transpose_tile<Size, false>(destination, to_next, lines, cache_line);
}

/// A tile of any extent and strides, the longer side innermost.
template <class Run>
void copy_tile(const Run& run, std::byte* destination, const std::byte* source, Loop outer, Loop inner) {
    if (inner.count < outer.count) {
        std::swap(inner, outer);
    }
    for (std::int64_t i = 0; i < outer.count; ++i) {
        for (std::int64_t j = 0; j < inner.count; ++j) {
            run.copy(destination + i * outer.destination + j * inner.destination,
                     source + i * outer.source + j * inner.source);
        }
    }
}

/// Calls `work(along, across)` for the corner of each tile.
template <class Work>
void for_each_tile(std::int64_t along_count, std::int64_t across_count, std::int64_t items, const Work& work) {
    for (std::int64_t start = 0; start < along_count; start += transposed_band) {
        const std::int64_t stop = std::min(start + transposed_band, along_count);
        for (std::int64_t across = 0; across < across_count; across += items) {
            for (std::int64_t along = start; along < stop; along += items) {
                work(along, across);
            }
        }
    }
}

template <class Run>
void transpose_loosely(const Transpose& job, const Run& run, std::byte* destination, const std::byte* source) {
    const std::int64_t items = std::max<std::int64_t>(8, cache_line / job.size);
    for_each_tile(job.along.count, job.across.count, items, [&](std::int64_t along, std::int64_t across) {
        Loop rows = job.along;
        Loop columns = job.across;
        rows.count = std::min(items, job.along.count - along);
        columns.count = std::min(items, job.across.count - across);
        copy_tile(run, destination + along * rows.destination + across * columns.destination,
                  source + along * rows.source + across * columns.source, rows, columns);
    });
}

bool writes_whole_lines(const Transpose& job, const std::byte* destination) {
    return reinterpret_cast<std::uintptr_t>(destination) % cache_line == 0 && job.along.destination % cache_line == 0;
}

/// Both sides dense along their own dimension: whole lines, transposed in registers.
template <std::size_t Size>
void transpose_dense(const Transpose& job, std::byte* destination, const std::byte* source) {
    constexpr auto items = cache_line / static_cast<std::int64_t>(Size);
    const std::int64_t to_next = job.along.destination;
    const std::int64_t from_next = job.across.source;
    const std::int64_t whole_across = job.across.count / items * items;
    const std::int64_t whole_along = job.along.count / items * items;
    const bool stream = job.stream && writes_whole_lines(job, destination);
    const bool aliased = !stream && (to_next | from_next) % page == 0;
    for_each_tile(whole_along, whole_across, items, [&](std::int64_t along, std::int64_t across) {
        std::byte* to = destination + along * to_next + across * job.across.destination;
        const std::byte* from = source + along * job.along.source + across * from_next;
        for (std::int64_t i = 0; i < items; ++i) {
            __builtin_prefetch(from + i * from_next + fetch_ahead);
        }
        if (stream) {
            transpose_tile<Size, true>(to, to_next, from, from_next);
        } else if (aliased) {
            transpose_aliased_tile<Size>(to, to_next, from, from_next);
        } else {
            transpose_tile<Size, false>(to, to_next, from, from_next);
        }
    });

    // What is left of the last tiles: a strip at the end of each source row, and one of whole rows.
    Transpose rest = job;
    rest.along.count = whole_along;
    rest.across.count = job.across.count - whole_across;
    transpose_loosely(rest, Exactly<Size>{}, destination + whole_across * job.across.destination,
                      source + whole_across * from_next);
    rest = job;
    rest.along.count = job.along.count - whole_along;
    transpose_loosely(rest, Exactly<Size>{}, destination + whole_along * to_next,
                      source + whole_along * job.along.source);
}

}  // namespace

void Transpose::operator()(std::byte* destination, const std::byte* source) const noexcept {
    if (across.destination == size && along.source == size) {
        switch (size) {
            case 1: return transpose_dense<1>(*this, destination, source);
            case 2: return transpose_dense<2>(*this, destination, source);
            case 4: return transpose_dense<4>(*this, destination, source);
            case 8: return transpose_dense<8>(*this, destination, source);
            case 16: return transpose_dense<16>(*this, destination, source);
            case 32: return transpose_dense<32>(*this, destination, source);
            default: break;
        }
    }
    with_short_run(size, [&](const auto& run) { transpose_loosely(*this, run, destination, source); });
}

}  // namespace staithe::array
