// What the director tells a reader rank: taken in from its ring, and put together as steps.
//
// The one place that knows how steps are announced. All that lies in memory of others is copied out, then looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stream/describing/layout.hpp"
#include "stream/reading/live/connection.hpp"
#include "transport/ring.hpp"

namespace staithe::stream::live {

/// The layout of the newest step, put together anew when a rank's schema has changed.
class KnownLayout {
  public:
    explicit KnownLayout(std::size_t ranks) : schemas_(ranks) {}

    /// Of a rank's record; its schema lies in the rank's pool.
    base::Result<> update(std::size_t rank, const RecordHeader& header, transport::MappedPool& pool);
    /// Once all ranks' records were seen.
    base::Result<std::shared_ptr<const Layout>> layout();
    /// Blocks of the last one.
    [[nodiscard]] std::size_t blocks() const { return layout_ ? layout_->blocks() : 0; }

  private:
    struct KnownSchema {
        std::uint64_t id = 0;
        std::shared_ptr<const Schema> schema;
    };

    std::vector<KnownSchema> schemas_;  // by writer rank
    std::shared_ptr<const Layout> layout_;
};

/// The announcements of a step, as many as there are writer ranks, by rank. `protocol` unless there is one of each.
base::Result<> sort_by_rank(std::span<const transport::Message> announced,
                            std::vector<const transport::Message*>& by_rank);

class Intake {
  public:
    explicit Intake(std::shared_ptr<Connection> connection);

    /// Takes in what has come; true while a whole step is there that was not taken. Later ones stay in the ring.
    bool collect();
    /// Of the step that is there.
    [[nodiscard]] bool has_step() const { return announced_.size() == by_rank_.size(); }
    [[nodiscard]] std::int64_t number() const { return static_cast<std::int64_t>(announced_.front().step); }
    /// The step that is there, which is there no more. It is pinned from here on, and given back if this fails.
    base::Result<std::shared_ptr<const Step>> take();
    /// The same, for one that nobody wants.
    std::int64_t leave();

    /// The director has said that no more steps come.
    [[nodiscard]] bool has_ended() const { return ended_; }
    [[nodiscard]] const std::optional<std::uint32_t>& lost_rank() const { return lost_rank_; }
    /// Who failed and why; empty if the lost writer rank died.
    [[nodiscard]] const std::string& failure() const { return failure_; }

  private:
    base::Result<> read_record(std::size_t rank, PinnedStep& step);

    const std::shared_ptr<Connection> connection_;
    std::vector<transport::Message> announced_;       // of the step that is coming in
    std::vector<const transport::Message*> by_rank_;  // of writers
    KnownLayout known_;
    bool ended_ = false;
    std::optional<std::uint32_t> lost_rank_;
    std::string failure_;
};

}  // namespace staithe::stream::live
