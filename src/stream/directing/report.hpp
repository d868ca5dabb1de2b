// What a director says of its stream to those who look at it: `staithe ls`, `show`, `top`, `doctor`.
//
// Times leave the process as seconds until now, so that whoever asks needs no clock in common with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <staithe/value.hpp>

#include "stream/directing/stream_state.hpp"

namespace staithe::stream {

/// "open"; "closed", by its writer, though a server may keep steps of it; or "failed", and kept by a server.
[[nodiscard]] const char* state_of(const StreamState& state);

/// All but the variables.
[[nodiscard]] Attributes report_of(const StreamState& state);

/// The variables of a layout, as reports list them. Remembers those of the last one. Thread-safe.
class DescribedVariables {
  public:
    [[nodiscard]] bool are_of(std::uint64_t layout) const;
    /// `bytes` of the layout are needed unless they are of it already. What cannot be understood changes nothing:
    /// readers get the reason.
    List list(std::uint64_t layout, std::span<const std::byte> bytes);

  private:
    mutable std::mutex mutex_;
    std::uint64_t layout_ = 0;
    List variables_;
};

}  // namespace staithe::stream
