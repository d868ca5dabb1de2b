// Looking for a thing, as often as it takes: in the run directory, among what other processes have told this one of,
// and by asking the processes at addresses that the user gave, and rank 0 of its group.
//
// Whoever listens at an address may start later than who asks there: nobody being there is no error. One thread at a
// time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {

struct Places {
    std::vector<Address::HostPort> addresses;
    bool only_there = false;  // what has the name in this run directory is another one
};
/// As the user chose for this one thing: it is there and nowhere else. Or what STAITHE_ADDRESS says.
base::Result<Places> places_to_ask(const std::optional<std::string>& chosen);

class Search {
  public:
    /// Without an endpoint it makes one when an address is to be asked.
    Search(std::string run_directory, std::shared_ptr<Endpoint> endpoint, Kind kind, std::string name, Places places);

    /// Nothing if it is not there yet. `system` where no key is, or not the right one.
    base::Result<std::optional<Entry>> look(const base::Deadline& deadline);
    /// All of the kind that can be found now.
    base::Result<std::vector<Entry>> list(const base::Deadline& deadline);
    /// Keeps no link until it looks again.
    void let_go();
    /// Why an address could not be asked, at the last look; empty: all were.
    [[nodiscard]] std::string trouble() const;
    /// Where it looks, for messages.
    [[nodiscard]] std::string where() const;

  private:
    struct Place {
        std::vector<Address::HostPort> addresses;         // of one process
        std::optional<os::ProcessIdentity> process = {};  // that one, where it is known
        std::shared_ptr<Link> link = nullptr;             // kept, so that each look costs no connection
        base::Clock::time_point next_try = {};
        std::string trouble = {};
        bool has_answered = false;
        void note(const base::Failure& failure, const base::Deadline& deadline);
    };
    base::Result<Link*> link_to(Place& place, const base::Deadline& deadline);

    std::string run_directory_;
    std::shared_ptr<Endpoint> endpoint_;
    Kind kind_;
    std::string name_;
    bool only_there_;
    std::vector<Place> places_;
};

}  // namespace staithe::transport
