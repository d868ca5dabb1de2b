#include "format/zarr/shards.hpp"

#include <iterator>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "format/zarr/crc32c.hpp"
#include "os/direct_writes.hpp"
#include "os/files.hpp"
#include "os/shared_memory.hpp"

namespace staithe::format::zarr {
namespace {

using base::fail;

constexpr std::size_t bytes_of_place = 2 * sizeof(std::uint64_t);

}  // namespace

std::int64_t ShardIndex::append(std::int64_t bytes) {
    const auto from =
        os::DirectWrites::begin_behind(static_cast<std::uint64_t>(end()), static_cast<std::size_t>(bytes));
    places_.push_back({static_cast<std::int64_t>(from), bytes});
    return places_.back().offset;
}

std::int64_t ShardIndex::end() const { return places_.empty() ? 0 : places_.back().offset + places_.back().bytes; }

std::vector<std::byte> ShardIndex::encode() const {
    base::ByteWriter out;
    for (const Place& place : places_) {
        out.number(static_cast<std::uint64_t>(place.offset));
        out.number(static_cast<std::uint64_t>(place.bytes));
    }
    out.number(crc32c(out.bytes()));
    return {out.bytes().begin(), out.bytes().end()};
}

base::Result<ReadShard> ReadShard::open(const os::FileDescriptor& file, std::int64_t chunks) {
    const std::size_t places = static_cast<std::size_t>(chunks) * bytes_of_place;
    std::vector<std::byte> index(places + sizeof(std::uint32_t));
    const auto size = os::size_of_file(file);
    if (!size) {
        return fail(size);
    }
    const std::int64_t begin = *size - std::ssize(index);
    const auto had = begin < 0 ? base::Result<std::size_t>(0) : os::read_at(file, begin, index);
    if (!had) {
        return fail(had);
    }
    const auto all = std::span<const std::byte>(index);
    base::ByteReader checksum(all.subspan(places));
    if (*had < index.size() || checksum.number<std::uint32_t>() != crc32c(all.first(places))) {
        return fail(ErrorCode::protocol, "the index at its end is damaged");
    }
    ReadShard shard;
    shard.index_ = std::move(index);
    shard.end_ = static_cast<std::uint64_t>(begin);
    return shard;
}

base::Result<std::optional<Place>> ReadShard::find(const InShard& chunk) const {
    if (index_.size() != static_cast<std::size_t>(chunk.chunks) * bytes_of_place + sizeof(std::uint32_t)) {
        return fail(ErrorCode::protocol, "another array, of shards of another size, has the same file");
    }
    const auto index = std::span<const std::byte>(index_);
    base::ByteReader in(index.subspan(static_cast<std::size_t>(chunk.chunk) * bytes_of_place));
    const auto offset = in.number<std::uint64_t>(), bytes = in.number<std::uint64_t>();
    if (offset == UINT64_MAX && bytes == UINT64_MAX) {
        return std::nullopt;
    }
    if (offset > end_ || bytes > end_ - offset) {
        return fail(ErrorCode::protocol, "chunk {} of {} is said to lie beyond its end", chunk.chunk, chunk.chunks);
    }
    return Place{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(bytes)};
}

base::Result<std::optional<Place>> ReadShards::find(const std::string& path, const os::FileDescriptor& file,
                                                    const InShard& chunk) {
    constexpr std::size_t most = 8;
    std::shared_ptr<const ReadShard> shard;
    {
        const std::lock_guard lock(mutex_);
        const auto known = by_path_.find(path);
        shard = known == by_path_.end() ? nullptr : known->second;
    }
    if (!shard) {
        auto opened = ReadShard::open(file, chunk.chunks);
        if (!opened) {
            return fail(std::move(opened));
        }
        shard = std::make_shared<const ReadShard>(*std::move(opened));
        const std::lock_guard lock(mutex_);
        if (by_path_.size() >= most) {
            by_path_.clear();
        }
        by_path_.emplace(path, shard);
    }
    return shard->find(chunk);
}

}  // namespace staithe::format::zarr
