#include "stream/writing/twin_sink.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace staithe::stream {
namespace {

constexpr double time_for_second = 5.0;  // seconds

/// As the loan was asked for.
PutOptions options_of(const store::BlockDescription& block) {
    PutOptions options;
    if (!block.local) {
        options.offset = block.box.offset;
        options.shape = block.shape;
    }
    options.unit = block.unit;
    options.attributes = block.attributes;
    options.error = block.error;
    options.column_major = block.column_major;
    return options;
}

}  // namespace

TwinSink::TwinSink(std::shared_ptr<Producer> first, std::shared_ptr<Producer> second)
    : name_(first->name()), sinks_{std::move(first), std::move(second)} {}

bool TwinSink::leave(std::size_t copy, const base::Failure& failure) {
    const bool is_last = sinks_[1 - copy] == nullptr;
    if (is_last || (failure.code != ErrorCode::peer_lost && copy == 0)) {
        return false;
    }
    base::log(base::LogLevel::warn, "stream '{}' goes on in one server: {}", name_, failure.message);
    if (failure.code != ErrorCode::peer_lost) {
        sinks_[copy]->fail("the writer goes on without this server, which lacks steps from now on");
    }
    sinks_[copy] = nullptr;  // loans keep the memory that they lie in
    begun_[copy] = nullptr;
    return true;
}

template <class Call>
base::Result<> TwinSink::with_each(const Order& order, const Call& call) {
    for (const std::size_t copy : order) {
        auto done = sinks_[copy] == nullptr ? base::Result<>() : call(*sinks_[copy], copy);
        if (!done && !leave(copy, done.error())) {
            return done;
        }
    }
    return {};
}

base::Result<std::unique_ptr<StepDraft>> TwinSink::begin_step(const std::optional<double>& timeout) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
        if (sinks_[copy] == nullptr || begun_[copy] != nullptr) {
            continue;
        }
        // What readers have given back to the first one, they have to the second one: it has room, or they do not know
        // it.
        const bool is_second = copy > 0 && sinks_[0] != nullptr;
        if (is_second && !until_second_has_room_) {
            until_second_has_room_.emplace(base::Seconds(time_for_second));
        }
        auto begun = sinks_[copy]->begin_step(is_second ? std::min(timeout.value_or(time_for_second), time_for_second)
                                                        : timeout);
        const bool takes_too_long =
            !begun && begun.error().code == ErrorCode::timeout && is_second && until_second_has_room_->passed();
        if (begun) {
            begun_[copy] = *std::move(begun);
        } else if ((begun.error().code != ErrorCode::peer_lost && !takes_too_long) || !leave(copy, begun.error())) {
            return begun;  // where it was begun it waits for the next attempt
        }
    }
    until_second_has_room_.reset();
    auto step = std::make_unique<StepDraft>();
    step->number = any().next_step();
    for (std::unique_ptr<StepDraft>& each : begun_) {
        step->copies.push_back(std::exchange(each, nullptr));
    }
    return step;
}

base::Result<> TwinSink::put(StepDraft& step, const std::string& variable, const ArrayView& block,
                             const PutOptions& options) {
    return with_each(first_to_last, [&](Producer& sink, std::size_t copy) {
        return sink.put(*step.copies[copy], variable, block, options);
    });
}

base::Result<std::unique_ptr<LentBlock>> TwinSink::lend(StepDraft& step, const std::string& variable, Dtype dtype,
                                                        const Extents& count, const PutOptions& options) {
    for (std::size_t copy = 0;; ++copy) {
        auto lent = sinks_[copy] == nullptr ? base::fail(ErrorCode::peer_lost, "its server is gone")
                                            : sinks_[copy]->lend(*step.copies[copy], variable, dtype, count, options);
        if (lent || copy + 1 == copies || (sinks_[copy] != nullptr && !leave(copy, lent.error()))) {
            return lent;
        }
    }
}

base::Result<> TwinSink::publish(StepDraft& step, LentBlock& loan) {
    if (auto checked = loan.check_publishable(step, true); !checked) {  // whose it is may be gone
        return checked;
    }
    return with_each(first_to_last, [&](Producer& sink, std::size_t copy) {
        return sink.owns(loan) ? sink.publish(*step.copies[copy], loan)
                               : sink.put(*step.copies[copy], loan.description.variable,
                                          loan.description.view(loan.block.memory.data), options_of(loan.description));
    });
}

base::Result<> TwinSink::end(std::unique_ptr<StepDraft> step) {
    return with_each(last_to_first, [&](Producer& sink, std::size_t copy) {
        step->copies[copy]->attributes = step->attributes;
        return sink.end(std::move(step->copies[copy]));
    });
}

base::Result<> TwinSink::abandon(std::unique_ptr<StepDraft> step) {
    return with_each(last_to_first,
                     [&](Producer& sink, std::size_t copy) { return sink.abandon(std::move(step->copies[copy])); });
}

/// A step that one of them had no room for was not begun.
base::Result<> TwinSink::close() {
    return with_each(last_to_first, [&](Producer& sink, std::size_t copy) {
        if (begun_[copy] != nullptr) {
            static_cast<void>(sink.abandon(std::exchange(begun_[copy], nullptr)));
        }
        return sink.close();
    });
}

void TwinSink::fail(const std::string& reason) {
    for (const auto& sink : sinks_) {
        if (sink != nullptr) {
            sink->fail(reason);
        }
    }
}

void TwinSink::stop_watching() {
    for (const auto& sink : sinks_) {
        if (sink != nullptr) {
            sink->stop_watching();
        }
    }
}

base::Result<std::shared_ptr<StepSink>> open_at_servers(const std::string& stream, const WriterOptions& options) {
    auto first = Producer::open(stream, options);
    if (!first || (*first)->twin().empty()) {
        return first;
    }
    auto second = Producer::open_twin((*first)->twin(), options);
    if (!second || (*second)->next_step() != (*first)->next_step()) {
        base::log(base::LogLevel::warn, "stream '{}' has its steps in one server: {}", stream,
                  second ? "the other one has had other steps before" : second.error().message);
        return first;
    }
    return std::make_shared<TwinSink>(*std::move(first), *std::move(second));
}

}  // namespace staithe::stream
