#include "server/followers.hpp"

#include <limits>

#include "memory/pool.hpp"
#include "server/changes.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {
namespace {

// So much is under way at once to a follower that begins, or the link would hold it all.
constexpr std::size_t most_bytes_under_way = std::size_t{16} << 20;
constexpr std::int64_t most_changes_under_way = 1000;

/// Of one that lives.
constexpr auto until_it_is_silent = std::chrono::seconds(4);

constexpr int nobody_completes = std::numeric_limits<int>::max();

}  // namespace

void Followers::begin(int rank, std::shared_ptr<transport::Link> follower, const std::set<int>& homes) {
    end();
    rank_ = rank;
    follower_ = std::move(follower);
    tell({{"kind", change::begin}, {"homes", List(homes.begin(), homes.end())}}, {}, {});
    answers_.visit(
        [this](const store::space::PutId& id, const Answers::Answer& answer) { tell(change_of(id, answer), {}, {}); });
    for (const auto& [space, catalog] : spaces_) {
        for (const auto& [variable, rules] : catalog->rules()) {
            retain({space, variable, rules}, {});
        }
        for (const auto& [path, attributes] : catalog->containers().all()) {
            set_attributes({space, path, attributes}, {});
        }
        catalog->visit_versions([&](const store::space::Version& version) {
            to_tell_.push_back({space, version.variable(), version.number()});
        });
    }
    tell_more();
}

void Followers::end() {
    follower_ = nullptr;
    has_all_ = false;
    to_tell_.clear();
    last_of_beginning_ = std::nullopt;
    under_way_.clear();
    bytes_under_way_ = 0;
    silence_ = {};
    taken_ = last_;
    for (Waiting& each : std::exchange(waiting_, {})) {
        due_.emplace_back(std::move(each.done), base::Result<>());
    }
}

void Followers::tell_more() {
    while (!to_tell_.empty() && bytes_under_way_ < most_bytes_under_way && last_ - taken_ < most_changes_under_way) {
        const Told next = std::move(to_tell_.front());
        to_tell_.pop_front();
        tell(next);
    }
    if (to_tell_.empty() && !last_of_beginning_) {
        Attributes completions;
        for (const auto& [space, catalog] : spaces_) {
            completions[space] = catalog->completions();
        }
        tell({{"kind", change::all}, {"completions", std::move(completions)}}, {}, {});
        last_of_beginning_ = last_;
    }
}

/// In place of all that the follower has heard of it.
void Followers::tell(const Told& told) {
    const auto catalog = spaces_.find(told.space);
    const auto version = catalog == spaces_.end() ? nullptr : catalog->second->at(told.variable, told.number);
    if (version == nullptr) {
        return;
    }
    tell(change_of_drop(told.space, *version), {}, {});
    const store::space::VersionState state = version->state();
    for (std::size_t place = 0; place < version->block_count(); ++place) {
        const store::space::VersionBlock block = version->block(place);
        store::space::Put put{.block = version->whole(), .version = told.number, .by = {}};
        put.block.attributes = {};
        put.block.box = block.box;
        put.block.column_major = block.column_major;
        put.by = {.name = version->putter(place), .rank = 0, .ranks = nobody_completes};
        put.ref = block.ref;
        put.twin = block.twin;
        const bool is_small =
            block.ref.bytes <= memory::Pool::small_limit && block.ref.store != store::space::lost_store;
        tell(change_of(told.space, put, state.completion), is_small ? look_(block.ref) : std::span<const std::byte>(),
             {});
    }
    tell(change_of(told.space, told.variable, told.number, state), {}, {});
}

void Followers::take_word(std::int64_t number) {
    for (; taken_ < number && !under_way_.empty(); ++taken_) {
        bytes_under_way_ -= under_way_.front().bytes;
        under_way_.pop_front();
    }
    silence_ = {};
    while (!waiting_.empty() && waiting_.front().last <= taken_) {
        due_.emplace_back(std::move(waiting_.front().done), base::Result<>());
        waiting_.pop_front();
    }
    has_all_ = has_all_ || (last_of_beginning_ && taken_ >= *last_of_beginning_);
    tell_more();
}

void Followers::look_at_clock() {
    if (!is_behind() || base::Clock::now() - under_way_.front().since < until_it_is_silent) {
        return;
    }
    silence_ = base::fail(ErrorCode::timeout,
                          "{}, which is to go on when this server is gone, does not answer. Until it does, or has "
                          "ended, nothing is safe, and nothing is acknowledged; what was asked for last may have been "
                          "done",
                          to_string(follower_->peer()));
    std::deque<Waiting> patient;
    for (Waiting& each : std::exchange(waiting_, {})) {
        if (each.is_patient) {
            patient.push_back(std::move(each));
        } else {
            due_.emplace_back(std::move(each.done), silence_);
        }
    }
    waiting_ = std::move(patient);
}

void Followers::tell(Attributes change, std::span<const std::byte> bytes, Done done) {
    if (follower_) {
        ++last_;
        under_way_.push_back({bytes.size(), base::Clock::now()});
        bytes_under_way_ += bytes.size();
        const Attributes message{{"service", space::server_service},
                                 {"type", space::request::follow},
                                 {"number", last_},
                                 {"change", std::move(change)}};
        static_cast<void>(follower_->notify(message, bytes));
    }
    wait(std::move(done));
}

void Followers::wait(Done done, bool is_patient) {
    if (done && is_behind() && (silence_ || is_patient)) {
        waiting_.push_back({last_, std::move(done), is_patient});
    } else if (done) {
        due_.emplace_back(std::move(done), is_patient ? base::Result<>() : silence_);
    }
}

void Followers::put(const std::string& space, store::space::Put put, const store::space::Version& version,
                    std::span<const std::byte> bytes, Done done) {
    put.version = version.number();
    const bool is_small = put.block.data_bytes() <= memory::Pool::small_limit;
    tell(change_of(space, put, version.completion()), is_small ? bytes : std::span<const std::byte>(), std::move(done));
}

Followers::Removal::Removal(Followers& followers, const std::string& space, const store::space::Wanted& wanted,
                            const store::space::PutId& id)
    : followers_(followers) {
    followers_.tell(change_of(space, wanted, id), {}, {});
    followers_.is_removing_ = true;
}

void Followers::add_twin(const std::string& space, const std::string& variable, std::int64_t version,
                         const store::space::BlockPlace& of, const store::space::BlockPlace& twin) {
    tell(change_of(space, variable, version, ToldTwin{of, twin}), {}, {});
}

void Followers::drop(const std::string& space, const store::space::Version& version) {
    ++drops_;
    if (!is_removing_) {
        tell(change_of_drop(space, version), {}, {});
    }
}

void Followers::retain(const PersistedRules& rules, Done done) { tell(change_of(rules), {}, std::move(done)); }

void Followers::set_attributes(const PersistedAttributes& attributes, Done done) {
    tell(change_of(attributes), {}, std::move(done));
}

void Followers::flush(Done done) { wait(std::move(done)); }

}  // namespace staithe::server
