#include "transport/directory/search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/config.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/inquiry.hpp"
#include "transport/group_contact.hpp"

namespace staithe::transport {
namespace {

// Of one address, which may be of a host that is off: the others are to be looked at meanwhile.
constexpr base::Seconds longest_attempt{2.0};
constexpr auto between_attempts = std::chrono::milliseconds(200);

base::Deadline attempt_within(const base::Deadline& deadline) {
    return base::Deadline(std::min<base::Seconds>(longest_attempt, deadline.left()));
}

/// Whether it may go better the next time.
bool may_pass(const base::Failure& failure) {
    return failure.code == ErrorCode::not_found || failure.code == ErrorCode::timeout ||
           failure.code == ErrorCode::peer_lost || failure.code == ErrorCode::limit_reached;
}

}  // namespace

base::Result<Places> places_to_ask(const std::optional<std::string>& chosen) {
    const auto text = chosen ? chosen : base::addresses_to_ask();
    if (!text) {
        return Places{};
    }
    auto addresses = parse_places(*text);
    return addresses ? base::Result<Places>(Places{*std::move(addresses), chosen.has_value()})
                     : base::fail(std::move(addresses));
}

Search::Search(std::string run_directory, std::shared_ptr<Endpoint> endpoint, Kind kind, std::string name,
               Places places)
    : run_directory_(std::move(run_directory)),
      endpoint_(std::move(endpoint)),
      kind_(kind),
      name_(std::move(name)),
      only_there_(places.only_there) {
    for (Address::HostPort& each : places.addresses) {
        places_.push_back({{std::move(each)}});
    }
    if (!only_there_) {
        for (GroupContact& each : told_by_groups()) {
            places_.push_back({std::move(each.addresses), std::move(each.process)});
        }
    }
}

base::Result<std::optional<Entry>> Search::look(const base::Deadline& deadline) {
    if (!only_there_) {
        auto entry = Directory(run_directory_).find(kind_, name_);
        if (!entry || *entry) {
            return entry;
        }
    }
    if (auto entry = endpoint_ ? endpoint_->heard().find(kind_, name_) : std::nullopt) {
        return entry;
    }
    for (Place& place : places_) {
        const auto link = link_to(place, deadline);
        auto entry = link && *link != nullptr ? ask_for(**link, kind_, name_, attempt_within(deadline))
                                              : base::Result<std::optional<Entry>>(std::nullopt);
        if (!link || (!entry && !may_pass(entry.error()))) {
            return link ? std::move(entry) : base::fail(link);
        }
        if (entry && *entry) {
            return entry;
        }
        if (!entry) {
            place.note(entry.error(), deadline);
        }
        place.has_answered = place.has_answered || (entry && *link != nullptr);
    }
    return std::nullopt;
}

base::Result<std::vector<Entry>> Search::list(const base::Deadline& deadline) {
    std::vector<Entry> all;
    if (!only_there_) {
        all = Directory(run_directory_).list(kind_);
    }
    for (Place& place : places_) {
        const auto link = link_to(place, deadline);
        auto entries = link && *link != nullptr ? ask_for_all(**link, kind_, deadline) : std::vector<Entry>();
        if (!link || !entries) {
            return link ? std::move(entries) : base::fail(link);
        }
        for (Entry& entry : *entries) {
            all.push_back(std::move(entry));
        }
    }
    return all;
}

void Search::let_go() {
    for (Place& place : places_) {
        place.link = nullptr;
    }
}

std::string Search::trouble() const {
    std::string all;
    for (const Place& place : places_) {
        all += (all.empty() || place.trouble.empty() ? "" : "; ") + place.trouble;
    }
    return all;
}

std::string Search::where() const {
    std::string all = only_there_ ? "" : run_directory_;
    for (const Place& place : places_) {
        all += (all.empty() ? "" : ", ") + to_string(Address(place.addresses.front()));
    }
    return all;
}

/// Where the time was up in the middle, that is no trouble of theirs.
void Search::Place::note(const base::Failure& failure, const base::Deadline& deadline) {
    const bool is_known = has_answered || !trouble.empty();
    if (!(is_known && deadline.passed())) {
        trouble = failure.message;
    }
}

/// nullptr: nobody can be asked there now.
base::Result<Link*> Search::link_to(Place& place, const base::Deadline& deadline) {
    if (place.link && place.link->is_open()) {
        return place.link.get();
    }
    place.link = nullptr;
    if (base::Clock::now() < place.next_try) {
        return nullptr;
    }
    if (!endpoint_) {
        auto endpoint = Endpoint::shared(run_directory_);
        if (!endpoint) {
            return base::fail(std::move(endpoint));
        }
        endpoint_ = *std::move(endpoint);
    }
    auto link = place.process ? endpoint_->connect(*place.process, place.addresses, attempt_within(deadline))
                              : endpoint_->connect(Address(place.addresses.front()), attempt_within(deadline));
    if (!link && !may_pass(link.error())) {
        return base::fail(std::move(link));
    }
    place.next_try = base::Clock::now() + between_attempts;
    if (link) {
        place.trouble.clear();
    } else {
        place.note(link.error(), deadline);
    }
    place.link = link ? *std::move(link) : nullptr;
    return place.link.get();
}

}  // namespace staithe::transport
