#include "transport/approach.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/interruption.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"
#include "transport/frame.hpp"

namespace staithe::transport {
namespace {

// How long an address has to answer before the next one is tried as well: what browsers give it (RFC 8305).
constexpr base::Seconds head_start{0.25};

/// The caller's side of the proofs, as bytes on a socket that does not block.
class Proving {
  public:
    Proving() { decoder_.set_bounds({max_body_of_strangers, 0, 0}); }

    static base::Result<> begin(const os::FileDescriptor& socket, const Visitor& visitor) {
        Attributes challenge = visitor.challenge();
        challenge["id"] = 1;
        return say(socket, challenge);
    }

    /// Takes in what has come, and says what is next: whether that was all.
    base::Result<bool> go_on(const os::FileDescriptor& socket, Visitor& visitor) {
        for (;;) {
            std::vector<std::byte> bytes(decoder_.lacks());  // no more: what comes after the proofs is the link's
            auto received = os::receive_some(socket, bytes);
            if (!received || !received->open) {
                return received ? base::fail(ErrorCode::peer_lost, "ended the connection") : base::fail(received);
            }
            if (received->bytes == 0) {
                return false;
            }
            decoder_.feed(std::span(bytes).first(received->bytes), std::move(received->descriptors));
            const auto packet = decoder_.next();
            if (!packet) {
                return base::fail(ErrorCode::protocol, "is no process of this version of Staithe");
            }
            if (*packet) {
                auto done = hear((*packet)->body, socket, visitor);
                if (!done || *done) {
                    return done;
                }
            }
        }
    }

  private:
    static base::Result<> say(const os::FileDescriptor& socket, const Attributes& body) {
        const auto frame = encode_frame(body, 0);
        const auto sent = frame ? os::send_some(socket, *frame, {}) : base::fail(frame);
        if (!sent) {
            // Who has closed its end may have said why: that is read next.
            return sent.error().code == ErrorCode::peer_lost ? base::Result<>() : base::fail(sent);
        }
        // The first bytes of a connection find room.
        return *sent == frame->size() ? base::Result<>()
                                      : base::fail(ErrorCode::peer_lost, "takes nothing of what it is told");
    }

    base::Result<bool> hear(const Attributes& body, const os::FileDescriptor& socket, Visitor& visitor) {
        if (auto refusal = failure_in(body, "refused")) {
            return tl::unexpected(*std::move(refusal));
        }
        if (visitor.session()) {
            return true;
        }
        auto answer = visitor.answer(body);
        if (!answer) {
            static_cast<void>(say(socket, {{"refused", static_cast<int>(answer.error().code)},
                                           {"message", "is not believed: it does not prove that it has the key"}}));
            return base::fail(std::move(answer));
        }
        (*answer)["id"] = 2;
        auto said = say(socket, *answer);
        return said ? base::Result<bool>(false) : base::fail(std::move(said));
    }

    FrameDecoder decoder_;
};

/// One address, from connecting to the end of the proofs.
class Attempt {
  public:
    Attempt(const os::NetworkAddress& address, os::FileDescriptor socket, Visitor visitor)
        : address_(address), socket_(std::move(socket)), visitor_(std::move(visitor)) {}

    [[nodiscard]] std::string at() const { return to_string(address_); }
    [[nodiscard]] os::Polled awaited() const { return {socket_.get(), !is_connected_, is_connected_}; }
    /// When there is something to do: whether that was all.
    base::Result<bool> go_on() {
        if (is_connected_) {
            return proving_.go_on(socket_, visitor_);
        }
        auto connected = os::finish_connecting(socket_, address_);
        is_connected_ = connected.has_value();
        auto begun = connected ? Proving::begin(socket_, visitor_) : std::move(connected);
        return begun ? base::Result<bool>(false) : base::fail(std::move(begun));
    }
    [[nodiscard]] const std::string& listener() const { return visitor_.listener(); }
    Approached take() && { return {std::move(socket_), std::move(visitor_), at()}; }

  private:
    os::NetworkAddress address_;
    os::FileDescriptor socket_;
    Visitor visitor_;
    Proving proving_;
    bool is_connected_ = false;
};

/// What to do about a failure.
std::string advice_on(ErrorCode code) {
    switch (code) {
        case ErrorCode::not_found: return ": check the port, and that the program there listens (STAITHE_LISTEN)";
        case ErrorCode::timeout: return ": is the host up, and does its firewall let TCP through to that port?";
        default: return "";
    }
}

class Race {
  public:
    Race(const Approaching& approaching, const std::shared_ptr<const Key>& key, const base::Deadline& deadline,
         bool& takes_nobody)
        : approaching_(approaching), key_(key), deadline_(deadline), takes_nobody_(takes_nobody) {
        for (const auto& [host, port] : approaching.places) {
            if (const auto number = os::network_address(host, port)) {
                waiting_.push_back(*number);
            } else {
                look_up(host, port);
            }
        }
    }

    base::Result<Approached> run() {
        for (;;) {
            start_what_is_due();
            if (waiting_.empty() && running_.empty() && lookups_.empty()) {
                return tl::unexpected(failure());
            }
            if (deadline_.passed() || base::interrupted()) {
                give_up();
                return tl::unexpected(failure());
            }
            const auto ready = sleep();
            take_in_numbers(ready);
            if (auto winner = go_on(ready)) {
                return *std::move(winner);
            }
        }
    }

  private:
    struct Lookup {
        std::string host;
        std::uint16_t port;
        os::HostLookup lookup;
    };

    void look_up(const std::string& host, std::uint16_t port) {
        auto lookup = os::HostLookup::begin(host);
        if (lookup) {
            lookups_.push_back({host, port, *std::move(lookup)});
        } else {
            failures_.push_back(lookup.error());
        }
    }

    void start_what_is_due() {
        while (!waiting_.empty() && (running_.empty() || base::Clock::now() >= next_start_)) {
            const os::NetworkAddress address = waiting_.front();
            waiting_.pop_front();
            auto socket = os::begin_connecting(address);
            if (!socket) {
                fail(to_string(address), socket.error());
                continue;
            }
            running_.push_back(std::make_unique<Attempt>(address, *std::move(socket),
                                                         Visitor(key_, {approaching_.self, ""}, approaching_.purpose)));
            next_start_ = base::Clock::now() + std::chrono::duration_cast<base::Clock::duration>(head_start);
        }
    }

    /// Until something happens: first come the lookups, then what runs.
    std::vector<bool> sleep() {
        std::vector<os::Polled> awaited;
        for (const Lookup& each : lookups_) {
            awaited.push_back({each.lookup.descriptor()});
        }
        for (const auto& attempt : running_) {
            awaited.push_back(attempt->awaited());
        }
        base::Seconds longest = deadline_.left();
        if (!waiting_.empty()) {
            longest = std::min<base::Seconds>(longest, next_start_ - base::Clock::now());
        }
        os::poll(std::span(awaited), base::next_question(base::Deadline(longest)));
        std::vector<bool> ready;
        for (const os::Polled& each : awaited) {
            ready.push_back(each.ready);
        }
        return ready;
    }

    void take_in_numbers(const std::vector<bool>& ready) {
        std::size_t index = 0;
        lookups_at_last_sleep_ = lookups_.size();
        std::erase_if(lookups_, [&](const Lookup& each) {
            auto numbers = ready[index++] ? each.lookup.result() : std::nullopt;
            if (!numbers) {
                return false;
            }
            if (!*numbers) {
                failures_.push_back(numbers->error());
                return true;
            }
            for (const std::string& number : **numbers) {
                waiting_.push_back({number, each.port});
            }
            return true;
        });
    }

    std::optional<Approached> go_on(const std::vector<bool>& ready) {
        std::optional<Approached> winner;
        std::size_t index = lookups_at_last_sleep_;
        std::erase_if(running_, [&](const std::unique_ptr<Attempt>& attempt) {
            if (!ready[index++] || winner) {
                return false;
            }
            const auto done = attempt->go_on();
            if (!done) {
                takes_nobody_ = takes_nobody_ || done.error().code == ErrorCode::limit_reached;
                fail(attempt->at(), done.error());
                return true;
            }
            if (*done && !approaching_.wanted.empty() && attempt->listener() != approaching_.wanted) {
                fail(attempt->at(), {ErrorCode::not_found, "another process answers there"});
                return true;
            }
            if (*done) {
                winner = std::move(*attempt).take();
            }
            return *done;
        });
        return winner;
    }

    void fail(const std::string& at, const base::Failure& failure) {
        // What the system says names the address.
        const bool names_it = failure.message.find(at) != std::string::npos;
        failures_.push_back({failure.code, (names_it ? "" : at + ": ") + failure.message});
    }

    void give_up() {
        for (const auto& attempt : running_) {
            failures_.push_back({ErrorCode::timeout,
                                 fmt::format("{} did not answer within {:g} s", attempt->at(), deadline_.seconds())});
        }
        for (const Lookup& each : lookups_) {
            failures_.push_back({ErrorCode::timeout,
                                 fmt::format("no name server said within {:g} s which number the host '{}' has: give "
                                             "its number",
                                             deadline_.seconds(), each.host)});
        }
    }

    /// Of all failures: the one that tells most of whether to try again.
    [[nodiscard]] base::Failure failure() const {
        base::Failure all{ErrorCode::not_found, ""};
        const auto any = [&](ErrorCode code) {
            return std::any_of(failures_.begin(), failures_.end(), [&](const auto& each) { return each.code == code; });
        };
        const auto other = std::find_if(failures_.begin(), failures_.end(),
                                        [](const auto& each) { return each.code != ErrorCode::not_found; });
        if (other != failures_.end()) {
            all.code = any(ErrorCode::limit_reached) ? ErrorCode::limit_reached
                       : any(ErrorCode::timeout)     ? ErrorCode::timeout
                                                     : other->code;
        }
        for (const base::Failure& each : failures_) {
            all.message += (all.message.empty() ? "" : "; ") + each.message;
        }
        all.message += advice_on(all.code);
        return all;
    }

    const Approaching& approaching_;
    const std::shared_ptr<const Key>& key_;
    const base::Deadline& deadline_;
    bool& takes_nobody_;
    std::vector<Lookup> lookups_;
    std::size_t lookups_at_last_sleep_ = 0;
    std::deque<os::NetworkAddress> waiting_;
    std::vector<std::unique_ptr<Attempt>> running_;
    base::Clock::time_point next_start_;
    std::vector<base::Failure> failures_;
};

}  // namespace

base::Result<Approached> approach(const Approaching& approaching, const std::shared_ptr<const Key>& key,
                                  const base::Deadline& deadline, bool& takes_nobody) {
    return Race(approaching, key, deadline, takes_nobody).run();
}

base::Result<> prove(const os::FileDescriptor& socket, Visitor& visitor, const base::Deadline& deadline) {
    Proving proving;
    if (auto begun = Proving::begin(socket, visitor); !begun) {
        return begun;
    }
    for (;;) {
        auto done = proving.go_on(socket, visitor);
        if (!done || *done) {
            return done ? base::Result<>() : base::fail(std::move(done));
        }
        if (deadline.passed() || base::interrupted()) {
            return base::fail(ErrorCode::timeout, "did not answer within {:g} s", deadline.seconds());
        }
        os::poll({{socket.get()}}, base::next_question(deadline));
    }
}

}  // namespace staithe::transport
