// One connection that a BlockServer looks after: what is said on it, by turns, and never waiting. One thread.
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace staithe::store::remote {

class Conversation {
  public:
    Conversation() = default;
    virtual ~Conversation() = default;
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    /// Takes in what was said, and sends, about `most` bytes, if the socket has and takes as much now. A failure ends
    /// the connection.
    virtual base::Result<> take_turn(std::int64_t most) = 0;

    [[nodiscard]] virtual int descriptor() const = 0;
    [[nodiscard]] virtual bool reads() const = 0;
    [[nodiscard]] virtual bool writes() const = 0;
};

}  // namespace staithe::store::remote
