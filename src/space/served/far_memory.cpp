#include "space/served/far_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/fields.hpp"
#include "base/interruption.hpp"
#include "memory/sources.hpp"
#include "os/event.hpp"
#include "os/vectored.hpp"
#include "space/served/far_messages.hpp"
#include "space/served/messages.hpp"
#include "store/remote/remote_source.hpp"
#include "transport/channel/loss.hpp"
#include "transport/connection_room.hpp"

namespace staithe::space {
namespace {

/// As many as it takes to use a way on which each is held back.
constexpr int most_connections = 16;

/// Less is not worth another connection.
constexpr std::int64_t least_part = 1 << 20;

/// While the other side takes nothing: whether it is still there.
constexpr base::Seconds between_looks_at_server{0.05};

}  // namespace

/// A part of a block, on its way over one connection.
class FarMemory::Sending {
  public:
    Sending(store::remote::Connected connection, const far::PartHeader& header, std::span<std::byte> bytes)
        : connection_(std::move(connection)), header_(header), unsent_(bytes) {}

    /// Hands over what the kernel takes now, and looks whether all has come.
    base::Result<> advance() {
        while (sends()) {
            const std::array parts{std::as_writable_bytes(std::span(&header_, 1)).subspan(header_sent_), unsent_};
            const std::size_t begun = parts[0].empty() ? 1 : 0;
            const auto sent = os::send_parts(connection_.socket, std::span(parts).subspan(begun));
            if (!sent || *sent == 0) {
                return sent ? base::Result<>() : base::fail(sent);
            }
            const std::size_t of_header = std::min(*sent, parts[0].size());
            header_sent_ += of_header;
            unsent_ = unsent_.subspan(*sent - of_header);
        }
        const std::span<std::byte> room = std::as_writable_bytes(std::span(&taken_, 1)).subspan(received_);
        const auto received = os::receive_parts(connection_.socket, std::span(&room, 1));
        if (!received) {
            return base::fail(received);
        }
        received_ += *received;
        const bool is_answer = taken_.magic == far::PartTaken::known_magic && taken_.version == far::version &&
                               taken_.ticket == header_.ticket && taken_.first == header_.first;
        return is_finished() && !is_answer
                   ? base::fail(ErrorCode::protocol, "it has answered what cannot be understood")
                   : base::Result<>();
    }
    [[nodiscard]] bool is_finished() const { return received_ == sizeof(taken_); }
    [[nodiscard]] bool sends() const { return header_sent_ < sizeof(header_) || !unsent_.empty(); }
    [[nodiscard]] int descriptor() const { return connection_.socket.get(); }
    [[nodiscard]] store::remote::Connected& connection() { return connection_; }

  private:
    store::remote::Connected connection_;
    far::PartHeader header_;
    std::size_t header_sent_ = 0;
    std::span<std::byte> unsent_;
    far::PartTaken taken_{};
    std::size_t received_ = 0;  // of it
};

FarMemory::FarMemory(std::shared_ptr<transport::Endpoint> endpoint, std::shared_ptr<transport::Link> link,
                     const std::string& title)
    : endpoint_(std::move(endpoint)),
      link_(std::move(link)),
      title_(title),
      source_(std::make_shared<store::remote::RemoteSource>(
          std::vector{store::remote::Owner{
              .name = title,
              .stores = {},
              .connect = [endpoint = endpoint_, link = link_](
                             const base::Deadline& deadline) { return connect(*endpoint, link, Way::read, deadline); },
              .loss =
                  [link = link_] {
                      return link->is_open() ? std::nullopt : std::optional(transport::how_lost(*link));
                  }}},
          store::remote::RemoteOptions{.most_connections = most_connections})),
      count_(1, most_connections) {}

base::Result<store::remote::Connected> FarMemory::connect(transport::Endpoint& endpoint,
                                                          const std::shared_ptr<transport::Link>& link, Way way,
                                                          const base::Deadline& deadline) {
    const auto answer = link->call({{"service", server_service},
                                    {"type", request::connect},
                                    {"way", way == Way::read ? far_way::read : far_way::write}},
                                   {}, deadline);
    const auto purpose = answer ? base::text_field(answer->body, "purpose") : base::fail(answer);
    auto socket = purpose ? endpoint.connect_further(*link, *purpose, deadline) : base::fail(purpose);
    if (!socket) {
        return base::fail(std::move(socket));
    }
    const Value* const scarce = find(answer->body, "scarce");
    store::remote::Connected connected(*std::move(socket));
    connected.needed = link;
    connected.is_scarce =
        transport::are_connections_scarce() || (scarce != nullptr && scarce->as_bool().value_or(false));
    return connected;
}

base::Result<std::shared_ptr<std::byte>> FarMemory::memory_for(std::int64_t bytes) {
    std::shared_ptr<memory::Pool> pool;
    {
        const std::lock_guard lock(mutex_);
        if (pool_ == nullptr) {
            auto opened = memory::open_pool("blocks for " + title_);
            if (!opened) {
                return base::fail(std::move(opened));
            }
            pool_ = *std::move(opened);
        }
        pool = pool_;
    }
    const auto memory = pool->allocate(std::max<std::int64_t>(bytes, 1));
    if (!memory) {
        return base::fail(memory);
    }
    return std::shared_ptr<std::byte>(memory->data, [pool, memory = *memory](std::byte*) { pool->free(memory); });
}

base::Result<> FarMemory::send(std::int64_t ticket, std::span<std::byte> bytes, const base::Deadline& deadline) {
    if (bytes.empty()) {
        return {};
    }
    auto sent = send_once(ticket, bytes, deadline);
    if (!sent && sent.error().code == ErrorCode::peer_lost && link_->is_open()) {
        // Something between the hosts may have closed a connection while it was idle, as firewalls do.
        {
            const std::lock_guard lock(mutex_);
            idle_.clear();
        }
        sent = send_once(ticket, bytes, deadline);
    }
    if (sent) {
        return {};
    }
    return link_->is_open()
               ? base::fail(sent.error().code, "{}, to which a block was sent: {}", title_, sent.error().message)
               : base::fail(ErrorCode::peer_lost, "{}, {}: a block was on its way to it", title_,
                            transport::how_lost(*link_));
}

base::Result<> FarMemory::send_once(std::int64_t ticket, std::span<std::byte> bytes, const base::Deadline& deadline) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    int most = 1;
    {
        const std::lock_guard lock(mutex_);
        most = count_.now();
    }
    const auto count = std::clamp<std::int64_t>(size / least_part, 1, most);
    std::vector<Sending> parts;  // closed by whatever goes wrong
    for (std::int64_t i = 0, first = 0; i < count; ++i) {
        const std::int64_t end = size * (i + 1) / count;
        auto connection = connection_to_write(deadline);
        if (!connection) {
            return base::fail(std::move(connection));
        }
        parts.emplace_back(*std::move(connection),
                           far::PartHeader{.ticket = ticket, .first = first, .bytes = end - first},
                           bytes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)));
        first = end;
    }
    const auto began = base::Clock::now();
    if (auto awaited = await(parts, deadline); !awaited) {
        return awaited;
    }
    const std::lock_guard lock(mutex_);
    count_.took(static_cast<int>(parts.size()), size, base::Clock::now() - began);
    for (Sending& part : parts) {
        if (!part.connection().is_scarce && idle_.size() < static_cast<std::size_t>(most_connections)) {
            idle_.push_back(std::move(part.connection()));
        }
    }
    return {};
}

base::Result<store::remote::Connected> FarMemory::connection_to_write(const base::Deadline& deadline) {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            store::remote::Connected connection = std::move(idle_.back());
            idle_.pop_back();
            return connection;
        }
    }
    return connect(*endpoint_, link_, Way::write, deadline);
}

base::Result<> FarMemory::await(std::span<Sending> parts, const base::Deadline& deadline) const {
    std::vector<os::Polled> polled;
    for (;;) {
        polled.clear();
        for (Sending& part : parts) {
            if (part.is_finished()) {
                continue;
            }
            if (auto advanced = part.advance(); !advanced) {
                return advanced;
            }
            if (!part.is_finished()) {
                polled.push_back({.descriptor = part.descriptor(), .writable = part.sends()});
            }
        }
        if (polled.empty()) {
            return {};
        }
        if (!link_->is_open()) {
            return base::fail(ErrorCode::peer_lost, "its link has ended");
        }
        if (deadline.passed()) {
            return base::fail(ErrorCode::timeout, "waited {:g} s, and not all of it was taken", deadline.seconds());
        }
        os::poll(polled, base::Deadline(
                             std::min<base::Seconds>(base::next_question(deadline).left(), between_looks_at_server)));
        if (base::interrupted()) {
            return base::fail(ErrorCode::timeout, "sending was interrupted");
        }
    }
}

}  // namespace staithe::space
