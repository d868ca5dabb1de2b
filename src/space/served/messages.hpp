// What a program and the server that keeps its spaces tell each other: docs/formats/space_protocol.md.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "space/keeper.hpp"

namespace staithe::space {

/// What requests name as their service.
inline constexpr const char* server_service = "/server";

namespace request {
inline constexpr const char* describe = "describe";    // the server itself
inline constexpr const char* load = "load";            // bytes of all blocks there
inline constexpr const char* open = "open";            // a space
inline constexpr const char* reserve = "reserve";      // room for a block
inline constexpr const char* own = "own";              // the descriptor of the memory with all such room, to write to
inline constexpr const char* give_back = "give-back";  // that room; no answer
inline constexpr const char* put = "put";
inline constexpr const char* reserve_many = "reserve-many";  // rooms for small blocks
inline constexpr const char* put_many = "put-many";          // into these
inline constexpr const char* find = "find";                  // answered once it is there
inline constexpr const char* find_many = "find-many";        // what there is of them now
inline constexpr const char* stores = "stores";              // descriptors of those that it names
inline constexpr const char* cancel = "cancel";              // who waits no longer: finds it now, or is told why not
inline constexpr const char* release = "release";            // what was found; no answer
inline constexpr const char* hold = "hold";                  // blocks that lie there, found by a server that is gone
inline constexpr const char* list = "list";
inline constexpr const char* containers = "containers";
inline constexpr const char* attributes = "attributes";          // of a container
inline constexpr const char* set_attributes = "set-attributes";  // some of them
inline constexpr const char* versions = "versions";
inline constexpr const char* remove = "remove";
inline constexpr const char* remove_container = "remove-container";
inline constexpr const char* retain = "retain";
inline constexpr const char* lock = "lock";                // answered once it is granted
inline constexpr const char* cancel_lock = "cancel-lock";  // who waits no longer: has it now, or is told why not
inline constexpr const char* unlock = "unlock";
inline constexpr const char* waited_for = "waited-for";  // whom holders of locks wait for who do not wait here
inline constexpr const char* renew = "renew";            // the lease of a lock; no answer
inline constexpr const char* connect = "connect";        // a connection for bytes of blocks, from another host
inline constexpr const char* reduce = "reduce";          // parts of blocks, for a program of another host
// Between servers that keep spaces together; none has an answer:
inline constexpr const char* put_elsewhere = "put-elsewhere";    // a block, which lies with the server that says so
inline constexpr const char* was_put = "was-put";                // or not
inline constexpr const char* free_elsewhere = "free-elsewhere";  // such a block: nobody has any use for it
inline constexpr const char* copied = "copied";                  // to disk: one of the two may go
// The same, where one goes on for another:
inline constexpr const char* meet = "meet";          // who is there, and whose names it leads
inline constexpr const char* homes = "homes";        // these; programs ask, too
inline constexpr const char* follow = "follow";      // a change of what the sender leads; no answer, but
inline constexpr const char* followed = "followed";  // all up to that one
inline constexpr const char* claim = "claim";  // a block that a program has sent there is the asker's; no answer, but
inline constexpr const char* claimed = "claimed";  // or it was not there
inline constexpr const char* copy = "copy";        // a block that lies with one alone; no answer, but
inline constexpr const char* was_copied = "was-copied";
}  // namespace request

/// Which of the two sides of a server's blocks a connection is for.
namespace far_way {
inline constexpr const char* read = "read";
inline constexpr const char* write = "write";
}  // namespace far_way

/// Blocks of so many bytes go in the message that puts them, or in the answer to who looks for them.
inline constexpr std::int64_t most_enclosed = std::int64_t{8} << 10;

/// A block as it is put. Who puts it the server knows, and where it lies.
Attributes encode(const store::space::Put& put);
base::Result<store::space::Put> decode_put(const Attributes& body);
/// By which a put or a removal is known if it is asked for again; of no program if it is not. Not "id": that is the
/// request's own.
inline constexpr const char* put_id = "put id";
void add(Attributes& body, const store::space::PutId& id);
base::Result<store::space::PutId> decode_put_id(const Attributes& body);

/// Of a message that says whose names a server leads.
base::Result<std::set<int>> decode_homes(const Attributes& body);

Attributes encode(const store::space::Wanted& wanted);
base::Result<store::space::Wanted> decode_wanted(const Attributes& body);

/// But its box and the order in which it lies.
Attributes encode_array(const store::BlockDescription& array);
base::Result<store::BlockDescription> decode_array(const Attributes& body);

/// Without its source and pin. There may be very many blocks: a table of them goes to the end of what is enclosed.
Attributes encode(const Found& found, std::vector<std::byte>& enclosed);
/// Takes the table away from what is enclosed.
base::Result<Found> decode_found(const Attributes& body, std::vector<std::byte>& enclosed);

Attributes encode(const store::space::RetentionRules& rules);
base::Result<store::space::RetentionRules> decode_rules(const Attributes& body);

Attributes encode(const store::space::LockTable::Wish& wish);
base::Result<store::space::LockTable::Wish> decode_wish(const Attributes& body);

Attributes encode(const std::vector<store::space::WayOut>& ways);
base::Result<std::vector<store::space::WayOut>> decode_ways(const Attributes& body);

Attributes encode(const Listed& listed);
base::Result<Listed> decode_listed(const Attributes& body);

}  // namespace staithe::space
