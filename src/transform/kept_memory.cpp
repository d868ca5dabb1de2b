#include "transform/kept_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <new>
#include <span>
#include <utility>

#include "base/rounding.hpp"
#include "os/fork.hpp"

namespace staithe::transform {
namespace {

/// Smaller ones malloc keeps itself; of larger ones a new page is a small part of the work.
constexpr std::size_t least_kept = 16 << 10;
constexpr std::size_t most_kept = 4 << 20;
/// By a thread: what the tiles of a codec or two take. By all together as much of payloads: some are under way.
constexpr std::size_t most_kept_in_all = 8 << 20;
constexpr std::size_t most_pieces = 64;

constexpr std::align_val_t alignment{64};

bool is_kept(std::size_t bytes) { return bytes >= least_kept && bytes <= most_kept; }

/// Lengths are rounded up to one of eight in an octave, so that those which are nearly alike share pieces.
std::size_t room_for(std::size_t bytes) {
    return is_kept(bytes) ? base::round_up(bytes, std::bit_floor(bytes) / 8) : bytes;
}

void* take_new(std::size_t bytes) { return ::operator new(bytes, alignment); }
void give_up(void* piece, std::size_t bytes) { ::operator delete(piece, bytes, alignment); }

/// Whether the pieces of this thread are gone: what outlives them, such as what is static, gives memory back, too.
thread_local bool has_ended = false;

class KeptPieces {
  public:
    KeptPieces() = default;
    KeptPieces(const KeptPieces&) = delete;
    KeptPieces& operator=(const KeptPieces&) = delete;
    ~KeptPieces() {
        has_ended = true;
        while (count_ > 0) {
            give_up_oldest();
        }
    }

    /// Null if there is none of that length.
    void* take(std::size_t bytes) {
        const auto kept = std::span(pieces_).first(count_);
        const auto found =
            std::find_if(kept.begin(), kept.end(), [&](const auto& each) { return each.bytes == bytes; });
        if (found == kept.end()) {
            return nullptr;
        }
        void* const memory = found->memory;
        remove(static_cast<std::size_t>(found - kept.begin()));
        return memory;
    }

    /// In the place of those that nobody has taken for the longest time. Takes no memory for it.
    void keep(void* memory, std::size_t bytes) {
        while (count_ == most_pieces || in_all_ + bytes > most_kept_in_all) {
            give_up_oldest();
        }
        pieces_[count_++] = {memory, bytes};
        in_all_ += bytes;
    }

  private:
    struct Piece {
        void* memory = nullptr;
        std::size_t bytes = 0;
    };

    void remove(std::size_t number) {
        in_all_ -= pieces_[number].bytes;
        std::copy(pieces_.begin() + number + 1, pieces_.begin() + count_, pieces_.begin() + number);
        --count_;
    }
    void give_up_oldest() {
        give_up(pieces_.front().memory, pieces_.front().bytes);
        remove(0);
    }

    std::array<Piece, most_pieces> pieces_{};  // in the order in which they were given back
    std::size_t count_ = 0;
    std::size_t in_all_ = 0;  // bytes
};

KeptPieces& own_pieces() {
    thread_local KeptPieces pieces;
    return pieces;
}

/// Of the process: one thread makes a payload, and others append to it and send it.
class KeptPayloads {
  public:
    KeptPayloads() { payloads_.reserve(most_pieces); }

    /// Of what came last, since that is nearest. What would be left over is at most half as much: a payload may be kept
    /// for long.
    std::vector<std::byte> take(std::size_t room) {
        const std::lock_guard lock(mutex_);
        const auto fits = [&](const auto& each) { return each.capacity() >= room && each.capacity() / 3 * 2 <= room; };
        const auto found = std::find_if(payloads_.rbegin(), payloads_.rend(), fits);
        if (found == payloads_.rend()) {
            return {};
        }
        std::vector<std::byte> payload = std::move(*found);
        payloads_.erase(std::next(found).base());
        in_all_ -= payload.capacity();
        return payload;
    }

    void keep(std::vector<std::byte> payload) {
        const std::lock_guard lock(mutex_);
        while (payloads_.size() == most_pieces || in_all_ + payload.capacity() > most_kept_in_all) {
            in_all_ -= payloads_.front().capacity();
            payloads_.erase(payloads_.begin());
        }
        in_all_ += payload.capacity();
        payload.clear();
        payloads_.push_back(std::move(payload));
    }

  private:
    std::mutex mutex_;
    std::vector<std::vector<std::byte>> payloads_;  // in the order in which they were given back
    std::size_t in_all_ = 0;                        // bytes of room
};

KeptPayloads& kept_payloads() {
    static os::OnePerProcess<KeptPayloads> payloads;
    return payloads.get();
}

class KeptMemory final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
        const std::size_t room = room_for(bytes);
        void* const kept = is_kept(room) && !has_ended ? own_pieces().take(room) : nullptr;
        return kept != nullptr ? kept : take_new(room);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override {
        const std::size_t room = room_for(bytes);
        if (is_kept(room) && !has_ended) {
            own_pieces().keep(memory, room);
        } else {
            give_up(memory, room);
        }
    }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

}  // namespace

std::pmr::memory_resource* kept_memory() {
    static auto* const memory = new KeptMemory;  // threads that outlive what is static use it, too
    return memory;
}

std::vector<std::byte> bytes_with_room(std::size_t room) {
    std::vector<std::byte> bytes;
    if (is_kept(room)) {
        bytes = kept_payloads().take(room);
    }
    bytes.reserve(room);
    return bytes;
}

void give_back(std::vector<std::byte> payload) {
    if (is_kept(payload.capacity())) {
        kept_payloads().keep(std::move(payload));
    }
}

}  // namespace staithe::transform
