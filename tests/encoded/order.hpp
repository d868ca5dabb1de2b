// What a source of encoded blocks says to the process that encodes them, over a pair of sockets of its own. That
// process answers with the ref of what it has made of the block, which it keeps until the next order; the bytes are
// asked for as of any block over a pair of sockets (store/piped/).
#pragma once

#include <cstdint>

#include "store/block_ref.hpp"
#include "store/piped/exchange.hpp"

namespace staithe::testing {

struct EncodingOrder {
    store::BlockRef ref;  // in the pool; of fewer than 0 bytes in an answer, if it could not be had there
    Dtype dtype = Dtype::u8;
    bool column_major = false;
    Extents count{};
};

inline constexpr base::Seconds encoder_patience{20};

}  // namespace staithe::testing
