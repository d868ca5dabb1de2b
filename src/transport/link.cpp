#include "transport/link.hpp"

#include <algorithm>
#include <utility>

#include "base/interruption.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"

namespace staithe::transport {
std::string to_string(const Peer& peer) {
    const std::string program = peer.program.empty() ? "a process" : peer.program;
    return peer.pid == 0 ? fmt::format("{} at {}", program, peer.host)
                         : fmt::format("{} (pid {} on {})", program, peer.pid, peer.host);
}

std::string advice_if_stopped(const Peer& peer) {
    return os::is_stopped(peer.pid) ? fmt::format(": it is stopped, continue it (kill -CONT {}) or end it", peer.pid)
                                    : "";
}

base::Result<std::shared_ptr<Link>> Link::start(EventLoop& loop, os::FileDescriptor socket, int pid,
                                                RequestHandler on_request, Trust trust, base::Claim connection,
                                                const std::optional<Proved>& proved) {
    std::shared_ptr<Link> link(new Link);
    link->is_between_hosts_ = os::is_tcp(socket);
    link->connection_ = std::move(connection);
    link->on_request_ = std::move(on_request);
    link->peer_.pid = pid;
    if (trust == Trust::stranger) {
        link->decoder_.set_bounds({max_body_of_strangers, 0, 0});
    }
    if (proved) {
        link->has_called_ = true;
        link->process_ = proved->process;
        link->begin_session(proved->session, Role::caller);
    }
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

base::Result<> Link::send(const Attributes& body, const Beside& beside) {
    const auto& descriptors = beside.descriptors;
    auto frame = encode_frame(body, descriptors.size(), beside.enclosed);
    if (!frame) {
        return base::fail(frame);
    }
    if (is_between_hosts_ && !descriptors.empty()) {
        return base::fail(ErrorCode::system, "{} may be on another host, where no memory can be shared with it",
                          to_string(peer()));
    }
    const std::lock_guard lock(send_mutex_);
    if (!is_open()) {
        return base::fail(ErrorCode::peer_lost, "{} is gone", to_string(peer()));
    }
    if (seal_) {
        const auto seal = seal_->of(*frame);
        frame->insert(frame->end(), seal.begin(), seal.end());
    }
    auto sent = outbox_.send(os::BorrowedDescriptor(watch_->descriptor()), *std::move(frame), descriptors);
    if (!sent) {
        return base::fail(sent.error().code, "{}: {}", to_string(peer()), sent.error().message);
    }
    if (seal_) {
        seal_->advance();
    }
    has_spoken_ = true;
    flush_later();
    return sent;
}

// The send mutex is held.
void Link::flush_later() {
    if (outbox_.empty() || flushing_) {
        return;
    }
    flushing_ = true;
    watch_->when_writable([weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->survives([&] { return self->write_more(); });
        }
    });
}

bool Link::write_more() {
    const std::lock_guard lock(send_mutex_);
    flushing_ = false;
    if (!outbox_.flush(os::BorrowedDescriptor(watch_->descriptor()))) {
        return false;  // a lost peer shows when reading
    }
    flush_later();
    return true;
}

base::Result<Packet> Link::call(Attributes request, const Beside& beside, const base::Deadline& deadline,
                                const std::function<base::Result<>()>& go_on) {
    constexpr base::Seconds between_questions{1.0};
    std::int64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        id = next_id_++;
        pending_[id];
    }
    base::Result<> refusal;
    request["id"] = id;
    auto sent = send(request, beside);
    const std::stop_callback wake(deadline.stop(), [this] {
        {
            const std::lock_guard lock(mutex_);
        }  // whoever has looked for an answer sleeps by now
        answered_.notify_all();
    });
    if (sent) {
        read_for_itself(id, deadline);
    }
    std::unique_lock lock(mutex_);
    // A peer that has closed its end may have said why; the loop is about to read it.
    if (sent || sent.error().code == ErrorCode::peer_lost) {
        const auto answered = [&] { return closed_ || pending_[id].answer.has_value(); };
        const auto turn = [&] {
            const base::Seconds left = deadline.left();
            return base::next_question(base::Deadline(go_on ? std::min(left, between_questions) : left));
        };
        const auto over = [&] { return answered() || deadline.is_stopped(); };
        base::Deadline question(between_questions);
        while (!answered_.wait_until(lock, turn().at(), over) && !deadline.passed()) {
            lock.unlock();  // whoever is asked may take its time, and locks of its own
            const bool interrupted = base::interrupted();
            if (go_on && question.passed()) {
                refusal = go_on();
                question = base::Deadline(between_questions);
            }
            lock.lock();
            if (interrupted || !refusal) {
                break;
            }
        }
    }
    auto answer = std::move(pending_[id].answer);
    pending_.erase(id);
    if (answer) {
        return *std::move(answer);
    }
    if (!sent && !closed_) {
        return base::fail(std::move(sent));
    }
    if (closed_) {
        return base::fail(closed_->code, "{}: {}", to_string(peer_), closed_->message);
    }
    if (!refusal) {
        return base::fail(std::move(refusal));
    }
    return base::fail(ErrorCode::timeout, "{} did not answer within {:g} s{}", to_string(peer_), deadline.seconds(),
                      is_between_hosts_ ? "" : advice_if_stopped(peer_));
}

base::Result<> Link::notify(const Attributes& message, const Beside& beside) { return send(message, beside); }

base::Result<> Link::reply(std::int64_t id, base::Result<Attributes> answer, const Beside& beside) {
    Attributes body;
    const bool is_failure = !answer;
    if (answer) {
        body = *std::move(answer);
    } else {
        body["error"] = static_cast<int>(answer.error().code);
        body["message"] = answer.error().message;
    }
    body["reply"] = id;
    auto sent = send(body, beside);
    if (!sent && sent.error().code != ErrorCode::peer_lost && !is_failure) {
        return reply(id, base::fail(sent));  // who asked must not wait for what cannot be sent
    }
    return sent;
}

void Link::refuse(const base::Failure& reason) {
    // What cannot be sent now need not be: the peer sees at least that the connection ends.
    static_cast<void>(send({{"refused", static_cast<int>(reason.code)}, {"message", reason.message}}, {}));
    close(reason);
}

void Link::begin_session(const Session& session, Role own) {
    session_ = session;
    seal_ = session.seal_of(own);
    decoder_.expect_seals(session.seal_of(own == Role::caller ? Role::listener : Role::caller));
}

void Link::trust(Proved proved, base::Claim connection) {
    const std::lock_guard sending(send_mutex_);
    const std::lock_guard lock(mutex_);
    connection_ = std::move(connection);
    process_ = std::move(proved.process);
    begin_session(proved.session, Role::listener);
    decoder_.set_bounds({});
}

base::Result<std::string> Link::session_token(std::string_view purpose) const {
    const std::lock_guard lock(mutex_);
    return session_ ? base::Result<std::string>(session_->token(purpose))
                    : base::fail(ErrorCode::closed, "{} had no key to prove: there is no token", to_string(peer_));
}

std::shared_ptr<Link::CloseHandler> Link::on_close(CloseHandler handler) {
    const std::lock_guard lock(mutex_);
    if (closed_) {
        return nullptr;
    }
    auto kept = std::make_shared<CloseHandler>(std::move(handler));
    std::erase_if(close_handlers_, [](const auto& listener) { return listener.expired(); });
    close_handlers_.push_back(kept);
    return kept;
}

bool Link::is_open() const {
    const std::lock_guard lock(mutex_);
    return !closed_;
}

std::optional<Link::Ending> Link::ending() const {
    const std::lock_guard lock(mutex_);
    return closed_ ? std::optional(Ending{closed_by_, *closed_}) : std::nullopt;
}

Peer Link::peer() const {
    const std::lock_guard lock(mutex_);
    return peer_;
}

void Link::set_peer(Peer peer) {
    const std::lock_guard lock(mutex_);
    peer_ = std::move(peer);
}

std::string Link::process() const {
    const std::lock_guard lock(mutex_);
    return process_;
}

base::Result<Address::HostPort> Link::peer_address() const {
    std::string text;
    {
        const std::lock_guard lock(mutex_);
        text = os::peer_address_of(os::BorrowedDescriptor(watch_->descriptor()));
    }
    const auto address = Address::parse(text);
    return address && address->host_port() != nullptr
               ? base::Result<Address::HostPort>(*address->host_port())
               : base::fail(ErrorCode::peer_lost, "{} is gone", to_string(peer()));
}

base::Result<os::FileDescriptor> Link::hand_over(std::int64_t id) {
    base::Result<os::FileDescriptor> socket = base::fail(ErrorCode::peer_lost, "{} is gone", to_string(peer()));
    if (is_open()) {
        const os::BorrowedDescriptor own(watch_->descriptor());
        socket = static_cast<const os::FileDescriptor&>(own).duplicate();
    }
    if (!socket) {
        return socket;
    }
    const auto sent = reply(id, Attributes{});
    {
        const std::lock_guard lock(send_mutex_);
        if (!sent || !is_open() || !outbox_.empty()) {
            socket = base::fail(ErrorCode::peer_lost, "{} is gone", to_string(peer()));
        }
    }
    close({ErrorCode::closed, "the connection is used for something else"}, Ending::By::words,
          socket ? Connection::goes_on : Connection::ends);
    return socket;
}

void Link::close(base::Failure reason, Ending::By by, Connection then) {
    std::vector<std::weak_ptr<CloseHandler>> handlers;
    {
        const std::lock_guard lock(mutex_);
        if (closed_) {
            return;
        }
        closed_ = std::move(reason);
        closed_by_ = by;
        if (then == Connection::ends) {
            // After nonsense from the peer the connection still stands; it must learn, too, that we are through.
            os::shut_down(os::BorrowedDescriptor(watch_->descriptor()));
        }
        handlers.swap(close_handlers_);
    }
    answered_.notify_all();
    for (const auto& listener : handlers) {
        if (const auto handler = listener.lock()) {
            survives([&] {
                (*handler)();
                return true;
            });
        }
    }
}

}  // namespace staithe::transport
