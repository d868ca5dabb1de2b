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
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "store/space/home.hpp"

namespace staithe::server {

namespace type = space::request;

namespace {

/// Of a server that lives.
constexpr base::Seconds time_to_answer{5.0};

std::string drawn_name() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

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
                                                  {"incarnation", self->incarnation_},
                                                  {"stores", begin_of_stores()}},
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
    const auto stores = base::integer_field(request.body, "stores", 0, UINT32_MAX);
    if (followers_ == nullptr || !rank || !incarnation || !stores || *rank == member_.rank) {
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
    fellows_[of].stores = static_cast<std::uint32_t>(*stores);
    request.client.fellow = of;
    request.client.incarnation = *incarnation;
    return Reply{{{"homes", homes_led()}, {"incarnation", incarnation_}, {"stores", begin_of_stores()}}};
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
    fellow.stores = static_cast<std::uint32_t>(base::integer_field(answer, "stores", 0, UINT32_MAX).value_or(0));
    fellow.is_known = true;
    fellow.homes = space::decode_homes(answer).value_or(std::set<int>());
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
    const auto was_its = [&, begin = fellow.stores](std::uint32_t store) {
        return rank_of(store) == rank && is_made_from(begin, store, member_.size);
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
    free_later();
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
            {"complete", followers_->has_all() && fellows_.at(*followers_->rank()).link->is_open() &&
                             !looks_for_singles_ && singles_.empty() && doubling_.empty()},
            {"follows", std::move(follows)}};
}

}  // namespace staithe::server
