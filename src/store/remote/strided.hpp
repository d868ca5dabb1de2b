// Runs of bytes at equal distances: what part of a block is wanted, and where it goes; cut into what fits a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <staithe/box.hpp>

namespace staithe::store::remote {

struct Loop {
    std::int64_t count = 0;
    std::int64_t stride = 0;  // in bytes
};
static_assert(sizeof(Loop) == 16 && offsetof(Loop, stride) == 8);

/// So many bytes at each point of the loops, of which the outermost is the first.
struct Runs {
    std::int64_t first = 0;  // where the first one begins
    std::int64_t run = 0;
    PerDimension<Loop> loops{};

    /// Of all runs.
    [[nodiscard]] std::int64_t bytes() const;
};

/// Items of `size` bytes that lie so, with loops that continue each other, or the run, made one.
[[nodiscard]] Runs runs_of(std::int64_t size, const Extents& counts, const Extents& strides);

/// Whether the runs lie in order, without sharing a byte, within `size` bytes: safe with any numbers. Then they have no
/// more bytes than that.
[[nodiscard]] bool fit(const Runs& runs, std::int64_t size);

/// From the first byte of the runs to the last one, in whatever order they lie.
struct Stretched {
    std::int64_t first = 0;
    std::int64_t bytes = 0;
};
/// Of runs that lie in any order, over each other, too, if they are all within `size` bytes, as all are that `fit`:
/// safe with any numbers.
[[nodiscard]] std::optional<Stretched> lie_in(const Runs& runs, std::int64_t size);

/// Where byte `position` of all runs lies, and how many bytes of its run are left.
struct Stretch {
    std::int64_t place = 0;
    std::int64_t bytes = 0;
};
[[nodiscard]] Stretch stretch_at(const Runs& runs, std::int64_t position);

/// Where the next `most` bytes lie, from byte `position` of all runs on: parts after those that `parts` is given with
/// room for. How many parts, and how many bytes.
struct Laid {
    std::size_t parts = 0;
    std::int64_t bytes = 0;
};
[[nodiscard]] Laid lay_out(const Runs& runs, std::byte* memory, std::int64_t position, std::int64_t most,
                           std::span<std::span<std::byte>> parts);

/// Cuts an array into boxes that follow each other in C order, of at most so many elements each, but one at least.
class Batches {
  public:
    Batches() = default;
    Batches(const Extents& shape, std::int64_t most);

    /// Nothing after the last. There is one at least: the array is not empty.
    [[nodiscard]] const std::optional<Box>& now() const { return now_; }
    void next();

  private:
    Extents shape_;
    std::size_t along_ = 0;  // the dimension that is cut; those after it are whole
    std::int64_t group_ = 1;
    std::optional<Box> now_;
};

}  // namespace staithe::store::remote
