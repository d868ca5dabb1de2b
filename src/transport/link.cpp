#include "transport/link.hpp"

#include <array>
#include <exception>
#include <new>
#include <utility>

#include "base/interruption.hpp"
#include "base/log.hpp"
#include "os/event.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{64} << 10;

/// So long a caller reads itself: beyond it, a hand-over makes no difference. The loop hears of deaths and requests
/// later.
constexpr base::Seconds longest_reading{0.005};

}  // namespace

std::string to_string(const Peer& peer) {
    const std::string program = peer.program.empty() ? "a process" : peer.program;
    return peer.pid == 0 ? fmt::format("{} at {}", program, peer.host)
                         : fmt::format("{} (pid {} on {})", program, peer.pid, peer.host);
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
        link->decoder_.set_bounds({max_body_of_strangers, 0});
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

base::Result<> Link::send(const Attributes& body, const std::vector<int>& descriptors) {
    auto frame = encode_frame(body, descriptors.size());
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

base::Result<Packet> Link::call(Attributes request, const std::vector<int>& descriptors, const base::Deadline& deadline,
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
    auto sent = send(request, descriptors);
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
    return base::fail(ErrorCode::timeout, "{} did not answer within {:g} s", to_string(peer_), deadline.seconds());
}

base::Result<> Link::notify(const Attributes& message) { return send(message, {}); }

base::Result<> Link::reply(std::int64_t id, base::Result<Attributes> answer, const std::vector<int>& descriptors) {
    Attributes body;
    const bool is_failure = !answer;
    if (answer) {
        body = *std::move(answer);
    } else {
        body["error"] = static_cast<int>(answer.error().code);
        body["message"] = answer.error().message;
    }
    body["reply"] = id;
    auto sent = send(body, descriptors);
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

/// What goes wrong over a message ends the talk with its sender, and neither the loop's thread nor the simulation.
bool Link::survives(const std::function<bool()>& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        close({ErrorCode::limit_reached, "this process has no memory left for its message"});
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "the connection to {} ends, since its message led to: {}", to_string(peer()),
                  error.what());
        close({ErrorCode::system, fmt::format("its message led to: {}", error.what())});
    }
    return false;
}

bool Link::read() {
    return survives([this] { return take_in(); });
}

bool Link::take_in() {
    const std::unique_lock reading(reading_, std::try_to_lock);
    if (!reading) {
        return true;  // a caller reads, who has the loop go on
    }
    if (torn_) {
        close(*torn_);
        return false;
    }
    if (left_) {
        dispatch(*std::exchange(left_, std::nullopt));
    }
    int descriptor = -1;
    {
        const std::lock_guard lock(mutex_);
        descriptor = watch_->descriptor();
    }
    const os::BorrowedDescriptor socket(descriptor);
    std::array<std::byte, bytes_at_once>
        buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the kernel
    for (;;) {
        if (!handle_packets()) {
            return false;
        }
        auto received = os::receive_some(socket, buffer);
        if (!received || !received->open) {
            close(received ? base::Failure{ErrorCode::peer_lost, "went away"} : received.error(), Ending::By::peer);
            return false;
        }
        decoder_.feed(std::span(buffer).first(received->bytes), std::move(received->descriptors));
        if (received->bytes < buffer.size()) {  // there is no more, or the loop calls again
            return handle_packets();
        }
    }
}

/// False: the link is closed.
bool Link::handle_packets() {
    while (is_open()) {
        auto packet = decoder_.next();
        if (!packet) {
            close(packet.error());
            return false;
        }
        if (!*packet) {
            return true;
        }
        dispatch(**std::move(packet));
    }
    return false;
}

void Link::dispatch(Packet packet) {
    if (auto refusal = failure_in(packet.body, "refused")) {
        close(*std::move(refusal));
        return;
    }
    if (find(packet.body, heartbeat_field) != nullptr || answer(packet)) {
        return;  // that a heartbeat came is all that it says
    }
    if (!is_between_hosts_ && packet.id() != 0) {
        watch_->expect_more();
    }
    on_request_(shared_from_this(), std::move(packet));
}

/// Whether it is one.
bool Link::answer(Packet& packet) {
    const Value* const reply = find(packet.body, "reply");
    if (reply == nullptr) {
        return false;
    }
    const std::int64_t id = reply->as_int().value_or(-1);
    auto failure = failure_in(packet.body, "error");
    const std::lock_guard lock(mutex_);
    // Nobody waits for an answer that comes after its deadline.
    if (const auto waiting = pending_.find(id); waiting != pending_.end()) {
        waiting->second.answer =
            failure ? base::Result<Packet>(tl::unexpected(*std::move(failure))) : std::move(packet);
        answered_.notify_all();
    }
    return true;
}

/// What is there now. `reading_` is held.
Link::Taken Link::take_answers() {
    std::array<std::byte, bytes_at_once>
        buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by the kernel
    auto received = os::receive_some(os::BorrowedDescriptor(watch_->descriptor()), buffer);
    if (!received) {
        torn_ = std::move(received).error();
        return Taken::what_the_loop_handles;
    }
    if (!received->open) {
        return Taken::what_the_loop_handles;  // which will see the same
    }
    if (received->bytes == 0) {
        return Taken::nothing;
    }
    decoder_.feed(std::span(buffer).first(received->bytes), std::move(received->descriptors));
    for (;;) {
        auto packet = decoder_.next();
        if (!packet) {
            torn_ = std::move(packet).error();
            return Taken::what_the_loop_handles;
        }
        if (!*packet) {
            return Taken::something;
        }
        if (find((*packet)->body, "refused") != nullptr || !answer(**packet)) {
            left_ = **std::move(packet);  // and all that comes after it
            return Taken::what_the_loop_handles;
        }
    }
}

/// Returns once the answer is there, or it is the loop that has to go on reading: after a moment in any case.
void Link::read_for_itself(std::int64_t id, const base::Deadline& deadline) {
    std::unique_lock reading(reading_, std::try_to_lock);
    if (!reading || torn_ || left_ || is_between_hosts_) {
        return;  // somebody else reads, or had to leave it; or it is the heartbeat's to hear
    }
    const auto is_answered = [&] {
        const std::lock_guard lock(mutex_);
        return closed_ || pending_[id].answer.has_value();
    };
    watch_->pause();
    bool goes_on = true;
    const auto done = [&] {
        const Taken taken = take_answers();
        goes_on = taken != Taken::what_the_loop_handles;
        return !goes_on || (taken == Taken::something && is_answered());
    };
    const base::Deadline moment(longest_reading);
    for (bool is_done = is_answered() || done() || spin(patience_, done); !is_done && !moment.passed();) {
        if (deadline.passed()) {
            break;
        }
        os::poll({{watch_->descriptor()}}, base::Deadline(std::min(moment.left(), deadline.left())));
        is_done = done() || is_answered();
    }
    if (!goes_on) {
        reading.unlock();  // or the loop, which is called once, would find that somebody reads
    }
    watch_->go_on(!goes_on);
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
