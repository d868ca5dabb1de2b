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
    const auto depots = depots_for(ranks_.at(rank));
    const std::size_t chosen =
        *std::ranges::min_element(depots, {}, [&](std::size_t depot) { return load_of(depot, said.step); });
    if (depots.size() == 1) {
        settled_[rank] = {chosen, said.step, stowage->bytes};
    }
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

/// Those of its own host, else all; from the next after the last that was used on.
std::vector<std::size_t> Staging::depots_for(const Rank& rank) const {
    const auto is_near = [&](const Berth& berth) { return berth.boot == rank.boot; };
    const bool near_alone = std::ranges::any_of(depots_, is_near);
    std::vector<std::size_t> depots;
    for (std::size_t i = 1; i <= depots_.size(); ++i) {
        const std::size_t next = (last_used_ + i) % depots_.size();
        if (!near_alone || is_near(depots_[next])) {
            depots.push_back(next);
        }
    }
    return depots;
}

/// What a server has of the stream, and will have when those ranks whose blocks go there anyway have come as far as
/// that step: they are not to find it full of what could have gone elsewhere.
double Staging::load_of(std::size_t depot, std::int64_t step) const {
    auto load = static_cast<double>(depots_[depot].bytes) + (depot == 0 ? static_cast<double>(all_lent_) : 0.0);
    for (const auto& [rank, settled] : settled_) {
        if (settled.depot == depot && settled.step < step) {
            load += static_cast<double>(step - settled.step) * static_cast<double>(settled.bytes);
        }
    }
    return load;
}

void Staging::lend(int rank, std::int64_t step, std::int64_t bytes) {
    settled_[rank] = {0, step, bytes};
    lent_[step] += bytes;
    all_lent_ += bytes;
}

void Staging::lose(int rank) {
    settled_.erase(rank);
    if (const auto found = ranks_.find(rank); found != ranks_.end()) {
        found->second.said.clear();
    }
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
        found->lacked_room = true;
        const bool has_room_now = arrival.place.error().code == ErrorCode::limit_reached && found->frees != frees_ &&
                                  !is_overtaking(said, *found);
        return !has_room_now || !begin(arrival.rank, *found);
    }
    const Cargo cargo{arrival.depot, *arrival.place, arrival.bytes};
    if (found == said.end()) {
        give_back(cargo);
        return false;
    }
    if (is_overtaking(said, *found)) {
        give_back(cargo);  // that one would wait for its room for ever
        found->state = Waiting::State::wants_room;
        found->lacked_room = true;
        static_cast<void>(begin_first_without_room(arrival.rank));  // where that fails, it is tried again later
        return false;
    }
    const auto stowage = stow(found->said.blocks);
    for (std::size_t i = 0; i < found->said.blocks.size(); ++i) {
        found->said.blocks[i].store = first_store_ + static_cast<std::uint32_t>(arrival.depot);
        found->said.blocks[i].offset = *arrival.place + stowage->offsets[i];
    }
    cargo_[found->said.step].push_back(cargo);
    found->state = Waiting::State::is_there;
    static_cast<void>(begin_first_without_room(arrival.rank));  // where that fails, it is tried again later
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

/// Whether what was said before it has found no room yet, whose turn it is.
bool Staging::is_overtaking(const std::deque<Waiting>& said, const Waiting& waiting) {
    return std::ranges::any_of(said, [&](const Waiting& other) {
        return other.number < waiting.number && other.state != Waiting::State::is_there && other.lacked_room;
    });
}

/// Its later ones follow when that has come: else they could take its room.
base::Result<> Staging::begin_first_without_room(int rank) {
    auto& said = ranks_.at(rank).said;
    const auto first = std::ranges::find(said, Waiting::State::wants_room, &Waiting::state);
    return first == said.end() || is_overtaking(said, *first) ? base::Result<>() : begin(rank, *first);
}

base::Result<> Staging::try_again() {
    for (const auto& [rank, of_rank] : ranks_) {
        if (auto begun = begin_first_without_room(rank); !begun) {
            return begun;
        }
    }
    return {};
}

bool Staging::lacks_room(int rank) const {
    const auto& said = ranks_.at(rank).said;
    return !said.empty() && said.front().state == Waiting::State::wants_room;
}

void Staging::forget(std::int64_t step) {
    if (const auto lent = lent_.extract(step)) {
        all_lent_ -= lent.mapped();
    }
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
