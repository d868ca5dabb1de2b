#include "os/fork.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/budget.hpp"
#include "os/process.hpp"

namespace staithe::os {
namespace {

// As many as Linux gives a process unless told otherwise (fs.nr_open). Descriptors above are left to their fate.
constexpr std::size_t most_descriptors = std::size_t{1} << 20;
constexpr std::size_t word_bits = 64;

// A set of bits, so that the child needs no lock that a thread of its parent may hold.
std::array<std::atomic<std::uint64_t>, most_descriptors / word_bits> withheld{};
std::atomic<std::size_t> words_in_use{0};

void take_from_child(int descriptor, int& nothing) {
    if (nothing < 0) {
        // No descriptor is free: the first one makes room for /dev/null, which takes its number.
        ::close(descriptor);
        nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    } else {
        // The number stays taken: a copy of an object may still close it, and must not close another's.
        ::dup3(nothing, descriptor, O_CLOEXEC);
    }
}

}  // namespace

// Runs in the child before fork() returns there; its only thread is the one that called fork().
void begin_as_child() {
    Home::forks.fetch_add(1, std::memory_order_relaxed);
    detail::thread_id = 0;
    base::forget_claims_of_parent();
    const int opened = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    int nothing = opened;
    for (std::size_t word = 0; word < words_in_use.load(std::memory_order_relaxed); ++word) {
        for (auto bits = withheld.at(word).load(std::memory_order_relaxed); bits != 0; bits &= bits - 1) {
            take_from_child(static_cast<int>(word * word_bits) + std::countr_zero(bits), nothing);
        }
    }
    if (opened >= 0) {
        ::close(opened);
    }
}

namespace {

const bool watching_forks = ::pthread_atfork(nullptr, nullptr, begin_as_child) == 0;

std::atomic<std::uint64_t>* word_of(int descriptor) {
    const auto number = static_cast<std::size_t>(descriptor);
    return number < most_descriptors ? &withheld.at(number / word_bits) : nullptr;
}

std::uint64_t bit_of(int descriptor) { return std::uint64_t{1} << (static_cast<std::size_t>(descriptor) % word_bits); }

}  // namespace

void withhold_from_children(int descriptor) {
    if (auto* const word = watching_forks ? word_of(descriptor) : nullptr) {
        word->fetch_or(bit_of(descriptor));
        const std::size_t words = static_cast<std::size_t>(descriptor) / word_bits + 1;
        std::size_t known = words_in_use.load();
        while (known < words && !words_in_use.compare_exchange_weak(known, words)) {
        }
    }
}

void hand_to_children(int descriptor) {
    if (auto* const word = word_of(descriptor)) {
        word->fetch_and(~bit_of(descriptor));
    }
}

}  // namespace staithe::os
