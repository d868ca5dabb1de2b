#include "stream/membership.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "base/interruption.hpp"
#include "stream/contact.hpp"
#include "stream/ended_note.hpp"
#include "stream/waiting_note.hpp"

namespace staithe::stream {
namespace {

using namespace std::chrono_literals;

// Looking for a writer that is not there yet: often at first, then at a rate that costs next to nothing.
constexpr auto shortest_pause = 1ms;
constexpr auto longest_pause = 50ms;
// Programs that start together wait a moment for each other, which is not worth a note.
constexpr auto wait_worth_a_note = 1s;

base::Result<transport::Packet> ask_to_join(transport::Endpoint& endpoint, const Contact& contact,
                                            std::shared_ptr<transport::Link>& link, const Attributes& request,
                                            const std::vector<int>& descriptors, const base::Deadline& deadline) {
    auto connected = endpoint.connect(contact.socket, deadline);
    if (!connected) {
        return base::fail(std::move(connected));
    }
    link = *std::move(connected);
    return link->call(request, descriptors, deadline);
}

base::Failure nobody_came(const std::string& run_directory, const std::string& stream, const base::Deadline& deadline) {
    if (const auto note = find_ended_note(run_directory, stream)) {
        return {ErrorCode::timeout, fmt::format("stream '{}' {}; nobody has opened it again within {:g} s: start the "
                                                "reader before the writer ends, which waits for it when it closes",
                                                stream, to_string(*note), deadline.seconds())};
    }
    return {ErrorCode::timeout,
            fmt::format("no program has opened stream '{}' for writing within {:g} s: check the name, that the writer "
                        "runs as this user on this host, and that both see the same run directory ({})",
                        stream, deadline.seconds(), run_directory)};
}

}  // namespace

bool may_appear_later(const base::Failure& failure) {
    return failure.code == ErrorCode::not_found || failure.code == ErrorCode::peer_lost;
}

base::Result<std::shared_ptr<Membership>> Membership::join(std::shared_ptr<transport::Endpoint> endpoint,
                                                           const std::string& stream, Attributes request,
                                                           const std::vector<int>& descriptors,
                                                           const base::Deadline& deadline) {
    std::shared_ptr<Membership> membership(new Membership);
    membership->endpoint_ = std::move(endpoint);
    membership->stream_ = stream;
    static std::atomic<std::int64_t> tickets{0};
    request["service"] = stream;
    request["ticket"] = ++tickets;
    transport::Packet answer;
    const auto began = base::Clock::now();
    std::optional<WaitingNote> note;
    for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        const auto contact = find_contact(membership->endpoint_->run_directory(), stream);
        if (!contact) {
            return base::fail(contact);
        }
        if (*contact) {
            auto reply =
                ask_to_join(*membership->endpoint_, **contact, membership->link_, request, descriptors, deadline);
            if (reply) {
                answer = *std::move(reply);
                break;
            }
            if (membership->link_ && !may_appear_later(reply.error())) {
                // Whatever became of the request, this rank does not come.
                static_cast<void>(membership->link_->notify(
                    {{"service", stream}, {"type", message_type::give_up}, {"ticket", request["ticket"]}}));
            }
            if (reply.error().code == ErrorCode::timeout) {
                return base::fail(ErrorCode::timeout,
                                  "stream '{}': {} has it open, but not all its ranks came within {:g} s", stream,
                                  transport::to_string((*contact)->writer), deadline.seconds());
            }
            if (!may_appear_later(reply.error())) {
                return base::fail(std::move(reply));
            }
        }
        if (deadline.passed() || base::interrupted()) {
            return tl::unexpected(nobody_came(membership->endpoint_->run_directory(), stream, deadline));
        }
        if (!note && base::Clock::now() - began >= wait_worth_a_note) {
            note.emplace(membership->endpoint_->run_directory(), stream, membership->endpoint_->self(), began);
        }
        std::this_thread::sleep_for(std::min<base::Clock::duration>(pause, deadline.left()));
    }

    if (auto taken = membership->take_place(std::move(answer)); !taken) {
        return base::fail(std::move(taken));
    }
    return membership;
}

base::Result<> Membership::take_place(transport::Packet answer) {
    auto joined = decode_joined(answer.body);
    if (!joined || answer.descriptors.size() != 1) {
        return joined ? base::fail(ErrorCode::protocol, "the director of '{}' sent no control memory", stream_)
                      : base::fail(std::move(joined));
    }
    joined_ = *std::move(joined);
    const MemberMemory& memory = joined_.memory;
    auto control =
        std::make_shared<transport::MappedPool>(std::move(answer.descriptors.front()), os::Access::read_write);
    const auto director_bell = control->bytes(director_bell_offset, MemberMemory::head_bytes);
    const auto own = control->bytes(memory.offset, memory.bytes());
    if (!director_bell || !own) {
        return base::fail(!own ? own : director_bell);
    }
    director_bell_ = reinterpret_cast<transport::Bell*>(director_bell->data());
    head_ = reinterpret_cast<MemberHead*>(own->data());
    down = {memory.down(own->data()), memory.down_slots};
    up_ = {memory.up(own->data()), memory.up_slots};
    lost_ = std::make_shared<Loss>();
    lost_->control = std::move(control);
    lost_->bell = &head_->bell;
    on_close_ = link_->on_close([weak = std::weak_ptr<Loss>(lost_)] {
        if (const auto loss = weak.lock()) {
            loss->gone.store(true, std::memory_order_release);
            transport::ring_always(*loss->bell);
        }
    });
    if (!on_close_) {
        lost_->gone.store(true, std::memory_order_release);
    }
    return {};
}

Membership::~Membership() {
    if (link_ && lost_ && !lost()) {
        tell(message_type::leave, {});
    }
}

void Membership::tell(const char* type, Attributes fields) {
    fields["service"] = stream_;
    fields["type"] = type;
    fields["member"] = joined_.member;
    static_cast<void>(link_->notify(fields));
}

std::string Membership::failure_in(const transport::Message& message) const {
    constexpr std::int64_t longest = 4096;
    const auto text = lost_->control->bytes(message.offset, std::clamp<std::int64_t>(message.bytes, 0, longest));
    return text ? failure_line({reinterpret_cast<const char*>(text->data()), text->size()})
                : "a writer rank failed, and what it said is garbled";
}

base::Result<transport::Packet> Membership::call(const char* type, Attributes fields, const base::Deadline& deadline) {
    fields["service"] = stream_;
    fields["type"] = type;
    fields["member"] = joined_.member;
    return link_->call(std::move(fields), {}, deadline);
}

bool Membership::send(const transport::Message& message) {
    if (!up_.push(message)) {
        return false;
    }
    transport::ring(*director_bell_);
    return true;
}

}  // namespace staithe::stream
