#include "stream/directing/membership.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "base/interruption.hpp"
#include "stream/finding/ended_note.hpp"
#include "stream/finding/roster.hpp"
#include "stream/waiting/long_wait.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

using namespace std::chrono_literals;

// Looking for a writer that is not there yet: often at first, then at a rate that costs next to nothing.
constexpr auto shortest_pause = 1ms;
constexpr auto longest_pause = 50ms;

constexpr auto until_twin_will_do = 300ms;

base::Result<transport::Packet> ask_to_join(transport::Endpoint& endpoint, const transport::Entry& entry,
                                            std::shared_ptr<transport::Link>& link, Attributes request,
                                            const Membership::Introduce& introduce, const OpeningTime& time,
                                            const std::function<base::Result<>()>& go_on) {
    link = nullptr;
    auto connected = transport::reach(endpoint, entry, time.of_greetings());
    if (!connected) {
        return base::fail(std::move(connected));
    }
    link = *std::move(connected);
    const auto descriptors = introduce ? introduce(*link, request) : std::vector<int>();
    return descriptors ? link->call(std::move(request), *descriptors, time.of_answers(), go_on)
                       : base::fail(descriptors);
}

/// Whether a program lives that `staithe run` has launched to write the stream.
bool is_to_come(const std::string& run_directory, const std::string& stream) {
    const auto programs = programs_to_come(run_directory, stream, Side::writes);
    return std::any_of(programs.begin(), programs.end(), [](const ProgramToCome& program) { return program.lives; });
}

/// `trouble`: what kept this process from those that may have it.
base::Failure nobody_came(const std::string& run_directory, const std::string& stream, const base::Deadline& deadline,
                          const transport::Search& search, const std::string& trouble) {
    if (!trouble.empty()) {
        return {ErrorCode::timeout,
                fmt::format("no program that has stream '{}' open for writing was found within {:g} s: {}", stream,
                            deadline.seconds(), trouble)};
    }
    if (const auto note = find_ended_note(run_directory, stream)) {
        return {ErrorCode::timeout, fmt::format("stream '{}' {}; nobody has opened it again within {:g} s: start the "
                                                "reader before the writer ends, which waits for it when it closes",
                                                stream, to_string(*note), deadline.seconds())};
    }
    if (search.where() != run_directory) {
        return {ErrorCode::timeout,
                fmt::format("no program has opened stream '{}' for writing within {:g} s, as far as "
                            "can be seen from {}: check the name and the address",
                            stream, deadline.seconds(), search.where())};
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
                                                           const Introduce& introduce, const OpeningTime& time,
                                                           const transport::Places& places) {
    std::shared_ptr<Membership> membership(new Membership);
    membership->endpoint_ = std::move(endpoint);
    membership->stream_ = stream;
    const std::string& run_directory = membership->endpoint_->run_directory();
    transport::Search search(run_directory, membership->endpoint_, transport::Kind::stream, stream, places);
    transport::Search twin(run_directory, membership->endpoint_, transport::Kind::stream, twin_of(stream), places);
    Awaited awaited{"no program has opened it for writing", {}, Awaited::Absent::writers, 1};
    std::optional<LongWait> wait;
    const auto began = base::Clock::now();
    const bool is_reader = request["type"] == Value(message_type::join_reader);
    const auto go_on = [&]() -> base::Result<> {
        if (!wait && base::Clock::now() - began >= LongWait::until_first_look) {
            const std::string role =
                fmt::format("{} rank {}", is_reader ? "reader" : "writer", request["rank"].as_int().value_or(0));
            wait.emplace(LongWait::Subject{stream, role, "somebody to open", membership->endpoint_,
                                           [&] { return awaited; }, time.is_chosen},
                         began);
        }
        return wait ? wait->look() : base::Result<>();
    };
    std::string trouble;
    bool is_unreachable = false;
    std::optional<base::Failure> no_room;
    for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        auto entry = search.look(time.of_greetings());
        membership->stream_ = stream;
        // The server that directs it may be gone; one that is still to publish it does so within moments.
        if (entry && (!*entry || is_unreachable) && is_reader && base::Clock::now() - began >= until_twin_will_do) {
            auto of_twin = twin.look(time.of_greetings());
            if (of_twin && *of_twin) {
                entry = std::move(of_twin);
                membership->stream_ = twin_of(stream);
            }
        }
        if (!entry) {
            return base::fail(entry);
        }
        request["service"] = membership->stream_;
        if (!*entry) {
            trouble = search.trouble();
        } else {
            awaited.reason = fmt::format("{} has it open, but not all its ranks", transport::to_string((*entry)->peer));
            auto entered = membership->enter(**entry, request, introduce, time, go_on);
            if (entered) {
                return membership;
            }
            is_unreachable = membership->link_ == nullptr;
            // Where it is this process that has none left, the link has ended.
            const bool has_no_room =
                membership->link_ && membership->link_->is_open() && entered.error().code == ErrorCode::limit_reached;
            // Where there was trouble before, the last attempt may have had no time.
            const bool was_short = !membership->link_ && !trouble.empty() && time.deadline.passed();
            if (!may_appear_later(entered.error()) && !was_short && (!has_no_room || time.deadline.passed())) {
                // Who has many callers may not answer the last of them in time.
                return no_room && entered.error().code == ErrorCode::timeout ? tl::unexpected(*std::move(no_room))
                                                                             : base::fail(std::move(entered));
            }
            if (!was_short) {  // what could not be reached may be gone, and have left its contact
                const bool has_left = membership->link_ && entered.error().code == ErrorCode::not_found;
                trouble = has_left ? "" : entered.error().message;
            }
            if (has_no_room) {  // it may once others have left: until then this one keeps nothing of it
                membership->link_ = nullptr;
                search.let_go();
                no_room = entered.error();
            } else if (entered.error().code != ErrorCode::timeout) {
                no_room.reset();
            }
        }
        awaited.reason = trouble.empty() ? "no program has opened it for writing" : "nobody could be asked: " + trouble;
        if (base::interrupted() || (time.deadline.passed() && (time.is_chosen || !is_to_come(run_directory, stream)))) {
            return tl::unexpected(no_room ? *std::move(no_room)
                                          : nobody_came(run_directory, stream, time.deadline, search, trouble));
        }
        if (auto patience = go_on(); !patience) {
            return base::fail(std::move(patience));
        }
        std::this_thread::sleep_for(
            time.deadline.passed() ? pause : std::min<base::Clock::duration>(pause, time.deadline.left()));
    }
}

/// Asks the process that has the stream for a place in it. The director may go in the middle; another may come.
base::Result<> Membership::enter(const transport::Entry& entry, Attributes request, const Introduce& introduce,
                                 const OpeningTime& time, const std::function<base::Result<>()>& go_on) {
    static std::atomic<std::int64_t> tickets{0};
    const Value ticket = ++tickets;
    request["ticket"] = ticket;
    const bool is_writer = request["type"] == Value(message_type::join_writer);
    auto answer = ask_to_join(*endpoint_, entry, link_, std::move(request), introduce, time, go_on);
    if (!answer) {
        if (link_ && !may_appear_later(answer.error())) {
            give_up(ticket);
        }
        if (answer.error().code == ErrorCode::timeout && link_ && time.is_chosen) {
            return base::fail(ErrorCode::timeout,
                              "stream '{}': {} has it open, but not all its ranks came within {:g} s", stream_,
                              transport::to_string(entry.peer), time.deadline.seconds());
        }
        return base::fail(std::move(answer));
    }
    auto taken = take_place(*std::move(answer), is_writer, time.of_answers());
    if (!taken) {
        give_up(ticket);
        if (taken.error().code == ErrorCode::limit_reached) {
            link_ = nullptr;  // it is this process that has none left
        }
    }
    return taken;
}

/// Whatever became of the request, this rank does not come.
void Membership::give_up(const Value& ticket) const {
    static_cast<void>(link_->notify({{"service", stream_}, {"type", message_type::give_up}, {"ticket", ticket}}));
}

base::Result<> Membership::take_place(transport::Packet answer, bool is_writer, const base::Deadline& deadline) {
    auto joined = decode_joined(answer.body);
    if (!joined) {
        return base::fail(std::move(joined));
    }
    joined_ = *std::move(joined);
    if (link_->is_between_hosts()) {
        auto socket = endpoint_->connect_further(*link_, channel_purpose(stream_, joined_.member), deadline);
        if (!socket) {
            return base::fail(std::move(socket));
        }
        answer.descriptors.clear();
        answer.descriptors.push_back(*std::move(socket));
        const auto ahead = endpoint_->clock_ahead(*link_, deadline);
        if (!ahead) {
            return base::fail(ahead);
        }
        clock_ahead_ = *ahead;
    }
    if (answer.descriptors.empty()) {
        return base::fail(ErrorCode::protocol, "the director of '{}' sent no channel", stream_);
    }
    if (is_writer && !joined_.server.empty() && answer.descriptors.size() > 1) {
        memory_ = std::move(answer.descriptors.back());
        answer.descriptors.pop_back();
    }
    if (transport::sees_memory(joined_.channel)) {
        auto segment = transport::MappedPool::open(std::move(answer.descriptors.back()));
        if (!segment) {
            return base::fail(std::move(segment));
        }
        segment_ = *std::move(segment);
        answer.descriptors.pop_back();
    }
    auto channel = transport::open_channel(joined_.channel, std::move(answer.descriptors), endpoint_->loop());
    if (!channel) {
        return base::fail(std::move(channel));
    }
    lost_ = std::make_shared<Loss>();
    lost_->channel = *std::move(channel);
    when_lost_ = transport::when_lost(*link_, lost_->channel, endpoint_->loop(),
                                      [weak = std::weak_ptr<Loss>(lost_)](const std::string& how) {
                                          if (const auto loss = weak.lock()) {
                                              loss->how = how;
                                              loss->gone.store(true, std::memory_order_release);
                                              loss->channel->wake();
                                          }
                                      });
    if (!when_lost_) {
        lost_->how = transport::how_lost(*link_);
        lost_->gone.store(true, std::memory_order_release);
    }
    return {};
}

Membership::~Membership() {
    if (link_ && lost_ && !lost()) {
        if (lost_->channel->is_connected()) {
            static_cast<void>(lost_->channel->send(hot_message(Hot::left)));
        }
        tell(message_type::leave, {});
    }
}

void Membership::tell(const char* type, Attributes fields) {
    fields["service"] = stream_;
    fields["type"] = type;
    fields["member"] = joined_.member;
    static_cast<void>(link_->notify(fields));
}

base::Result<Awaited> Membership::awaited() {
    constexpr base::Seconds patience{1.0};
    auto answer = call(message_type::awaits, {}, base::Deadline(patience));
    return answer ? decode_awaited(answer->body) : base::fail(std::move(answer));
}

void Membership::show_asleep(std::int64_t since) const {
    channel().show(shown_by_member::asleep_since, since == 0 ? 0 : since + clock_ahead_.count());
}

base::Result<std::vector<std::byte>> Membership::named_in(const transport::Message& message) const {
    if (segment_) {
        return segment_->copy_of(message.offset, message.bytes);
    }
    auto enclosed = channel().take_enclosed();
    if (!enclosed || static_cast<std::int64_t>(enclosed->size()) != message.bytes) {
        return base::fail(ErrorCode::protocol, "{} bytes were to be enclosed, {} came", message.bytes,
                          enclosed ? enclosed->size() : 0);
    }
    return *std::move(enclosed);
}

base::Result<Membership::Announced> Membership::announced_in(const transport::Message& message) const {
    const bool has_table = static_cast<Hot>(message.kind) == Hot::announce;
    if (segment_) {
        auto table = has_table ? named_in(message) : std::vector<std::byte>();
        return table ? base::Result<Announced>({*std::move(table), {}}) : base::fail(std::move(table));
    }
    auto enclosed = channel().take_enclosed().value_or(std::vector<std::byte>());
    if (!has_table) {
        return Announced{{}, std::move(enclosed)};
    }
    const auto size = static_cast<std::int64_t>(enclosed.size());
    if (message.bytes < 0 || message.bytes > size) {
        return base::fail(ErrorCode::protocol, "a table of {} bytes was to be enclosed, {} came", message.bytes, size);
    }
    const auto end_of_table = enclosed.begin() + message.bytes;
    std::vector<std::byte> blocks(end_of_table, enclosed.end());
    enclosed.erase(end_of_table, enclosed.end());
    return Announced{std::move(enclosed), std::move(blocks)};
}

std::string Membership::text_in(const transport::Message& message) const {
    constexpr std::int64_t longest = 4096;
    const auto text = named_in(message);
    return text && message.bytes <= longest ? failure_line({reinterpret_cast<const char*>(text->data()), text->size()})
                                            : "a writer rank failed, and what it said is garbled";
}

base::Result<transport::Packet> Membership::call(const char* type, Attributes fields, const base::Deadline& deadline) {
    fields["service"] = stream_;
    fields["type"] = type;
    fields["member"] = joined_.member;
    return link_->call(std::move(fields), {}, deadline);
}

}  // namespace staithe::stream
