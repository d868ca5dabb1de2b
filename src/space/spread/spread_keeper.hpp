// A space that several servers keep together.
//
// What is known of a variable one of them has, its home, which its name decides; its blocks lie with any of them: small
// ones, and those that are to outlive the servers, at the home, the others with whichever of this host has least.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "space/keeper.hpp"
#include "space/member_name.hpp"
#include "space/served/served_keeper.hpp"
#include "space/served/server_group.hpp"
#include "space/spread/leaders.hpp"
#include "space/spread/pins.hpp"
#include "space/spread/put_numbers.hpp"

namespace staithe::space {

class SpreadKeeper final : public Keeper {
  public:
    /// `server` is where the user has said that they are.
    static base::Result<std::shared_ptr<Keeper>> open(const std::string& space, const Member& one,
                                                      const std::optional<std::string>& server,
                                                      const base::Deadline& deadline);

    [[nodiscard]] std::string title() const override;
    base::Result<Room> reserve(const store::space::Put& put, const base::Deadline& deadline) override;
    base::Result<std::int64_t> put(store::space::Put put, Room room, const base::Deadline& deadline) override;
    base::Result<std::int64_t> put(const Parcel& parcel, const base::Deadline& deadline) override;
    std::vector<base::Result<std::int64_t>> put_many(std::span<const Parcel> parcels,
                                                     const base::Deadline& deadline) override;
    base::Result<Found> find(const store::space::Wanted& wanted, const base::Deadline& deadline) override;
    std::vector<base::Result<Found>> find_many(std::span<const store::space::Wanted> wanted,
                                               const base::Deadline& deadline) override;
    base::Result<> reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                          std::span<const store::Piece> pieces, store::reducing::Reduction& into,
                          const base::Deadline& deadline) override;
    base::Result<std::vector<std::string>> list(const std::string& pattern) override;
    base::Result<std::vector<Listed>> versions(const std::string& variable) override;
    base::Result<> remove(const std::string& variable, std::optional<std::int64_t> version) override;
    base::Result<std::int64_t> remove_container(const std::string& path) override;
    base::Result<> set_attributes(const std::string& path, const Attributes& attributes) override;
    base::Result<Attributes> attributes(const std::string& path) override;
    base::Result<std::vector<std::string>> list_containers(const std::string& pattern) override;
    base::Result<> retain(const std::string& variable, const store::space::RetentionRules& rules) override;
    base::Result<LockGrant> lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                 const base::Deadline& deadline) override;
    base::Result<> unlock(std::int64_t token) override;
    void drop_lock(std::int64_t token) noexcept override;
    [[nodiscard]] bool is_same_space(const Keeper& other) const override;

  private:
    using Part = std::shared_ptr<ServedKeeper>;
    SpreadKeeper(std::string space, std::shared_ptr<ServerGroup> group)
        : space_(std::move(space)),
          group_(std::move(group)),
          leaders_(group_->size()),
          pins_(group_),
          parts_(static_cast<std::size_t>(group_->size())) {}

    [[nodiscard]] int home_of(const std::string& name) const;
    base::Result<Part> part(int rank, const base::Deadline& deadline);
    /// Whether servers go on for each other, as far as one of them lives.
    bool has_replicas();
    /// What `call(part, rank)` returns of who leads the names of a home; of another one, once that one is gone.
    template <class Call>
    auto at_leader(int home, const base::Deadline& deadline, const Call& call)
        -> decltype(call(std::declval<ServedKeeper&>(), 0));
    /// Whether it is worth while to ask (again): that one has not answered, or does not lead.
    bool find_leader(int home, const base::Deadline& patience);
    /// The failure that its home has no such variable, or that it was not found in time: of what all have.
    base::Failure explained(base::Failure failure, const std::string& variable, const base::Deadline* waited);
    /// Calls `ask(part)`, whose answers are taken by `take`, of as many as lead the names of all homes.
    template <class Ask, class Take>
    base::Result<> of_all(const Ask& ask, const Take& take);
    /// What `ask(part)` returns of each, as one list in order.
    template <class Ask>
    base::Result<std::vector<std::string>> names_of_all(const Ask& ask);
    /// Where a block may lie, best first.
    [[nodiscard]] std::vector<int> ranks_for(const store::space::Put& put);
    base::Result<Room> reserve_anywhere(const store::space::Put& put, const std::vector<int>& ranks,
                                        const base::Deadline& deadline);
    base::Result<Room> reserve_once(const store::space::Put& put, const std::vector<int>& ranks);
    base::Result<std::int64_t> put_in(const store::space::Put& put, Room& room, int leader,
                                      const base::Deadline& deadline);
    base::Result<std::int64_t> put_again(store::space::Put put, Room room, const base::Deadline& deadline);
    std::vector<base::Result<std::int64_t>> put_many_at(int home, std::span<const Parcel> parcels,
                                                        const base::Deadline& deadline);
    /// What that server has found is of all of them from now on.
    void found_at(const ServedKeeper& at, int rank, Found& found);
    std::vector<base::Result<Found>> find_many_at(int home, std::span<const store::space::Wanted> wanted,
                                                  const base::Deadline& deadline);
    /// Of who leads that name.
    template <class Ask>
    auto of_home(const std::string& name, const Ask& ask) {
        return at_leader(home_of(name), base::Deadline(base::Seconds(60.0)),
                         [&](ServedKeeper& at, int /*rank*/) { return ask(at); });
    }
    /// Tokens as the server of that rank knows them; `closed` if another one has given one of them.
    base::Result<> take_tokens(store::space::Put& put, int rank) const;

    // Numbers that a server gives are its own: with its rank they are unlike those of the others.
    [[nodiscard]] std::int64_t of_all_servers(std::int64_t number, int rank) const;
    [[nodiscard]] int rank_in(std::int64_t number) const;
    [[nodiscard]] std::int64_t of_its_server(std::int64_t number) const;

    const std::string space_;
    const std::shared_ptr<ServerGroup> group_;
    Leaders leaders_;
    Pins pins_;
    PutNumbers numbers_;
    std::atomic<bool> has_replicas_{false};
    std::mutex mutex_;
    std::vector<Part> parts_;  // by rank, of those that were asked
};

}  // namespace staithe::space
