#include "stream/reading/live/intake.hpp"

#include <utility>
#include <vector>

#include "stream/describing/step_table.hpp"

namespace staithe::stream::live {
namespace {

// A layout, a loss, the end: who says more and no step must not keep the reader beyond its deadline.
constexpr int most_between_steps = 16;

base::Result<std::shared_ptr<const Layout>> layout_in(std::span<const std::byte> bytes, std::uint64_t number,
                                                      std::size_t writers) {
    auto layout = Layout::decode(bytes, number);
    if (layout && (*layout)->ranks() != writers) {
        return base::fail(ErrorCode::protocol, "its layout is of {} writer ranks, not of {}", (*layout)->ranks(),
                          writers);
    }
    return layout;
}

}  // namespace

bool Intake::collect() {
    transport::Channel& channel = connection_->membership->channel();
    transport::Message message;
    for (int others = 0; !has_step() && others < most_between_steps && channel.receive(message); ++others) {
        switch (static_cast<Hot>(message.kind)) {
            case Hot::layout: learn_layout(message); break;
            case Hot::announce:
            case Hot::announce_block:
                if (message.step <
                    static_cast<std::uint64_t>(INT64_MAX)) {  // what no honest director says is not heard
                    announced_ = message;
                }
                break;
            case Hot::end: ended_ = true; break;
            case Hot::writer_failed: failure_ = connection_->membership->text_in(message); [[fallthrough]];
            case Hot::writer_lost: lost_rank_ = message.rank; break;
            default: break;  // a newer director may say more than this version knows
        }
    }
    return has_step();
}

std::int64_t Intake::leave() {
    const std::int64_t left = number();
    announced_.reset();
    return left;
}

/// What is wrong with it the steps tell that have it.
void Intake::learn_layout(const transport::Message& message) {
    layout_number_ = message.step;
    const auto bytes = connection_->membership->named_in(message);
    layout_ = bytes
                  ? layout_in(*bytes, message.step, static_cast<std::size_t>(connection_->membership->joined().writers))
                  : base::fail(bytes);
}

base::Result<> Intake::fill(PinnedStep& step, const transport::Message& message) const {
    if (!layout_) {
        return base::fail(layout_);
    }
    if (step.layout != *layout_) {
        step.layout = *layout_;
    }
    if (static_cast<Hot>(message.kind) == Hot::announce_block) {
        step.blocks.push_back(block_in(message));
    } else {
        const auto bytes = connection_->membership->named_in(message);
        auto table = bytes ? decode_step_table(*bytes, message.step) : base::fail(bytes);
        if (!table) {
            return base::fail(std::move(table));
        }
        if (table->layout != layout_number_) {
            return base::fail(ErrorCode::protocol, "its table is of layout {}, not of {}", table->layout,
                              layout_number_);
        }
        step.blocks = std::move(table->blocks);
        step.encoded_attributes = std::move(table->attributes);
    }
    if (step.layout == nullptr || step.blocks.size() != step.layout->blocks()) {
        return base::fail(ErrorCode::protocol, "{} blocks were announced, its layout has {}", step.blocks.size(),
                          step.layout == nullptr ? 0 : step.layout->blocks());
    }
    step.source->expect(step.blocks);
    return {};
}

base::Result<std::shared_ptr<const Step>> Intake::take() {
    auto step = pin(connection_, number());
    const auto filled = fill(*step, *announced_);
    announced_.reset();
    if (!filled) {
        return base::fail(filled.error().code, "stream '{}', step {}: {}", connection_->membership->stream(),
                          step->number, filled.error().message);
    }
    return std::shared_ptr<const Step>(std::move(step));
}

}  // namespace staithe::stream::live
