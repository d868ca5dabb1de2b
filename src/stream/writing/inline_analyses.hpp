// Analyses that run in the simulation's thread at the end of every step (placement `inline`).
//
// They read the stream as a reader group of their own, made of the writer ranks themselves: the same analysis sees the
// same steps as in a program of its own, and may read what other ranks of the node have written.
#pragma once

#include <memory>
#include <vector>

#include <staithe/analysis.hpp>

#include "stream/reading/step_source.hpp"
#include "stream/writing/follower.hpp"

namespace staithe::stream {

class InlineAnalyses final : public Follower {
  public:
    static base::Result<std::unique_ptr<InlineAnalyses>> open(const std::string& stream, const Group& group,
                                                              std::optional<double> timeout);

    /// Starts the analysis; what it throws passes through, here and below.
    void add(std::shared_ptr<Analysis> analysis);
    /// Runs the analyses on every step up to `number`, unless it was abandoned by another rank.
    void follow(std::int64_t number) override;
    void finish() override;
    /// They go without having finished, and what they have opened ends with them.
    void stop() override { analyses_.clear(); }

  private:
    explicit InlineAnalyses(std::shared_ptr<StepSource> source) : source_(std::move(source)) {}

    std::shared_ptr<StepSource> source_;
    std::vector<std::shared_ptr<Analysis>> analyses_;
};

}  // namespace staithe::stream
