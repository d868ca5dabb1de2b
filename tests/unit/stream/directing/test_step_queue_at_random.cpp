// What must hold of the queue whatever happens: random events, and a naive model that says what may follow from them.
//
// A sequence is a list of numbers, each of which becomes an event that is possible then: so any part of a sequence is
// one, too, and a failing one is shrunk before it is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "unit/stream/directing/step_queue_model.hpp"

namespace staithe::stream {
namespace {

using testing::Choice;
using testing::Model;

struct Sequence {
    std::uint64_t settings = 0;
    std::vector<std::uint64_t> events;
};

/// What breaks, and with which event; empty if nothing does.
std::string broken_by(const Sequence& sequence, std::string* story = nullptr) {
    Choice choice(sequence.settings);
    Model model(settings_at_random(choice));
    for (const std::uint64_t event : sequence.events) {
        const std::string rule = model.happen(event);
        if (story != nullptr) {
            *story += "\n  " + model.what();
        }
        if (!rule.empty()) {
            return rule;
        }
    }
    return "";
}

/// As few of its events as still break a rule.
Sequence shrunk(Sequence sequence) {
    for (std::size_t size = sequence.events.size(); size > 0; size /= 2) {
        for (std::size_t first = 0; first + size <= sequence.events.size();) {
            Sequence shorter = sequence;
            const auto begin = shorter.events.begin() + static_cast<std::ptrdiff_t>(first);
            shorter.events.erase(begin, begin + static_cast<std::ptrdiff_t>(size));
            if (broken_by(shorter).empty()) {
                first += size;
            } else {
                sequence = std::move(shorter);
            }
        }
    }
    return sequence;
}

TEST(StepQueueAtRandom, WhatMustHoldHolds) {
    constexpr std::uint64_t sequences = 3000;
    constexpr std::size_t events = 200;
    for (std::uint64_t seed = 0; seed < sequences; ++seed) {
        std::mt19937_64 random(seed);
        Sequence sequence{random(), std::vector<std::uint64_t>(events)};
        std::ranges::generate(sequence.events, random);
        if (!broken_by(sequence).empty()) {
            std::string story;
            const Sequence shortest = shrunk(sequence);
            const std::string rule = broken_by(shortest, &story);
            FAIL() << "seed " << seed << ", settings " << shortest.settings << ", broken: " << rule << story;
        }
    }
}

}  // namespace
}  // namespace staithe::stream
