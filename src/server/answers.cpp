#include "server/answers.hpp"

#include <algorithm>
#include <utility>

namespace staithe::server {
namespace {

/// Of these one that has gone is remembered: none asks again so late.
constexpr std::size_t most_programs = 4096;

}  // namespace

std::optional<Answers::Answer> Answers::find(const store::space::PutId& id) const {
    const auto program = programs_.find(id.program);
    if (program == programs_.end()) {
        return std::nullopt;
    }
    const auto found = program->second.answers.find(id.number);
    return found == program->second.answers.end() ? std::nullopt : std::optional(found->second);
}

void Answers::add(const store::space::PutId& id, const Answer& answer) {
    if (id.program.empty()) {
        return;
    }
    OfProgram& program = programs_[id.program];
    program.last_use = ++uses_;
    program.answers.erase(program.answers.begin(), program.answers.lower_bound(id.settled));
    program.answers.insert_or_assign(id.number, answer);
    forget_oldest();
}

void Answers::absorb(Answers&& other) {
    for (auto& [name, program] : other.programs_) {
        OfProgram& own = programs_[name];
        own.last_use = ++uses_;
        own.answers.merge(program.answers);
    }
    other.programs_.clear();
    forget_oldest();
}

void Answers::forget_oldest() {
    while (programs_.size() > most_programs) {
        programs_.erase(
            std::ranges::min_element(programs_, {}, [](const auto& program) { return program.second.last_use; }));
    }
}

}  // namespace staithe::server
