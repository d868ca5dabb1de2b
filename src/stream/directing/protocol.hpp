// What the processes of one stream say to each other.
//
// Cold messages are CBOR maps on the link (`service` is the stream's name, `type` one of the constants below). Hot ones
// go through two rings per member, which lie in the director's control pool: `down` from the director to the member,
// `up` the other way. docs/formats/stream_protocol.md describes both.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "stream/directing/queue_limits.hpp"
#include "transport/bell.hpp"
#include "transport/link.hpp"
#include "transport/ring.hpp"

namespace staithe::stream {

namespace message_type {
inline constexpr const char* join_writer = "join-writer";  // + pool → control memory
inline constexpr const char* join_reader = "join-reader";  // → control memory, once all writer ranks are there
inline constexpr const char* pools = "pools";              // → the writer ranks' pools, some at a time; or, with
                                                           // `spill`, those on disk
inline constexpr const char* ready = "ready";              // the reader rank has mapped what it needs
inline constexpr const char* detach = "detach";            // announce nothing more to this reader rank
inline constexpr const char* pause = "pause";              // announce nothing more to its group, until all its ranks
inline constexpr const char* resume = "resume";            // say so
inline constexpr const char* follow = "follow";            // its group wants the latest step from now on
inline constexpr const char* give_up = "give-up";          // the caller no longer waits for its join
inline constexpr const char* fail = "fail";                // the writer rank cannot go on, and says why
inline constexpr const char* leave = "leave";              // the member holds nothing any more
inline constexpr const char* awaits = "awaits";            // → whom the member waits for
inline constexpr const char* describe = "describe";
}  // namespace message_type

/// What the writer ranks append to their group's id when they read their own stream, to run analyses.
inline constexpr const char* inline_group = "inline";

/// Kinds of ring messages.
enum class Hot : std::uint32_t {
    record = 1,     // up: rank's record of `step` lies at offset, bytes; data_bytes in its blocks
    abandoned,      // up: the rank gave the step up
    finished,       // up: the rank writes no more; `step` is the number it would have written next
    release,        // up: a reader rank needs `step` no more
    announce,       // down: like record; a step is complete when the announcements of all ranks are there
    end,            // down: no more steps
    writer_lost,    // down: writer rank `rank`, process `offset`, died; no more steps
    freed,          // down: the writer rank may use the memory of `step` again
    want,           // up: a reader rank of a group that may lose steps waits for `step`, or any after it
    returned,       // up: a reader, alone in its group, has not taken `step`, and wants the latest one
    writer_failed,  // down: writer rank `rank` ended the stream as failed; why lies at offset, bytes; no more steps
};

transport::Message hot_message(Hot kind, std::int64_t step = 0, int rank = 0);

/// What the director shares with one member beside the rings.
struct MemberHead {
    transport::Bell bell;  // the member waits at it
    // Words and not ring messages, since abandoned and dropped steps take no credit that would bound their number.
    std::atomic<std::int64_t> passed;        // steps below it that were not announced were abandoned
    std::atomic<std::int64_t> dropped;       // how many steps this reader's group has lost; of a writer: all groups
    std::atomic<std::int64_t> asleep_since;  // of the member, in nanoseconds of the monotonic clock; 0: it is awake
};

/// The memory of one member in the control pool: its head, then the down ring, then the up ring.
struct MemberMemory {
    std::int64_t offset = 0;
    std::uint64_t down_slots = 0;
    std::uint64_t up_slots = 0;

    static constexpr std::int64_t head_bytes = 64;
    static_assert(sizeof(MemberHead) <= head_bytes);
    [[nodiscard]] std::int64_t bytes() const {
        return head_bytes +
               static_cast<std::int64_t>(transport::ring_bytes(down_slots) + transport::ring_bytes(up_slots));
    }
    [[nodiscard]] std::byte* down(std::byte* start) const { return start + head_bytes; }
    [[nodiscard]] std::byte* up(std::byte* start) const { return down(start) + transport::ring_bytes(down_slots); }
};

/// What a program says of its failure fits one line of that many bytes; the rest is cut off.
constexpr std::size_t most_failure_bytes = 500;
/// As it may travel and be printed: the first line, without control characters.
std::string failure_line(std::string_view reason);

/// A group has no more: rings and lists are made for as many as a message says.
constexpr std::int64_t most_ranks = std::int64_t{1} << 20;

/// The director's bell lies at the start of its control pool.
constexpr std::int64_t director_bell_offset = 0;

/// The answer to join-writer and join-reader.
struct Joined {
    std::int64_t member = 0;  // names this member in later messages
    MemberMemory memory;
    int writers = 0;
    std::int64_t first_step = 0;  // the writer's
    QueueLimits queue;
    bool on_request = false;                 // a reader rank: steps are announced to its group when it asks for one
    Attributes attributes;                   // of the stream
    std::vector<transport::Peer> writer_of;  // by rank; for readers only
};
Attributes encode(const Joined& joined);
base::Result<Joined> decode_joined(const Attributes& body);

/// Fields of a message from another process; `protocol` if they are missing or of another kind.
base::Result<std::int64_t> integer_field(const Attributes& body, const std::string& name, std::int64_t least,
                                         std::int64_t most);
base::Result<std::string> text_field(const Attributes& body, const std::string& name);
/// nullptr if it is missing, or no list.
const List* list_field(const Attributes& body, const std::string& name);

/// A process, as messages name it: a map of program, host and pid.
Value encode(const transport::Peer& peer);
base::Result<transport::Peer> decode_peer(const Value& entry, std::int64_t least_pid);

}  // namespace staithe::stream
