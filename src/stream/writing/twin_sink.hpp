// Steps that go to two servers, as two streams of the same steps, so that one of these may be killed at any moment:
// then the other one goes on alone.
//
// A rank's step goes to the second server before the first one: what readers are told of there, the second one has.
// Each has the readers' releases from themselves (reading/twin_source.hpp), so neither knows of the other.
#pragma once

#include <array>

#include "stream/writing/producer.hpp"

namespace staithe::stream {

class TwinSink final : public StepSink {
  public:
    TwinSink(std::shared_ptr<Producer> first, std::shared_ptr<Producer> second);

    base::Result<std::unique_ptr<StepDraft>> begin_step(const std::optional<double>& timeout) override;
    base::Result<> put(StepDraft& step, const std::string& variable, const ArrayView& block,
                       const PutOptions& options) override;
    /// Of the first one: the second one has a copy once it is published.
    base::Result<std::unique_ptr<LentBlock>> lend(StepDraft& step, const std::string& variable, Dtype dtype,
                                                  const Extents& count, const PutOptions& options) override;
    base::Result<> publish(StepDraft& step, LentBlock& loan) override;
    base::Result<> end(std::unique_ptr<StepDraft> step) override;
    base::Result<> abandon(std::unique_ptr<StepDraft> step) override;
    base::Result<> close() override;
    void fail(const std::string& reason) override;

    base::Result<int> descriptor() override { return any().descriptor(); }
    void stop_watching() override;

    void attach(std::shared_ptr<Analysis> analysis) override { any().attach(std::move(analysis)); }
    void run_followers() override {}  // there are none at servers
    void finish_followers() override {}
    void dismiss_followers() override {}

    [[nodiscard]] base::Result<> check_home() const override { return any().check_home(); }
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const Group& group() const override { return any().group(); }
    [[nodiscard]] const std::string& placement() const override { return any().placement(); }
    [[nodiscard]] std::int64_t next_step() const override { return any().next_step(); }
    [[nodiscard]] WriterStatistics statistics() const override { return any().statistics(); }

  private:
    static constexpr std::size_t copies = 2;

    using Order = std::array<std::size_t, copies>;
    static constexpr Order first_to_last{0, 1}, last_to_first{1, 0};
    /// Does with each what is to be done. One whose server is gone is left out from now on, and so is the second one
    /// where it alone fails.
    template <class Call>
    base::Result<> with_each(const Order& order, const Call& call);
    /// Whether it goes on without that one, which has failed so.
    bool leave(std::size_t copy, const base::Failure& failure);
    [[nodiscard]] Producer& any() const { return *(sinks_[0] ? sinks_[0] : sinks_[1]); }

    const std::string name_;
    std::array<std::shared_ptr<Producer>, copies> sinks_;   // nullptr: its server is gone
    std::array<std::unique_ptr<StepDraft>, copies> begun_;  // steps for which the other one had no room yet
    std::optional<base::Deadline> until_second_has_room_;   // where the first one has some
};

/// One rank of a stream at servers: with a twin where these go on for each other.
base::Result<std::shared_ptr<StepSink>> open_at_servers(const std::string& stream, const WriterOptions& options);

}  // namespace staithe::stream
