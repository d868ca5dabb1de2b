// Who keeps a space: this process itself, or a server. The one interface between what users do with a space and where
// it is.
//
// A block is put in two steps: room for it is had from the keeper, which the caller fills, and then it is put. What is
// found stays as long as its pin does. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/fork.hpp"
#include "store/block_source.hpp"
#include "store/reducing/reduction.hpp"
#include "store/space/catalog.hpp"
#include "store/space/lock_table.hpp"
#include "stream/reading/fetched_memory.hpp"

namespace staithe::space {

class Keeper;

/// For the bytes of a block: given back with it, unless the block was put.
class Room {
  public:
    /// The ticket is the keeper's own.
    Room(const store::BlockRef& ref, std::byte* memory, std::function<void()> give_back, std::int64_t ticket = 0)
        : ref_(ref), memory_(memory), ticket_(ticket), give_back_(std::move(give_back)) {}
    ~Room() {
        if (give_back_) {
            give_back_();
        }
    }
    Room(Room&& other) noexcept
        : ref_(other.ref_),
          memory_(other.memory_),
          ticket_(other.ticket_),
          server_(other.server_),
          keeper_(std::move(other.keeper_)),
          twin_(std::move(other.twin_)),
          give_back_(std::exchange(other.give_back_, nullptr)) {}
    Room& operator=(Room&&) = delete;

    [[nodiscard]] const store::BlockRef& ref() const { return ref_; }
    [[nodiscard]] std::byte* memory() const { return memory_; }
    [[nodiscard]] std::int64_t ticket() const { return ticket_; }
    /// Where it is, of several servers: its rank, and who has reserved it there.
    [[nodiscard]] int server() const { return server_; }
    [[nodiscard]] const std::shared_ptr<Keeper>& keeper() const { return keeper_; }
    void is_at(int server, std::shared_ptr<Keeper> keeper) {
        server_ = server;
        keeper_ = std::move(keeper);
    }
    /// It is the keeper's now.
    void hand_over() { give_back_ = nullptr; }
    /// Another one, for the same bytes.
    [[nodiscard]] const std::unique_ptr<Room>& twin() const { return twin_; }
    void have_twin(Room twin) { twin_ = std::make_unique<Room>(std::move(twin)); }

  private:
    store::BlockRef ref_;
    std::byte* memory_;
    std::int64_t ticket_;
    int server_ = 0;
    std::shared_ptr<Keeper> keeper_;
    std::unique_ptr<Room> twin_;
    std::function<void()> give_back_;
};

/// A block that is put together with others: its elements lie dense, in the order that its description names.
struct Parcel {
    store::space::Put put;
    const std::byte* bytes = nullptr;
};

/// What was found of a version.
struct Found {
    std::int64_t version = 0;
    std::int64_t serial = 0;                         // of this version alone, whatever was removed and put again
    std::int64_t completion = 0;                     // its place among all that became complete
    store::BlockDescription whole;                   // its box is the shape
    std::vector<store::space::VersionBlock> blocks;  // that meet what was wanted; later ones lie over earlier ones
    std::shared_ptr<store::BlockSource> source;      // of their bytes
    std::shared_ptr<const void> pin;
    std::shared_ptr<stream::FetchedMemory> copies = nullptr;  // memory for what cannot be shown in place
};

/// A version, as it is listed.
struct Listed {
    std::int64_t version = 0;
    std::int64_t serial = 0;  // as that of what is found
    bool is_complete = false;
    std::int64_t completion = 0;  // its place among all that became complete; 0: it is not
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;
    store::BlockDescription whole;
};

/// What is found in a version, but its source.
[[nodiscard]] Found found_in(const std::shared_ptr<const store::space::Version>& version,
                             const store::space::Wanted& wanted);
[[nodiscard]] Listed listed(const store::space::Version& version);

/// A lock that was granted. It is kept up as long as this is kept.
struct LockGrant {
    std::int64_t token = 0;
    std::shared_ptr<void> renewal;
};

/// For who has waited for one in vain.
[[nodiscard]] base::Failure no_lock(const store::space::LockTable::Wish& wish, const base::Deadline& deadline,
                                    bool was_interrupted, const std::string& in_the_way);

class Keeper {
  public:
    Keeper() = default;
    virtual ~Keeper() = default;
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// Not in a forked child: whose memory, locks and connections are the parent's.
    [[nodiscard]] bool is_here() const { return home_.here(); }
    /// For people: who it is.
    [[nodiscard]] virtual std::string title() const = 0;

    /// For the block that is to be put; fails where that could not be. Who sends blocks elsewhere may give the place
    /// where its bytes lie already (`Put::dense`): they stay there until it is put, and nobody writes to it.
    virtual base::Result<Room> reserve(const store::space::Put& put, const base::Deadline& deadline) = 0;
    /// As which version. Its ref is that of the room.
    virtual base::Result<std::int64_t> put(store::space::Put put, Room room, const base::Deadline& deadline) = 0;
    /// The same two steps in one.
    virtual base::Result<std::int64_t> put(const Parcel& parcel, const base::Deadline& deadline);
    /// Each as if it were put alone, in this order: what became of it stands in its place.
    virtual std::vector<base::Result<std::int64_t>> put_many(std::span<const Parcel> parcels,
                                                             const base::Deadline& deadline);

    /// Waits until it is there: `timeout` says what there is instead.
    virtual base::Result<Found> find(const store::space::Wanted& wanted, const base::Deadline& deadline) = 0;

    /// Each as if it were looked for alone: what was found of it stands in its place.
    virtual std::vector<base::Result<Found>> find_many(std::span<const store::space::Wanted> wanted,
                                                       const base::Deadline& deadline);

    /// Parts of blocks that were found with that source, where they lie.
    virtual base::Result<> reduce(store::BlockSource& source, std::span<const store::BlockRef> refs,
                                  std::span<const store::Piece> pieces, store::reducing::Reduction& into,
                                  const base::Deadline& deadline);

    virtual base::Result<std::vector<std::string>> list(const std::string& pattern) = 0;
    virtual base::Result<std::vector<Listed>> versions(const std::string& variable) = 0;
    virtual base::Result<> remove(const std::string& variable, std::optional<std::int64_t> version) = 0;
    /// All variables in a container, and the attributes of it and of whatever is in it; of the empty path, all that the
    /// space has. How many variables these are.
    virtual base::Result<std::int64_t> remove_container(const std::string& path) = 0;
    /// Of a container, a variable or, where the path is empty, the space; what is null is taken away.
    virtual base::Result<> set_attributes(const std::string& path, const Attributes& attributes) = 0;
    virtual base::Result<Attributes> attributes(const std::string& path) = 0;
    virtual base::Result<std::vector<std::string>> list_containers(const std::string& pattern) = 0;
    virtual base::Result<> retain(const std::string& variable, const store::space::RetentionRules& rules) = 0;

    /// For a thread of this process, which does nothing else while it waits.
    virtual base::Result<LockGrant> lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                         const base::Deadline& deadline) = 0;
    /// `closed` if it has ended before, and how.
    virtual base::Result<> unlock(std::int64_t token) = 0;
    /// The same where nobody asks what became of it. Does not wait.
    virtual void drop_lock(std::int64_t token) noexcept = 0;
    /// Whether what is locked here is locked there, and what is put.
    [[nodiscard]] virtual bool is_same_space(const Keeper& other) const { return this == &other; }

  protected:
    /// For what it finds: a page that is touched for the first time costs more than to copy to it.
    const std::shared_ptr<stream::FetchedMemory> copies_ = std::make_shared<stream::FetchedMemory>();

  private:
    const os::Home home_;
};

}  // namespace staithe::space
