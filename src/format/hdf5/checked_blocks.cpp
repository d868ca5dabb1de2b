#include "format/hdf5/checked_blocks.hpp"

#include <span>
#include <utility>

#include "format/hdf5/checksum.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// More than programs write: what a file says may be anything.
constexpr std::uint64_t most_block_bytes = std::uint64_t{16} << 20;
/// The index of as many chunks as a step can have, and what leads to it.
constexpr std::size_t most_kept_bytes = std::size_t{32} << 20;

tl::unexpected<base::Failure> damaged_block(Address address, std::uint64_t bytes) {
    return fail(ErrorCode::protocol, "the {} bytes of metadata at {} are damaged", bytes, address);
}

base::Result<std::vector<std::byte>> read_checked(const Image& image, Address address, std::uint64_t bytes) {
    auto block = image.read(address, bytes);
    if (!block) {
        return block;
    }
    const auto content = std::span(*block).first(block->size() - CheckedBlocks::bytes_behind);
    base::ByteReader end{std::span(*block).subspan(content.size())};
    return end.number<std::uint32_t>() == checksum(content) ? std::move(block) : damaged_block(address, bytes);
}

}  // namespace

base::Result<base::ByteReader> CheckedBlocks::read(Address address, std::uint64_t bytes, std::string_view signature) {
    const std::uint64_t all = (signature.empty() ? 0 : bytes_before) + bytes + bytes_behind;
    auto kept = kept_.find(address);
    if (kept == kept_.end() || kept->second.size() != all) {
        auto block = all <= most_block_bytes ? read_checked(image_, address, all) : damaged_block(address, all);
        if (!block) {
            return fail(std::move(block));
        }
        if (kept != kept_.end() || kept_bytes_ + block->size() > most_kept_bytes) {
            kept_.clear();
            kept_bytes_ = 0;
        }
        kept_bytes_ += block->size();
        kept = kept_.emplace(address, *std::move(block)).first;
    }
    const std::span<const std::byte> block(kept->second);
    base::ByteReader in(block.first(block.size() - bytes_behind));
    const bool is_it = signature.empty() || (take_signature(in, signature) && in.number<std::uint8_t>() == 0);
    return is_it ? base::Result<base::ByteReader>(in) : damaged_block(address, all);
}

}  // namespace staithe::format::hdf5
