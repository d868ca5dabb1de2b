#include "space/spread/lock_circle.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace staithe::space {

std::vector<LockCircle::Step> LockCircle::find() const {
    struct Way {
        int rank = 0;
        store::space::WayOut way;
    };
    std::map<std::string, Way> ways;  // by the holder that they lead to
    std::vector<std::string> front{holder_};
    while (!front.empty() && !ways.contains(holder_)) {
        std::vector<std::string> next;
        for (int rank = 0; rank < servers_; ++rank) {
            auto found = ask_(rank, front, holder_);
            for (auto& way : found ? *found : std::vector<store::space::WayOut>{}) {
                const bool is_asked_for = std::ranges::find(front, way.from) != front.end();
                if (is_asked_for && !ways.contains(way.to)) {
                    next.push_back(way.to);
                    ways.emplace(next.back(), Way{rank, std::move(way)});
                }
            }
        }
        front = std::move(next);
    }
    std::vector<Step> circle;
    for (auto last = ways.find(holder_); last != ways.end();) {
        const auto& [rank, way] = last->second;
        std::vector<Step> steps;
        std::ranges::transform(way.steps, std::back_inserter(steps),
                               [&](const auto& step) { return Step{rank, step}; });
        circle.insert(circle.begin(), steps.begin(), steps.end());
        last = way.from == holder_ ? ways.end() : ways.find(way.from);
    }
    return circle;
}

base::Result<> LockCircle::look() {
    const std::vector<Step> before = std::exchange(last_, find());
    const bool is_one = !last_.empty() && std::ranges::equal(last_, before, [](const Step& a, const Step& b) {
        return a.rank == b.rank && a.step.waiting == b.step.waiting && a.step.in_the_way == b.step.in_the_way;
    });
    // All who are in it see it: they agree by their keys on who gives up.
    if (!is_one || std::ranges::any_of(last_, [&](const Step& one) { return one.step.holder > holder_; })) {
        return {};
    }
    std::vector<std::string> texts;
    std::ranges::transform(last_, std::back_inserter(texts), [](const Step& one) { return one.step.text; });
    return base::fail(ErrorCode::deadlock, "{}", store::space::describe_circle(texts));
}

}  // namespace staithe::space
