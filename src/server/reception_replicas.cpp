// Servers that go on for each other. What a server leads, the names of its own home and of those that it has gone on
// for, the next one that lives follows; that one leads it once this one is gone.
//
// A server is taken for gone only when nobody listens any more where it did, or when another process has its place. Of
// one that is merely silent nothing is known: its follower's word is awaited, and nobody goes on for it. So no two lead
// the same. One that was taken for gone though it lives, since the network lied, has nothing acknowledged from then on,
// and leads nothing any more once it hears of that.
#include <algorithm>
#include <random>
#include <utility>

#include "base/fields.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "memory/pool.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "store/space/home.hpp"

namespace staithe::server {

using store::space::BlockPlace;
using store::space::Put;
namespace type = space::request;

namespace {

/// Of a server that lives.
constexpr base::Seconds time_to_answer{5.0};

/// For programs, to say what they hold that a server had pinned which is gone.
constexpr auto until_all_hold_again = std::chrono::seconds(5);

std::string drawn_name() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

// Who is there ----------------------------------------------------------------------------------------------------

void Reception::keep_replicas() {
    const std::lock_guard lock(mutex_);
    incarnation_ = drawn_name();
    followers_ = std::make_unique<Followers>(spaces_, answers_, [this](const store::BlockRef& ref) {
        const auto blocks = stores_.find(ref.store);
        const std::byte* const bytes = blocks == nullptr ? nullptr : blocks->address_of(ref);
        return std::span(bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(ref.bytes));
    });
    safe_ = followers_.get();
    for (int rank = 0; rank < member_.size; ++rank) {
        if (rank != member_.rank) {
            fellows_.emplace(rank, Fellow{});
        }
    }
}

void Reception::look_for_fellows() {
    if (followers_ == nullptr || is_past_) {
        return;
    }
    for (auto& [rank, fellow] : fellows_) {
        const bool is_silent = rank == followers_->rank() && !followers_->silence();
        if (!fellow.is_looked_for && (is_silent || fellow.link == nullptr || !fellow.link->is_open())) {
            look_for(rank);
        }
    }
}

void Reception::look_for(int rank) {
    fellows_[rank].is_looked_for = true;
    const auto looks = others_.look(rank, endpoint_, [reception = weak_from_this(), rank](const auto& link) {
        const auto self = reception.lock();
        if (self == nullptr) {
            return;
        }
        const auto answer = link ? (*link)->call({{"service", space::server_service},
                                                  {"type", type::meet},
                                                  {"rank", self->member_.rank},
                                                  {"incarnation", self->incarnation_}},
                                                 {}, base::Deadline(time_to_answer))
                                 : base::fail(link);
        std::unique_lock lock(self->mutex_);
        self->fellows_[rank].is_looked_for = false;
        if (answer) {
            self->has_met(rank, *link, answer->body);
        } else if (answer.error().code == ErrorCode::closed) {
            self->lead_nothing(answer.error().message);
        } else if (!link && link.error().code == ErrorCode::not_found) {
            self->has_gone(rank);
        }
        self->lead_own();
        self->tell_due(lock);
    });
    fellows_[rank].is_looked_for = bool(looks);
}

Reception::Answer Reception::meet(const Request& request) {
    const auto rank = base::integer_field(request.body, "rank", 0, member_.size - 1);
    const auto incarnation = base::text_field(request.body, "incarnation");
    if (followers_ == nullptr || !rank || !incarnation || *rank == member_.rank) {
        return base::fail(ErrorCode::invalid_argument,
                          "server '{}' keeps no replicas, or not with this one: start all of a name with the same "
                          "--size and --replicas",
                          server_);
    }
    if (gone_.contains(*incarnation)) {
        return base::fail(ErrorCode::closed,
                          "server '{}' could not be found, others have gone on for it, and it keeps nothing any more: "
                          "end it, and start it anew",
                          space::member_name(member_.servers, static_cast<int>(*rank), member_.size));
    }
    const int of = static_cast<int>(*rank);
    const std::string& known = fellows_[of].incarnation;
    if (!known.empty() && known != *incarnation && !has_gone(of)) {  // no two have its name at a time
        return base::fail(ErrorCode::timeout, "what the server has said that was in its place has not all come yet");
    }
    fellows_[of].incarnation = *incarnation;
    request.client.fellow = of;
    request.client.incarnation = *incarnation;
    return Reply{{{"homes", homes_led()}, {"incarnation", incarnation_}}};
}

Reception::Answer Reception::homes(const Request& /*request*/) { return Reply{{{"homes", homes_led()}}}; }

void Reception::has_met(int rank, const std::shared_ptr<transport::Link>& link, const Attributes& answer) {
    const std::string incarnation = base::text_field(answer, "incarnation").value_or("");
    const std::string& known = fellows_[rank].incarnation;
    const bool is_another = !known.empty() && known != incarnation;
    if (gone_.contains(incarnation) || (is_another && !has_gone(rank))) {
        return;  // or it is met again soon
    }
    Fellow& fellow = fellows_[rank];
    fellow.link = client_of(link).link;  // whose end is noticed from now on
    fellow.incarnation = incarnation;
    fellow.is_known = true;
    fellow.homes.clear();
    if (const List* const homes = base::list_field(answer, "homes")) {
        for (const Value& home : *homes) {
            fellow.homes.insert(static_cast<int>(home.as_int().value_or(-1)));
        }
    }
    if (followers_->rank() == rank && !followers_->is_told_over(*link)) {
        followers_->begin(rank, link, leads_);  // what was told over the link before may not have come
    }
    looks_for_singles_ = true;
    choose_follower();
}

/// Nothing of it is left but what others have. False if not all has come yet that it has said: then it goes later.
bool Reception::has_gone(int rank) {
    Fellow& fellow = fellows_[rank];
    fellow.is_going = std::ranges::any_of(
        clients_, [&](const auto& each) { return each.second.fellow == rank && is_of_fellow(each.second); });
    if (fellow.is_going) {
        return false;
    }
    fellow.link = nullptr;
    fellow.is_known = true;
    fellow.homes.clear();
    if (fellow.incarnation.empty()) {
        return true;  // it was not there before
    }
    gone_.insert(std::exchange(fellow.incarnation, {}));
    base::log(base::LogLevel::warn, "server '{}' is gone", space::member_name(member_.servers, rank, member_.size));
    const auto was_its = [&](std::uint32_t store) {
        return static_cast<int>(store % static_cast<std::uint32_t>(member_.size)) == rank;
    };
    for (auto& [space, catalog] : spaces_) {
        catalog->lose(was_its);
    }
    for (auto& [leader, following] : following_) {
        for (auto& [space, catalog] : following.spaces()) {
            catalog->lose(was_its);
        }
    }
    if (followers_->rank() == rank) {
        followers_->end();
    }
    go_on_for(rank);
    for (auto next = claims_.begin(); next != claims_.end();) {
        const auto claiming = next++;
        if (claiming->second.rank == rank) {
            const auto then = std::move(claiming->second.then);
            claims_.erase(claiming);
            then(false);
        }
    }
    std::erase_if(doubling_, [&](const auto& each) { return each.second.rank == rank; });
    looks_for_singles_ = true;
    frees_from_ = base::Clock::now() + until_all_hold_again;
    choose_follower();
    return true;
}

void Reception::go_on_for(int rank) {
    const auto found = following_.find(rank);
    if (found == following_.end()) {
        return;
    }
    Following& following = found->second;
    if (!following.has_all()) {
        base::log(base::LogLevel::warn, "server '{}' goes on for '{}', of which it had not been told everything yet",
                  server_, space::member_name(member_.servers, rank, member_.size));
    }
    following.lead();
    for (auto& [space, catalog] : following.spaces()) {
        this->catalog(space).absorb(std::move(*catalog));
    }
    answers_.absorb(std::move(following.answers()));
    leads_.insert(following.homes().begin(), following.homes().end());
    following_.erase(found);
    if (followers_->rank()) {
        followers_->begin(*followers_->rank(), fellows_[*followers_->rank()].link, leads_);
    }
}

/// What it keeps others have already changed, perhaps.
void Reception::lead_nothing(const std::string& why) {
    if (!std::exchange(is_past_, true)) {
        base::log(base::LogLevel::error, "{}", why);
    }
    has_begun_ = true;
    leads_.clear();
    following_.clear();
    followers_->end();
    for (auto waiting = waiting_.begin(); waiting != waiting_.end(); waiting = stop_waiting(waiting)) {
        reply(*waiting->link, waiting->id, base::fail(ErrorCode::peer_lost, "{}", why));
    }
}

/// Once, when it is known of all others whether they have gone on for it.
void Reception::lead_own() {
    const auto is_known = [](const auto& each) { return each.second.is_known; };
    const auto leads_it = [&](const auto& each) { return each.second.homes.contains(member_.rank); };
    if (has_begun_ || !std::ranges::all_of(fellows_, is_known)) {
        return;
    }
    has_begun_ = true;
    if (std::ranges::none_of(fellows_, leads_it)) {
        leads_.insert(member_.rank);
        choose_follower();
    }
}

void Reception::choose_follower() {
    for (int next = 1; next < member_.size && !followers_->rank() && !leads_.empty(); ++next) {
        const int rank = (member_.rank + next) % member_.size;
        if (const auto& link = fellows_[rank].link; link != nullptr && link->is_open()) {
            followers_->begin(rank, link, leads_);
        }
    }
}

base::Result<> Reception::check_lead(std::string_view asked, const Attributes& body) const {
    static constexpr std::array of_names{type::put,        type::put_elsewhere, type::put_many,       type::find,
                                         type::find_many,  type::cancel,        type::versions,       type::remove,
                                         type::retain,     type::attributes,    type::set_attributes, type::lock,
                                         type::cancel_lock};
    if (followers_ == nullptr || std::ranges::find(of_names, asked) == of_names.end() ||
        (asked == type::put && body.contains("home"))) {
        return {};
    }
    const auto space = base::text_field(body, "space");
    const auto leads = [&](const std::string& name) {
        return leads_.contains(store::space::home_of(space.value_or(""), name, member_.size));
    };
    const List* const variables = base::list_field(body, "variables");
    const auto variable = base::text_field(body, body.contains("path") ? "path" : "variable");
    const bool leads_all =
        variables != nullptr
            ? std::ranges::all_of(*variables,
                                  [&](const Value& each) { return each.as_string() && leads(*each.as_string()); })
            : variable && leads(*variable);
    return leads_all ? followers_->silence()
                     : base::fail(ErrorCode::peer_lost, "server '{}' does not lead what '{}' belongs to", server_,
                                  base::printable(variable.value_or("one of these")));
}

// Following -------------------------------------------------------------------------------------------------------

Reception::Answer Reception::follow(const Request& request) {
    const auto rank = request.client.fellow;
    const auto number = base::integer_field(request.body, "number", 1, INT64_MAX);
    const Attributes* const change = base::map_field(request.body, "change");
    if (followers_ == nullptr || !rank || !number || change == nullptr) {
        return base::fail(ErrorCode::protocol, "server '{}' is told what it does not follow", server_);
    }
    auto found = following_.find(*rank);
    if (found == following_.end() && base::text_field(*change, "kind").value_or("") == "begin") {
        const auto keep =
            [this, link = request.client.link](std::span<const std::byte> bytes) -> base::Result<store::BlockRef> {
            const auto own = own_store(client_of(link));
            auto room = own ? (*own)->allocate(static_cast<std::int64_t>(bytes.size())) : base::fail(own);
            if (room && !bytes.empty()) {
                std::ranges::copy(bytes, (*own)->address_of(*room));
            }
            return room;
        };
        found = following_.try_emplace(*rank, keep, [this](const store::BlockRef& ref) { free_when_safe(ref); }).first;
    }
    if (found == following_.end() || !is_of_fellow(request.client)) {  // it is gone, and this one has gone on for it
        return std::nullopt;
    }
    if (const auto taken = found->second.take(*change, request.enclosed); !taken) {
        base::log(base::LogLevel::warn, "server '{}' follows '{}', but has not all that it has: {}", server_,
                  space::member_name(member_.servers, *rank, member_.size), taken.error().message);
    }
    static_cast<void>(request.client.link->notify(
        {{"service", space::server_service}, {"type", type::followed}, {"number", *number}}));
    return std::nullopt;
}

Reception::Answer Reception::followed(const Request& request) {
    const auto number = base::integer_field(request.body, "number", 1, INT64_MAX);
    const auto rank = followers_ != nullptr ? followers_->rank() : std::nullopt;
    if (number && rank && fellows_[*rank].link == request.client.link) {
        followers_->take_word(*number);
    }
    return std::nullopt;
}

void Reception::answer(const std::shared_ptr<transport::Link>& link, std::int64_t id, base::Result<Reply> now) {
    if (followers_ == nullptr || !followers_->is_behind()) {
        reply(*link, id, std::move(now));
        return;
    }
    const auto kept = std::make_shared<base::Result<Reply>>(std::move(now));  // it may tell of what is not safe yet
    followers_->flush(
        [link, id, kept](const base::Result<>& safe) { reply(*link, id, safe ? std::move(*kept) : base::fail(safe)); });
}

void Reception::tell_due(std::unique_lock<std::mutex>& lock) {
    if (followers_ == nullptr) {
        return;
    }
    for (auto due = followers_->take_due(); !due.empty(); due = followers_->take_due()) {
        lock.unlock();
        for (const auto& [done, outcome] : due) {
            done(outcome);
        }
        lock.lock();
    }
}

// Large blocks, which lie with two servers ------------------------------------------------------------------------

Reception::Answer Reception::put_room_with_twin(const Request& request, Put put, std::int64_t room) {
    request.client.far_rooms.erase(room);
    request.client.reserved.erase(room);
    const store::BlockRef ref = put.ref;
    put_with_twin(
        *base::text_field(request.body, "space"), std::move(put), request.client.link.get(),
        [this, link = request.client.link, id = request.id, ref](const base::Result<Outcome>& outcome) {
            if (!outcome || outcome->again) {
                free(ref);
            }
            const auto safe = outcome ? outcome->safe : base::fail(outcome);
            answer(link, id,
                   safe ? base::Result<Reply>(Reply{{{"version", outcome->version}, {"again", outcome->again}}})
                        : base::fail(safe));
        });
    return std::nullopt;
}

void Reception::put_elsewhere_with_twin(const Request& request, std::int64_t ticket) {
    const auto told = [link = request.client.link, ticket](const base::Result<Outcome>& outcome) {
        const auto safe = outcome ? outcome->safe : base::fail(outcome);
        const base::Result<std::int64_t> version[] = {safe ? base::Result<std::int64_t>(outcome->version)
                                                           : base::fail(safe)};
        static_cast<void>(link->notify({{"service", space::server_service},
                                        {"type", type::was_put},
                                        {"ticket", ticket},
                                        {"again", outcome && outcome->again},
                                        {"kept", outcome && !outcome->again},
                                        {"versions", space::encode(version)}}));
    };
    const auto leads = is_of_fellow(request.client)
                           ? check_lead(type::put_elsewhere, request.body)
                           : base::fail(ErrorCode::peer_lost, "the server with the block is gone");
    auto put = leads ? put_from_elsewhere(request) : base::fail(leads);
    if (put) {
        put_with_twin(*base::text_field(request.body, "space"), *std::move(put), nullptr, told);
    } else {
        told(base::fail(put));
    }
}

/// The block is this server's, and so is its twin from now on, if it is still there.
void Reception::put_with_twin(const std::string& space, Put put, const transport::Link* by, Told told) {
    const auto twin = put.twin;
    const std::int64_t bytes = put.block.data_bytes();
    const auto then = [this, space, put = std::move(put), by, told = std::move(told)](bool has_twin) {
        Put both = put;
        both.twin = has_twin ? put.twin : std::nullopt;
        put_both(space, std::move(both), by, told);
    };
    if (!twin) {
        then(false);
        return;
    }
    const int rank = rank_of(twin->first);
    if (rank == member_.rank) {
        then(take_claimed(*twin, bytes));
        return;
    }
    const auto& link = fellows_[rank].link;
    if (link == nullptr || !link->is_open()) {
        then(false);
        return;
    }
    claims_.emplace(++last_claim_, Claiming{rank, then});
    static_cast<void>(link->notify({{"service", space::server_service},
                                    {"type", type::claim},
                                    {"ticket", last_claim_},
                                    {"store", twin->first},
                                    {"at", twin->second},
                                    {"bytes", bytes}}));
}

void Reception::put_both(const std::string& space, Put put, const transport::Link* by, const Told& told) {
    const BlockPlace place = store::space::place_of(put.ref);
    const auto give_up_twin = [&] {
        if (put.twin) {
            free({.store = put.twin->first, .offset = put.twin->second, .bytes = put.ref.bytes});
        }
    };
    if (const auto before = answers_.find(put.id)) {
        const bool is_the_same = before->place == place;
        if (!is_the_same) {
            give_up_twin();
        }
        told(Outcome{before->version, !is_the_same});
        return;
    }
    const auto version = put_one(by, space, put);
    if (!version) {
        give_up_twin();
        told(base::fail(version));
        return;
    }
    answers_.add(put.id, {*version, place});
    looks_for_singles_ = looks_for_singles_ || !put.twin;
    const auto kept = catalog(space).at(put.block.variable, *version);
    const auto done = [told, number = *version](const base::Result<>& safe) { told(Outcome{number, false, safe}); };
    if (kept != nullptr) {
        followers_->put(space, put, *kept, {}, {});
    }
    answer_waiting(space, put.block.variable);
    // Called without the mutex, which the answer needs.
    followers_->flush([reception = weak_from_this(), done](const base::Result<>& safe) {
        if (const auto self = reception.lock()) {
            const std::lock_guard lock(self->mutex_);
            done(safe);
        }
    });
}

bool Reception::take_claimed(const BlockPlace& place, std::int64_t bytes) {
    if (kept_.contains(place)) {  // it was claimed by one that is gone
        return true;
    }
    for (auto& [link, client] : clients_) {
        const auto room = std::ranges::find_if(client.reserved, [&](const auto& each) {
            return store::space::place_of(each.second) == place && each.second.bytes == bytes;
        });
        if (room != client.reserved.end() && is_filled(client, room->first)) {
            kept_.emplace(place, room->second);
            client.far_rooms.erase(room->first);
            client.reserved.erase(room);
            return true;
        }
    }
    return false;
}

Reception::Answer Reception::claim(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const auto store = base::integer_field(request.body, "store", 0, UINT32_MAX);
    const auto at = base::integer_field(request.body, "at", 0, INT64_MAX);
    const auto bytes = base::integer_field(request.body, "bytes", 0, INT64_MAX);
    const bool has_it = request.client.fellow && store && at && bytes &&
                        take_claimed({static_cast<std::uint32_t>(*store), *at}, *bytes);
    static_cast<void>(request.client.link->notify({{"service", space::server_service},
                                                   {"type", type::claimed},
                                                   {"ticket", ticket.value_or(0)},
                                                   {"there", has_it}}));
    return std::nullopt;
}

Reception::Answer Reception::claimed(const Request& request) {
    const auto claiming = claims_.find(base::integer_field(request.body, "ticket", 1, INT64_MAX).value_or(0));
    if (claiming != claims_.end() && fellows_[claiming->second.rank].link == request.client.link) {
        const auto then = std::move(claiming->second.then);
        claims_.erase(claiming);
        then(base::flag_field(request.body, "there"));
    }
    return std::nullopt;
}

// What programs hold -----------------------------------------------------------------------------------------------

bool Reception::is_freed_later(const store::BlockRef& ref) {
    if (ref.bytes > memory::Pool::small_limit && base::Clock::now() < frees_from_) {
        late_.push_back(ref);
        return true;
    }
    const auto pinned = pinned_.find(store::space::place_of(ref));
    if (pinned == pinned_.end()) {
        return false;
    }
    pinned->second.freed = ref;
    return true;
}

void Reception::free_late() {
    if (!late_.empty() && base::Clock::now() >= frees_from_) {
        for (const store::BlockRef& ref : std::exchange(late_, {})) {
            free(ref);
        }
    }
}

Reception::Answer Reception::hold(const Request& request) {
    const auto ticket = base::integer_field(request.body, "ticket", 1, INT64_MAX);
    const List* const listed = base::list_field(request.body, "places");
    if (followers_ == nullptr || !ticket || request.client.held.contains(*ticket) || listed == nullptr ||
        listed->size() % 2 != 0) {
        return base::fail(ErrorCode::protocol, "blocks are to be held without a ticket of their own");
    }
    std::vector<BlockPlace> places;
    for (std::size_t i = 0; i < listed->size(); i += 2) {
        const auto store = (*listed)[i].as_int().value_or(-1), at = (*listed)[i + 1].as_int().value_or(-1);
        const auto blocks =
            store < 0 || store >= store::space::lost_store ? nullptr : stores_.find(static_cast<std::uint32_t>(store));
        if (blocks != nullptr) {
            places.emplace_back(static_cast<std::uint32_t>(store), at);
            ++pinned_[places.back()].holders;
        }
    }
    request.client.held.emplace(*ticket,
                                std::shared_ptr<const void>(nullptr, [this, places = std::move(places)](const void*) {
                                    std::ranges::for_each(places, [this](const BlockPlace& place) { let_go(place); });
                                }));
    return Reply{};
}

void Reception::let_go(const BlockPlace& place) {
    const auto pinned = pinned_.find(place);
    if (pinned == pinned_.end() || --pinned->second.holders > 0) {
        return;
    }
    const auto freed = pinned->second.freed;
    pinned_.erase(pinned);
    if (freed) {
        free(*freed);
    }
}

Attributes Reception::describe_replicas() const {
    const auto name = [&](int rank) { return space::member_name(member_.servers, rank, member_.size); };
    const auto names_of = [&](const std::set<int>& ranks) {
        List names;
        std::ranges::transform(ranks, std::back_inserter(names), name);
        return names;
    };
    List follows;
    for (const auto& [rank, following] : following_) {
        follows.emplace_back(name(rank));
    }
    return {{"leads", names_of(leads_)},
            {"follower", followers_->rank() ? Value(name(*followers_->rank())) : Value()},
            {"past", is_past_},
            {"silent", !followers_->silence()},
            {"complete", followers_->has_all() && !looks_for_singles_ && singles_.empty() && doubling_.empty()},
            {"follows", std::move(follows)}};
}

}  // namespace staithe::server
