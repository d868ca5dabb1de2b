// How blocks that go to a disk are encoded, if at all: so that whoever puts them is done with that soonest, as long as
// there is room enough; then so that they take little of it.
//
// What encoding takes is learnt for each variable, as on links (transform/choosing), and so is how fast the disk takes
// bytes: the memory of a file takes them as fast as any, until the disk behind it holds that up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "store/block.hpp"
#include "transform/choosing/chooser.hpp"
#include "transform/scratch.hpp"

namespace staithe::stream {

class SpillCoding {
  public:
    using Payload = std::vector<std::byte>;

    /// Of the block, exactly; nothing where it is put sooner as it is. With little room it is encoded whatever that
    /// takes. What cannot be encoded goes as it is.
    std::optional<Payload> encode(const ArrayView& block, const store::BlockDescription& description, bool has_room);

    /// So many bytes were copied to where they go.
    void wrote(std::int64_t bytes, base::Seconds took);

  private:
    struct Known {
        transform::Chooser chooser;
        transform::SeenRegions seen{};
    };
    Known* known_of(const store::BlockDescription& description);

    std::map<std::pair<std::string, Dtype>, Known> known_;
    transform::Scratch scratch_;  // to look at blocks
    // Of late, the older the less:
    double bytes_ = 0.0;
    double seconds_ = 0.0;
};

}  // namespace staithe::stream
