#include "stream/staging/staging.hpp"

#include <algorithm>
#include <utility>

namespace staithe::stream {

void Staging::add(std::shared_ptr<Depot> depot, std::string boot, std::string contact) {
    depots_.push_back({std::move(depot), std::move(boot), std::move(contact), 0});
    last_used_ = depots_.size() - 1;  // the first one is next
}

void Staging::expect(int rank, const transport::Entry& entry) {
    ranks_[rank] = {transport::to_json(entry), entry.process.boot, 0, {}};
}

base::Result<> Staging::say(int rank, Said said) {
    Rank& of_rank = ranks_.at(rank);
    Waiting& waiting = of_rank.said.emplace_back();
    waiting.number = ++of_rank.last_number;
    waiting.said = std::move(said);
    auto begun = begin(rank, waiting);
    if (!begun) {
        of_rank.said.pop_back();
    }
    return begun;
}

base::Result<> Staging::begin(int rank, Waiting& waiting) {
    const Said& said = waiting.said;
    const auto stowage = stow(said.blocks);
    if (!stowage || stowage->bytes == 0) {
        return stowage ? base::Result<>() : base::fail(stowage);
    }
    const std::size_t chosen = best_for(ranks_.at(rank));
    const auto tell = [tell = tell_, rank, number = waiting.number, chosen, bytes = stowage->bytes](const auto& place) {
        tell({rank, number, chosen, bytes, place});
    };
    auto begun = depots_[chosen].depot->take({rank, ranks_.at(rank).contact, said.blocks}, tell);
    if (begun) {
        depots_[chosen].bytes += stowage->bytes;
        last_used_ = chosen;
        waiting.state = Waiting::State::is_on_its_way;
        waiting.frees = frees_;
    }
    return begun;
}

/// That of its own host, else the one with the fewest bytes; of several, the next after the last that was used.
std::size_t Staging::best_for(const Rank& rank) const {
    const auto is_near = [&](const Berth& berth) { return berth.boot == rank.boot; };
    const bool near_alone = std::ranges::any_of(depots_, is_near);
    std::optional<std::size_t> best;
    for (std::size_t i = 1; i <= depots_.size(); ++i) {
        const std::size_t next = (last_used_ + i) % depots_.size();
        if ((!near_alone || is_near(depots_[next])) && (!best || depots_[next].bytes < depots_[*best].bytes)) {
            best = next;
        }
    }
    return *best;
}

bool Staging::note(const Arrival& arrival) {
    auto& said = ranks_.at(arrival.rank).said;
    const auto found = std::ranges::find(said, arrival.number, &Waiting::number);
    if (!arrival.place) {
        depots_[arrival.depot].bytes -= arrival.bytes;
        if (found == said.end()) {
            return false;
        }
        found->state = Waiting::State::wants_room;
        const bool has_room_now = arrival.place.error().code == ErrorCode::limit_reached && found->frees != frees_;
        return !has_room_now || !begin(arrival.rank, *found);
    }
    const Cargo cargo{arrival.depot, *arrival.place, arrival.bytes};
    if (found == said.end()) {
        give_back(cargo);
        return false;
    }
    const auto stowage = stow(found->said.blocks);
    for (std::size_t i = 0; i < found->said.blocks.size(); ++i) {
        found->said.blocks[i].store = first_store_ + static_cast<std::uint32_t>(arrival.depot);
        found->said.blocks[i].offset = *arrival.place + stowage->offsets[i];
    }
    cargo_[found->said.step].push_back(cargo);
    found->state = Waiting::State::is_there;
    return true;
}

std::optional<Said> Staging::take_next(int rank) {
    auto& said = ranks_.at(rank).said;
    if (said.empty() || said.front().state != Waiting::State::is_there) {
        return std::nullopt;
    }
    Said next = std::move(said.front().said);
    said.pop_front();
    return next;
}

base::Result<> Staging::try_again() {
    for (auto& [rank, of_rank] : ranks_) {
        for (Waiting& waiting : of_rank.said) {
            if (waiting.state == Waiting::State::wants_room) {
                if (auto begun = begin(rank, waiting); !begun) {
                    return begun;
                }
            }
        }
    }
    return {};
}

bool Staging::lacks_room(int rank) const {
    const auto& said = ranks_.at(rank).said;
    return !said.empty() && said.front().state == Waiting::State::wants_room;
}

void Staging::forget(std::int64_t step) {
    const auto found = cargo_.find(step);
    if (found != cargo_.end()) {
        for (const Cargo& cargo : found->second) {
            give_back(cargo);
        }
        cargo_.erase(found);
    }
}

void Staging::give_back(const Cargo& cargo) {
    ++frees_;
    depots_[cargo.depot].bytes -= cargo.bytes;
    depots_[cargo.depot].depot->free(cargo.place);
}

void Staging::shrink() {
    for (const Berth& berth : depots_) {
        berth.depot->shrink();
    }
}

void Staging::stop() {
    for (const Berth& berth : depots_) {
        berth.depot->stop();
    }
}

}  // namespace staithe::stream
