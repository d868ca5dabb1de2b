#include "stream/reading/live/intake.hpp"

#include <array>
#include <utility>
#include <vector>

#include "stream/describing/step_table.hpp"
#include "stream/reading/live/stores.hpp"

namespace staithe::stream::live {
namespace {

// A layout, a loss, the end: who says more and no step must not keep the reader beyond its deadline.
constexpr int most_between_steps = 16;

// Of which blocks are fetched ahead, as far as their bytes go: short ones of a long way take several.
constexpr std::size_t most_later = 8;

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
    if (!has_step() && !later_.empty()) {
        announced_ = std::move(later_.front());
        later_.pop_front();
    }
    transport::Message message;
    for (int others = 0;
         !has_step() && others < most_between_steps && connection_->membership->channel().receive(message); ++others) {
        announced_ = hear(message);
    }
    return has_step();
}

/// The step that it tells of, if it does.
std::optional<Intake::Announced> Intake::hear(const transport::Message& message) {
    switch (static_cast<Hot>(message.kind)) {
        case Hot::layout: learn_layout(message); break;
        case Hot::announce:
        case Hot::announce_block:
            if (message.step < static_cast<std::uint64_t>(INT64_MAX)) {  // what no honest director says is not heard
                Announced announced{.message = message};
                if (connection_->prefetcher) {
                    announced.content = connection_->membership->announced_in(message);
                    announced.layout = layout_;
                    announced.layout_number = layout_number_;
                }
                return announced;
            }
            break;
        case Hot::end: ended_ = true; break;
        case Hot::writer_failed: failure_ = connection_->membership->text_in(message); [[fallthrough]];
        case Hot::writer_lost: lost_rank_ = message.rank; break;
        default: break;  // a newer director may say more than this version knows
    }
    return std::nullopt;
}

/// At the steps after the one that is taken, so that their blocks are on their way while it is looked at. What is asked
/// for of that one is ordered then, too, ahead of them: if it came over connections of its own, beside them, all would
/// be there at the same time, and the link would stand still until the program had done with all of them.
void Intake::look_ahead(const PinnedStep& taken) {
    transport::Message message;
    for (int others = 0; later_.size() < most_later && others < most_between_steps; ++others) {
        if (!connection_->membership->channel().receive(message)) {
            break;
        }
        if (auto announced = hear(message)) {
            later_.push_back(*std::move(announced));
        }
    }
    Prefetcher& ahead = *connection_->prefetcher.load();
    if (!later_.empty()) {
        ahead.expect(taken.number, taken.blocks);
    }
    for (const Announced& later : later_) {
        if (!later.content || !later.content->blocks.empty()) {
            continue;
        }
        const transport::Message& said = later.message;
        if (static_cast<Hot>(said.kind) == Hot::announce_block) {
            ahead.expect(static_cast<std::int64_t>(said.step), std::array{block_in(said)});
        } else if (const auto table = decode_step_table(later.content->table, said.step)) {
            ahead.expect(static_cast<std::int64_t>(said.step), table->blocks);
        }
    }
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

base::Result<> Intake::fill(PinnedStep& step, Announced announced) const {
    const bool is_heard_ahead = connection_->prefetcher != nullptr;
    auto content =
        is_heard_ahead ? std::move(announced.content) : connection_->membership->announced_in(announced.message);
    const LayoutOrFailure& layout = is_heard_ahead ? announced.layout : layout_;
    if (!layout || !content) {
        return !layout ? base::fail(layout) : base::fail(std::move(content));
    }
    return fill(step, announced.message, *std::move(content), *layout,
                is_heard_ahead ? announced.layout_number : layout_number_);
}

base::Result<> Intake::fill(PinnedStep& step, const transport::Message& message, Membership::Announced content,
                            const std::shared_ptr<const Layout>& layout, std::uint64_t layout_number) {
    if (step.layout != layout) {
        step.layout = layout;
    }
    if (static_cast<Hot>(message.kind) == Hot::announce_block) {
        step.blocks.push_back(block_in(message));
    } else {
        auto table = decode_step_table(content.table, message.step);
        if (!table) {
            return base::fail(std::move(table));
        }
        if (table->layout != layout_number) {
            return base::fail(ErrorCode::protocol, "its table is of layout {}, not of {}", table->layout,
                              layout_number);
        }
        step.blocks = std::move(table->blocks);
        step.encoded_attributes = std::move(table->attributes);
    }
    if (step.layout == nullptr || step.blocks.size() != step.layout->blocks()) {
        return base::fail(ErrorCode::protocol, "{} blocks were announced, its layout has {}", step.blocks.size(),
                          step.layout == nullptr ? 0 : step.layout->blocks());
    }
    if (!content.blocks.empty()) {
        step.get_from(step.enclosed);
        return step.enclosed.hold(step.blocks, std::move(content.blocks));
    }
    Connection& connection = *step.connection;
    const auto are_far = find_later_stores(*connection.membership, connection.needs, *connection.stores, step.blocks,
                                           connection.patience);
    if (!are_far) {
        return base::fail(are_far);
    }
    if (*are_far) {
        connection.fetch_ahead();
    }
    connection.source->expect(step.blocks);
    if (Prefetcher* const ahead = connection.prefetcher) {
        step.get_from(step.awaited);
        ahead->begin(step.number);
    }
    return {};
}

base::Result<std::shared_ptr<const Step>> Intake::take() {
    auto step = pin(connection_, number());
    Announced announced = *std::move(announced_);
    announced_.reset();
    if (const auto filled = fill(*step, std::move(announced)); !filled) {
        return base::fail(filled.error().code, "stream '{}', step {}: {}", connection_->membership->stream(),
                          step->number, filled.error().message);
    }
    if (connection_->prefetcher) {
        look_ahead(*step);
    }
    return std::shared_ptr<const Step>(std::move(step));
}

}  // namespace staithe::stream::live
