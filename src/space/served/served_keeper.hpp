// A space that a server keeps, or its part of one that several do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "space/keeper.hpp"
#include "space/served/server_group.hpp"
#include "space/served/server_link.hpp"

namespace staithe::space {

class ServedKeeper final : public Keeper, public std::enable_shared_from_this<ServedKeeper> {
  public:
    /// The space is opened there. `group`: the servers that keep it together, if there are several.
    static base::Result<std::shared_ptr<ServedKeeper>> open(const std::string& space,
                                                            std::shared_ptr<ServerLink> server,
                                                            std::shared_ptr<ServerGroup> group,
                                                            const base::Deadline& deadline);

    [[nodiscard]] std::string title() const override { return server_->title(); }
    base::Result<Room> reserve(const store::space::Put& put, const base::Deadline& deadline) override;
    base::Result<std::int64_t> put(store::space::Put put, Room room, const base::Deadline& deadline) override;
    /// In one question where the block is small and there is room.
    base::Result<std::int64_t> put(const Parcel& parcel, const base::Deadline& deadline) override;
    std::vector<base::Result<std::int64_t>> put_many(std::span<const Parcel> parcels,
                                                     const base::Deadline& deadline) override;
    base::Result<Found> find(const store::space::Wanted& wanted, const base::Deadline& deadline) override;
    std::vector<base::Result<Found>> find_many(std::span<const store::space::Wanted> wanted,
                                               const base::Deadline& deadline) override;
    base::Result<> reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                          std::span<const store::Piece> pieces, store::reducing::Reduction& into,
                          const base::Deadline& deadline) override;
    [[nodiscard]] const std::shared_ptr<ServerLink>& server() const { return server_; }
    [[nodiscard]] std::shared_ptr<Keeper> shared() { return shared_from_this(); }
    /// Room where there is some now: `limit_reached` if there is none.
    base::Result<Room> reserve_now(const store::space::Put& put, const base::Deadline& deadline);
    /// The block lies with this server, and that of rank `home` is told of it, if it is another. On failure the room
    /// is there still.
    base::Result<std::int64_t> put_for(std::optional<int> home, const store::space::Put& put, Room& room,
                                       const base::Deadline& deadline);
    /// The bytes are in the room, which another server's leader is to claim.
    base::Result<> fill(const Room& room, std::byte* bytes, const base::Deadline& deadline);
    /// Whether another server goes on when this one is gone.
    [[nodiscard]] bool has_replicas() const { return has_replicas_; }
    /// Those whose names it leads.
    base::Result<std::set<int>> homes(const base::Deadline& deadline);
    /// What the server held when it last said so.
    [[nodiscard]] std::int64_t load() const { return load_; }
    /// What it holds now.
    base::Result<std::int64_t> ask_load();

    base::Result<std::vector<std::string>> list(const std::string& pattern) override;
    base::Result<std::vector<Listed>> versions(const std::string& variable) override;
    base::Result<> remove(const std::string& variable, std::optional<std::int64_t> version) override {
        return remove(variable, version, {});
    }
    /// By which it is known if it is asked for again.
    base::Result<> remove(const std::string& variable, std::optional<std::int64_t> version,
                          const store::space::PutId& id);
    base::Result<std::int64_t> remove_container(const std::string& path) override;
    base::Result<> set_attributes(const std::string& path, const Attributes& attributes) override;
    base::Result<Attributes> attributes(const std::string& path) override;
    base::Result<std::vector<std::string>> list_containers(const std::string& pattern) override;
    base::Result<> retain(const std::string& variable, const store::space::RetentionRules& rules) override;
    base::Result<LockGrant> lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                 const base::Deadline& deadline) override;
    /// `go_on` is called about once a second while the lock is waited for, which ends with what it says.
    base::Result<LockGrant> lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                 const base::Deadline& deadline, const std::function<base::Result<>()>& go_on);
    /// By which all servers know a thread of this process that holds locks or waits for some.
    static std::string holder_key(std::int64_t thread);
    /// How these wait here for holders that do not, or for `target`.
    base::Result<std::vector<store::space::WayOut>> waited_for(const std::vector<std::string>& holders,
                                                               const std::string& target,
                                                               const base::Deadline& deadline);
    base::Result<> unlock(std::int64_t token) override;
    void drop_lock(std::int64_t token) noexcept override;
    [[nodiscard]] bool is_same_space(const Keeper& other) const override;

  private:
    ServedKeeper(std::string space, std::shared_ptr<ServerLink> server, std::shared_ptr<ServerGroup> group)
        : space_(std::move(space)), server_(std::move(server)), group_(std::move(group)) {}

    /// For answers of a server that lives: it never waits for others but where it is asked to.
    static constexpr base::Seconds time_to_answer{60.0};
    /// For it to say what became of what the caller waits for no longer: a server that lives does so at once.
    static constexpr base::Seconds time_to_withdraw{2.0};

    base::Result<Room> reserve(Attributes request, const store::space::Put& put, const base::Deadline& deadline);
    base::Result<std::int64_t> put_in_room(Attributes request, Room& room, const base::Deadline& deadline);
    /// Without a source, unless they came with the answer.
    base::Result<Found> find_blocks(const store::space::Wanted& wanted, const base::Deadline& deadline);
    base::Result<std::shared_ptr<store::BlockSource>> source_of(
        std::span<const store::space::VersionBlock> blocks) const;
    /// Rooms for small blocks, in their order, under one ticket.
    base::Result<std::vector<store::BlockRef>> reserve_many(std::span<const Parcel> parcels, std::int64_t ticket,
                                                            const base::Deadline& deadline);
    /// What was found came with the answer.
    static base::Result<> hold_enclosed(Found& found, std::vector<std::byte> bytes);
    /// Nothing of those that have to be looked for alone.
    std::vector<std::optional<base::Result<Found>>> found_in(const transport::Packet& answer,
                                                             std::span<const store::space::Wanted> wanted) const;
    static base::Result<> hold_part(Found& found, std::span<const std::byte> enclosed);
    base::Result<std::vector<std::string>> names_that_fit(const char* type, const std::string& pattern);
    base::Result<transport::Packet> ask(const char* type, Attributes body, const base::Deadline& deadline,
                                        const std::function<base::Result<>()>& go_on = nullptr,
                                        std::span<const std::byte> enclosed = {});

    const std::string space_;
    const std::shared_ptr<ServerLink> server_;
    const std::shared_ptr<ServerGroup> group_;  // nullptr: it is alone
    bool has_replicas_ = false;
    std::atomic<std::int64_t> load_{0};
};

}  // namespace staithe::space
