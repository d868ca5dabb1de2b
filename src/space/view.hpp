// The elements of a part of what was found.
#pragma once

#include <vector>

#include <staithe/box.hpp>
#include <staithe/reader.hpp>

#include "base/result.hpp"
#include "space/keeper.hpp"
#include "store/space/overlay.hpp"

namespace staithe::space {

/// Of its blocks, for who looks at many boxes of it.
store::space::Overlay overlay_of(const Found& found);

/// What of it lies in which of the found blocks; holes are in none.
std::vector<store::space::Shown> shown_in(const Found& found, const Box& wanted);

/// Which elements of which blocks make up a box.
struct Assembly {
    std::vector<store::BlockRef> refs{};
    std::vector<store::BlockDescription> descriptions{};  // to which the pieces point
    std::vector<store::Piece> pieces{};
};
/// `not_found` if nobody has put some of them.
base::Result<Assembly> assembly_of(const Found& found, const Box& wanted);

/// What was done with it: a failure names the version.
[[nodiscard]] base::Result<> of_version(const Found& found, const base::Result<>& done);

/// In place where one block has them all, else a copy. `not_found` if nobody has put some of them.
base::Result<View> view_in(const Found& found, const Box& wanted);
base::Result<View> view_in(const Found& found, const store::space::Overlay& overlay, const Box& wanted);

/// The same into a destination of the box's shape, as its dtype, to which the cast is safe.
base::Result<> copy_in(const Found& found, const Box& wanted, const MutableArrayView& destination);
base::Result<> copy_in(const Found& found, const store::space::Overlay& overlay, const Box& wanted,
                       const MutableArrayView& destination);

}  // namespace staithe::space
