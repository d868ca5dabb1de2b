#include "store/space/merging.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

/// An array of one to three dimensions, in which blocks lie over each other.
class Canvas {
  public:
    explicit Canvas(const Extents& shape)
        : shape_(shape), owners_(static_cast<std::size_t>(volume(shape).value()), nobody) {}
    void lay(const Box& box, int owner) {
        each_of(box, [&](std::size_t at) { owners_[at] = owner; });
    }
    /// What another one shows there.
    void lay(const Box& box, const Canvas& other) {
        each_of(box, [&](std::size_t at) { owners_[at] = other.owners_[at]; });
    }
    [[nodiscard]] bool shows(const Box& box, int owner) const {
        bool is_alone = true;
        each_of(box, [&](std::size_t at) { is_alone = is_alone && owners_[at] == owner; });
        return is_alone;
    }
    bool operator==(const Canvas& other) const { return owners_ == other.owners_; }

    static constexpr int nobody = -1;

  private:
    template <class Visit>
    void each_of(const Box& box, const Visit& visit) const {
        for (std::int64_t i = 0; i < volume(box.count).value(); ++i) {
            std::int64_t rest = i, at = 0, step = 1;
            for (std::size_t d = shape_.size(); d-- > 0;) {
                at += (box.offset[d] + rest % box.count[d]) * step;
                rest /= box.count[d];
                step *= shape_[d];
            }
            visit(static_cast<std::size_t>(at));
        }
    }
    Extents shape_;
    std::vector<int> owners_;
};

using Blocks = std::vector<Mergeable>;

/// Blocks of a plan, where they lay or merged: what is seen is the same. Returns how many there are.
std::size_t check(const Blocks& blocks, const Extents& shape, const Box& region, std::size_t least) {
    Canvas before(shape), after(shape);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        before.lay(blocks[i].box, static_cast<int>(i));
    }
    const MergePlan plan = plan_merges(blocks, region, least);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (!std::ranges::binary_search(plan.gone, i)) {
            after.lay(blocks[i].box, static_cast<int>(i));
        } else {
            EXPECT_TRUE(blocks[i].may_go);
        }
    }
    Canvas merged(shape);
    for (const Merge& merge : plan.merges) {
        EXPECT_TRUE(contains(region, merge.box));
        EXPECT_TRUE(merged.shows(merge.box, Canvas::nobody)) << "merges are disjoint";
        std::vector<std::size_t> of;
        for (const auto& [layer, part] : merge.parts) {
            EXPECT_TRUE(blocks[layer].may_go);
            EXPECT_TRUE(contains(blocks[layer].box, part) && contains(merge.box, part));
            EXPECT_TRUE(before.shows(part, static_cast<int>(layer))) << "of each part that is seen which is copied";
            merged.lay(part, static_cast<int>(layer));
            of.push_back(layer);
        }
        std::ranges::sort(of);
        EXPECT_GE(static_cast<std::size_t>(std::distance(of.begin(), std::unique(of.begin(), of.end()))), least);
        EXPECT_EQ(elements_of(merge.parts), volume(merge.box.count).value()) << "the parts are all of it";
        after.lay(merge.box, merged);
    }
    EXPECT_EQ(before, after);
    return blocks.size() - plan.gone.size() + plan.merges.size();
}

Blocks tiles(const Extents& shape, const Extents& tile) {
    Blocks blocks;
    for (std::int64_t i = 0; i < shape[0]; i += tile[0]) {
        for (std::int64_t j = 0; j < shape[1]; j += tile[1]) {
            blocks.push_back({{{i, j}, {std::min(tile[0], shape[0] - i), std::min(tile[1], shape[1] - j)}}, true});
        }
    }
    return blocks;
}

TEST(Merging, RowsAndTilesBecomeOne) {
    const Extents shape{12, 21};
    for (const Extents& tile : {Extents{1, 21}, Extents{12, 1}, Extents{3, 7}, Extents{5, 4}}) {
        Blocks blocks = tiles(shape, tile);
        EXPECT_EQ(check(blocks, shape, Box::whole(shape), 4), 1U) << to_string(tile);
        std::shuffle(blocks.begin(), blocks.end(), std::mt19937(3));
        EXPECT_EQ(check(blocks, shape, Box::whole(shape), 4), 1U) << to_string(tile);
    }
}

TEST(Merging, WhatIsLargeElsewhereOrAloneStays) {
    const Extents shape{12, 21};
    Blocks blocks = tiles(shape, {3, 7});
    blocks[4].may_go = false;  // second row, in the middle
    EXPECT_EQ(check(blocks, shape, Box::whole(shape), 2), 1U + 2U + 2U) << "row 0, rows 2 and 3, and beside it";
    EXPECT_EQ(check(blocks, shape, Box::whole(shape), 13), blocks.size());
    blocks.erase(blocks.begin() + 4);
    EXPECT_EQ(check(blocks, shape, Box::whole(shape), 2), 2U + 2U) << "what nobody has put is nobody's";
}

TEST(Merging, WhatIsCoveredGoes) {
    const Extents shape{12, 21};
    Blocks blocks = tiles(shape, {3, 7});
    blocks.push_back({Box::whole(shape), false});
    EXPECT_EQ(check(blocks, shape, Box::whole(shape), 2), 1U);
}

TEST(Merging, RegionsAreMergedOneByOne) {
    const Extents shape{12, 20};
    const Blocks blocks = tiles(shape, {4, 2});
    const auto parts = cut_between(blocks, Box::whole(shape));
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->first, (Box{{0, 0}, {8, 20}}));
    EXPECT_EQ(parts->second, (Box{{8, 0}, {4, 20}}));
    EXPECT_EQ(check(blocks, shape, parts->second, 4), 21U);
    EXPECT_EQ(cut_between(blocks, parts->second)->first, (Box{{8, 0}, {4, 10}}));
    EXPECT_FALSE(cut_between(blocks, {{4, 2}, {4, 2}}));
}

TEST(Merging, AnyBlocksShowTheSameAsBefore) {
    std::mt19937 random(11);
    const auto any = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    for (int repeat = 0; repeat < 400; ++repeat) {
        Extents shape;
        for (std::int64_t d = any(1, 3); d > 0; --d) {
            shape.push_back(any(1, 9));
        }
        const auto any_box = [&] {
            Box box = Box::whole(shape);
            for (std::size_t d = 0; d < shape.size(); ++d) {
                box.offset[d] = any(0, shape[d] - 1);
                box.count[d] = any(1, std::min<std::int64_t>(shape[d] - box.offset[d], 4));
            }
            return box;
        };
        Blocks blocks(static_cast<std::size_t>(any(0, 120)));
        const std::int64_t of_ten = any(5, 10);
        std::ranges::generate(blocks, [&] { return Mergeable{any_box(), any(1, 10) <= of_ten}; });
        const Box region = repeat % 2 == 0 ? Box::whole(shape) : any_box();
        check(blocks, shape, region, static_cast<std::size_t>(any(2, 5)));
        if (const auto parts = cut_between(blocks, region)) {
            EXPECT_EQ(volume(parts->first.count).value() + volume(parts->second.count).value(),
                      volume(region.count).value());
            EXPECT_FALSE(is_empty(parts->first) || is_empty(parts->second));
        }
    }
}

}  // namespace
}  // namespace staithe::store::space
