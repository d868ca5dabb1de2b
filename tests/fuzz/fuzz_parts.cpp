// What is stored of a block in parts, as servers show it to readers: its head to who cuts it up, all of it to who
// decodes what a reader wants, and as bytes that are fetched by and by.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fuzz/bytes.hpp"
#include "store/decoding_source.hpp"
#include "store/parts.hpp"

using namespace staithe;
using namespace staithe::store;

namespace {

constexpr std::array dtypes{Dtype::u8, Dtype::i16, Dtype::f32, Dtype::f64, Dtype::c64};
constexpr std::array<std::array<std::int64_t, 4>, 5> shapes{
    {{1, 1, 1, 1}, {1, 1, 1, 300}, {1, 9, 1, 17}, {6, 5, 1, 4}, {3, 0, 5, 2}}};

/// Shows what it was given.
class Given final : public BlockSource {
  public:
    explicit Given(fuzz::Bytes bytes) : bytes_(bytes.begin(), bytes.end()) {}
    base::Result<std::optional<ArrayView>> view(const BlockRef& /*ref*/, const BlockDescription& block) override {
        return block.view(bytes_.data());
    }

  private:
    const std::vector<std::byte> bytes_;  // exactly as large, so that whatever is read beside it is found
};

/// Has it fetched.
class Far final : public BlockSource {
  public:
    explicit Far(fuzz::Bytes bytes) : bytes_(bytes.begin(), bytes.end()) {}
    base::Result<> fetch(std::span<const BlockRef> /*refs*/, std::span<const Piece> pieces,
                         const MutableArrayView& destination) override {
        for (const Piece& piece : pieces) {
            array::copy(piece.overlap, destination, piece.description->view(bytes_.data()));
        }
        return {};
    }

  private:
    const std::vector<std::byte> bytes_;
};

BlockDescription take_block(fuzz::Bytes& input) {
    BlockDescription block;
    block.variable = "T";
    block.dtype = dtypes[fuzz::take_byte(input) % dtypes.size()];
    block.column_major = fuzz::take_byte(input) % 2 == 1;
    block.shape = Extents(std::span<const std::int64_t>(shapes[fuzz::take_byte(input) % shapes.size()]));
    block.box = Box::whole(block.shape);
    return block;
}

/// The last half of each dimension.
Selection half_of(const Extents& count) {
    Selection half = Selection::all(count);
    for (std::size_t i = 0; i < count.size(); ++i) {
        half[i].start = count[i] / 2;
        half[i].count = count[i] - count[i] / 2;
    }
    return half;
}

/// The elements of the piece; nothing if they cannot be had.
std::optional<std::vector<std::byte>> fetched(std::shared_ptr<BlockSource> from, const BlockRef& ref,
                                              const Piece& piece) {
    const Extents& count = piece.overlap.destination.count;
    const Dtype dtype = piece.description->dtype;
    std::vector<std::byte> got(static_cast<std::size_t>(size_in_bytes(count, dtype).value()));
    DecodingSource source(std::move(from));
    const bool done(source.fetch({&ref, 1}, {&piece, 1}, MutableArrayView::row_major(got.data(), dtype, count)));
    return done ? std::optional(std::move(got)) : std::nullopt;
}

/// What was fetched of it is what is shown of it.
void fetch_and_compare(const BlockDescription& block, fuzz::Bytes stored, const Selection& wanted) {
    const BlockRef ref{.encoding = Encoding::parts, .bytes = std::ssize(stored)};
    const Extents count = shape_of(wanted);
    const Piece piece{0, &block, {{Extents::filled(count.size(), 0), count}, wanted}};
    fuzz::require(
        fetched(std::make_shared<Far>(stored), ref, piece) == fetched(std::make_shared<Given>(stored), ref, piece),
        "elements do not depend on how they come");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    const BlockDescription block = take_block(input);
    std::int64_t elements = 0;
    const auto parts = read_parts(input, std::ssize(input), block);
    for (const Part& part : parts.value_or(std::vector<Part>())) {
        fuzz::require(part.place >= 0 && part.bytes > 0 && part.place <= std::ssize(input) - part.bytes,
                      "a part lies in what is stored");
        elements += volume(part.box.count).value();
    }
    fuzz::require(!parts || elements == volume(block.box.count).value(), "parts are of all of the block");

    if (volume(block.box.count) == 0) {
        return 0;  // no piece is of a block without elements
    }
    const BlockRef ref{.encoding = Encoding::parts, .bytes = std::ssize(input)};
    const Piece piece{0, &block, {block.box, Selection::all(block.box.count)}};
    fuzz::require(parts.has_value() || !fetched(std::make_shared<Given>(input), ref, piece),
                  "what makes no sense has no elements");
    fetch_and_compare(block, input, Selection::all(block.box.count));
    // Of one that is larger only the head comes at first, and what is touched.
    std::vector<std::byte> large(input.begin(), input.end());
    large.resize(std::max(large.size(), std::size_t{65} << 10));
    fetch_and_compare(block, large, half_of(block.box.count));
    return 0;
}
