// The bytes of a block that was found, wherever they lie.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "space/keeper.hpp"

namespace staithe::testing {

/// Of the one that was put in that place.
inline std::string shown_block(const space::Found& found, std::size_t place) {
    store::BlockDescription description = found.whole;
    description.box = found.blocks[place].box;
    std::string bytes(static_cast<std::size_t>(description.data_bytes()), '\0');
    const auto to = MutableArrayView::row_major(bytes.data(), description.dtype, description.box.count);
    const store::Piece all{0, &description, {Box::whole(description.box.count), Selection::all(description.box.count)}};
    const auto fetched = found.source->fetch(std::span(&found.blocks[place].ref, 1), std::span(&all, 1), to);
    EXPECT_TRUE(fetched) << fetched.error().message;
    return bytes;
}

}  // namespace staithe::testing
