#include "stream/reading/recorded/stored_parts.hpp"

#include <string>
#include <utility>

#include "base/text.hpp"
#include "format/packing.hpp"
#include "transform/helpers.hpp"

namespace staithe::stream::recorded {
namespace {

base::Failure naming_file(const format::StoredPart& part, const base::Failure& why) {
    const std::string path = base::printable(part.path);
    return why.message.find(path) == std::string::npos
               ? base::Failure{why.code, fmt::format("{}: {}", path, why.message)}
               : why;
}

}  // namespace

StoredParts::StoredParts(std::shared_ptr<const format::RecordingReader> recording,
                         std::vector<format::StoredPart> parts, std::vector<StoredRows> rows)
    : ReadingSource(transform::background_threads),
      recording_(std::move(recording)),
      parts_(std::move(parts)),
      rows_(std::move(rows)) {}

/// Of a chunk that is packed all is read, and much is unpacked.
std::int64_t StoredParts::work_for(const store::BlockRef& ref, const store::Piece& piece) const {
    const bool is_packed = ref.store < parts_.size() && parts_[ref.store].packing != format::Packing::none;
    return is_packed ? parts_[ref.store].packed_bytes : ReadingSource::work_for(ref, piece);
}

base::Result<> StoredParts::fetch_piece(const store::BlockRef& ref, const store::Piece& piece,
                                        const MutableArrayView& destination) {
    if (ref.store >= parts_.size()) {
        return fetch_rows(rows_.at(ref.store - parts_.size()), piece, destination);
    }
    const format::StoredPart& part = parts_[ref.store];
    if (part.packing == format::Packing::none) {
        return ReadingSource::fetch_piece(ref, piece, destination);
    }
    return store::fetch_by_box(piece, destination, [&](const Box& box, const MutableArrayView& elements) {
        const auto packed = recording_->read_packed(part);
        if (packed && !*packed) {
            format::fill(part, elements);
            return base::Result<>();
        }
        const auto read = packed ? format::unpack(part, **packed, box, elements) : base::fail(packed);
        return read.map_error([&](const base::Failure& why) { return unread(ref, piece, naming_file(part, why)); });
    });
}

/// By each part that has some of them.
base::Result<> StoredParts::fetch_rows(const StoredRows& rows, const store::Piece& piece,
                                       const MutableArrayView& destination) {
    MutableArrayView to = slice(destination, Selection(piece.overlap.destination));
    Selection selection = piece.overlap.source;
    if (selection.empty()) {  // a number, which is a row by itself
        selection.push_back({0, 1, 1});
        to = {to.data, to.dtype, {1}, {0}};
    }
    selection[0].start += rows.first;
    store::BlockDescription description = *piece.description;
    for (std::size_t number = rows.first_part; number < rows.first_part + rows.parts; ++number) {
        const format::StoredPart& part = parts_.at(number);
        const auto common = array::overlap(part.box, selection);
        if (!common) {
            continue;
        }
        description.box = part.box;
        const store::BlockRef ref{
            .store = static_cast<std::uint32_t>(number), .offset = part.offset, .bytes = part.bytes};
        if (auto fetched = fetch_piece(ref, {piece.block, &description, *common}, to); !fetched) {
            return fetched;
        }
    }
    return {};
}

base::Result<> StoredParts::read(const store::BlockRef& ref, std::int64_t first, std::span<std::byte> destination) {
    const format::StoredPart& part = parts_.at(ref.store);
    return recording_->read(part, first, destination).map_error([&](const base::Failure& why) {
        return naming_file(part, why);
    });
}

}  // namespace staithe::stream::recorded
