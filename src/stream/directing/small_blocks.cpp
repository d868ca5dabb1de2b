#include "stream/directing/small_blocks.hpp"

#include <variant>

#include "store/enclosed_source.hpp"

namespace staithe::stream {
namespace {

/// To ask for so many bytes takes longer than to send them.
constexpr std::int64_t most_enclosed_bytes = 32 << 10;

}  // namespace

std::span<const std::byte> SmallBlocks::behind(std::span<const std::byte> table, std::span<const store::BlockRef> refs,
                                               const Members& members) {
    if (!store::enclosed_bytes(refs, most_enclosed_bytes)) {
        return table;
    }
    enclosed_.assign(table.begin(), table.end());
    for (const store::BlockRef& ref : refs) {
        const transport::PeerPool* const store = members.pool_of_store(ref.store);
        if (store == nullptr) {
            return table;  // of another host, or spilled
        }
        const auto block = std::visit([&](const auto& pool) { return pool->copy_of(ref.offset, ref.bytes); }, *store);
        if (!block) {
            return table;  // who asks for it is told why
        }
        const std::size_t end = enclosed_.size() + static_cast<std::size_t>(store::enclosed_size(ref.bytes));
        enclosed_.insert(enclosed_.end(), block->begin(), block->end());
        enclosed_.resize(end);
    }
    return enclosed_;
}

}  // namespace staithe::stream
