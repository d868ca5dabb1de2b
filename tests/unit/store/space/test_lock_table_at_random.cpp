// Random histories of lockers, beside a model that looks at all pairs of locks after each event.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "store/space/lock_table.hpp"

namespace staithe::store::space {
namespace {

using std::chrono::seconds;

/// Boxes are sets of elements here, of an array of 4 × 4.
struct ModelLock {
    std::int64_t request = 0;
    std::int64_t token = 0;
    std::int64_t holder = 0;
    std::string variable;
    LockMode mode = LockMode::read;
    unsigned elements = 0;
    seconds lease{};
    LockTable::Time expires;
};

unsigned elements_in(const Box& box) {
    unsigned elements = 0;
    for (int i = 0; i < 16; ++i) {
        const Extents place{i / 4, i % 4};
        bool inside = true;
        for (std::size_t d = 0; d < box.dimensions(); ++d) {
            inside = inside && place[d] >= box.offset[d] && place[d] < box.offset[d] + box.count[d];
        }
        elements |= inside ? 1U << i : 0U;
    }
    return elements;
}

class LockModel {
  public:
    using Event = std::tuple<LockTable::Event::Kind, std::int64_t, std::int64_t, std::int64_t>;
    enum class Outcome : std::uint8_t { granted, waits, deadlock };

    std::vector<ModelLock> locks;  // by request
    std::vector<Event> events;
    std::int64_t next_token = 1;

    [[nodiscard]] static bool holds_up(const ModelLock& other, const ModelLock& lock) {
        return other.holder != lock.holder && other.variable == lock.variable &&
               (other.mode == LockMode::write || lock.mode == LockMode::write) &&
               (other.elements & lock.elements) != 0 && (other.token != 0 || other.request < lock.request);
    }
    [[nodiscard]] bool is_free(const ModelLock& lock) const {
        return std::none_of(locks.begin(), locks.end(), [&](const auto& other) { return holds_up(other, lock); });
    }
    [[nodiscard]] bool is_shared(const ModelLock& lock) const {
        return std::any_of(locks.begin(), locks.end(),
                           [&](const auto& other) { return other.token != 0 && holds_up(other, lock); });
    }
    /// Who waits for whom, themselves or through others.
    [[nodiscard]] std::map<std::int64_t, std::map<std::int64_t, bool>> waits() const {
        std::map<std::int64_t, std::map<std::int64_t, bool>> graph;
        for (const auto& lock : locks) {
            for (const auto& other : locks) {
                if (lock.token == 0 && holds_up(other, lock)) {
                    graph[lock.holder][other.holder] = true;
                }
            }
        }
        for (const auto& middle : graph) {
            for (auto& [from, awaited] : graph) {
                if (awaited.contains(middle.first)) {
                    awaited.insert(middle.second.begin(), middle.second.end());
                }
            }
        }
        return graph;
    }
    Outcome request(ModelLock lock, LockTable::Time now) {
        auto graph = waits();
        bool may_pass = true;
        bool circle = false;
        for (const auto& other : locks) {
            if (holds_up(other, lock)) {
                const bool waits_for_it = graph[other.holder].contains(lock.holder);
                may_pass = may_pass && waits_for_it && other.token == 0;
                circle = circle || waits_for_it;
            }
        }
        if (circle && !may_pass) {
            return Outcome::deadlock;
        }
        if (may_pass) {
            lock.token = next_token++;
            lock.expires = now + lock.lease;
        }
        locks.push_back(lock);
        return may_pass ? Outcome::granted : Outcome::waits;
    }
    /// Ends those locks, and serves who waited.
    template <class Which>
    void end(LockTable::Time now, const Which& which) {
        std::erase_if(locks, which);
        for (auto& lock : locks) {
            if (lock.token == 0 && is_free(lock)) {
                lock.token = next_token++;
                lock.expires = now + lock.lease;
                events.emplace_back(LockTable::Event::Kind::granted, lock.holder, lock.request, lock.token);
            }
        }
    }
    void expire(LockTable::Time now) {
        auto sorted = locks;
        std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
            return std::pair(a.expires, a.request) < std::pair(b.expires, b.request);
        });
        for (const auto& lock : sorted) {
            if (lock.token != 0 && lock.expires <= now) {
                events.emplace_back(LockTable::Event::Kind::lapsed, lock.holder, lock.request, lock.token);
            }
        }
        end(now, [&](const auto& lock) { return lock.token != 0 && lock.expires <= now; });
    }
    [[nodiscard]] const ModelLock* held(std::int64_t token) const {
        const auto found =
            std::find_if(locks.begin(), locks.end(), [&](const auto& lock) { return lock.token == token; });
        return token == 0 || found == locks.end() ? nullptr : &*found;
    }
};

class LockHistory {
  public:
    explicit LockHistory(std::uint64_t seed) : random_(seed), holders_wanted_(2 + seed % 7), busy_(seed % 3) {}

    void step() {
        while (holders_.size() < holders_wanted_) {
            holders_.push_back(table_.join("h" + std::to_string(holders_.size())));
        }
        now_ += seconds(draw(10) == 0 ? draw(8) : 0);
        switch (draw(12 + 6 * busy_)) {
            case 0: drop(); break;
            case 1: cancel(); break;
            case 2: renew(); break;
            case 3: table_.expire(now_), model_.expire(now_); break;
            case 4: check(); break;
            case 5:
            case 6:
            case 7: release(); break;
            default: request(); break;
        }
        compare();
    }
    [[nodiscard]] const std::map<std::string, int>& seen() const { return seen_; }

  private:
    std::int64_t draw(std::uint64_t below) { return static_cast<std::int64_t>(random_() % below); }
    Box draw_box() {
        Box box;
        for (auto left = draw(3); left > 0; --left) {
            const auto offset = draw(4);
            box.offset.push_back(offset);
            box.count.push_back(std::min(draw(4), 4 - offset));
        }
        return box;
    }
    /// Mostly one that is held.
    std::int64_t draw_token() {
        std::vector<std::int64_t> held{1 + draw(static_cast<std::uint64_t>(model_.next_token))};
        for (const auto& lock : model_.locks) {
            if (lock.token != 0) {
                held.push_back(lock.token);
            }
        }
        return held[static_cast<std::size_t>(draw(held.size()))];
    }

    void request() {
        const auto holder = holders_[static_cast<std::size_t>(draw(holders_.size()))];
        const Box box = draw_box();
        const LockTable::Wish wish{.variable = draw(2) == 0 ? "T" : "P",
                                   .mode = draw(2) == 0 ? LockMode::read : LockMode::write,
                                   .box = box,
                                   .lease = seconds(1 + draw(20))};
        model_.expire(now_);
        ModelLock lock{.request = next_request_,
                       .token = 0,
                       .holder = holder,
                       .variable = wish.variable,
                       .mode = wish.mode,
                       .elements = elements_in(box),
                       .lease = std::chrono::duration_cast<seconds>(wish.lease),
                       .expires = {}};
        const bool passes = !model_.is_free(lock);
        const auto expected = model_.request(lock, now_);
        const auto answer = table_.request(holder, wish, now_);
        if (expected == LockModel::Outcome::deadlock) {
            ++seen_["deadlock"];
            ASSERT_FALSE(answer.has_value());
            ASSERT_EQ(answer.error().code, ErrorCode::deadlock);
            return;
        }
        ASSERT_TRUE(answer.has_value()) << answer.error().message;
        ASSERT_EQ(answer->request, next_request_++);
        ASSERT_EQ(answer->token.has_value(), expected == LockModel::Outcome::granted);
        if (answer->token) {
            ASSERT_EQ(*answer->token, model_.locks.back().token);
            ++seen_[passes ? "passed" : "granted"];
        } else {
            ++seen_["waits"];
        }
    }
    void release() {
        const auto token = draw_token();
        model_.expire(now_);
        const bool is_held = model_.held(token) != nullptr;
        ASSERT_EQ(table_.release(token, now_).has_value(), is_held);
        model_.end(now_, [&](const auto& lock) { return lock.token == token; });
        ++seen_[is_held ? "released" : "refused"];
    }
    void renew() {
        const auto token = draw_token();
        model_.expire(now_);
        for (auto& lock : model_.locks) {
            if (lock.token == token) {
                lock.expires = now_ + lock.lease;
            }
        }
        ASSERT_EQ(table_.renew(token, now_).has_value(), model_.held(token) != nullptr);
    }
    void check() {
        const auto token = draw_token();
        const Box box = draw_box();
        const LockMode mode = draw(2) == 0 ? LockMode::read : LockMode::write;
        model_.expire(now_);
        const auto* lock = model_.held(token);
        const auto checked = table_.check(token, "T", mode, box, now_);
        if (checked) {
            ++seen_["checked"];
            ASSERT_NE(lock, nullptr);
            ASSERT_EQ(lock->variable, "T");
            ASSERT_TRUE(mode == LockMode::read || lock->mode == LockMode::write);
            ASSERT_EQ(elements_in(box) & ~lock->elements, 0U);
        } else {
            ASSERT_EQ(checked.error().code == ErrorCode::closed, lock == nullptr && token < model_.next_token);
        }
    }
    void cancel() {
        const auto request = 1 + draw(static_cast<std::uint64_t>(next_request_));
        model_.expire(now_);
        const auto before = model_.locks.size();
        model_.end(now_, [&](const auto& lock) { return lock.request == request; });
        ASSERT_EQ(table_.cancel(request, now_), model_.locks.size() < before);
    }
    void drop() {
        const auto place = holders_.begin() + draw(holders_.size());
        const auto holder = *place;
        model_.expire(now_);
        model_.end(now_, [&](const auto& lock) { return lock.holder == holder; });
        table_.drop(holder, now_);
        *place = table_.join("again");
    }

    void compare() {
        std::vector<LockModel::Event> events;
        for (const auto& event : table_.events()) {
            events.emplace_back(event.kind, event.holder, event.request, event.token);
            ++seen_[event.kind == LockTable::Event::Kind::lapsed ? "lapsed" : "served"];
        }
        ASSERT_EQ(events, model_.events);
        table_.events().clear();
        model_.events.clear();

        ASSERT_EQ(table_.locks().size(), model_.locks.size());
        auto next_expiry = LockTable::Time::max();
        for (const auto& lock : model_.locks) {
            const Lock& real = table_.locks().at(lock.request);
            ASSERT_EQ(real.token, lock.token);
            ASSERT_EQ(real.holder->number, lock.holder);
            if (lock.token == 0) {
                ASSERT_FALSE(model_.is_free(lock)) << "kept waiting for nothing";
            }
            ASSERT_EQ(table_.describe_wait(lock.request, now_) == "nothing is in its way", lock.token != 0);
            if (lock.token != 0) {
                ASSERT_EQ(real.expires, lock.expires);
                ASSERT_FALSE(model_.is_shared(lock)) << "held by two";
                next_expiry = std::min(next_expiry, lock.expires);
            }
        }
        ASSERT_EQ(table_.next_expiry().value_or(LockTable::Time::max()), next_expiry);
        for (const auto& [holder, awaited] : model_.waits()) {
            ASSERT_FALSE(awaited.contains(holder)) << "waits for itself";
        }
    }

    std::mt19937_64 random_;
    const std::uint64_t holders_wanted_;
    const std::uint64_t busy_;
    LockTable table_{LockTable::Settings{}};
    LockModel model_;
    std::vector<std::int64_t> holders_;
    std::int64_t next_request_ = 1;
    LockTable::Time now_{seconds(1000)};
    std::map<std::string, int> seen_;
};

TEST(LockTableAtRandom, DoesAsTheModel) {
    std::map<std::string, int> seen;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        LockHistory history(seed);
        for (int step = 0; step < 200; ++step) {
            history.step();
            ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", step " << step;
        }
        for (const auto& [what, count] : history.seen()) {
            seen[what] += count;
        }
    }
    for (const char* what :
         {"granted", "passed", "waits", "deadlock", "released", "refused", "served", "lapsed", "checked"}) {
        EXPECT_GT(seen[what], 100) << what;
    }
}

}  // namespace
}  // namespace staithe::store::space
