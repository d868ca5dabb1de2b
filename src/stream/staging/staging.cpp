#include "stream/staging/staging.hpp"

#include <algorithm>
#include <utility>

namespace staithe::stream {

void Staging::add(std::shared_ptr<Depot> depot, std::string boot, std::string contact) {
    depots_.push_back({std::move(depot), std::move(boot), std::move(contact)});
    last_used_ = depots_.size() - 1;  // the first one is next
    for (Berth& berth : depots_) {
        berth.earlier = berth.bytes;
    }
    lent_earlier_ = all_lent_;
    settled_.clear();  // those that had no choice may have one now
}

void Staging::expect(int rank, const transport::Entry& entry) {
    ranks_[rank] = {.contact = transport::to_json(entry), .boot = entry.process.boot, .said = {}};
}

base::Result<> Staging::say(int rank, Said said) {
    const auto stowage = stow(said.blocks);
    if (!stowage) {
        return base::fail(stowage);
    }
    Rank& of_rank = ranks_.at(rank);
    if (auto described = describe(of_rank, said); !described) {
        return described;
    }
    if (said.kind == Said::Kind::record) {
        if (auto checked = check({rank, of_rank.contact, said.blocks, of_rank.descriptions}); !checked) {
            return checked;
        }
    }
    Waiting& waiting = of_rank.said.emplace_back();
    waiting.number = ++of_rank.last_number;
    waiting.bytes = stowage->bytes;
    waiting.said = std::move(said);
    waiting.descriptions = of_rank.descriptions;
    if (waiting.bytes == 0) {
        return {};
    }
    want(rank, waiting);
    auto begun = fetch_what_may_come();
    if (!begun && waiting.state == Waiting::State::is_wanted) {
        wanted_.erase({waiting.said.step, rank, waiting.number});
        of_rank.said.pop_back();
        return begun;
    }
    return {};
}

/// A rank says what its blocks are when that is new.
base::Result<> Staging::describe(Rank& rank, const Said& said) {
    if (said.kind != Said::Kind::record || (said.schema_bytes.empty() && said.schema == rank.schema)) {
        return {};
    }
    auto blocks = decode_schema(said.schema_bytes);
    if (!blocks) {
        return base::fail(std::move(blocks));
    }
    rank.schema = said.schema;
    rank.descriptions = std::make_shared<const std::vector<BlockDescription>>(as_consigned(*std::move(blocks)));
    return {};
}

Consignment Staging::consignment_of(int rank, const Waiting& waiting) const {
    return {rank, ranks_.at(rank).contact, waiting.said.blocks, waiting.descriptions};
}

bool Staging::advance(std::int64_t turn) {
    if (turn == std::exchange(turn_, turn)) {
        return false;
    }
    static_cast<void>(try_again());  // where that fails, it is tried again later
    return true;
}

Staging::Waiting* Staging::find(int rank, std::int64_t number) {
    auto& said = ranks_.at(rank).said;
    const auto found = std::ranges::find(said, number, &Waiting::number);
    return found == said.end() ? nullptr : &*found;
}

void Staging::want(int rank, Waiting& waiting) {
    waiting.state = Waiting::State::is_wanted;
    wanted_.insert({waiting.said.step, rank, waiting.number});
}

void Staging::set_lacking(Waiting& waiting, bool lacks_room) {
    if (lacks_room != std::exchange(waiting.lacks_room, lacks_room)) {
        if (lacks_room) {
            lacking_.insert(waiting.said.step);
        } else {
            lacking_.erase(lacking_.find(waiting.said.step));
        }
    }
}

/// Each server can be at another step.
bool Staging::may_come(std::int64_t step) const {
    return (step <= turn_ || step - turn_ < static_cast<std::int64_t>(depots_.size())) && !is_in_the_way(step);
}

base::Result<> Staging::fetch_what_may_come() {
    for (auto each = wanted_.begin(); each != wanted_.end();) {
        const auto [step, rank, number] = *each;
        if (!may_come(step)) {
            break;
        }
        Waiting& waiting = *find(rank, number);
        if (waiting.frees != frees_) {
            waiting.refused.clear();
        }
        if (depots_for(ranks_.at(rank), waiting.refused).empty()) {
            ++each;
            continue;
        }
        if (auto begun = begin(rank, waiting); !begun) {
            return begun;
        }
        each = wanted_.erase(each);
    }
    return {};
}

base::Result<> Staging::begin(int rank, Waiting& waiting) {
    const Rank& of_rank = ranks_.at(rank);
    const Said& said = waiting.said;
    const auto depots = depots_for(of_rank, waiting.refused);
    const std::size_t chosen =
        *std::ranges::min_element(depots, {}, [&](std::size_t depot) { return load_of(depot, said.step); });
    const auto expected = static_cast<std::int64_t>(static_cast<double>(waiting.bytes) * of_rank.kept);
    if (depots.size() == 1 && waiting.refused.empty()) {
        settled_[rank] = {chosen, said.step, expected};
    }
    const auto tell = [tell = tell_, rank, number = waiting.number, chosen, bytes = waiting.bytes,
                       expected](const auto& stowed) { tell({rank, number, chosen, bytes, expected, stowed}); };
    auto begun = depots_[chosen].depot->take(consignment_of(rank, waiting), tell);
    if (begun) {
        depots_[chosen].bytes += expected;
        last_used_ = chosen;
        waiting.state = Waiting::State::is_on_its_way;
        waiting.frees = frees_;
    }
    return begun;
}

/// Those of its own host, as long as one of them has room, else all that have; from the next after the last that was
/// used on.
std::vector<std::size_t> Staging::depots_for(const Rank& rank, const std::set<std::size_t>& refused) const {
    std::vector<std::size_t> depots;
    for (std::size_t i = 1; i <= depots_.size(); ++i) {
        const std::size_t next = (last_used_ + i) % depots_.size();
        if (!refused.contains(next) && depots_[next].depot->takes_more()) {
            depots.push_back(next);
        }
    }
    const auto is_near = [&](std::size_t depot) { return depots_[depot].boot == rank.boot; };
    if (std::ranges::any_of(depots, is_near)) {
        std::erase_if(depots, [&](std::size_t depot) { return !is_near(depot); });
    }
    return depots;
}

/// What a server has of the stream since the last one was added, and will have when those ranks whose blocks go there
/// anyway have come as far as that step: they are not to find it full of what could have gone elsewhere.
double Staging::load_of(std::size_t depot, std::int64_t step) const {
    const Berth& berth = depots_[depot];
    auto load = static_cast<double>(berth.bytes - berth.earlier) +
                (depot == 0 ? static_cast<double>(all_lent_ - lent_earlier_) : 0.0);
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
    const auto found = ranks_.find(rank);
    if (found == ranks_.end()) {
        return;
    }
    for (Waiting& waiting : found->second.said) {
        set_lacking(waiting, false);
        wanted_.erase({waiting.said.step, rank, waiting.number});
        if (waiting.cargo) {
            give_back(*waiting.cargo);
        }
    }
    found->second.said.clear();
    static_cast<void>(fetch_what_may_come());  // where that fails, it is tried again later
}

bool Staging::note(const Arrival& arrival) {
    Waiting* const waiting = find(arrival.rank, arrival.number);
    if (!arrival.stowed) {
        take_off(arrival.depot, arrival.expected);
        if (waiting == nullptr) {
            return false;
        }
        want(arrival.rank, *waiting);
        return arrival.stowed.error().code != ErrorCode::limit_reached || finds_no_room(arrival, *waiting);
    }
    const Cargo cargo{arrival.depot, *arrival.stowed};
    depots_[arrival.depot].bytes += cargo.stowed.bytes - arrival.expected;
    ranks_.at(arrival.rank).kept = static_cast<double>(cargo.stowed.bytes) / static_cast<double>(arrival.bytes);
    if (const auto settled = settled_.find(arrival.rank); settled != settled_.end()) {
        settled->second.bytes = cargo.stowed.bytes;  // as the next ones will be
    }
    const bool counts_soon = waiting != nullptr && !is_in_the_way(waiting->said.step);
    if (counts_soon) {
        waiting->state = Waiting::State::is_there;
        waiting->cargo = cargo;
        set_lacking(*waiting, false);
    } else {
        give_back(cargo);
        if (waiting != nullptr) {
            want(arrival.rank, *waiting);
        }
    }
    static_cast<void>(fetch_what_may_come());  // where that fails, it is tried again later
    return counts_soon;
}

/// With that depot. True if it is for others to make some.
bool Staging::finds_no_room(const Arrival& arrival, Waiting& waiting) {
    bool is_up_to_others = false;
    waiting.refused.insert(arrival.depot);
    if (is_in_the_way(waiting.said.step)) {
        ++frees_;  // who waited for what becomes of this one
    } else if (waiting.frees == frees_ && depots_for(ranks_.at(arrival.rank), waiting.refused).empty()) {
        set_lacking(waiting, true);
        is_up_to_others = !clear_the_way(waiting.said.step);
    }
    static_cast<void>(fetch_what_may_come());  // where that fails, it is tried again later
    return is_up_to_others;
}

/// For a part of that step, which has found no room: parts of later ones go again, those that are on their way when
/// they come. False if there are none.
bool Staging::clear_the_way(std::int64_t step) {
    bool any = false;
    for (auto& [rank, of_rank] : ranks_) {
        for (Waiting& waiting : of_rank.said) {
            if (waiting.said.step <= step) {
                continue;
            }
            any = any || waiting.state == Waiting::State::is_on_its_way || waiting.cargo;
            if (waiting.cargo) {
                give_back(*std::exchange(waiting.cargo, std::nullopt));
                want(rank, waiting);
            }
        }
    }
    return any;
}

std::optional<Said> Staging::take_next(int rank) {
    auto& said = ranks_.at(rank).said;
    if (said.empty() || said.front().state != Waiting::State::is_there ||
        (said.front().cargo && said.front().said.step > turn_)) {
        return std::nullopt;
    }
    Waiting next = std::move(said.front());
    said.pop_front();
    if (next.cargo) {
        next.said.blocks = next.cargo->stowed.blocks;
        for (store::BlockRef& block : next.said.blocks) {
            block.store = first_store_ + static_cast<std::uint32_t>(next.cargo->depot);
        }
        cargo_[next.said.step].push_back(*next.cargo);
    }
    return std::move(next.said);
}

base::Result<> Staging::try_again() {
    ++frees_;
    return fetch_what_may_come();
}

bool Staging::lacks_room(int rank) const {
    const auto& said = ranks_.at(rank).said;
    return !said.empty() && said.front().lacks_room && said.front().said.step <= turn_;
}

void Staging::forget(std::int64_t step) {
    if (const auto lent = lent_.extract(step)) {
        all_lent_ -= lent.mapped();
        lent_earlier_ = std::max<std::int64_t>(0, lent_earlier_ - lent.mapped());
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
    take_off(cargo.depot, cargo.stowed.bytes);
    depots_[cargo.depot].depot->free(cargo.stowed.place);
}

/// What goes is taken for what came first, which it is but for steps that somebody holds.
void Staging::take_off(std::size_t depot, std::int64_t bytes) {
    Berth& berth = depots_[depot];
    berth.bytes -= bytes;
    berth.earlier = std::max<std::int64_t>(0, berth.earlier - bytes);
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
