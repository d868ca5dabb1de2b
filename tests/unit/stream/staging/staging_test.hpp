// Staging whose depots fetch when they are told to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stream/staging/staging.hpp"
#include "unit/stream/staging/blocks_of_a_rank.hpp"

namespace staithe::stream {

/// Fetches when it is told to, into as much memory as it is given.
class ToldDepot final : public Depot {
  public:
    base::Result<> take(Consignment consignment, Then then) override {
        if (is_broken) {
            return base::fail(ErrorCode::peer_lost, "the depot is gone");
        }
        waiting.emplace_back(std::move(consignment), std::move(then));
        return {};
    }
    [[nodiscard]] bool takes_more() const override { return !drains; }
    void free(std::int64_t place) override {
        used -= places.at(place);
        places.erase(place);
    }
    void shrink() override { shrinks = true; }
    void stop() override { stopped = true; }

    /// What came first, which it has room for or not.
    void fetch() {
        const auto next = std::move(waiting.front());
        waiting.erase(waiting.begin());
        const std::int64_t bytes = stow(next.first.blocks).value().bytes;
        if (used + bytes > room) {
            next.second(base::fail(ErrorCode::limit_reached, "no room"));
            return;
        }
        used += bytes;
        next_place += 1'000'000;
        places[next_place] = bytes;
        Stowed come{next_place, bytes / saves, next.first.blocks};
        const auto stowage = stow(come.blocks).value();
        for (std::size_t i = 0; i < come.blocks.size(); ++i) {
            come.blocks[i].offset = next_place + stowage.offsets[i];
        }
        next.second(come);
    }

    std::vector<std::pair<Consignment, Then>> waiting;
    std::map<std::int64_t, std::int64_t> places;
    std::int64_t used = 0, room = INT64_MAX, next_place = 0;
    std::int64_t saves = 1;  // how many times less memory it takes than what was asked for
    bool is_broken = false, drains = false, shrinks = false, stopped = false;
};

inline transport::Entry on(const std::string& host, int pid = 1) {
    auto entry = transport::own_entry(transport::Kind::stream, "melt", {}, {"p", host, pid});
    entry.process.boot = host;
    return entry;
}

inline constexpr std::uint32_t first_store = 100;

class StagingTest : public ::testing::Test {
  protected:
    ToldDepot& add(const std::string& host) {
        depots_.push_back(std::make_shared<ToldDepot>());
        staging_.add(depots_.back(), host, host);
        return *depots_.back();
    }
    static Said record(std::int64_t step, const std::vector<std::int64_t>& blocks) {
        Said said;
        said.step = step;
        for (const std::int64_t bytes : blocks) {
            said.blocks.push_back({.store = 1, .offset = 4096, .bytes = bytes});
        }
        said.schema_bytes = encode_schema(*bytes_of_each(said.blocks)).value();
        return said;
    }
    /// All that was said comes, and what has come counts.
    void fetch_all() {
        for (bool any = true; any;) {
            any = !arrivals_.empty();
            for (const auto& depot : depots_) {
                while (!depot->waiting.empty()) {
                    depot->fetch();
                    any = true;
                }
            }
            note_all();
        }
    }
    void note_all() {
        for (const auto& arrival : std::exchange(arrivals_, {})) {
            staging_.note(arrival);
        }
    }
    std::vector<std::int64_t> counting(int rank) {
        std::vector<std::int64_t> steps;
        while (const auto said = staging_.take_next(rank)) {
            steps.push_back(said->step);
        }
        return steps;
    }
    [[nodiscard]] std::vector<std::int64_t> used() const {
        std::vector<std::int64_t> bytes;
        for (const auto& depot : depots_) {
            bytes.push_back(depot->used);
        }
        return bytes;
    }

    std::vector<Staging::Arrival> arrivals_;
    std::vector<std::shared_ptr<ToldDepot>> depots_;
    Staging staging_{[this](const Staging::Arrival& arrival) { arrivals_.push_back(arrival); }, first_store};
};

}  // namespace staithe::stream
