#include "format/filters.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "format/blosc.hpp"
#include "format/hdf5/own_filters.hpp"
#include "format/zarr/crc32c.hpp"
#include "transform/shuffled/compressor.hpp"
#include "transform/shuffled/shuffles.hpp"

namespace staithe::format {
namespace {

constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);

tl::unexpected<base::Failure> damaged(std::int64_t bytes) {
    return base::fail(ErrorCode::protocol, "what should be a chunk of {} bytes is damaged", bytes);
}

bool adds_checksum(const Filter& filter) {
    return filter.kind == FilterKind::crc32c || filter.kind == FilterKind::fletcher32;
}
bool compresses(const Filter& filter) { return !adds_checksum(filter) && filter.kind != FilterKind::shuffle; }

base::Result<> check_sum(FilterKind kind, std::span<const std::byte> stored, std::int64_t bytes) {
    if (stored.size() < checksum_bytes) {
        return damaged(bytes);
    }
    base::ByteReader in(stored.last(checksum_bytes));
    const auto of = stored.first(stored.size() - checksum_bytes);
    const std::uint32_t expected = kind == FilterKind::crc32c ? zarr::crc32c(of) : hdf5::fletcher32(of);
    return in.number<std::uint32_t>() == expected ? base::Result<>() : damaged(bytes);
}

base::Result<> decompress(const transform::shuffled::Compressor& library, std::span<const std::byte> stored,
                          std::span<std::byte> to, std::int64_t bytes) {
    if (!library.missing.empty()) {
        return base::fail(ErrorCode::not_found, "{}", library.missing);
    }
    transform::Scratch scratch;
    return library.decompress(stored, to, scratch) ? base::Result<>() : damaged(bytes);
}

base::Result<> undo_blosc(std::span<const std::byte> stored, std::span<std::byte> to) {
    const auto chunk = BloscChunk::open(stored, std::ssize(to));
    return chunk ? chunk->unpack(0, to) : base::fail(chunk);
}

/// Fills `to`, whose size is that of what went in.
base::Result<> undo_one(const Filter& filter, std::span<const std::byte> stored, std::span<std::byte> to,
                        std::int64_t bytes) {
    switch (filter.kind) {
        case FilterKind::blosc: return undo_blosc(stored, to);
        case FilterKind::gzip: return decompress(transform::shuffled::gzip, stored, to, bytes);
        case FilterKind::lzf: return hdf5::undo_lzf(stored, to) ? base::Result<>() : damaged(bytes);
        case FilterKind::zlib: return decompress(transform::shuffled::zlib, stored, to, bytes);
        case FilterKind::zstd: return decompress(transform::shuffled::zstd, stored, to, bytes);
        case FilterKind::shuffle: {
            const auto item = static_cast<std::size_t>(filter.item_bytes);
            const std::size_t whole = to.size() / item * item;
            transform::shuffled::byte_shuffle.undo(stored.first(whole), item, to.first(whole));
            std::ranges::copy(stored.subspan(whole), to.subspan(whole).begin());  // less than an item is left as it is
            return {};
        }
        default: return {};
    }
}

}  // namespace

bool can_be_undone(std::span<const Filter> filters) {
    return std::ranges::count_if(filters, compresses) <= 1 &&
           std::ranges::all_of(filters, [](const Filter& each) { return each.item_bytes > 0; });
}

base::Result<std::unique_ptr<std::byte[]>> undo(std::span<const Filter> filters, std::uint32_t left_out,
                                                std::span<const std::byte> stored, std::int64_t bytes) {
    const auto is_left_out = [&](std::size_t i) { return i < 32 && (left_out >> i & 1U) != 0; };
    // Where nothing is decompressed to nothing is read, nor has it memory.
    std::unique_ptr<std::byte[]> memory;
    std::span<const std::byte> left = stored;
    for (std::size_t i = filters.size(); i-- > 0;) {
        if (is_left_out(i)) {
            continue;
        }
        if (adds_checksum(filters[i])) {
            if (auto checked = check_sum(filters[i].kind, left, bytes); !checked) {
                return base::fail(checked);
            }
            left = left.first(left.size() - checksum_bytes);
            continue;
        }
        std::size_t had = left.size();  // what went into the filter
        if (compresses(filters[i])) {
            had = static_cast<std::size_t>(bytes);
            for (std::size_t before = 0; before < i; ++before) {
                had += adds_checksum(filters[before]) && !is_left_out(before) ? checksum_bytes : 0;
            }
        }
        auto next = std::make_unique_for_overwrite<std::byte[]>(had);
        if (auto undone = undo_one(filters[i], left, std::span(next.get(), had), bytes); !undone) {
            return base::fail(undone);
        }
        memory = std::move(next);
        left = {memory.get(), had};
    }
    if (std::cmp_not_equal(left.size(), bytes)) {
        return damaged(bytes);
    }
    if (!memory) {
        memory = std::make_unique_for_overwrite<std::byte[]>(left.size());
        std::ranges::copy(left, memory.get());
    }
    return memory;
}

void swap_bytes(std::span<std::byte> elements, Dtype dtype) {
    const auto item = static_cast<std::size_t>(size_of(dtype) / (dtype >= Dtype::c64 ? 2 : 1));
    for (; item > 1 && elements.size() >= item; elements = elements.subspan(item)) {
        std::ranges::reverse(elements.first(item));
    }
}

}  // namespace staithe::format
