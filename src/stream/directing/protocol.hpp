// What the processes of one stream say to each other.
//
// Cold messages are CBOR maps on the link (`service` is the stream's name, `type` one of the constants below). Hot ones
// go through a channel of each member. What concerns all of them, the tables of steps, the director writes down in its
// segment. docs/formats/stream_protocol.md describes it all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/value.hpp>

#include "base/deadline.hpp"
#include "base/fields.hpp"
#include "base/result.hpp"
#include "stream/directing/queue_limits.hpp"
#include "stream/directing/step_entry.hpp"
#include "transport/link.hpp"
#include "transport/ring.hpp"

namespace staithe::stream {

namespace message_type {
inline constexpr const char* join_writer = "join-writer";  // + pools → channel and segment; from a server also memory
inline constexpr const char* join_reader = "join-reader";  // → the same, once all writer ranks are there
inline constexpr const char* stores = "stores";            // → the writer ranks' pools, some at a time, or who has
                                                           // them; with `spill`, those on disk
inline constexpr const char* ready = "ready";              // the reader rank has mapped what it needs
inline constexpr const char* detach = "detach";            // announce nothing more to this reader rank
inline constexpr const char* pause = "pause";              // announce nothing more to its group, until all its ranks
inline constexpr const char* resume = "resume";            // say so
inline constexpr const char* follow = "follow";            // its group wants the latest step from now on
inline constexpr const char* give_up = "give-up";          // the caller no longer waits for its join
inline constexpr const char* fail = "fail";                // the writer rank cannot go on, and says why
inline constexpr const char* leave = "leave";              // the member holds nothing any more
inline constexpr const char* fetches = "fetches";          // the reader rank says which way it gets blocks
inline constexpr const char* sends = "sends";              // the writer rank says what goes to servers, and how
inline constexpr const char* awaits = "awaits";            // → whom the member waits for
inline constexpr const char* lease = "lease";              // → the writer rank may enlarge the memory that it was given
inline constexpr const char* end_lease = "end-lease";      // it has given so much of it back to the system
inline constexpr const char* describe = "describe";
}  // namespace message_type

/// What the writer ranks append to their group's id when they read their own stream, to run analyses.
inline constexpr const char* inline_group = "inline";

/// Kinds of hot messages: up, from a member to the director, and down.
enum class Hot : std::uint32_t {
    record = 1,      // up: the rank's record of `step` lies at offset, bytes of its pool; data_bytes in its blocks
    abandoned,       // up: the rank gave the step up
    finished,        // up: the rank writes no more; `step` is the number it would have written next
    release,         // up: a reader rank needs `step` no more
    want,            // up: a reader rank of a group that may lose steps waits for `step`, or any after it
    returned,        // up: a reader, alone in its group, has not taken `step`, and wants the latest one
    layout,          // down: the steps announced from here on have layout `step`, which lies at offset, bytes
    announce,        // down: `step` is complete; its table lies at offset, bytes
    announce_block,  // down: `step` is complete, and has one block (offset, bytes of store `rank`) and no attributes
    end,             // down: no more steps
    writer_lost,     // down: writer rank `rank` died; what process it was lies at offset, bytes; no more steps
    writer_failed,   // down: writer rank `rank` ended the stream as failed; why lies at offset, bytes; no more steps
    freed,           // down: the writer rank may use the memory of `step` again
    squeezed,        // up: the process of the rank may hold no more steps, so one that may be lost is to go
    dismissed,       // down: the stream has ended, and nobody needs the writer rank's blocks any more
    left,            // up: the member has left, so that the end of its channel is no loss
    at_rest,         // down: `step` stays for readers to come alone, and counts in the rank's queue no more
    fetched,         // down: a server has the blocks of `step`: the writer rank, which is elsewhere, may use its memory
};

transport::Message hot_message(Hot kind, std::int64_t step = 0, int rank = 0);

/// Of a step; its layout was told before.
transport::Message announcement(std::int64_t step, const StepEntry& entry);
/// The block that is in an announcement of one.
store::BlockRef block_in(const transport::Message& message);

/// Words of the channel, and not messages, since abandoned and dropped steps take no credit that would bound their
/// number.
namespace shown_by_director {
inline constexpr std::size_t passed = 0;   // steps below it that were not announced were abandoned
inline constexpr std::size_t dropped = 1;  // how many steps this reader's group has lost; of a writer: all groups
// 1: there was no memory for what this writer rank has asked for last, but kept steps have gone for it, or others may
// give some back.
inline constexpr std::size_t memory_may_come = 2;
// How often other streams have wanted memory: a writer rank gives back what it does not use.
inline constexpr std::size_t memory_wanted = 3;
}  // namespace shown_by_director
namespace shown_by_member {
inline constexpr std::size_t asleep_since = 0;  // in nanoseconds of the director's monotonic clock; 0: it is awake
}  // namespace shown_by_member

/// What is complete when a program fails is fetched by readers of other hosts, if they do it in this time: less than
/// the five seconds within which all know of a loss.
constexpr base::Seconds grace_for_far_readers{4.0};

/// What a program says of its failure fits one line of that many bytes; the rest is cut off.
constexpr std::size_t most_failure_bytes = 500;
/// As it may travel and be printed: the first line, without control characters.
std::string failure_line(std::string_view reason);

/// A group has no more: rings and lists are made for as many as a message says.
constexpr std::int64_t most_ranks = std::int64_t{1} << 20;

/// In which store the blocks of depot k of a stream are: after the pools of all ranks, in memory and on disk.
constexpr std::uint32_t store_of_depot(int writers, int depot) {
    return 2 * static_cast<std::uint32_t>(writers) + static_cast<std::uint32_t>(depot);
}
/// Servers that keep one stream.
constexpr std::size_t most_depots = 4096;

/// The answer to join-writer and join-reader.
struct Joined {
    std::int64_t member = 0;  // names this member in later messages
    Attributes channel;       // what it is opened by, with the descriptors that came along
    int writers = 0;
    std::int64_t first_step = 0;  // the writer's
    QueueLimits queue;
    bool on_request = false;                 // a reader rank: steps are announced to its group when it asks for one
    Attributes attributes;                   // of the stream
    std::vector<transport::Peer> writer_of;  // by rank
    std::string server{};                    // the name of the one that directs the stream; empty: writer rank 0 does
    // Contacts of servers that have blocks of ranks elsewhere, and have come so far; "": the director.
    std::vector<std::string> depots{};
    std::string depot_service{};  // what the others are asked for
    std::string twin{};           // the stream that another server has the same steps of; empty: none

    /// Who directs it, for people: "server 'staithe'" or "writer rank 0".
    [[nodiscard]] std::string director() const;
};
Attributes encode(const Joined& joined);
/// The name under which another server has the steps of that stream.
[[nodiscard]] std::string twin_of(const std::string& stream);
base::Result<Joined> decode_joined(const Attributes& body);

/// What the further connection is for that a member's process, of another host, makes.
std::string channel_purpose(const std::string& stream, std::int64_t member);

using base::integer_field;
using base::list_field;
using base::text_field;

/// A process, as messages name it: a map of program, host and pid.
Value encode(const transport::Peer& peer);
base::Result<transport::Peer> decode_peer(const Value& entry, std::int64_t least_pid);

}  // namespace staithe::stream
