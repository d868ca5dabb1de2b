// Locks for programs: who asks for them, who waits, and who is told.
//
// The rules are the table's (lock_table.hpp), whose holders are threads of programs here. A program releases and renews
// what was granted to it alone. Knows neither messages nor a clock; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "store/space/lock_table.hpp"

namespace staithe::store::space {

class LockManager {
  public:
    using Time = LockTable::Time;
    /// Tokens begin there: above all that another one gave out before, in its place.
    explicit LockManager(std::int64_t first_token = 1) : table_(LockTable::Settings{.first_token = first_token}) {}
    /// Any address that is the program's own.
    using Client = const void*;
    struct Asker {
        Client client = nullptr;
        std::int64_t thread = 1;  // of the program, of those that have asked
        std::string program;      // for messages
        std::string key{};        // of the thread, where other managers know it too
    };
    /// Called once, by whichever call makes way. It must not call back.
    using Granted = std::function<void(std::int64_t token)>;

    /// The token; nothing if it waits until it is granted. The ticket is the program's, each once at a time.
    base::Result<std::optional<std::int64_t>> request(const Asker& asker, std::int64_t ticket,
                                                      const LockTable::Wish& wish, Time now, Granted granted);
    /// The token if it was granted meanwhile; else it is not waited for any more, and `timeout` says what is in the
    /// way.
    base::Result<std::int64_t> stop_waiting(Client client, std::int64_t ticket, Time now);

    base::Result<> release(Client client, std::int64_t token, Time now);
    base::Result<> renew(Client client, std::int64_t token, Time now);
    /// Whether all of these still hold, and allow to write that. nullptr: for whichever client has them.
    base::Result<> check(Client client, const std::vector<std::int64_t>& tokens, const std::string& variable,
                         const Box& box, Time now);

    /// Who waits for a lock that is not granted yet.
    struct Waiting {
        Client client = nullptr;
        std::int64_t request = 0;
        Time since;
        std::string wanted;  // "'T' [0:10] to write"
    };
    [[nodiscard]] std::vector<Waiting> waiting(Time now);
    /// What is in the way of one of them: "lmp (pid 12 on a) has held …".
    [[nodiscard]] std::string describe_wait(std::int64_t request, Time now) const {
        return table_.describe_wait(request, now);
    }

    /// As of the table.
    [[nodiscard]] std::vector<WayOut> ways_out(const std::vector<std::string>& keys, const std::string& target,
                                               Time now);

    /// It is gone, and all that it held or waited for.
    void drop(Client client, Time now);
    void expire(Time now);

  private:
    struct Request {
        Client client = nullptr;
        std::int64_t thread = 0;
        std::int64_t ticket = 0;
        std::optional<std::int64_t> token{};  // none: it waits
        Granted granted;
    };
    struct Thread {
        std::int64_t holder = 0;
        std::size_t requests = 0;
    };
    struct Program {
        std::map<std::int64_t, Thread> threads;
        std::map<std::int64_t, std::int64_t> requests;  // by ticket
    };

    void forget(std::int64_t request, Time now);
    void leave(Client client, std::int64_t thread, Time now);
    void tell(Time now);
    base::Result<> check_owner(Client client, std::int64_t token) const;

    LockTable table_;
    std::map<Client, Program> programs_;
    std::map<std::int64_t, Request> requests_;
    std::map<std::int64_t, std::int64_t> granted_;  // by token: the request
};

}  // namespace staithe::store::space
