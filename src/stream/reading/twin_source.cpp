#include "stream/reading/twin_source.hpp"

#include <utility>
#include <vector>

#include "base/log.hpp"
#include "store/reducing/reduction.hpp"

namespace staithe::stream {
namespace {

/// What is announced by one server the other one has already.
constexpr double time_to_announce = 5.0;  // seconds

/// The blocks of a step, from the other server once the first one is gone.
class TwinBlocks final : public store::BlockSource {
  public:
    TwinBlocks(std::shared_ptr<const Step> first, std::shared_ptr<const Step> other)
        : first_(std::move(first)), other_(std::move(other)) {}

    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override {
        return first_->source->view(ref, block);  // memory that is mapped outlives its server
    }
    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override {
        auto fetched = first_->source->fetch(refs, pieces, destination);
        return is_to_be_had(fetched, refs) ? fetch_from_other(pieces, destination) : fetched;
    }
    base::Result<> reduce(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                          store::reducing::Reduction& into) override {
        const auto before = into;
        auto reduced = first_->source->reduce(refs, pieces, into);
        if (!is_to_be_had(reduced, refs)) {
            return reduced;
        }
        into = before;
        return other_->source->reduce(other_->blocks, pieces, into);
    }
    std::unique_ptr<store::Order> order(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                                        const MutableArrayView& destination) override {
        auto ordered = first_->source->order(refs, pieces, destination);
        return ordered ? std::make_unique<TwinOrder>(*this, std::move(ordered), refs, pieces, destination) : nullptr;
    }
    /// Where that one is lost, what was to be computed is fetched.
    store::Evaluator* evaluator(const store::BlockRef& ref) override { return first_->source->evaluator(ref); }
    [[nodiscard]] base::Seconds delay() const override { return first_->source->delay(); }
    [[nodiscard]] bool is_far() const override { return first_->source->is_far(); }
    void stop() override {
        first_->source->stop();
        other_->source->stop();
    }

  private:
    class TwinOrder final : public store::Order {
      public:
        TwinOrder(TwinBlocks& blocks, std::unique_ptr<Order> ordered, std::span<const store::BlockRef> refs,
                  std::span<const store::Piece> pieces, const MutableArrayView& destination)
            : blocks_(blocks),
              ordered_(std::move(ordered)),
              refs_(refs.begin(), refs.end()),
              pieces_(pieces.begin(), pieces.end()),
              destination_(destination) {}
        base::Result<> await(base::FunctionRef<void()> meanwhile) override {
            auto come = ordered_->await(meanwhile);
            return blocks_.is_to_be_had(come, refs_) ? blocks_.fetch_from_other(pieces_, destination_) : come;
        }

      private:
        TwinBlocks& blocks_;
        const std::unique_ptr<Order> ordered_;
        const std::vector<store::BlockRef> refs_;
        const std::vector<store::Piece> pieces_;
        const MutableArrayView destination_;
    };

    /// From the other one, whose blocks are in the same order.
    [[nodiscard]] bool is_to_be_had(const base::Result<>& failed, std::span<const store::BlockRef> refs) const {
        return !failed && failed.error().code == ErrorCode::peer_lost && refs.size() == other_->blocks.size();
    }
    base::Result<> fetch_from_other(std::span<const store::Piece> pieces, const MutableArrayView& destination) {
        return other_->source->fetch(other_->blocks, pieces, destination);
    }

    const std::shared_ptr<const Step> first_, other_;
};

struct TwinStep final : Step {
    TwinStep(std::shared_ptr<const Step> of_lead, const std::shared_ptr<const Step>& of_other)
        : first(std::move(of_lead)) {
        number = first->number;
        layout = first->layout;
        blocks = first->blocks;
        source = std::make_shared<TwinBlocks>(first, of_other);
        memory = first->memory;
        tracer = first->tracer;
    }
    [[nodiscard]] base::Result<Attributes> attributes() const override { return first->attributes(); }
    [[nodiscard]] base::Result<std::optional<View>> kept(const store::Piece& piece) const override {
        return first->kept(piece);
    }

    const std::shared_ptr<const Step> first;
};

}  // namespace

TwinSource::TwinSource(std::shared_ptr<live::LiveSource> lead, std::shared_ptr<live::LiveSource> other)
    : StepSource(lead->name(), lead->group()), lead_(std::move(lead)), other_(std::move(other)) {
    lead_->end_with_a_loss(true);
    other_->end_with_a_loss(true);
}

void TwinSource::lead_is_gone(const base::Failure& failure) {
    base::log(base::LogLevel::warn, "{}; this reader goes on with the other server that has its steps",
              failure.message);
    lead_ = std::exchange(other_, nullptr);
    lead_->end_with_a_loss(false);
}

void TwinSource::other_is_gone(const base::Failure& failure) {
    base::log(base::LogLevel::warn, "{}; this reader goes on with one server", failure.message);
    other_ = nullptr;
    ahead_ = nullptr;
    lead_->end_with_a_loss(false);
}

base::Result<std::shared_ptr<const Step>> TwinSource::next(std::optional<double> timeout) {
    for (;;) {
        auto step = other_ == nullptr && ahead_ ? base::Result<std::shared_ptr<const Step>>(std::move(ahead_))
                                                : lead_->next(timeout);
        if (!step && step.error().code == ErrorCode::peer_lost && other_ != nullptr) {
            lead_is_gone(step.error());
            continue;
        }
        if (!step || !*step) {
            return step;
        }
        const std::int64_t number = (*step)->number;
        if (number <= last_) {  // handed out already, as the other one's
            continue;
        }
        last_ = number;
        const auto of_other = step_of_other(number);
        return of_other ? std::make_shared<const TwinStep>(*std::move(step), of_other) : *std::move(step);
    }
}

/// Null where it has none of that number: steps may be lost to readers by one server alone.
std::shared_ptr<const Step> TwinSource::step_of_other(std::int64_t number) {
    while (other_ != nullptr) {
        if (ahead_ == nullptr) {
            auto next = other_->next(time_to_announce);
            if (!next) {
                other_is_gone(next.error());
                return nullptr;
            }
            if (*next == nullptr) {
                return nullptr;  // it has ended, as the leading one will
            }
            ahead_ = *std::move(next);
        }
        if (ahead_->number > number) {
            return nullptr;
        }
        auto step = std::exchange(ahead_, nullptr);
        if (step->number == number) {
            return step;
        }
    }
    return nullptr;
}

base::Result<> TwinSource::do_with_both(base::Result<> (live::LiveSource::*call)()) {
    ahead_ = nullptr;
    if (other_ != nullptr) {
        if (auto done = ((*other_).*call)(); !done) {
            other_is_gone(done.error());
        }
    }
    return ((*lead_).*call)();
}

base::Result<> TwinSource::pause() { return do_with_both(&live::LiveSource::pause); }
base::Result<> TwinSource::resume() { return do_with_both(&live::LiveSource::resume); }
base::Result<> TwinSource::follow_latest() { return do_with_both(&live::LiveSource::follow_latest); }
base::Result<> TwinSource::close() { return do_with_both(&live::LiveSource::close); }

base::Result<std::shared_ptr<StepSource>> open_live(const std::string& stream, const ReaderOptions& options,
                                                    const std::optional<OpeningTime>& time) {
    auto lead = live::LiveSource::open(stream, options, time);
    if (!lead || !(*lead)->has_twin()) {
        return lead;
    }
    auto other = (*lead)->open_twin();
    if (!other) {
        base::log(base::LogLevel::warn, "stream '{}' is read from one server: {}", stream, other.error().message);
        return lead;
    }
    return std::make_shared<TwinSource>(*std::move(lead), *std::move(other));
}

}  // namespace staithe::stream
