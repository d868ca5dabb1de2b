#include "stream/staging/consignment.hpp"

#include "base/fields.hpp"
#include "stream/directing/protocol.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t place_alignment = 64;

}  // namespace

Attributes encode(const Consignment& consignment) {
    List blocks;
    for (const store::BlockRef& block : consignment.blocks) {
        blocks.emplace_back(block.offset);
        blocks.emplace_back(block.bytes);
    }
    return {{"rank", consignment.rank}, {"contact", consignment.contact}, {"blocks", std::move(blocks)}};
}

base::Result<Consignment> decode_consignment(const Attributes& body) {
    const auto rank = integer_field(body, "rank", 0, most_ranks);
    auto contact = text_field(body, "contact");
    const List* const numbers = list_field(body, "blocks");
    const auto is_garbled = [] {
        return base::fail(ErrorCode::protocol, "what a server's depot is to fetch is garbled");
    };
    if (!rank || !contact || numbers == nullptr || numbers->size() % 2 != 0) {
        return is_garbled();
    }
    Consignment consignment{static_cast<int>(*rank), *std::move(contact), {}};
    for (std::size_t i = 0; i < numbers->size(); i += 2) {
        const auto offset = (*numbers)[i].as_int();
        const auto bytes = (*numbers)[i + 1].as_int();
        if (!offset || !bytes) {
            return is_garbled();
        }
        consignment.blocks.push_back({.store = static_cast<std::uint32_t>(*rank), .offset = *offset, .bytes = *bytes});
    }
    return consignment;
}

base::Result<Stowage> stow(const std::vector<store::BlockRef>& blocks) {
    Stowage stowage;
    stowage.offsets.reserve(blocks.size());
    for (const store::BlockRef& block : blocks) {
        stowage.offsets.push_back(stowage.bytes);
        if (block.bytes < 0 || block.bytes > INT64_MAX - place_alignment - stowage.bytes) {
            return base::fail(ErrorCode::protocol, "a block of {} bytes makes no sense", block.bytes);
        }
        stowage.bytes = (stowage.bytes + block.bytes + place_alignment - 1) / place_alignment * place_alignment;
    }
    return stowage;
}

}  // namespace staithe::stream
