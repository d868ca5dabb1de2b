#include "server/answers.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace staithe::server {
namespace {

using store::space::PutId;

std::optional<std::int64_t> version_of(const Answers& answers, const PutId& id) {
    const auto answer = answers.find(id);
    return answer ? std::optional(answer->version) : std::nullopt;
}

TEST(AnswersTest, WhoAsksAgainIsToldTheSame) {
    Answers answers;
    EXPECT_EQ(answers.find({"p", 1, 1}), std::nullopt);
    answers.add({"p", 1, 1}, {.version = 7, .place = {3, 64}});
    answers.add({"p", 2, 1}, {.version = 8, .place = {3, 128}});
    const auto answer = answers.find({"p", 1, 1});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->version, 7);
    EXPECT_EQ(answer->place, store::space::BlockPlace(3, 64));
    EXPECT_EQ(version_of(answers, {"q", 1, 1}), std::nullopt) << "another program has numbers of its own";
    EXPECT_EQ(version_of(answers, {"p", 3, 1}), std::nullopt);
}

TEST(AnswersTest, WhoIsNotAskedAgainIsNotRemembered) {
    Answers answers;
    answers.add({}, {.version = 7});
    EXPECT_EQ(answers.find({}), std::nullopt);
}

TEST(AnswersTest, WhatHasComeIsForgotten) {
    Answers answers;
    for (std::int64_t number = 1; number <= 3; ++number) {
        answers.add({"p", number, 1}, {.version = number});
    }
    answers.add({"p", 9, 3}, {.version = 9});
    EXPECT_EQ(version_of(answers, {"p", 2, 1}), std::nullopt);
    EXPECT_EQ(version_of(answers, {"p", 3, 3}), 3) << "its answer may not have come";
    EXPECT_EQ(version_of(answers, {"p", 9, 3}), 9);
}

TEST(AnswersTest, AllAreVisited) {
    Answers answers, others;
    answers.add({"p", 1, 1}, {.version = 1});
    answers.add({"p", 2, 1}, {.version = 2});
    answers.add({"q", 1, 1}, {.version = 3});
    answers.visit([&](const PutId& id, const Answers::Answer& answer) { others.add(id, answer); });
    for (const PutId& id : {PutId{"p", 1, 1}, PutId{"p", 2, 1}, PutId{"q", 1, 1}}) {
        EXPECT_EQ(version_of(others, id), version_of(answers, id));
    }
}

TEST(AnswersTest, WhoGoesOnKnowsBoth) {
    Answers own, others;
    own.add({"p", 1, 1}, {.version = 1});
    others.add({"p", 2, 1}, {.version = 2});
    others.add({"q", 1, 1}, {.version = 3});
    own.absorb(std::move(others));
    EXPECT_EQ(version_of(own, {"p", 1, 1}), 1);
    EXPECT_EQ(version_of(own, {"p", 2, 1}), 2);
    EXPECT_EQ(version_of(own, {"q", 1, 1}), 3);
}

/// `programs` of them, the first of which has put last.
Answers of_programs(const std::string& prefix, int programs) {
    Answers answers;
    for (int i = 0; i < programs; ++i) {
        answers.add({prefix + std::to_string(i), 1, 1}, {.version = i});
    }
    answers.add({prefix + "0", 2, 1}, {.version = 0});
    return answers;
}

int remembered(const Answers& answers, const std::string& prefix, int programs) {
    int count = 0;
    for (int i = 0; i < programs; ++i) {
        count += answers.find({prefix + std::to_string(i), 1, 1}) ? 1 : 0;
    }
    return count;
}

TEST(AnswersTest, ProgramsThatHaveLongGoneAreForgotten) {
    Answers answers = of_programs("p", 4096);
    answers.add({"another", 1, 1}, {.version = 1});
    EXPECT_TRUE(answers.find({"p0", 1, 1})) << "it has put since";
    EXPECT_FALSE(answers.find({"p1", 1, 1}));
    EXPECT_TRUE(answers.find({"another", 1, 1}));
}

TEST(AnswersTest, AlsoOfThoseOfAnotherServer) {
    Answers answers = of_programs("p", 3000);
    answers.absorb(of_programs("q", 3000));
    EXPECT_EQ(remembered(answers, "q", 3000), 3000);
    EXPECT_EQ(remembered(answers, "p", 3000), 1096);
}

}  // namespace
}  // namespace staithe::server
