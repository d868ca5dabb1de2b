#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "store/space/chunks.hpp"
#include "store/space/predicate.hpp"

namespace staithe::store::space {
namespace {

/// Masks of one chunk: the last one has the caller's memory at first.
class MaskStack {
  public:
    void begin(std::uint8_t* mask) {
        masks_[0] = mask;
        depth_ = 0;
    }
    std::uint8_t* push() {
        std::uint8_t*& mask = masks_[depth_];
        if (mask == nullptr) {
            spare_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(chunk_elements));
            mask = spare_.back().get();
        }
        ++depth_;
        return mask;
    }
    void negate(std::int64_t count) {
        std::uint8_t* const mask = masks_[depth_ - 1];
        for (std::int64_t i = 0; i < count; ++i) {
            mask[i] ^= 1U;
        }
    }
    template <class Join>
    void join(std::int64_t count, const Join& join) {
        --depth_;
        std::uint8_t* const mask = masks_[depth_ - 1];
        const std::uint8_t* const other = masks_[depth_];
        for (std::int64_t i = 0; i < count; ++i) {
            mask[i] = join(mask[i], other[i]);
        }
    }

  private:
    std::array<std::uint8_t*, max_operands> masks_{};
    std::size_t depth_ = 0;
    std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
};

}  // namespace

std::int64_t select(const Predicate& predicate, std::span<const ArrayView> block, const Extents& shape,
                    std::span<std::uint8_t> mask) {
    if (predicate.decided()) {
        std::fill(mask.begin(), mask.end(), *predicate.decided() ? 1 : 0);
        return *predicate.decided() ? static_cast<std::int64_t>(mask.size()) : 0;
    }
    std::vector<ChunkReader> readers(block.begin(), block.end());
    MaskStack stack;
    std::int64_t done = 0;
    std::int64_t hits = 0;
    for_each_chunk(shape, [&](const Box& chunk) {
        const std::int64_t count = volume(chunk.count).value_or(0);
        std::uint8_t* const chunk_mask = mask.data() + done;
        stack.begin(chunk_mask);
        for (const Step& step : predicate.steps()) {
            switch (step.kind) {
                case Step::Kind::term: {
                    const auto& [variable, dtype, relation, constant] = predicate.tests()[step.term];
                    Compare* const compare =
                        kernels()
                            .compare[static_cast<std::size_t>(compared_as(dtype))][static_cast<std::size_t>(relation)];
                    compare(readers[variable].read(chunk), count, constant, stack.push());
                    break;
                }
                case Step::Kind::negate: stack.negate(count); break;
                case Step::Kind::both:
                    stack.join(count, [](std::uint8_t a, std::uint8_t b) -> std::uint8_t { return a & b; });
                    break;
                case Step::Kind::either:
                    stack.join(count, [](std::uint8_t a, std::uint8_t b) -> std::uint8_t { return a | b; });
                    break;
            }
        }
        hits += kernels().count_hits(chunk_mask, count);
        done += count;
    });
    return hits;
}

}  // namespace staithe::store::space
