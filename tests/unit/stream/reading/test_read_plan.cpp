#include "stream/reading/read_plan.hpp"

#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "stream/describing/layout.hpp"

namespace staithe::stream {
namespace {

/// A grid of `cells` blocks of 8³, one a rank.
std::shared_ptr<const Layout> grid(const Extents& cells) {
    std::vector<std::shared_ptr<const Schema>> schemas;
    BlockDescription block;
    block.variable = "x";
    block.dtype = Dtype::f64;
    block.shape = {8 * cells[0], 8 * cells[1], 8 * cells[2]};
    for (std::int64_t i = 0; i < cells[0]; ++i) {
        for (std::int64_t j = 0; j < cells[1]; ++j) {
            for (std::int64_t k = 0; k < cells[2]; ++k) {
                block.box = {{8 * i, 8 * j, 8 * k}, {8, 8, 8}};
                schemas.push_back(std::make_shared<const Schema>(Schema{block}));
            }
        }
    }
    return Layout::build(std::move(schemas)).value();
}

TEST(ReadPlan, HasThePiecesThatLookingAtAllBlocksFinds) {
    const auto layout = grid({3, 4, 5});
    const VariableLayout& x = *layout->find("x");
    std::mt19937 random(1);
    for (int repeat = 0; repeat < 300; ++repeat) {
        Selection selection;
        for (const std::int64_t length : x.description->shape) {
            const auto start = static_cast<std::int64_t>(random() % static_cast<unsigned>(length));
            const bool forward = random() % 2 == 0;
            const std::int64_t step = 1 + random() % 12;
            const std::int64_t room = ((forward ? length - start - 1 : start) / step) + 1;
            selection.push_back({start, forward ? step : -step, static_cast<std::int64_t>(1 + random() % room)});
        }
        const auto plan = x.plans->of(x, selection);
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.blocks.size(); ++i) {
            if (const auto common = array::overlap(x.box(i), selection)) {
                ASSERT_LT(next, plan->pieces.size());
                const store::Piece& piece = plan->pieces[next++];
                ASSERT_EQ(piece.block, x.blocks[i].index);
                ASSERT_EQ(*piece.description, x.describe(i));
                ASSERT_EQ(piece.overlap.destination, common->destination);
                ASSERT_EQ(piece.overlap.source, common->source);
            }
        }
        ASSERT_EQ(next, plan->pieces.size());
        ASSERT_EQ(plan->elements, volume(shape_of(selection)));
    }
}

TEST(ReadPlan, IsKeptForTheSelectionsThatWereUsedLast) {
    const auto layout = grid({2, 2, 2});
    const VariableLayout& x = *layout->find("x");
    const auto part = [&](std::int64_t i) {
        return x.plans->of(x, Selection{Slice{i, 1, 1}, Slice{0, 1, 16}, Slice{0, 1, 16}});
    };
    const auto first = part(0);
    EXPECT_EQ(part(0), first);
    for (std::int64_t i = 1; i < 8; ++i) {
        EXPECT_NE(part(i), part(i - 1));
        EXPECT_EQ(part(0), first);
    }
    for (std::int64_t i = 1; i < 9; ++i) {
        static_cast<void>(part(i));
    }
    EXPECT_NE(part(0), first) << "eight others came after it";
}

TEST(ReadPlan, IsFoundByManyThreads) {
    const auto layout = grid({2, 2, 2});
    const VariableLayout& x = *layout->find("x");
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (std::int64_t i = 0; i < 2000; ++i) {
                const auto plan = x.plans->of(x, Selection{Slice{i % 16, 1, 1}, Slice{0, 1, 16}, Slice{0, 1, 16}});
                ASSERT_EQ(plan->elements, 256);
                ASSERT_EQ(plan->selection[0].start, i % 16);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace staithe::stream
