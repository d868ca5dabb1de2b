// What a server that leads tells the one that follows it: docs/formats/space_protocol.md.
#pragma once

#include <cstdint>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "server/answers.hpp"
#include "server/persisted_records.hpp"
#include "store/space/catalog.hpp"

namespace staithe::server {

namespace change {
inline constexpr const char* begin = "begin";  // all that was told before is forgotten
inline constexpr const char* all = "all";      // that there was when it began
inline constexpr const char* put = "put";
inline constexpr const char* state = "state";  // of a version, whose blocks were told
inline constexpr const char* twin = "twin";    // of a block that was told
inline constexpr const char* drop = "drop";
inline constexpr const char* remove = "remove";  // a version or all, as a program has asked for
inline constexpr const char* rules = "rules";
inline constexpr const char* attributes = "attributes";
inline constexpr const char* answer = "answer";  // to a program that may ask again
}  // namespace change

/// Further ones follow.
inline constexpr std::int64_t last_completion = INT64_MAX / 2;

/// A block; where it lies, if it is large: bytes of small ones go along. The completion of its version by then; 0: it
/// is not complete.
Attributes change_of(const std::string& space, const store::space::Put& put, std::int64_t completion);
struct ToldPut {
    store::space::Put put;
    std::int64_t completion = 0;
};
base::Result<ToldPut> decode_told_put(const Attributes& change);

Attributes change_of(const std::string& space, const std::string& variable, std::int64_t version,
                     const store::space::VersionState& state);
base::Result<store::space::VersionState> decode_state(const Attributes& change);

struct ToldTwin {
    store::space::BlockPlace of, twin;
};
Attributes change_of(const std::string& space, const std::string& variable, std::int64_t version, const ToldTwin& told);
base::Result<ToldTwin> decode_twin(const Attributes& change);

/// A removal, by which it is known if it is asked for again.
Attributes change_of(const std::string& space, const store::space::Wanted& removed, const store::space::PutId& id);

Attributes change_of(const store::space::PutId& id, const Answers::Answer& answer);
base::Result<Answers::Answer> decode_answer(const Attributes& change);

Attributes change_of_drop(const std::string& space, const store::space::Version& version);
Attributes change_of(const PersistedRules& rules);
Attributes change_of(const PersistedAttributes& attributes);

}  // namespace staithe::server
