// What the director tells a reader rank: taken in from its channel, and put together as steps.
//
// The one place that knows how steps are announced. All that lies in memory of others is copied out, then looked at.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "stream/describing/layout.hpp"
#include "stream/reading/live/connection.hpp"
#include "transport/ring.hpp"

namespace staithe::stream::live {

class Intake {
  public:
    explicit Intake(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
    ~Intake() { keep_no_spare(*connection_); }
    Intake(const Intake&) = delete;
    Intake& operator=(const Intake&) = delete;

    /// Takes in what has come; true while a step is there that was not taken. Later ones stay in the channel, unless
    /// their blocks are worth fetching ahead.
    bool collect();
    [[nodiscard]] bool has_step() const { return announced_.has_value(); }
    /// Of the step that is there.
    [[nodiscard]] std::int64_t number() const { return static_cast<std::int64_t>(announced_->message.step); }
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
    using LayoutOrFailure = base::Result<std::shared_ptr<const Layout>>;
    struct Announced {
        transport::Message message;
        // Of another host, where others may be heard before it is taken:
        base::Result<Membership::Announced> content = Membership::Announced();
        LayoutOrFailure layout = nullptr;
        std::uint64_t layout_number = 0;
    };
    std::optional<Announced> hear(const transport::Message& message);
    void learn_layout(const transport::Message& message);
    void look_ahead(const PinnedStep& taken);
    static base::Result<> fill(PinnedStep& step, const transport::Message& message, Membership::Announced content,
                               const std::shared_ptr<const Layout>& layout, std::uint64_t layout_number);
    base::Result<> fill(PinnedStep& step, Announced announced) const;

    const std::shared_ptr<Connection> connection_;
    std::optional<Announced> announced_;
    std::deque<Announced> later_;  // than that one
    std::uint64_t layout_number_ = 0;
    LayoutOrFailure layout_ = nullptr;  // of the steps that are announced from now on
    bool ended_ = false;
    std::optional<std::uint32_t> lost_rank_;
    std::string failure_;
};

}  // namespace staithe::stream::live
