// How blocks that came as they were sent lie close together: of some fewer bytes came than their elements have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "store/block_ref.hpp"
#include "store/parts.hpp"
#include "store/remote/transfer.hpp"
#include "stream/staging/consignment.hpp"

namespace staithe::stream {

struct Packing {
    struct Move {
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::int64_t bytes = 0;
    };
    struct Head {
        std::int64_t to = 0;
        std::vector<store::StoredPart> parts;
    };
    std::vector<Move> moves;  // from rising places to such
    std::vector<Head> heads;
    std::vector<store::BlockRef> blocks;  // from the beginning on
    std::int64_t bytes = 0;

    /// Of blocks that lie as they were stowed, with all that was sent of them.
    static base::Result<Packing> of(const std::vector<store::BlockRef>& blocks, const Stowage& stowage,
                                    std::vector<store::remote::Sent> sent);
    /// All came as their elements: they lie so already.
    [[nodiscard]] bool is_none() const { return heads.empty(); }
    /// Whether it can be done within the memory in which they lie, of so many bytes.
    [[nodiscard]] bool goes_in_place(std::int64_t room) const;
    void carry_out(std::byte* to, const std::byte* from) const;
};

}  // namespace staithe::stream
