#include "server/receiving.hpp"

#include <algorithm>
#include <span>

#include "os/vectored.hpp"

namespace staithe::server {

base::Result<std::int64_t> FarRoom::Memory::receive(const os::FileDescriptor& socket, std::int64_t first,
                                                    std::int64_t most) {
    const std::lock_guard lock(mutex_);
    if (bytes_ == nullptr) {
        return base::fail(ErrorCode::peer_lost, "the room was given back while its bytes came");
    }
    const std::span<std::byte> part(bytes_ + first, static_cast<std::size_t>(most));
    const auto received = os::receive_parts(socket, std::span(&part, 1));
    return received ? base::Result<std::int64_t>(static_cast<std::int64_t>(*received)) : base::fail(received);
}

void FarRoom::Memory::note(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    come_ = std::min(size_, come_ + bytes);
}

bool FarRoom::Memory::is_full() const {
    const std::lock_guard lock(mutex_);
    return come_ == size_;
}

void FarRoom::Memory::close() {
    const std::lock_guard lock(mutex_);
    bytes_ = nullptr;
}

base::Result<> Receiving::take_turn(std::int64_t most) {
    for (;;) {
        const auto more = advance(most);
        if (!more || !*more || most <= 0) {
            return more ? base::Result<>() : base::fail(more);
        }
    }
}

base::Result<bool> Receiving::advance(std::int64_t& most) {
    if (unsent_ > 0) {
        const std::span<std::byte> rest = std::as_writable_bytes(std::span(&taken_, 1)).last(unsent_);
        const auto sent = os::send_parts(socket_, std::span(&rest, 1));
        if (!sent) {
            return base::fail(sent);
        }
        unsent_ -= *sent;
        return unsent_ == 0;
    }
    if (room_ == nullptr) {
        const std::span<std::byte> rest = std::as_writable_bytes(std::span(&header_, 1)).subspan(header_bytes_);
        const auto received = os::receive_parts(socket_, std::span(&rest, 1));
        if (!received) {
            return base::fail(received);
        }
        header_bytes_ += *received;
        const auto begun = header_bytes_ == sizeof(header_) ? begin() : base::Result<>();
        return begun ? base::Result<bool>(*received > 0) : base::fail(begun);
    }
    const auto received = room_->receive(socket_, header_.first + come_, std::min(header_.bytes - come_, most));
    if (!received) {
        return base::fail(received);
    }
    come_ += *received;
    most -= *received;
    if (come_ == header_.bytes) {
        room_->note(header_.bytes);
        room_ = nullptr;
        header_bytes_ = 0;
        taken_ = {.ticket = header_.ticket, .first = header_.first};
        unsent_ = sizeof(taken_);
    }
    return *received > 0;
}

base::Result<> Receiving::begin() {
    using space::far::PartHeader;
    if (header_.magic != PartHeader::known_magic || header_.version != space::far::version || header_.reserved != 0) {
        return base::fail(ErrorCode::protocol, "a program sends what is no part of a block");
    }
    auto room = find_room_(header_.ticket);
    if (room == nullptr) {
        return base::fail(ErrorCode::peer_lost, "a program sends a block for which it has no room (any more)");
    }
    const bool fits = header_.first >= 0 && header_.bytes > 0 && header_.bytes <= room->size() &&
                      header_.first <= room->size() - header_.bytes;
    if (!fits) {
        return base::fail(ErrorCode::protocol, "a program sends bytes that are not in the room that it has");
    }
    room_ = std::move(room);
    come_ = 0;
    return {};
}

}  // namespace staithe::server
