// A space that a server keeps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "space/keeper.hpp"
#include "space/served/server_link.hpp"

namespace staithe::space {

class ServedKeeper final : public Keeper {
  public:
    ServedKeeper(std::string space, std::shared_ptr<ServerLink> server)
        : space_(std::move(space)), server_(std::move(server)) {}

    [[nodiscard]] std::string title() const override { return server_->title(); }
    base::Result<Room> reserve(const store::space::Put& put, const base::Deadline& deadline) override;
    base::Result<std::int64_t> put(store::space::Put put, Room room, const base::Deadline& deadline) override;
    std::vector<base::Result<std::int64_t>> put_many(std::span<const Parcel> parcels,
                                                     const base::Deadline& deadline) override;
    base::Result<Found> find(const store::space::Wanted& wanted, const base::Deadline& deadline) override;
    base::Result<std::vector<std::string>> list(const std::string& pattern) override;
    base::Result<std::vector<Listed>> versions(const std::string& variable) override;
    base::Result<> remove(const std::string& variable, std::optional<std::int64_t> version) override;
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
    /// For answers of a server that lives: it never waits for others but where it is asked to.
    static constexpr base::Seconds time_to_answer{60.0};

    /// Rooms for small blocks, in their order, under one ticket.
    base::Result<std::vector<store::BlockRef>> reserve_many(std::span<const Parcel> parcels, std::int64_t ticket,
                                                            const base::Deadline& deadline);
    base::Result<std::vector<std::string>> names_that_fit(const char* type, const std::string& pattern);
    base::Result<transport::Packet> ask(const char* type, Attributes body, const base::Deadline& deadline);

    const std::string space_;
    const std::shared_ptr<ServerLink> server_;
};

}  // namespace staithe::space
