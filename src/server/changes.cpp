#include "server/changes.hpp"

#include <utility>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

using store::space::Put;
using store::space::VersionState;

Attributes change_of(const std::string& space, const Put& put, std::int64_t completion) {
    Attributes change = space::encode(put);
    change.erase("locks");
    change["kind"] = change::put;
    change["space"] = space;
    change["process"] = put.by.name;
    change["completion"] = completion;
    if (put.ref.store == store::space::lost_store) {
        change["lost"] = true;
    } else if (put.block.data_bytes() > memory::Pool::small_limit) {
        change["store"] = put.ref.store;
        change["at"] = put.ref.offset;
    }
    return change;
}

base::Result<ToldPut> decode_told_put(const Attributes& change) {
    auto put = space::decode_put(change);
    auto process = base::text_field(change, "process");
    const auto completion = base::integer_field(change, "completion", 0, last_completion);
    const bool is_lost = base::flag_field(change, "lost");
    const bool is_small = put && put->block.data_bytes() <= memory::Pool::small_limit;
    const auto store = base::integer_field(change, "store", 0, store::space::lost_store - 1);
    const auto at = base::integer_field(change, "at", 0, INT64_MAX);
    if (!put || !put->version || !process || !completion || (!is_lost && !is_small && (!store || !at)) ||
        (is_small && put->twin)) {
        return base::fail(ErrorCode::protocol, "a change of a block is garbled");
    }
    put->by.name = *std::move(process);
    put->ref = {.store = is_lost || is_small ? store::space::lost_store : static_cast<std::uint32_t>(*store),
                .offset = is_lost || is_small ? 0 : *at,
                .bytes = put->block.data_bytes()};
    return ToldPut{*std::move(put), *completion};
}

Attributes change_of(const std::string& space, const std::string& variable, std::int64_t version,
                     const VersionState& state) {
    return {{"kind", change::state},
            {"space", space},
            {"variable", variable},
            {"version", version},
            {"completion", state.completion},
            {"complete", state.is_complete},
            {"done", List(state.done.begin(), state.done.end())},
            {"unit", state.unit},
            {"attributes", state.attributes}};
}

base::Result<VersionState> decode_state(const Attributes& change) {
    const auto completion = base::integer_field(change, "completion", 0, last_completion);
    const List* const done = base::list_field(change, "done");
    auto unit = base::text_field(change, "unit");
    const Attributes* const attributes = base::map_field(change, "attributes");
    if (!completion || done == nullptr || !unit || attributes == nullptr) {
        return base::fail(ErrorCode::protocol, "a change of a version is garbled");
    }
    VersionState state{.completion = *completion,
                       .is_complete = base::flag_field(change, "complete"),
                       .unit = *std::move(unit),
                       .attributes = *attributes};
    for (const Value& rank : *done) {
        const std::int64_t number = rank.as_int().value_or(-1);
        if (number < 0 || number > INT32_MAX) {
            return base::fail(ErrorCode::protocol, "a change of a version is garbled");
        }
        state.done.push_back(static_cast<int>(number));
    }
    return state;
}

Attributes change_of(const std::string& space, const std::string& variable, std::int64_t version,
                     const ToldTwin& told) {
    return {{"kind", change::twin},          {"space", space},
            {"variable", variable},          {"version", version},
            {"store", told.of.first},        {"at", told.of.second},
            {"twin store", told.twin.first}, {"twin at", told.twin.second}};
}

base::Result<ToldTwin> decode_twin(const Attributes& change) {
    const auto store = base::integer_field(change, "store", 0, store::space::lost_store - 1);
    const auto at = base::integer_field(change, "at", 0, INT64_MAX);
    const auto twin_store = base::integer_field(change, "twin store", 0, store::space::lost_store - 1);
    const auto twin_at = base::integer_field(change, "twin at", 0, INT64_MAX);
    if (!store || !at || !twin_store || !twin_at) {
        return base::fail(ErrorCode::protocol, "a change of a block's twin is garbled");
    }
    return ToldTwin{{static_cast<std::uint32_t>(*store), *at}, {static_cast<std::uint32_t>(*twin_store), *twin_at}};
}

Attributes change_of(const std::string& space, const store::space::Wanted& removed, const store::space::PutId& id) {
    Attributes change = space::encode(removed);
    change["kind"] = change::remove;
    change["space"] = space;
    space::add(change, id);
    return change;
}

Attributes change_of(const store::space::PutId& id, const Answers::Answer& answer) {
    Attributes change{{"kind", change::answer},
                      {"version", answer.version},
                      {"store", answer.place.first},
                      {"at", answer.place.second}};
    space::add(change, id);
    return change;
}

base::Result<Answers::Answer> decode_answer(const Attributes& change) {
    const auto version = base::integer_field(change, "version", INT64_MIN, INT64_MAX);
    const auto store = base::integer_field(change, "store", 0, UINT32_MAX);
    const auto at = base::integer_field(change, "at", 0, INT64_MAX);
    if (!version || !store || !at) {
        return base::fail(ErrorCode::protocol, "an answer to another program is garbled");
    }
    return Answers::Answer{*version, {static_cast<std::uint32_t>(*store), *at}};
}

Attributes change_of_drop(const std::string& space, const store::space::Version& version) {
    return {{"kind", change::drop}, {"space", space}, {"variable", version.variable()}, {"version", version.number()}};
}

Attributes change_of(const PersistedRules& rules) {
    Attributes change = space::encode(rules.rules);
    change["kind"] = change::rules;
    change["space"] = rules.space;
    change["variable"] = rules.variable;
    return change;
}

Attributes change_of(const PersistedAttributes& attributes) {
    return {{"kind", change::attributes},
            {"space", attributes.space},
            {"path", attributes.path},
            {"attributes", attributes.attributes}};
}

}  // namespace staithe::server
