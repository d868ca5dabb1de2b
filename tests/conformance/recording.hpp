// A stream in the memory of the test: the second source of steps, beside the live one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/bytes_in_a_map.hpp"
#include "stream/reading/pins.hpp"
#include "stream/reading/step_source.hpp"

namespace staithe::testing {

struct RecordedStep final : stream::Step {
    [[nodiscard]] base::Result<Attributes> attributes() const override { return said; }

    Attributes said;
};

struct Recording {
    std::string name;
    int writers = 1;
    Attributes attributes;
    std::vector<std::shared_ptr<const stream::Step>> steps;
};

/// All steps that are left of a source, copied to where `kept` keeps blocks (see block_source_suite.hpp). Closes it.
template <class Kept = InAMap>
Recording record(stream::StepSource& source, Kept kept = {}) {
    Recording recording{source.name(), source.writers(), source.attributes(), {}};
    std::vector<std::shared_ptr<RecordedStep>> copies;
    while (const auto step = source.next(std::nullopt).value()) {
        const auto& copy = copies.emplace_back(std::make_shared<RecordedStep>());
        copy->number = step->number;
        copy->layout = step->layout;
        copy->said = step->attributes().value();
        copy->blocks.resize(step->layout->blocks());
        for (const stream::VariableLayout& variable : step->layout->variables()) {
            for (std::size_t i = 0; i < variable.blocks.size(); ++i) {
                const std::size_t index = variable.blocks[i].index;
                const stream::BlockDescription block = variable.describe(i);
                const auto data = step->source->view(step->blocks[index], block).value();
                const auto bytes = static_cast<std::size_t>(block.data_bytes());
                copy->blocks[index] = kept.keep(0, block, std::span(static_cast<const std::byte*>(data->data), bytes));
            }
        }
    }
    static_cast<void>(source.close());
    const auto blocks = kept.source();
    for (const auto& copy : copies) {
        copy->source = blocks;
        recording.steps.push_back(copy);
    }
    return recording;
}

/// Reads a recording from its first step to its last.
class RecordedSource final : public stream::StepSource {
  public:
    explicit RecordedSource(Recording recording, Group group = {})
        : StepSource(recording.name, std::move(group)), recording_(std::move(recording)) {}

    base::Result<std::shared_ptr<const stream::Step>> next(std::optional<double> /*timeout*/) override {
        if (closed_) {
            return base::fail(ErrorCode::closed, "the recording of '{}' is closed", name());
        }
        return taken_ < recording_.steps.size() ? pins_.pin(recording_.steps[taken_++]) : nullptr;
    }
    [[nodiscard]] int writers() const override { return recording_.writers; }
    [[nodiscard]] const Attributes& attributes() const override { return recording_.attributes; }
    [[nodiscard]] ReaderStatistics statistics() const override {
        return {.steps = static_cast<std::int64_t>(taken_), .pinned = pins_.count()};
    }
    base::Result<> close() override {
        closed_ = true;
        return {};
    }

  private:
    const Recording recording_;
    std::size_t taken_ = 0;
    bool closed_ = false;
    const stream::Pins pins_;
};

}  // namespace staithe::testing
