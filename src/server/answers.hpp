// What became of puts whose answers may not have come: who asks again, of this server or of the one that has followed
// it, is told the same, and nothing is put twice. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "store/space/catalog.hpp"

namespace staithe::server {

class Answers {
  public:
    struct Answer {
        std::int64_t version = 0;
        store::space::BlockPlace place{};  // of the block that was put
    };
    /// Nothing if it was not put yet.
    [[nodiscard]] std::optional<Answer> find(const store::space::PutId& id) const;
    /// Those before `id.settled` have come: they are not asked for again.
    void add(const store::space::PutId& id, const Answer& answer);
    void absorb(Answers&& other);
    /// Calls visit(id, answer) for each of them; none of the ids says that others have come.
    template <class Visit>
    void visit(const Visit& visit) const {
        for (const auto& [name, program] : programs_) {
            for (const auto& [number, answer] : program.answers) {
                visit(store::space::PutId{.program = name, .number = number}, answer);
            }
        }
    }

  private:
    struct OfProgram {
        std::map<std::int64_t, Answer> answers;  // by number
        std::int64_t last_use = 0;
    };
    void forget_oldest();

    std::map<std::string, OfProgram> programs_;
    std::int64_t uses_ = 0;
};

}  // namespace staithe::server
