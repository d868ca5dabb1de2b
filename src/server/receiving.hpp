// One connection of a program of another host that fills rooms: parts come in, and a word goes back for each.
//
// What it says is checked before use; what cannot be understood ends the connection. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "server/far_room.hpp"
#include "space/served/far_messages.hpp"
#include "store/remote/conversation.hpp"

namespace staithe::server {

class Receiving final : public store::remote::Conversation {
  public:
    /// nullptr if the program has no such room.
    using FindRoom = std::function<std::shared_ptr<FarRoom::Memory>(std::int64_t ticket)>;

    Receiving(os::FileDescriptor socket, FindRoom find_room)
        : socket_(std::move(socket)), find_room_(std::move(find_room)) {}

    base::Result<> take_turn(std::int64_t most) override;
    [[nodiscard]] int descriptor() const override { return socket_.get(); }
    [[nodiscard]] bool reads() const override { return !writes(); }
    [[nodiscard]] bool writes() const override { return unsent_ > 0; }

  private:
    /// Whether there may be more at once.
    base::Result<bool> advance(std::int64_t& most);
    base::Result<> begin();

    const os::FileDescriptor socket_;
    const FindRoom find_room_;
    space::far::PartHeader header_{};
    std::size_t header_bytes_ = 0;  // of it have come
    std::shared_ptr<FarRoom::Memory> room_;
    std::int64_t come_ = 0;  // of the part
    space::far::PartTaken taken_{};
    std::size_t unsent_ = 0;  // of it
};

}  // namespace staithe::server
