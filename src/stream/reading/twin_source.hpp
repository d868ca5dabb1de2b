// The steps of a live stream that two servers have, so that one of these may be killed at any moment.
//
// Both are read alike: a step is taken from one, and from the other one with it, and goes back to both once nobody uses
// it. So neither knows of the other, and each frees what has been read.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stream/reading/live/live_source.hpp"
#include "stream/reading/step_source.hpp"

namespace staithe::stream {

class TwinSource final : public StepSource {
  public:
    TwinSource(std::shared_ptr<live::LiveSource> lead, std::shared_ptr<live::LiveSource> other);

    base::Result<std::shared_ptr<const Step>> next(std::optional<double> timeout) override;
    base::Result<> pause() override;
    base::Result<> resume() override;
    base::Result<> follow_latest() override;
    base::Result<int> descriptor(bool once) override { return lead_->descriptor(once); }
    base::Result<> close() override;

    [[nodiscard]] int writers() const override { return lead_->writers(); }
    [[nodiscard]] const Attributes& attributes() const override { return lead_->attributes(); }
    [[nodiscard]] ReaderStatistics statistics() const override { return lead_->statistics(); }
    [[nodiscard]] bool can_hold_a_step() const override { return lead_->can_hold_a_step(); }

  private:
    base::Result<> do_with_both(base::Result<> (live::LiveSource::*call)());
    void lead_is_gone(const base::Failure& failure);
    void other_is_gone(const base::Failure& failure);
    std::shared_ptr<const Step> step_of_other(std::int64_t number);

    std::shared_ptr<live::LiveSource> lead_;
    std::shared_ptr<live::LiveSource> other_;  // nullptr: its server is gone
    std::shared_ptr<const Step> ahead_;        // taken from the other one, and not yet from the leading one
    std::int64_t last_ = -1;                   // that was handed out
};

/// A reader of a live stream, wherever its steps lie. `time`: for opening it; as the options say if unset.
base::Result<std::shared_ptr<StepSource>> open_live(const std::string& stream, const ReaderOptions& options,
                                                    const std::optional<OpeningTime>& time = {});

}  // namespace staithe::stream
