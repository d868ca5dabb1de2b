// The room for a block of a program of another host, which sends its bytes: by parts, over any number of connections.
//
// Whoever receives shares the memory with who gave the room; once the room has gone, nothing is written there any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::server {

class FarRoom {
  public:
    class Memory {
      public:
        Memory(std::byte* bytes, std::int64_t size) : bytes_(bytes), size_(size) {}

        [[nodiscard]] std::int64_t size() const { return size_; }
        /// What the socket has now, into [first, first + most): how many bytes. A failure ends the connection; so does
        /// a room that has gone.
        base::Result<std::int64_t> receive(const os::FileDescriptor& socket, std::int64_t first, std::int64_t most);
        /// A part is there that long.
        void note(std::int64_t bytes);
        [[nodiscard]] bool is_full() const;
        void close();

      private:
        mutable std::mutex mutex_;  // held while bytes are received
        std::byte* bytes_;          // nullptr: the room has gone
        const std::int64_t size_;
        std::int64_t come_ = 0;
    };

    FarRoom(std::byte* bytes, std::int64_t size) : memory_(std::make_shared<Memory>(bytes, size)) {}
    ~FarRoom() { memory_->close(); }
    FarRoom(const FarRoom&) = delete;
    FarRoom& operator=(const FarRoom&) = delete;

    [[nodiscard]] const std::shared_ptr<Memory>& memory() const { return memory_; }

  private:
    const std::shared_ptr<Memory> memory_;
};

}  // namespace staithe::server
