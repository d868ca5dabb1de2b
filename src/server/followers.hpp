// What this server leads, told to another one that follows it and goes on with it when this one is gone: change by
// change, in order, each of which is safe once the follower has said that it has it.
//
// A follower that begins is told of all that there is, a version at a time, while changes go on. Until it has all,
// nothing waits for it. One that then says nothing for long is silent: whoever waits for its word is told so, and
// nothing is safe until it answers, or is known to be gone. docs/formats/space_protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/answers.hpp"
#include "server/safekeeping.hpp"
#include "transport/link.hpp"

namespace staithe::server {

class Followers final : public Safekeeping {
  public:
    using Spaces = std::map<std::string, std::unique_ptr<store::space::Catalog>>;
    /// The bytes of a block that lies here.
    using Look = std::function<std::span<const std::byte>(const store::BlockRef& ref)>;
    Followers(const Spaces& spaces, const Answers& answers, Look look)
        : spaces_(spaces), answers_(answers), look_(std::move(look)) {}

    /// That server follows from now on, of these homes' names.
    void begin(int rank, std::shared_ptr<transport::Link> follower, const std::set<int>& homes);
    /// It is gone: nothing waits for it any more.
    void end();
    /// Nobody if there is none.
    [[nodiscard]] std::optional<int> rank() const { return follower_ ? std::optional(rank_) : std::nullopt; }
    [[nodiscard]] bool is_told_over(const transport::Link& link) const { return follower_.get() == &link; }
    /// Whether it would lose nothing if this server were gone.
    [[nodiscard]] bool has_all() const { return follower_ != nullptr && has_all_; }
    /// Whether there is something that it has not said to have, and is waited for.
    [[nodiscard]] bool is_behind() const { return has_all() && last_ > taken_; }
    /// It has all changes up to that one.
    void take_word(std::int64_t number);
    /// Why nothing is safe now; nothing if the follower answers.
    [[nodiscard]] const base::Result<>& silence() const { return silence_; }
    void look_at_clock();
    /// Who waits, and with what result: to be called when the mutex is free.
    using Due = std::pair<Done, base::Result<>>;
    [[nodiscard]] std::vector<Due> take_due() { return std::exchange(due_, {}); }
    /// As `flush`, however long it is silent: for what must not be done before.
    void once_followed(Done done) { wait(std::move(done), true); }

    /// While it is there versions are removed: in one change, or nobody knew whether all were when asked again.
    class Removal {
      public:
        Removal(Followers& followers, const std::string& space, const store::space::Wanted& wanted,
                const store::space::PutId& id);
        ~Removal() { followers_.is_removing_ = false; }
        Removal(const Removal&) = delete;
        Removal& operator=(const Removal&) = delete;

      private:
        Followers& followers_;
    };
    /// The bytes of a block lie elsewhere, too, from now on.
    void add_twin(const std::string& space, const std::string& variable, std::int64_t version,
                  const store::space::BlockPlace& of, const store::space::BlockPlace& twin);
    [[nodiscard]] bool keeps(const store::space::Put& /*put*/) const override { return true; }
    void put(const std::string& space, store::space::Put put, const store::space::Version& version,
             std::span<const std::byte> bytes, Done done) override;
    void drop(const std::string& space, const store::space::Version& version) override;
    void retain(const PersistedRules& rules, Done done) override;
    void set_attributes(const PersistedAttributes& attributes, Done done) override;
    [[nodiscard]] std::size_t drops() const override { return drops_; }
    void flush(Done done) override;

  private:
    /// A version that the follower is to be told of.
    struct Told {
        std::string space, variable;
        std::int64_t number = 0;
    };
    void tell(Attributes change, std::span<const std::byte> bytes, Done done);
    struct Waiting {
        std::int64_t last = 0;  // the change that it waits for
        Done done;
        bool is_patient = false;
    };
    void wait(Done done, bool is_patient = false);
    void tell_more();
    void tell(const Told& told);

    const Spaces& spaces_;
    const Answers& answers_;
    const Look look_;
    int rank_ = 0;
    std::shared_ptr<transport::Link> follower_;  // nullptr: nobody follows
    bool has_all_ = false;
    std::deque<Told> to_tell_;
    std::optional<std::int64_t> last_of_beginning_;  // the change with which it has all
    std::int64_t last_ = 0, taken_ = 0;              // numbers of changes
    struct UnderWay {
        std::size_t bytes = 0;
        base::Clock::time_point since{};
    };
    std::deque<UnderWay> under_way_;  // changes that it has not said to have
    std::size_t bytes_under_way_ = 0;
    base::Result<> silence_;
    std::deque<Waiting> waiting_;  // by the change that they wait for
    std::vector<Due> due_;
    std::size_t drops_ = 0;
    bool is_removing_ = false;
};

}  // namespace staithe::server
