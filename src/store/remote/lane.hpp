// A connection to a process that holds blocks, from the side of who wants them.
//
// Whoever calls reads: bytes are written into a destination in calls of `advance` alone, and never once the lane is
// closed or gone. More may be asked for before all has come: it comes in that order. One thread at a time. Failures,
// which name the peer: `peer_lost` if it is gone, `protocol` if what it answers cannot be understood; a lane that has
// failed is of no more use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "base/recent_median.hpp"
#include "os/file_descriptor.hpp"
#include "os/vectored.hpp"
#include "store/remote/transfer.hpp"
#include "transform/kept_memory.hpp"

namespace staithe::store::remote {

/// A connection at whose other end a BlockServer was told to serve.
struct Connected {
    // NOLINTNEXTLINE(google-explicit-constructor): most are no more than that
    Connected(os::FileDescriptor its = {}) : socket(std::move(its)) {}

    std::shared_ptr<void> needed;  // by the other side, as long as the connection
    os::FileDescriptor socket;
    bool is_scarce = false;  // others wait for one: closed once it is not used
};

class Lane {
  public:
    Lane(Connected connection, std::string peer) : connection_(std::move(connection)), peer_(std::move(peer)) {}

    /// Asks for them, after what it was asked for already. They are sent and fetched as it advances.
    void ask(std::span<const Transfer> transfers);

    /// Hands over what the kernel takes and takes what it has, for now. Whether there may be more at once.
    base::Result<bool> advance();
    [[nodiscard]] bool is_finished() const { return awaited_.empty(); }
    /// How many transfers it was asked for so far, and how many have come or were refused.
    [[nodiscard]] std::int64_t asked() const { return asked_; }
    [[nodiscard]] std::int64_t come() const { return asked_ - static_cast<std::int64_t>(awaited_.size()); }
    /// What was refused first: who gets that asks it nothing more.
    [[nodiscard]] const base::Result<>& outcome() const { return outcome_; }
    /// Nothing comes any more: it has failed from here on.
    void close() { connection_ = {}; }
    [[nodiscard]] bool is_closed() const { return !connection_.socket; }

    /// Finished, and no byte comes unasked, as the end of the connection does.
    [[nodiscard]] bool is_idle() const;
    [[nodiscard]] int descriptor() const { return connection_.socket.get(); }
    [[nodiscard]] bool is_scarce() const { return connection_.is_scarce; }
    [[nodiscard]] bool sends() const { return sent_ < requests_.size(); }
    /// There and back; 0 if that is not known.
    [[nodiscard]] base::Seconds round_trip() const;
    /// So long nothing was taken from the connection for what had come to be decoded, since this was asked last.
    [[nodiscard]] base::Seconds take_decoding() { return std::exchange(decoding_, {}); }
    /// Since when nothing came or went.
    [[nodiscard]] base::Clock::time_point silent_since() const { return silent_since_; }
    [[nodiscard]] const std::string& peer() const { return peer_; }
    [[nodiscard]] const Transfer& awaited() const { return awaited_.front().transfer; }

  private:
    struct Awaited {
        Transfer transfer;
        Asked name;  // in its reply
    };
    /// A payload on its way.
    struct Payload {
        transform::TakenMemory memory;  // its own; null where it is to stay where it comes to
        Transfer transfer;              // of its bytes
    };
    struct Refusal {
        std::string text;
        std::size_t missing = 0;  // bytes of it
    };

    void ask_alike(std::span<const Transfer> transfers);
    base::Result<> send();
    base::Result<bool> receive();
    void wake_for_enough();
    [[nodiscard]] std::span<std::byte> room_ahead() const;
    base::Result<> take_ahead();
    base::Result<> begin(const ReplyHeader& reply);
    void await_payload(std::int64_t bytes);
    void arrive();
    void take_payload();
    void try_payload();
    void decode(const MutableArrayView& to);
    void be_refused();
    [[nodiscard]] base::Failure lost(const base::Failure& failure) const;

    Connected connection_;
    int readable_at_ = 1;  // bytes
    const std::string peer_;
    std::vector<std::byte> requests_;
    std::size_t sent_ = 0;  // of them
    std::uint64_t last_id_ = 0;

    std::deque<Awaited> awaited_;
    std::int64_t asked_ = 0;
    std::optional<Arrival> arriving_;  // the bytes of the first one
    std::optional<Payload> payload_;   // or these, of its payload
    std::optional<Refusal> refusal_;   // or these
    base::RecentMedian decode_;        // seconds for a byte
    base::Seconds decoding_{};         // that nobody has asked for yet
    std::int64_t kept_ = 0;            // payloads that were not decoded
    base::Result<> outcome_;
    base::Clock::time_point silent_since_ = base::Clock::now();

    std::unique_ptr<std::byte[]> ahead_;   // what came after the last bytes that had a place
    std::span<std::byte> untaken_;         // of it
    std::unique_ptr<std::byte[]> buffer_;  // of arrivals
};

}  // namespace staithe::store::remote
