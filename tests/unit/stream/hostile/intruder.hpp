// A process that takes places in a stream by the protocol, and from then on keeps to nothing of it.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <staithe/value.hpp>

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "stream/directing/protocol.hpp"
#include "transport/channel/channel.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class Intruder {
  public:
    struct Place {
        std::int64_t member = 0;
        std::shared_ptr<transport::Channel> channel;
        std::vector<os::FileDescriptor> files;  // all that came with it: control segment, pipe, page, the book
    };

    Intruder(const std::string& run_directory, std::string stream, unsigned seed)
        : stream_(std::move(stream)), random_(seed), endpoint_(transport::Endpoint::shared(run_directory).value()) {
        const auto entry = transport::Directory(run_directory).find(transport::Kind::stream, stream_).value();
        link_ = transport::reach(*endpoint_, entry.value(), patience()).value();
    }

    base::Result<transport::Packet> ask(const char* type, Attributes request, const std::vector<int>& files = {}) {
        request["service"] = stream_;
        request["type"] = type;
        return link_->call(std::move(request), files, patience());
    }
    void tell(const char* type, Attributes request) {
        request["service"] = stream_;
        request["type"] = type;
        static_cast<void>(link_->notify(request));
    }
    base::Result<Place> join(const char* type, Attributes request, const std::vector<int>& files = {}) {
        auto answer = ask(type, std::move(request), files);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        const Joined joined = decode_joined(answer->body).value();
        Place place;
        place.member = joined.member;
        for (const os::FileDescriptor& file : answer->descriptors) {
            place.files.push_back(file.duplicate().value());
        }
        if (transport::sees_memory(joined.channel)) {
            answer->descriptors.pop_back();
        }
        place.channel =
            transport::open_channel(joined.channel, std::move(answer->descriptors), endpoint_->loop()).value();
        return place;
    }
    base::Result<Place> join_as_reader(const std::string& overflow, int rank = 0, int size = 1,
                                       std::int64_t start = -1) {
        return join(message_type::join_reader, {{"rank", rank},
                                                {"size", size},
                                                {"program", "intruder"},
                                                {"group", overflow},
                                                {"overflow", overflow},
                                                {"start", start}});
    }

    /// Waits a moment where the channel is full; whether it was taken.
    static bool say(const Place& place, const transport::Message& message) {
        for (int turn = 0; turn < 200; ++turn) {
            if (place.channel->send(message)) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        return false;
    }

    std::mt19937_64& random() { return random_; }
    /// A number that is at an edge, or one that makes sense.
    std::int64_t number() {
        constexpr std::array<std::int64_t, 10> edges{INT64_MIN,     -1,        0,      1, 63, 64, INT64_MAX / 2,
                                                     INT64_MAX - 1, INT64_MAX, 1 << 30};
        switch (random_() % 3) {
            case 0: return edges.at(random_() % edges.size());
            case 1: return static_cast<std::int64_t>(random_());
            default: return static_cast<std::int64_t>(random_() % 200);
        }
    }
    transport::Message message() {
        transport::Message message;
        message.kind = static_cast<std::uint32_t>(random_() % 14);
        message.rank = static_cast<std::uint32_t>(number());
        message.step = static_cast<std::uint64_t>(number());
        message.offset = number();
        message.bytes = number();
        message.data_bytes = number();
        message.spilled_bytes = number();
        message.encoding = static_cast<std::uint16_t>(random_());
        message.version = static_cast<std::uint16_t>(random_());
        return message;
    }

    static base::Deadline patience() { return base::Deadline(base::Seconds(20)); }

  private:
    const std::string stream_;
    std::mt19937_64 random_;
    std::shared_ptr<transport::Endpoint> endpoint_;
    std::shared_ptr<transport::Link> link_;
};

/// Whether the file's bytes can be written by whoever has this descriptor, in one way or another.
inline bool is_writable(const os::FileDescriptor& file) {
    const auto size = static_cast<std::size_t>(os::size_of_file(file).value());
    void* const shown = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (shown != MAP_FAILED) {
        ::munmap(shown, size);
        return true;
    }
    void* const read_only = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    const bool opened_up = read_only != MAP_FAILED && ::mprotect(read_only, size, PROT_READ | PROT_WRITE) == 0;
    ::munmap(read_only, size);
    return opened_up || ::pwrite(file.get(), "x", 1, 0) > 0 || ::ftruncate(file.get(), 0) == 0 ||
           ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0;
}

/// Noise over all of a control segment, and then releases of the first steps in every place where a message could be.
inline void scribble_over(const Intruder::Place& place, std::mt19937_64& random, const transport::Message& last) {
    const os::FileDescriptor& control = place.files.front();
    const auto size = os::size_of_file(control).value();
    const auto memory = os::Mapping::map(control, 0, size, os::Access::read_write, os::Populate::no).value();
    auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(memory.data());
    for (int turn = 0; turn < 20; ++turn) {
        for (std::int64_t i = 0; i < size / 8; ++i) {
            words[i].store(random() >> (random() % 64), std::memory_order_relaxed);
        }
        for (std::uint64_t sequence = 0; sequence < 8; ++sequence) {
            for (std::int64_t slot = 0; slot < size / 64; ++slot) {
                std::memcpy(memory.data() + slot * 64 + 8, &last, sizeof(last));
                words[slot * 8].store(sequence, std::memory_order_release);
            }
        }
        place.channel->ring();
    }
    std::vector<char> noise(1 << 16);
    while (::write(place.files[1].get(), noise.data(), noise.size()) > 0) {
    }
}

}  // namespace staithe::stream
