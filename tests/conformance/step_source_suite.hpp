// What a reader promises wherever its steps come from: complete steps in order, any part of any variable, unchanged as
// long as they are held.
//
// A new source shows that it conforms with a class of its own (see test_step_sources.cpp):
//
//     struct MySource {
//         Reader open(const Content& content, const Group& group);  // of a stream that has this content, all of it
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, StepSources, MySource);            // steps of whole arrays, of one writer
//     INSTANTIATE_TYPED_TEST_SUITE_P(Mine, StepSourcesOfRanks, MySource);     // if it has what several ranks write
#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include <gtest/gtest.h>

#include "support/stream_test.hpp"

namespace staithe::testing {

/// What is in a stream.
struct Content {
    struct Block {
        int rank = 0;
        std::string variable;
        std::vector<double> values;
        Extents count{};
        PutOptions options{};
    };
    struct Step {
        Attributes attributes;
        std::vector<Block> blocks;
    };

    int writers = 1;
    Attributes attributes;
    std::vector<Step> steps;
};

/// Element (i, k) of "field" in a step.
inline double field_at(std::int64_t step, std::int64_t i, std::int64_t k) {
    return static_cast<double>(1000 * step + 10 * i + k);
}

/// Three steps of two ranks: a field of 4 × 6, whose columns they share, and one local array of each in the last step.
inline Content two_ranks() {
    Content content{2, {{"model", "melt"}}, {}};
    for (std::int64_t step = 0; step < 3; ++step) {
        Content::Step written{{{"time", 0.5 * static_cast<double>(step)}}, {}};
        for (int rank = 0; rank < 2; ++rank) {
            std::vector<double> values;
            for (std::int64_t i = 0; i < 4; ++i) {
                for (std::int64_t k = 3 * rank; k < 3 * rank + 3; ++k) {
                    values.push_back(field_at(step, i, k));
                }
            }
            written.blocks.push_back(
                {rank, "field", values, {4, 3}, {.offset = Extents{0, 3 * rank}, .shape = Extents{4, 6}, .unit = "K"}});
            if (step == 2) {
                const std::vector<double> own(static_cast<std::size_t>(rank) + 2, rank);
                written.blocks.push_back({rank, "own", own, {rank + 2}, {.attributes = {{"kind", "local"}}}});
            }
        }
        content.steps.push_back(written);
    }
    return content;
}

/// The same field as one array of one rank, and nothing else.
inline Content whole_field() {
    Content content;
    for (std::int64_t step = 0; step < 3; ++step) {
        std::vector<double> values;
        for (std::int64_t i = 0; i < 4; ++i) {
            for (std::int64_t k = 0; k < 6; ++k) {
                values.push_back(field_at(step, i, k));
            }
        }
        content.steps.push_back({{}, {{0, "field", values, {4, 6}}}});
    }
    return content;
}

/// Selections of the field in a step, whatever blocks it is made of.
inline void expect_any_part(const ReadStep& step) {
    const Variable field = step.variable("field");
    for (int repeat = 0; repeat < 2; ++repeat) {
        for (const Selection& selection :
             {Selection::all({4, 6}), Selection{Slice{1, 1, 2}, Slice{2, 1, 3}},
              Selection{Slice{3, -2, 2}, Slice{5, -1, 6}}, Selection{Slice{0, 1, 4}, Slice{0, 1, 3}},
              Selection{Slice{0, 1, 0}, Slice{0, 1, 6}}}) {
            std::vector<double> expected;
            for (std::int64_t i = 0; i < selection[0].count; ++i) {
                for (std::int64_t k = 0; k < selection[1].count; ++k) {
                    expected.push_back(field_at(step.index(), selection[0].start + i * selection[0].step,
                                                selection[1].start + k * selection[1].step));
                }
            }
            EXPECT_EQ(field.read<double>(selection), expected) << to_string(selection);
        }
    }
    EXPECT_THROW(static_cast<void>(field.read<double>(Selection{Slice{0, 1, 5}, Slice{0, 1, 6}})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(field.read<float>()), InvalidArgument);
}

/// Rows 1 and 3, columns 4 and 5 of it, as one view.
inline void expect_a_view(const Variable& field) {
    const auto part = field.view(Selection{Slice{1, 2, 2}, Slice{4, 1, 2}});
    ASSERT_TRUE(part);
    std::vector<double> copy(4);
    for (std::size_t i = 0; i < 4; ++i) {
        const auto* first = static_cast<const std::byte*>(part->array.data);
        const auto row = static_cast<std::int64_t>(i / 2);
        const auto column = static_cast<std::int64_t>(i % 2);
        std::memcpy(&copy[i], first + row * part->array.strides[0] + column * part->array.strides[1], sizeof(double));
    }
    EXPECT_EQ(copy, (std::vector<double>{field_at(0, 1, 4), field_at(0, 1, 5), field_at(0, 3, 4), field_at(0, 3, 5)}));
}

template <class Source>
class StepSources : public StreamTest {
  protected:
    Reader open(const Content& content, const Group& group = {}) { return source_.open(content, group); }

  private:
    Source source_;
};

/// The same, of sources that have what several ranks write: their blocks, local arrays, attributes, units.
template <class Source>
class StepSourcesOfRanks : public StepSources<Source> {};

TYPED_TEST_SUITE_P(StepSources);
TYPED_TEST_SUITE_P(StepSourcesOfRanks);

TYPED_TEST_P(StepSources, GiveAllStepsInOrderAndThenTheEnd) {
    Reader in = this->open(whole_field());
    EXPECT_EQ(in.writers(), 1);
    EXPECT_TRUE(in.attributes().empty());
    for (std::int64_t number = 0; number < 3; ++number) {
        const auto step = in.next();
        ASSERT_TRUE(step);
        EXPECT_EQ(step->index(), number);
        EXPECT_TRUE(step->attributes().empty());
        EXPECT_EQ(in.statistics().steps, number + 1);
        EXPECT_EQ(in.statistics().pinned, 1);
    }
    EXPECT_EQ(in.statistics().pinned, 0);
    EXPECT_FALSE(in.next());
    EXPECT_FALSE(in.next()) << "the end stays the end";
}

TYPED_TEST_P(StepSources, TellWhatIsInAStep) {
    Content content = whole_field();
    content.steps[1].blocks.push_back({0, "more", {1, 2, 3}, {3}});
    Reader in = this->open(content);
    const ReadStep first = in.next().value();
    EXPECT_EQ(first.variables(), std::vector<std::string>{"field"});
    EXPECT_FALSE(first.has("more"));
    EXPECT_THROW(static_cast<void>(first.variable("more")), NotFound);
    const ReadStep second = in.next().value();
    EXPECT_EQ(second.variables(), (std::vector<std::string>{"field", "more"}));
    EXPECT_EQ(second.variable("more").template read<double>(), (std::vector<double>{1, 2, 3}));
    const Variable field = second.variable("field");
    EXPECT_EQ(field.shape(), (Extents{4, 6}));
    EXPECT_EQ(field.dtype(), Dtype::f64);
    EXPECT_FALSE(field.is_local());
    ASSERT_EQ(field.blocks().size(), 1U);
    EXPECT_EQ(field.blocks()[0].box, Box::whole({4, 6}));
}

TYPED_TEST_P(StepSources, ReadAnyPartOfAVariable) {
    Reader in = this->open(whole_field());
    while (const auto step = in.next()) {
        expect_any_part(*step);
    }
}

TYPED_TEST_P(StepSources, GiveBlocksAndSelectionsWithinThemWithoutACopyOrWithOne) {
    Reader in = this->open(whole_field());
    const ReadStep step = in.next().value();
    const Variable field = step.variable("field");
    EXPECT_EQ(field.block(0).array.shape, (Extents{4, 6}));
    expect_a_view(field);
    EXPECT_THROW(static_cast<void>(field.block(1)), InvalidArgument);
}

TYPED_TEST_P(StepSources, ShareAVariableAmongRanks) {
    Reader in = this->open(whole_field(), {.rank = 1, .size = 2});
    const ReadStep step = in.next().value();
    const Variable field = step.variable("field");
    EXPECT_EQ(field.read<double>(field.part(Share::count, in.group())).front(), field_at(0, 2, 0));
}

TYPED_TEST_P(StepSources, StepsAndViewsOutliveTheReader) {
    std::optional<ReadStep> step;
    std::optional<View> view;
    {
        Reader in = this->open(whole_field());
        step = in.next();
        view = in.next()->variable("field").block(0);
        in.close();
        EXPECT_NO_THROW(in.close());
        EXPECT_THROW(static_cast<void>(in.next()), Closed);
    }
    EXPECT_EQ(step->variable("field").read<double>(Selection{Slice{1, 1, 1}, Slice{1, 1, 1}}).front(),
              field_at(0, 1, 1));
    EXPECT_EQ(*static_cast<const double*>(view->array.data), field_at(1, 0, 0));
}

TYPED_TEST_P(StepSources, StepsMayGoToAnyThread) {
    Reader in = this->open(whole_field());
    const ReadStep step = in.next().value();
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            for (std::int64_t k = 0; k < 60; ++k) {
                const Selection element{Slice{i, 1, 1}, Slice{k % 6, 1, 1}};
                ASSERT_EQ(step.variable("field").read<double>(element).front(), field_at(0, i, k % 6));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TYPED_TEST_P(StepSources, TheirDescriptorIsReadableWhenAStepIsThere) {
    Reader in = this->open(whole_field());
    for (int i = 0; i < 3; ++i) {
        pollfd ready{in.descriptor(), POLLIN, 0};
        ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
        EXPECT_TRUE(in.next());
    }
}

TYPED_TEST_P(StepSourcesOfRanks, TellHowManyThereAreAndWhatTheySay) {
    Reader in = this->open(two_ranks());
    EXPECT_EQ(in.writers(), 2);
    EXPECT_EQ(in.attributes(), (Attributes{{"model", "melt"}}));
    for (std::int64_t number = 0; number < 3; ++number) {
        EXPECT_EQ(in.next()->attributes(), (Attributes{{"time", 0.5 * static_cast<double>(number)}}));
    }
}

TYPED_TEST_P(StepSourcesOfRanks, TellWhatIsInAStep) {
    Reader in = this->open(two_ranks());
    static_cast<void>(in.next());
    static_cast<void>(in.next());
    const ReadStep last = in.next().value();
    EXPECT_EQ(last.variables(), (std::vector<std::string>{"field", "own"}));
    const Variable field = last.variable("field");
    EXPECT_EQ(field.shape(), (Extents{4, 6}));
    EXPECT_EQ(field.unit(), "K");
    EXPECT_FALSE(field.is_local());
    const Variable own = last.variable("own");
    EXPECT_TRUE(own.is_local());
    EXPECT_EQ(own.attributes(), (Attributes{{"kind", "local"}}));
    EXPECT_THROW(static_cast<void>(own.shape()), InvalidArgument);
    ASSERT_EQ(own.blocks().size(), 2U);
    EXPECT_EQ(own.blocks()[1].rank, 1);
    EXPECT_EQ(own.blocks()[1].box, (Box{{0}, {3}}));
}

TYPED_TEST_P(StepSourcesOfRanks, ReadAnyPartOfAVariable) {
    Reader in = this->open(two_ranks());
    while (const auto step = in.next()) {
        expect_any_part(*step);
    }
}

TYPED_TEST_P(StepSourcesOfRanks, GiveBlocksAndSelectionsWithinThemWithoutACopyOrWithOne) {
    Reader in = this->open(two_ranks());
    const ReadStep step = in.next().value();
    const Variable field = step.variable("field");
    EXPECT_EQ(field.block(1).array.shape, (Extents{4, 3}));
    expect_a_view(field);
    EXPECT_FALSE(field.view(Selection{Slice{0, 1, 1}, Slice{2, 1, 2}})) << "it lies in two blocks";
    EXPECT_THROW(static_cast<void>(field.block(2)), InvalidArgument);
}

TYPED_TEST_P(StepSourcesOfRanks, ShareAVariableAmongRanks) {
    Reader in = this->open(two_ranks(), {.rank = 1, .size = 2});
    const ReadStep step = in.next().value();
    const Variable field = step.variable("field");
    EXPECT_EQ(field.read<double>(field.part(Share::count, in.group())).front(), field_at(0, 2, 0));
    EXPECT_EQ(field.share_of_blocks(in.group()), std::vector<std::size_t>{1});
    EXPECT_EQ(field.share_of_blocks({.rank = 0, .size = 1}), (std::vector<std::size_t>{0, 1}));
    EXPECT_TRUE(field.share_of_blocks({.rank = 0, .size = 3}).size() < 2);
}

TYPED_TEST_P(StepSourcesOfRanks, NameWhatNobodyWrote) {
    Content content;
    content.steps.push_back({{}, {{0, "x", {1, 2}, {2}, {.offset = Extents{4}, .shape = Extents{8}}}}});
    Reader in = this->open(content);
    const ReadStep step = in.next().value();
    EXPECT_EQ(step.variable("x").read<double>(Selection{Slice{4, 1, 2}}), (std::vector<double>{1, 2}));
    EXPECT_THROW(static_cast<void>(step.variable("x").read<double>()), NotFound);
}

REGISTER_TYPED_TEST_SUITE_P(StepSources, GiveAllStepsInOrderAndThenTheEnd, TellWhatIsInAStep, ReadAnyPartOfAVariable,
                            GiveBlocksAndSelectionsWithinThemWithoutACopyOrWithOne, ShareAVariableAmongRanks,
                            StepsAndViewsOutliveTheReader, StepsMayGoToAnyThread,
                            TheirDescriptorIsReadableWhenAStepIsThere);
REGISTER_TYPED_TEST_SUITE_P(StepSourcesOfRanks, TellHowManyThereAreAndWhatTheySay, TellWhatIsInAStep,
                            ReadAnyPartOfAVariable, GiveBlocksAndSelectionsWithinThemWithoutACopyOrWithOne,
                            ShareAVariableAmongRanks, NameWhatNobodyWrote);

}  // namespace staithe::testing
