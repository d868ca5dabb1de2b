// One connection of a BlockServer: requests come in, and what they want goes out, as the socket takes it.
//
// Whoever is at the other end is not trusted: what it says is checked before use, what it asks ahead of taking the
// answers is bounded, and what cannot be understood ends the connection. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "os/vectored.hpp"
#include "store/remote/coding.hpp"
#include "store/remote/conversation.hpp"
#include "store/remote/evaluating.hpp"
#include "store/remote/messages.hpp"
#include "store/remote/traffic.hpp"
#include "transport/peer_pool.hpp"

namespace staithe::store::remote {

/// The pools that a connection may ask for, by the numbers of their stores. What is mapped stays so (Stay::always).
using Stores = std::map<std::uint32_t, transport::PeerPool>;
/// Or one of them, as it is asked for; nothing if there is no such store (any more).
using FindStore = std::function<std::optional<transport::PeerPool>(std::uint32_t store)>;
[[nodiscard]] FindStore find_in(std::shared_ptr<const Stores> stores);

class Serving final : public Conversation {
  public:
    Serving(os::FileDescriptor socket, FindStore find_store, std::shared_ptr<Traffic> traffic,
            std::shared_ptr<EncodedParts> encoded, std::shared_ptr<devices::Devices> devices);
    ~Serving() override;

    base::Result<> take_turn(std::int64_t most) override;

    [[nodiscard]] int descriptor() const override { return socket_.get(); }
    [[nodiscard]] bool reads() const override;
    [[nodiscard]] bool writes() const override { return !answers_.empty() || !unsent_.empty(); }

  private:
    struct Answer {
        ReplyHeader header;
        std::byte* block = nullptr;
        Runs runs{};
        std::shared_ptr<transport::PoolFile> file{};  // that the block is read from once it is its turn
        std::vector<std::byte> kept{};                // read of it, or coded
        BlockRef ref{};
        std::int64_t first = 0;                // byte of the block at which it begins
        std::shared_ptr<const Offer> offer{};  // to take it coded, until that was decided
        std::vector<Answer> operands{};        // of what is to be computed, until that was done
        std::string text{};                    // of a refusal, instead
        bool begun = false;
        std::int64_t position = 0;  // of what is sent from where it lies
        Batches batches{};          // of what is packed
    };

    /// Of an answer that is all laid out.
    struct Sent {
        std::vector<std::byte> kept;
        bool is_payload = false;
    };

    base::Result<> answer(std::int64_t most);
    base::Result<> take_in();
    /// Off the front of the bytes, if there is a whole one.
    base::Result<bool> take_request(std::span<const std::byte>& bytes);
    [[nodiscard]] static Answer refusal(ReplyHeader header, std::string_view why);
    [[nodiscard]] Answer answer_to(const Wanted& wanted, ReplyHeader header, const std::shared_ptr<const Offer>& offer);
    [[nodiscard]] Answer answer_computed(const Wanted& wanted, ReplyHeader header, std::shared_ptr<const Offer> offer);
    /// Where the block is; a refusal if it cannot be had.
    [[nodiscard]] Answer answer_from(const BlockRef& ref, const Runs& runs, ReplyHeader header);
    const transport::PeerPool* pool_of(std::uint32_t store);
    void lay_out_next(std::int64_t most);
    void begin(Answer& answer);
    void read_part(Answer& answer);
    void evaluate(Answer& answer);
    void code(Answer& answer);
    void code_ahead();
    base::Result<std::optional<std::vector<std::byte>>> coded(const Offer& offer, const PartToCode& part);
    /// False if there is more of it than goes out at once.
    bool lay_out_rest(Answer& answer, std::int64_t most);
    /// Memory that goes out next; empty if there is not so much.
    std::span<std::byte> take_room(std::size_t bytes);
    base::Result<> send();
    void mind_losses(std::size_t sent);

    const os::FileDescriptor socket_;
    const FindStore find_store_;
    Stores pools_;  // that answers under way are of
    const std::shared_ptr<Traffic> traffic_;
    std::int64_t counted_bytes_ = 0;                     // of those that were sent: in `traffic_`
    std::optional<base::Clock::time_point> busy_since_;  // not counted yet; none: there is nothing to send
    const std::unique_ptr<std::byte[]> incoming_;        // requests that were not taken yet
    std::size_t incoming_bytes_ = 0;
    std::deque<Answer> answers_;  // under way
    // What goes out next: `unsent_` is of `parts_`, which are of pools, and of `packed_`.
    std::array<std::span<std::byte>, os::most_parts> parts_;
    std::span<std::span<std::byte>> unsent_;
    std::size_t laid_ = 0;  // parts
    // Bytes of a turn: on them, and to have something to send, which ends the turn as well, but goes in it.
    std::int64_t spent_ = 0, worked_ = 0;
    std::vector<Sent> sent_;
    std::int64_t sent_bytes_ = 0;
    Traffic::Passed passed_;      // of them, that nobody has been told of
    std::int64_t looked_at_ = 0;  // of them, when losses were looked for last
    Coding coding_;
    Evaluating evaluating_;
    std::unique_ptr<std::byte[]> packed_;
    std::size_t packed_bytes_ = 0;
};

}  // namespace staithe::store::remote
