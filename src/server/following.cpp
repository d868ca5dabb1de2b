#include "server/following.hpp"

#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "memory/pool.hpp"
#include "server/changes.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

using store::space::Catalog;

base::Result<> Following::take(const Attributes& change, std::span<const std::byte> bytes) {
    const std::string kind = base::text_field(change, "kind").value_or("");
    if (kind == change::begin) {
        return begin(change);
    }
    if (kind == change::all) {
        return take_completions(change);
    }
    if (kind == change::answer) {
        const auto id = space::decode_put_id(change);
        const auto answer = id ? decode_answer(change) : base::fail(id);
        if (answer) {
            answers_.add(*id, *answer);
        }
        return answer ? base::Result<>() : base::fail(answer);
    }
    const auto space = base::text_field(change, "space");
    if (!space) {
        return base::fail(space);
    }
    if (kind == change::put) {
        return take_put(*space, change, bytes);
    }
    if (kind == change::attributes) {
        return take_attributes(*space, change);
    }
    const auto variable = base::text_field(change, "variable");
    if (!variable) {
        return base::fail(variable);
    }
    if (kind == change::remove) {
        return take_removal(*space, change);
    }
    if (kind == change::rules) {
        const auto rules = space::decode_rules(change);
        return rules ? catalog(*space).retain(*variable, *rules, base::Clock::now()) : base::fail(rules);
    }
    const auto number = base::integer_field(change, "version", INT64_MIN, INT64_MAX);
    if (number && kind == change::drop) {
        static_cast<void>(catalog(*space).remove(*variable, *number));  // it may have gone with its last block
        return {};
    }
    if (number && kind == change::twin) {
        const auto told = decode_twin(change);
        static_cast<void>(told && catalog(*space).add_twin(*variable, *number, told->of, told->twin));
        return told ? base::Result<>() : base::fail(told);
    }
    if (number && kind == change::state) {
        const auto state = decode_state(change);
        if (state) {
            catalog(*space).take(*variable, *number, *state, base::Clock::now());
        }
        return state ? base::Result<>() : base::fail(state);
    }
    return base::fail(ErrorCode::protocol, "a change is garbled");
}

base::Result<> Following::begin(const Attributes& change) {
    spaces_.clear();
    answers_ = {};
    has_all_ = false;
    const auto homes = space::decode_homes(change);
    homes_ = homes.value_or(std::set<int>());
    return homes ? base::Result<>() : base::fail(homes);
}

base::Result<> Following::take_completions(const Attributes& change) {
    const Attributes* const completions = base::map_field(change, "completions");
    const auto is_number = [](const auto& each) {
        return each.second.as_int() && *each.second.as_int() >= 0 && *each.second.as_int() <= last_completion;
    };
    if (completions == nullptr || !std::ranges::all_of(*completions, is_number)) {
        return base::fail(ErrorCode::protocol, "the end of what there was is garbled");
    }
    for (const auto& [space, number] : *completions) {
        Catalog& of = catalog(space);
        of.set_completions(std::max(of.completions(), *number.as_int()));
    }
    has_all_ = true;
    return {};
}

/// The number of its completion is what the leader has given it, whatever has gone there without being told.
base::Result<> Following::take_put(const std::string& space, const Attributes& change,
                                   std::span<const std::byte> bytes) {
    auto told = decode_told_put(change);
    if (!told) {
        return base::fail(told);
    }
    store::space::Put& put = told->put;
    const bool is_small = put.ref.bytes <= memory::Pool::small_limit;
    base::Result<> has_room;
    if (is_small && std::cmp_equal(bytes.size(), put.ref.bytes)) {
        const auto room = keep_(bytes);
        has_room = room ? base::Result<>() : base::fail(room);
        put.ref = room.value_or(put.ref);
    }
    Catalog& of = catalog(space);
    const std::int64_t before = of.completions();
    if (told->completion > 0) {
        of.set_completions(told->completion - 1);
    }
    const auto version = of.put(put, base::Clock::now());
    of.set_completions(std::max(before, of.completions()));
    if (version) {
        answers_.add(put.id, {*version, store::space::place_of(put.ref)});
    } else if (is_small && put.ref.store != store::space::lost_store) {
        give_back_(put.ref);
    }
    return version ? has_room : base::fail(version);
}

/// Of what the leader had not, this one has not either.
base::Result<> Following::take_removal(const std::string& space, const Attributes& change) {
    const auto wanted = space::decode_wanted(change);
    const auto id = wanted ? space::decode_put_id(change) : base::fail(wanted);
    if (id && catalog(space).remove(wanted->variable, wanted->version)) {
        answers_.add(*id, {});
    }
    return id ? base::Result<>() : base::fail(id);
}

base::Result<> Following::take_attributes(const std::string& space, const Attributes& change) {
    const auto path = base::text_field(change, "path");
    const Attributes* const attributes = base::map_field(change, "attributes");
    if (!path || attributes == nullptr) {
        return base::fail(ErrorCode::protocol, "a change of attributes is garbled");
    }
    catalog(space).containers().replace_attributes(*path, *attributes);
    return {};
}

Catalog& Following::catalog(const std::string& space) {
    auto& catalog = spaces_[space];
    if (catalog == nullptr) {
        catalog =
            std::make_unique<Catalog>(space, [give_back = give_back_, leads = leads_](const store::BlockRef& ref) {
                if (*leads || ref.bytes <= memory::Pool::small_limit) {
                    give_back(ref);
                }
            });
        catalog->follow();
    }
    return *catalog;
}

}  // namespace staithe::server
