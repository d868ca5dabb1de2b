// The budget of this process: how much of each resource it may hold, and holds. Every acquisition goes through it.
//
// Whoever acquires something claims it first, and keeps the claim as long as the thing. Thread-safe. The limits are
// those of <staithe/limits.hpp>.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include <staithe/limits.hpp>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::base {

enum class Resource : std::uint8_t { memory, descriptors, connections, bytes_in_flight, prefetch };

/// Some of a resource, given back when this goes.
class Claim {
  public:
    Claim() = default;
    /// Counts what is held, whatever the limit: what came unasked, or was admitted by another rule.
    Claim(Resource resource, std::int64_t amount);
    Claim(Claim&& other) noexcept : resource_(other.resource_), amount_(std::exchange(other.amount_, 0)) {}
    Claim& operator=(Claim&& other) noexcept {
        std::swap(resource_, other.resource_);
        std::swap(amount_, other.amount_);
        return *this;
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim();

  private:
    friend Result<Claim> claim(Resource resource, std::int64_t amount, const std::string& action);
    Resource resource_ = Resource::memory;
    std::int64_t amount_ = 0;
};

/// What somebody holds of a resource and changes too often for claims. One thread changes it, with no locked
/// instruction.
class Holding {
  public:
    explicit Holding(Resource resource);
    ~Holding();
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;

    /// Counts whatever the limit: ask `has_room` before.
    void set(std::int64_t amount) { amount_.store(amount, std::memory_order_relaxed); }
    [[nodiscard]] std::int64_t amount() const { return amount_.load(std::memory_order_relaxed); }
    [[nodiscard]] Resource resource() const { return resource_; }

  private:
    const Resource resource_;
    std::atomic<std::int64_t> amount_{0};
};

/// `limit_reached` if that is more than there is room for; `action` says what it is for: "cannot <action>: …".
Result<Claim> claim(Resource resource, std::int64_t amount, const std::string& action);

/// Waits until others have given enough back. At once `limit_reached` where waiting cannot help: no room for that much
/// even if all was given back.
Result<Claim> claim(Resource resource, std::int64_t amount, const std::string& action, const Deadline& deadline);

[[nodiscard]] std::int64_t used(Resource resource);
[[nodiscard]] bool has_room(Resource resource, std::int64_t amount);

/// The failure of having no room.
[[nodiscard]] Failure no_room(Resource resource, std::int64_t amount, const std::string& action);

/// Takes in what STAITHE_LIMITS says now; `invalid_argument` if it cannot mean anything. Called where streams open.
Result<> refresh_limits();

/// In the child after a fork: what the parent holds is not its child's, but for the numbers of its descriptors.
void forget_claims_of_parent() noexcept;

}  // namespace staithe::base
