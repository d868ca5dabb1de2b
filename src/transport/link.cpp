#include "transport/link.hpp"

#include <array>
#include <utility>

#include "base/interruption.hpp"
#include "os/socket.hpp"

namespace staithe::transport {
namespace {

// What a peer's event loop takes at once in any state but stopped or dead.
constexpr base::Seconds message_timeout{10.0};

}  // namespace

std::string to_string(const Peer& peer) {
    return fmt::format("{} (pid {} on {})", peer.program.empty() ? "a process" : peer.program, peer.pid, peer.host);
}

base::Result<std::shared_ptr<Link>> Link::start(EventLoop& loop, os::FileDescriptor socket, int pid,
                                                RequestHandler on_request) {
    const std::shared_ptr<Link> link(new Link);
    link->on_request_ = std::move(on_request);
    link->peer_.pid = pid;
    // The loop may call before `watch_` is assigned: it has to find the link locked until then.
    const std::lock_guard lock(link->mutex_);
    auto watch = loop.watch(std::move(socket), [weak = link->weak_from_this()] {
        const auto self = weak.lock();
        return self && self->read();
    });
    if (!watch) {
        return base::fail(std::move(watch));
    }
    link->watch_ = *std::move(watch);
    return link;
}

base::Result<> Link::send(const Attributes& body, const std::vector<int>& descriptors, const base::Deadline& deadline) {
    const auto frame = encode_frame(body, descriptors.size());
    if (!frame) {
        return base::fail(frame);
    }
    const std::lock_guard lock(send_mutex_);
    if (!is_open()) {
        return base::fail(ErrorCode::peer_lost, "{} is gone", to_string(peer()));
    }
    const os::BorrowedDescriptor socket(watch_->descriptor());
    auto sent = os::send_all(socket, *frame, descriptors, deadline);
    if (!sent) {
        return base::fail(sent.error().code, "{}: {}", to_string(peer()), sent.error().message);
    }
    return sent;
}

base::Result<Packet> Link::call(Attributes request, std::vector<int> descriptors, const base::Deadline& deadline) {
    std::int64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        id = next_id_++;
        pending_[id];
    }
    request["id"] = id;
    auto sent = send(request, descriptors, deadline);
    std::unique_lock lock(mutex_);
    if (sent) {
        const auto answered = [&] { return !open_ || pending_[id].answer.has_value(); };
        while (!answered_.wait_until(lock, base::next_question(deadline).at(), answered) && !deadline.passed()) {
            lock.unlock();  // whoever is asked may take its time, and locks of its own
            const bool interrupted = base::interrupted();
            lock.lock();
            if (interrupted) {
                break;
            }
        }
    }
    auto answer = std::move(pending_[id].answer);
    pending_.erase(id);
    if (answer) {
        return *std::move(answer);
    }
    if (!sent) {
        return base::fail(std::move(sent));
    }
    if (!open_) {
        return base::fail(ErrorCode::peer_lost, "{} went away before it answered", to_string(peer_));
    }
    return base::fail(ErrorCode::timeout, "{} did not answer within {:g} s", to_string(peer_), deadline.seconds());
}

base::Result<> Link::notify(const Attributes& message) { return send(message, {}, base::Deadline(message_timeout)); }

base::Result<> Link::reply(std::int64_t id, base::Result<Attributes> answer, const std::vector<int>& descriptors) {
    Attributes body;
    if (answer) {
        body = *std::move(answer);
    } else {
        body["error"] = static_cast<int>(answer.error().code);
        body["message"] = answer.error().message;
    }
    body["reply"] = id;
    return send(body, descriptors, base::Deadline(message_timeout));
}

void Link::on_close(CloseHandler handler) {
    {
        const std::lock_guard lock(mutex_);
        if (open_) {
            close_handlers_.push_back(std::move(handler));
            return;
        }
    }
    handler();
}

bool Link::is_open() const {
    const std::lock_guard lock(mutex_);
    return open_;
}

Peer Link::peer() const {
    const std::lock_guard lock(mutex_);
    return peer_;
}

void Link::set_peer(Peer peer) {
    const std::lock_guard lock(mutex_);
    peer_ = std::move(peer);
}

bool Link::read() {
    int descriptor = -1;
    {
        const std::lock_guard lock(mutex_);
        descriptor = watch_->descriptor();
    }
    const os::BorrowedDescriptor socket(descriptor);
    std::array<std::byte, 64 << 10> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the kernel
    for (;;) {
        auto received = os::receive_some(socket, buffer);
        if (!received || !received->open) {
            close();
            return false;
        }
        if (received->bytes == 0) {
            return true;
        }
        decoder_.feed(std::span(buffer).first(received->bytes), std::move(received->descriptors));
        for (;;) {
            auto packet = decoder_.next();
            if (!packet) {
                close();
                return false;
            }
            if (!*packet) {
                break;
            }
            dispatch(**std::move(packet));
        }
    }
}

void Link::dispatch(Packet packet) {
    const Value* reply = find(packet.body, "reply");
    if (reply == nullptr) {
        on_request_(shared_from_this(), std::move(packet));
        return;
    }
    base::Result<Packet> answer = Packet{};
    if (const Value* code = find(packet.body, "error")) {
        const Value* text = find(packet.body, "message");
        const auto number = code->as_int().value_or(-1);
        const bool known = number >= 0 && number <= static_cast<std::int64_t>(ErrorCode::system);
        answer = base::fail(known ? static_cast<ErrorCode>(number) : ErrorCode::protocol, "{}",
                            text != nullptr && text->as_string() != nullptr ? *text->as_string() : "no reason given");
    } else {
        answer = std::move(packet);
    }
    const std::lock_guard lock(mutex_);
    // Nobody waits for an answer that comes after its deadline.
    if (const auto waiting = pending_.find(reply->as_int().value_or(-1)); waiting != pending_.end()) {
        waiting->second.answer = std::move(answer);
        answered_.notify_all();
    }
}

void Link::close() {
    std::vector<CloseHandler> handlers;
    {
        const std::lock_guard lock(mutex_);
        open_ = false;
        // After nonsense from the peer the connection still stands; it must learn, too, that we are through.
        os::shut_down(os::BorrowedDescriptor(watch_->descriptor()));
        handlers.swap(close_handlers_);
    }
    answered_.notify_all();
    for (const auto& handler : handlers) {
        handler();
    }
}

}  // namespace staithe::transport
