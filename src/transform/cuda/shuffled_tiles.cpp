#include "transform/cuda/shuffled_tiles.hpp"

#include <algorithm>
#include <cstring>

#include "transform/cuda/shuffle_job.hpp"
#include "transform/shuffled/shuffled.hpp"

namespace staithe::transform::cuda {
namespace {

/// What nvCOMP may ask for, of the GPU's memory: what is more is a mistake of one side.
constexpr std::size_t most_work_bytes = std::size_t{1} << 36;

}  // namespace

std::size_t ShuffledTiles::pieces_of(const BatchTile& tile) const {
    return (tile.bytes + by_.longest_piece - 1) / by_.longest_piece;
}

base::Result<> ShuffledTiles::checked(const char* what, int code) {
    has_nvcomp_failed_ = has_nvcomp_failed_ || code != 0;
    return code == 0 ? base::Result<>() : base::fail(ErrorCode::system, "nvCOMP cannot {} (its error {})", what, code);
}

void ShuffledTiles::take_input(const std::vector<BatchTile>& tiles, Shares& shares) {
    pieces_ = longest_ = bytes_ = 0;
    for (const BatchTile& tile : tiles) {
        pieces_ += pieces_of(tile);
        longest_ = std::max(longest_, std::min(tile.bytes, by_.longest_piece));
        bytes_ += tile.bytes;
    }
    jobs_at_ = shares.take(tiles.size() * sizeof(ShuffleJob));
    pieces_at_ = shares.take(pieces_ * sizeof(void*));
    bytes_at_ = shares.take(pieces_ * sizeof(std::size_t));
    made_at_ = shares.take(pieces_ * sizeof(void*));
}

base::Result<> ShuffledTiles::take_memory(const std::vector<BatchTile>& tiles, Shares& shares) {
    Nvcomp::Alignments alignments;
    std::size_t room = 0;
    auto told = checked("tell how memory is to be aligned", by_.alignments({}, &alignments));
    told = told ? checked("tell how much room it takes", by_.most_bytes(longest_, {}, &room)) : told;
    told = told ? checked("tell in how much memory it works",
                          by_.work_bytes(pieces_, longest_, {}, &work_bytes_, bytes_, stream_))
                : told;
    if (!told) {
        return told;
    }
    const std::size_t widest = std::max({alignments.input, alignments.output, alignments.work});
    if (widest > Shares::alignment || room > 2 * longest_ + (std::size_t{64} << 10) || work_bytes_ > most_work_bytes) {
        has_nvcomp_failed_ = true;
        return base::fail(
            ErrorCode::system,
            "nvCOMP asks for {} and {} bytes, aligned to {}, for {} pieces of {} bytes, which is too much", room,
            work_bytes_, widest, pieces_, longest_);
    }
    shuffled_.clear();
    coded_.clear();
    for (const BatchTile& tile : tiles) {
        shuffled_.push_back(shares.take(tile.bytes));
        coded_.push_back(tile.at);
    }
    room_ = Shares::aligned(room);
    rooms_at_ = shares.take(pieces_ * room_);
    made_bytes_at_ = shares.take(pieces_ * sizeof(std::size_t));
    statuses_at_ = shares.take(pieces_ * sizeof(std::int32_t));
    work_at_ = shares.take(work_bytes_);
    return {};
}

void ShuffledTiles::write_input(const std::vector<BatchTile>& tiles, std::byte* input, std::byte* memory) {
    const auto write = [input](std::size_t at, std::size_t number, const auto& what) {
        std::memcpy(input + at + number * sizeof(what), static_cast<const void*>(&what), sizeof(what));
    };
    std::size_t piece = 0;
    for (std::size_t number = 0; number < tiles.size(); ++number) {
        const BatchTile& tile = tiles[number];
        const auto item = static_cast<std::size_t>(size_of(tile.view.dtype));
        ShuffleJob job;
        job.values = memory + tile.at;
        job.elements = static_cast<std::uint32_t>(tile.bytes / item);
        job.item = static_cast<std::uint32_t>(item);
        job.shuffled = memory + shuffled_[number];
        job.made = memory + rooms_at_ + piece * room_;
        job.room = room_;
        job.made_bytes = reinterpret_cast<const std::size_t*>(memory + made_bytes_at_) + piece;
        job.statuses = reinterpret_cast<const std::int32_t*>(memory + statuses_at_) + piece;
        job.pieces = static_cast<std::uint32_t>(pieces_of(tile));
        job.worthwhile = static_cast<std::uint32_t>(shuffled::worthwhile(tile.bytes));
        job.coded = memory + coded_[number];
        write(jobs_at_, number, job);
        for (std::size_t begin = 0; begin < tile.bytes; begin += by_.longest_piece, ++piece) {
            const void* const from = job.shuffled + begin;
            const void* const made = memory + rooms_at_ + piece * room_;
            write(pieces_at_, piece, from);
            write(bytes_at_, piece, std::min(by_.longest_piece, tile.bytes - begin));
            write(made_at_, piece, made);
        }
    }
}

base::Result<> ShuffledTiles::begin(Gpu& gpu, std::size_t count, std::byte* memory, unsigned* bytes) {
    const auto* const jobs = reinterpret_cast<const ShuffleJob*>(memory + jobs_at_);
    auto begun = gpu.shuffle_tiles(jobs, count);
    if (begun) {
        begun = checked("compress",
                        by_.compress(reinterpret_cast<const void* const*>(memory + pieces_at_),
                                     reinterpret_cast<const std::size_t*>(memory + bytes_at_), longest_, pieces_,
                                     memory + work_at_, work_bytes_, reinterpret_cast<void* const*>(memory + made_at_),
                                     reinterpret_cast<std::size_t*>(memory + made_bytes_at_), {},
                                     reinterpret_cast<std::int32_t*>(memory + statuses_at_), stream_));
    }
    return begun ? gpu.join_tiles(jobs, count, bytes) : begun;
}

base::Result<> ShuffledTiles::check(const ArrayView& went, std::span<const std::byte> coded) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(went.shape, went.dtype).value_or(0));
    std::vector<std::byte> came(bytes);
    Scratch scratch;
    const auto decoded =
        codec_.decode(coded, MutableArrayView::row_major(came.data(), went.dtype, went.shape), scratch);
    if (!decoded || std::memcmp(came.data(), went.data, bytes) != 0) {
        has_nvcomp_failed_ = true;
        return base::fail(ErrorCode::protocol, "what nvCOMP makes is not what the codec {} reads here", by_.codec);
    }
    return {};
}

}  // namespace staithe::transform::cuda
