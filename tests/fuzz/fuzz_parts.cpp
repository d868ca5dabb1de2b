// What is stored of a block in parts, as servers show it to readers: its head to who cuts it up, all of it to who
// decodes what a reader wants.
#include <array>
#include <memory>
#include <optional>
#include <span>
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

BlockDescription take_block(fuzz::Bytes& input) {
    BlockDescription block;
    block.variable = "T";
    block.dtype = dtypes[fuzz::take_byte(input) % dtypes.size()];
    block.column_major = fuzz::take_byte(input) % 2 == 1;
    block.shape = Extents(std::span<const std::int64_t>(shapes[fuzz::take_byte(input) % shapes.size()]));
    block.box = Box::whole(block.shape);
    return block;
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

    const BlockRef ref{.encoding = Encoding::parts, .bytes = std::ssize(input)};
    const Piece piece{0, &block, {block.box, Selection::all(block.box.count)}};
    std::vector<std::byte> got(static_cast<std::size_t>(block.data_bytes()));
    DecodingSource source(std::make_shared<Given>(input));
    const auto fetched =
        source.fetch({&ref, 1}, {&piece, 1}, MutableArrayView::row_major(got.data(), block.dtype, block.box.count));
    fuzz::require(parts.has_value() || !fetched, "what makes no sense has no elements");
    return 0;
}
