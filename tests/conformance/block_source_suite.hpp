// What every source of blocks must do: give any part of any block, as it is or reduced, and refuse refs that cannot be
// right.
//
// A new source shows that it conforms with a class of its own (see test_block_sources.cpp):
//
//     struct MySource {
//         // Keeps a block in store 0 or 1: its elements, dense in the order of the description.
//         store::BlockRef keep(std::uint32_t store, const store::BlockDescription& block,
//                              std::span<const std::byte> elements);
//         std::shared_ptr<store::BlockSource> source();  // of all that was kept before
//         static constexpr bool shows = true;            // whether it has views
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, BlockSources, MySource);
//
// The oracle copies element by element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "array/overlap.hpp"
#include "store/block_source.hpp"
#include "store/reducing/reduction.hpp"
#include "support/watchdog.hpp"

namespace staithe::testing {

/// A variable whose every element says where it lies, cut into blocks that lie in two stores.
template <class Source>
class CutVariable {
  public:
    CutVariable(std::mt19937& random, Dtype dtype, const Extents& shape) : dtype_(dtype), shape_(shape) {
        std::vector<Box> boxes{Box::whole(shape)};
        for (std::size_t i = 0; i < shape.size(); ++i) {
            std::vector<Box> cut;
            for (const Box& box : boxes) {
                const std::int64_t at = shape[i] == 0 ? 0 : random() % static_cast<unsigned>(shape[i] + 1);
                Box low = box;
                Box high = box;
                low.count[i] = at;
                high.offset[i] = at;
                high.count[i] -= at;
                cut.insert(cut.end(), {low, high});
            }
            boxes = cut;
        }
        for (const Box& box : boxes) {
            store::BlockDescription block;
            block.variable = "x";
            block.dtype = dtype;
            block.shape = shape;
            block.box = box;
            block.column_major = random() % 2 == 0;
            blocks_.push_back(std::make_unique<store::BlockDescription>(block));
            const auto elements = elements_of(block);
            refs_.push_back(kept_.keep(random() % 2, block, elements));
        }
    }

    [[nodiscard]] base::Result<> fetch(const Selection& selection, const MutableArrayView& destination) {
        return kept_.source()->fetch(refs_, pieces_of(selection), destination);
    }

    /// Whether the source makes of the selection what is made of its elements.
    void expect_reduced(const Selection& selection, const char* kind, const std::vector<std::int64_t>& axes) {
        const Box whole = Box::whole(shape_of(selection));
        auto expected = store::reducing::Reduction::make(kind, dtype_, whole, axes);
        // Of the large integers of the suite the mean has no place for the spread.
        const bool is_lost = std::string_view(kind) == "var" || std::string_view(kind) == "std";
        if (!expected || (is_lost && (dtype_ == Dtype::i64 || dtype_ == Dtype::u64))) {
            return;  // or there is no such reduction of that dtype, or of nothing
        }
        std::vector<std::byte> memory(static_cast<std::size_t>(size_in_bytes(whole.count, dtype_).value()));
        const auto elements = MutableArrayView::row_major(memory.data(), dtype_, whole.count);
        ASSERT_TRUE(fetch(selection, elements));
        auto reduced = store::reducing::Reduction::like(*expected);
        expected->add(whole, elements);
        const auto done = kept_.source()->reduce(refs_, pieces_of(selection), reduced);
        ASSERT_TRUE(done) << done.error().message;
        const auto what = [&] {
            return std::string(kind) + " of " + name_of(dtype_) + to_string(selection) + " of " + to_string(shape_);
        };
        switch (reduced.states().dtype) {  // sums in another order are about the same
            case Dtype::f64:
            case Dtype::c128: return expect_near<double>(reduced.parts(), expected->parts(), what());
            case Dtype::f128:
            case Dtype::c256: return expect_near<long double>(reduced.parts(), expected->parts(), what());
            default: ASSERT_TRUE(std::ranges::equal(reduced.parts(), expected->parts())) << what();
        }
    }

    template <class T>
    static void expect_near(std::span<const std::byte> parts, std::span<const std::byte> wanted,
                            const std::string& what) {
        for (std::size_t at = 0; at < parts.size(); at += sizeof(T)) {
            T got = 0, other = 0;
            std::memcpy(&got, parts.data() + at, sizeof(T));
            std::memcpy(&other, wanted.data() + at, sizeof(T));
            const bool are_near = got == other || std::abs(got - other) <= T{1e-12} * std::abs(other);
            ASSERT_TRUE(are_near || (std::isnan(got) && std::isnan(other))) << what << ": " << got << " " << other;
        }
    }

    /// Whether every element of the destination is the selected one.
    void expect_selected(const Selection& selection, const ArrayView& destination) const {
        for_each(shape_of(selection), [&](const Extents& index) {
            Extents place;
            for (std::size_t i = 0; i < index.size(); ++i) {
                place.push_back(selection[i].start + selection[i].step * index[i]);
            }
            ASSERT_EQ(std::memcmp(at(destination, index), element(place).data(), element(place).size()), 0)
                << name_of(dtype_) << to_string(selection) << " at " << to_string(index);
        });
    }

    void expect_views() {
        const auto source = kept_.source();
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const auto view = source->view(refs_[i], *blocks_[i]);
            ASSERT_TRUE(view) << view.error().message;
            ASSERT_EQ(view->has_value(), Source::shows);
            if (*view) {
                ASSERT_EQ((*view)->shape, blocks_[i]->box.count);
                expect_selected(Selection(blocks_[i]->box), **view);
            }
        }
    }

    [[nodiscard]] const Extents& shape() const { return shape_; }

    template <class Visit>
    static void for_each(const Extents& shape, const Visit& visit) {
        const std::int64_t count = volume(shape).value_or(0);
        for (std::int64_t i = 0; i < count; ++i) {
            Extents index = shape;
            std::int64_t rest = i;
            for (std::size_t k = shape.size(); k-- > 0;) {
                index[k] = rest % shape[k];
                rest /= shape[k];
            }
            visit(index);
        }
    }

  private:
    [[nodiscard]] std::vector<store::Piece> pieces_of(const Selection& selection) const {
        std::vector<store::Piece> pieces;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (const auto common = array::overlap(blocks_[i]->box, selection)) {
                pieces.push_back({i, blocks_[i].get(), *common});
            }
        }
        return pieces;
    }

    static const std::byte* at(const ArrayView& view, const Extents& index) {
        const auto* place = static_cast<const std::byte*>(view.data);
        for (std::size_t i = 0; i < index.size(); ++i) {
            place += index[i] * view.strides[i];
        }
        return place;
    }

    /// Its bytes: booleans are 0 or 1, and numbers that a codec may look at are finite.
    [[nodiscard]] std::vector<std::byte> element(const Extents& place) const {
        std::uint64_t number = 17;
        for (const std::int64_t index : place) {
            number = number * 131 + static_cast<std::uint64_t>(index);
        }
        std::vector<std::byte> bytes(static_cast<std::size_t>(size_of(dtype_)));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::byte>((number >> (i % 8)) & (dtype_ == Dtype::boolean ? 1U : 0x3fU));
        }
        return bytes;
    }

    [[nodiscard]] std::vector<std::byte> elements_of(const store::BlockDescription& block) const {
        std::vector<std::byte> elements(static_cast<std::size_t>(block.data_bytes()));
        const ArrayView view = block.view(elements.data());
        for_each(block.box.count, [&](const Extents& index) {
            Extents place = index;
            for (std::size_t i = 0; i < place.size(); ++i) {
                place[i] += block.box.offset[i];
            }
            const auto bytes = element(place);
            std::memcpy(const_cast<std::byte*>(at(view, index)), bytes.data(), bytes.size());
        });
        return elements;
    }

    const Dtype dtype_;
    const Extents shape_;
    Source kept_;
    std::vector<std::unique_ptr<store::BlockDescription>> blocks_;
    std::vector<store::BlockRef> refs_;
};

template <class Source>
class BlockSources : public ::testing::Test {
  protected:
    static Selection some_selection(std::mt19937& random, const Extents& shape) {
        Selection selection;
        for (const std::int64_t length : shape) {
            Slice slice;
            slice.step = static_cast<std::int64_t>(1 + random() % 3) * (random() % 2 == 0 ? 1 : -1);
            slice.start = length == 0 ? 0 : random() % static_cast<unsigned>(length);
            const std::int64_t room = slice.step > 0 ? length - slice.start : slice.start + 1;
            const std::int64_t step = std::abs(slice.step);
            slice.count = length == 0 ? 0 : 1 + random() % static_cast<unsigned>((room + step - 1) / step);
            selection.push_back(slice);
        }
        return selection;
    }

    /// A block of one dimension in store 0.
    static store::BlockDescription line(std::int64_t count) {
        store::BlockDescription block;
        block.variable = "pressure";
        block.dtype = Dtype::i32;
        block.shape = block.box.count = {count};
        block.box.offset = {0};
        return block;
    }
    static std::vector<std::int32_t> numbers(std::int64_t count) {
        std::vector<std::int32_t> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<std::int32_t>(i * 7 % 1000);
        }
        return values;
    }

  private:
    Watchdog watchdog_;
};

TYPED_TEST_SUITE_P(BlockSources);

TYPED_TEST_P(BlockSources, FetchAnyPartOfAnyBlockInAnyOrder) {
    std::mt19937 random(1);
    for (unsigned code = 0; code < dtype_count; ++code) {
        const auto dtype = static_cast<Dtype>(code);
        for (const Extents& shape : {Extents{}, Extents{9}, Extents{6, 7}, Extents{4, 1, 5}, Extents{3, 2, 4, 3}}) {
            CutVariable<TypeParam> variable(random, dtype, shape);
            for (int repeat = 0; repeat < 6; ++repeat) {
                const Selection selection = this->some_selection(random, shape);
                const Extents wanted = shape_of(selection);
                const auto bytes = static_cast<std::size_t>(size_in_bytes(wanted, dtype).value());
                std::vector<std::byte> memory(2 * bytes);
                MutableArrayView destination{memory.data(), dtype, wanted, {}};
                const std::int64_t gap = repeat % 3 == 2 ? 2 : 1;  // elements between elements
                destination.strides = repeat % 3 == 1 ? column_major_strides(wanted, size_of(dtype))
                                                      : row_major_strides(wanted, size_of(dtype) * gap);
                const auto fetched = variable.fetch(selection, destination);
                ASSERT_TRUE(fetched) << fetched.error().message;
                variable.expect_selected(selection, destination);
            }
        }
    }
}

TYPED_TEST_P(BlockSources, ReduceAnyPartAlongAnyDimensions) {
    std::mt19937 random(5);
    for (unsigned code = 0; code < dtype_count; ++code) {
        const auto dtype = static_cast<Dtype>(code);
        if (dtype == Dtype::f128 || dtype == Dtype::c256) {
            continue;  // not all of their bytes count
        }
        for (const Extents& shape : {Extents{}, Extents{9}, Extents{6, 7}, Extents{4, 1, 5}, Extents{3, 2, 4, 3}}) {
            CutVariable<TypeParam> variable(random, dtype, shape);
            for (const char* kind : {"sum", "mean", "min", "max", "var", "std", "histogram(7, -10, 100)"}) {
                const Selection selection = this->some_selection(random, shape);
                std::vector<std::int64_t> axes;
                for (std::size_t i = 0; i < shape.size(); ++i) {
                    if (random() % 3 > 0) {
                        axes.push_back(static_cast<std::int64_t>(i));
                    }
                }
                variable.expect_reduced(selection, kind, axes);
            }
        }
    }
}

TYPED_TEST_P(BlockSources, ReduceLargeBlocksInParts) {
    const Extents shape{1 << 8, 1 << 13};  // 8 MiB
    store::BlockDescription block = this->line(1);
    block.shape = block.box.count = shape;
    block.box.offset = {0, 0};
    const auto values = this->numbers(volume(shape).value());
    TypeParam kept;
    const std::vector<store::BlockRef> refs{kept.keep(0, block, std::as_bytes(std::span(values)))};
    const auto source = kept.source();
    const Selection selection{Slice{shape[0] - 1, -1, shape[0]}, Slice{1, 2, shape[1] / 2}};
    for (const std::vector<std::int64_t>& axes : {std::vector<std::int64_t>{0, 1}, {0}, {1}, {}}) {
        auto expected =
            store::reducing::Reduction::make("sum", Dtype::i32, Box::whole(shape_of(selection)), axes).value();
        auto reduced = store::reducing::Reduction::like(expected);
        expected.add(expected.box(), slice(ArrayView::row_major(values.data(), Dtype::i32, shape), selection));
        const store::Piece piece{0, &block, {expected.box(), selection}};
        const auto done = source->reduce(refs, std::span(&piece, 1), reduced);
        ASSERT_TRUE(done) << done.error().message;
        ASSERT_TRUE(std::ranges::equal(reduced.parts(), expected.parts())) << axes.size();
    }
}

TYPED_TEST_P(BlockSources, ShowWholeBlocksOrSayThatTheyCannot) {
    std::mt19937 random(2);
    for (const Dtype dtype : {Dtype::u8, Dtype::f64, Dtype::c128}) {
        for (const Extents& shape : {Extents{}, Extents{9}, Extents{6, 7}, Extents{3, 2, 4}}) {
            CutVariable<TypeParam>(random, dtype, shape).expect_views();
        }
    }
}

TYPED_TEST_P(BlockSources, FetchPartsOfLargeBlocks) {
    const Extents shape{1 << 11, 1 << 12};  // 32 MiB
    store::BlockDescription block = this->line(1);
    block.shape = block.box.count = shape;
    block.box.offset = {0, 0};
    const auto values = this->numbers(volume(shape).value());
    TypeParam kept;
    const std::vector<store::BlockRef> refs{kept.keep(0, block, std::as_bytes(std::span(values)))};
    const auto source = kept.source();
    for (const Selection& selection :
         {Selection::all(shape), Selection{Slice{0, 1, shape[0]}, Slice{5, 1, 1}},
          Selection{Slice{2047, -3, 600}, Slice{4000, -1, 3000}}, Selection{Slice{3, 500, 4}, Slice{0, 4095, 2}}}) {
        const Extents wanted = shape_of(selection);
        std::vector<std::int32_t> got(static_cast<std::size_t>(volume(wanted).value()));
        const store::Piece piece{0, &block, {Box::whole(wanted), selection}};
        const auto destination = MutableArrayView::row_major(got.data(), Dtype::i32, wanted);
        const auto fetched = source->fetch(refs, std::span(&piece, 1), destination);
        ASSERT_TRUE(fetched) << fetched.error().message;
        for (std::int64_t i = 0; i < wanted[0]; ++i) {
            for (std::int64_t k = 0; k < wanted[1]; ++k) {
                const std::int64_t row = selection[0].start + i * selection[0].step;
                const std::int64_t column = selection[1].start + k * selection[1].step;
                ASSERT_EQ(got[static_cast<std::size_t>(i * wanted[1] + k)],
                          values[static_cast<std::size_t>(row * shape[1] + column)])
                    << to_string(selection);
            }
        }
    }
}

TYPED_TEST_P(BlockSources, ConvertAsTheyCopy) {
    const auto block = this->line(5);
    const auto values = this->numbers(5);
    TypeParam kept;
    const std::vector<store::BlockRef> refs{kept.keep(1, block, std::as_bytes(std::span(values)))};
    std::vector<double> got(2);
    const store::Piece piece{0, &block, {{{0}, {2}}, {Slice{4, -2, 2}}}};
    ASSERT_TRUE(kept.source()->fetch(refs, std::span(&piece, 1), view_of(got)));
    EXPECT_EQ(got, (std::vector<double>{28.0, 14.0}));
}

TYPED_TEST_P(BlockSources, RefuseRefsThatCannotBeRight) {
    const auto block = this->line(1000);
    const auto values = this->numbers(1000);
    TypeParam kept;
    const store::BlockRef good = kept.keep(0, block, std::as_bytes(std::span(values)));
    const auto source = kept.source();
    const std::int64_t far = std::int64_t{1} << 50;
    const auto with = [&](auto change) {
        store::BlockRef ref = good;
        change(ref);
        return ref;
    };
    std::vector<std::int32_t> got(1000);
    const store::Piece piece{0, &block, {{{0}, {1000}}, Selection::all({1000})}};
    const auto fetch = [&](const store::BlockRef& ref) {
        return source->fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got));
    };
    for (const auto& [what, ref] : std::vector<std::pair<const char*, store::BlockRef>>{
             {"outside", with([&](auto& wrong) { wrong.offset += far; })},
             {"at the end of all numbers", with([&](auto& wrong) { wrong.offset = INT64_MAX; })},
             {"before the start", with([](auto& wrong) { wrong.offset = -1; })},
             {"too few bytes", with([](auto& wrong) { wrong.bytes = 7; })},
             {"too many bytes", with([&](auto& wrong) { wrong.bytes = far; })},
             {"a negative size", with([](auto& wrong) { wrong.bytes = -4000; })},
             {"another store", with([](auto& wrong) { wrong.store = 2; })},
             {"no store", with([](auto& wrong) { wrong.store = UINT32_MAX; })},
             {"another encoding", with([](auto& wrong) { wrong.encoding = static_cast<store::Encoding>(777); })},
             {"another version", with([](auto& wrong) { wrong.version = 2; })},
         }) {
        const auto fetched = fetch(ref);
        ASSERT_FALSE(fetched) << what;
        EXPECT_EQ(fetched.error().code, ErrorCode::protocol) << what << ": " << fetched.error().message;
        EXPECT_NE(fetched.error().message.find("'pressure'"), std::string::npos) << fetched.error().message;
        const auto view = source->view(ref, block);
        EXPECT_TRUE(!view || !*view) << what;
    }
    ASSERT_TRUE(fetch(good)) << "and goes on";
    EXPECT_EQ(got, values);
}

TYPED_TEST_P(BlockSources, ServeSeveralThreads) {
    const auto block = this->line(5000);
    const auto values = this->numbers(5000);
    TypeParam kept;
    const std::vector<store::BlockRef> refs{kept.keep(0, block, std::as_bytes(std::span(values))),
                                            kept.keep(1, block, std::as_bytes(std::span(values)))};
    const auto source = kept.source();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            const store::Piece piece{i % 2, &block, {{{0}, {5000}}, Selection::all({5000})}};
            for (int turn = 0; turn < 50; ++turn) {
                std::vector<std::int32_t> got(5000);
                ASSERT_TRUE(source->fetch(refs, std::span(&piece, 1), view_of(got)));
                ASSERT_EQ(got, values);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

REGISTER_TYPED_TEST_SUITE_P(BlockSources, FetchAnyPartOfAnyBlockInAnyOrder, ReduceAnyPartAlongAnyDimensions,
                            ReduceLargeBlocksInParts, ShowWholeBlocksOrSayThatTheyCannot, FetchPartsOfLargeBlocks,
                            ConvertAsTheyCopy, RefuseRefsThatCannotBeRight, ServeSeveralThreads);

}  // namespace staithe::testing
