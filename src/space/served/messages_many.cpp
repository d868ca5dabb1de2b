#include "space/served/messages_many.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/fields.hpp"
#include "space/served/messages.hpp"
#include "transport/frame.hpp"

namespace staithe::space {
namespace {

using store::space::Put;

base::Failure garbled_many() { return {ErrorCode::protocol, "a message about many blocks is garbled"}; }

/// Whether they differ in nothing but their variable, their version and where their boxes begin.
bool are_alike(const Put& a, const Put& b) {
    return a.block.dtype == b.block.dtype && a.block.column_major == b.block.column_major &&
           a.block.shape == b.block.shape && a.block.box.count == b.block.box.count && a.block.unit == b.block.unit &&
           a.completes == b.completes && a.may_cover == b.may_cover && a.persist == b.persist &&
           a.by.rank == b.by.rank && a.by.ranks == b.by.ranks && a.locks == b.locks &&
           a.block.attributes == b.block.attributes;
}

constexpr std::size_t before_offset = 3;  // of the numbers of a block: variable, kind, version

/// The one whose number that is; null if there is none.
template <class T>
const T* element_of(const std::vector<T>& list, const Value& number) {
    const auto place = number.as_int().value_or(-1);
    return place < 0 || std::cmp_greater_equal(place, list.size()) ? nullptr : &list[static_cast<std::size_t>(place)];
}

}  // namespace

Attributes encode(std::span<const Parcel> parcels) {
    struct Kind {
        std::int64_t number = 0;
        const Put* like = nullptr;
    };
    struct Known {
        std::int64_t number = 0;
        Kind last;
    };
    List variables, kinds, puts;
    std::unordered_map<std::string_view, Known> known;  // variables
    Kind last;                                          // of any variable
    for (const Parcel& parcel : parcels) {
        const Put& put = parcel.put;
        const auto [place, is_new] = known.try_emplace(put.block.variable, Known{std::ssize(variables), last});
        Known& variable = place->second;
        if (is_new) {
            variables.emplace_back(put.block.variable);
        }
        if (variable.last.like == nullptr || !are_alike(*variable.last.like, put)) {
            variable.last = {std::ssize(kinds), &put};
            kinds.emplace_back(encode(put));
        }
        last = variable.last;
        puts.emplace_back(variable.number);
        puts.emplace_back(last.number);
        puts.push_back(put.version ? Value(*put.version) : Value());
        puts.insert(puts.end(), put.block.box.offset.begin(), put.block.box.offset.end());
    }
    return {{"variables", std::move(variables)}, {"kinds", std::move(kinds)}, {"puts", std::move(puts)}};
}

base::Result<std::vector<Put>> decode_puts(const Attributes& body) {
    const List* const variables = base::list_field(body, "variables");
    const List* const kinds = base::list_field(body, "kinds");
    const List* const numbers = base::list_field(body, "puts");
    if (variables == nullptr || kinds == nullptr || numbers == nullptr || kinds->size() > most_blocks_at_once) {
        return tl::unexpected(garbled_many());
    }
    std::vector<Put> known;
    for (const Value& kind : *kinds) {
        auto put = kind.as_map() == nullptr ? tl::unexpected(garbled_many()) : decode_put(*kind.as_map());
        if (!put) {
            return base::fail(std::move(put));
        }
        known.push_back(*std::move(put));
    }
    std::vector<Put> puts;
    for (std::size_t at = 0; at < numbers->size();) {
        const auto* const variable = element_of(*variables, (*numbers)[at]);
        const std::string* const name = variable == nullptr ? nullptr : variable->as_string();
        const auto* const kind = numbers->size() - at < before_offset ? nullptr : element_of(known, (*numbers)[at + 1]);
        if (name == nullptr || kind == nullptr || puts.size() == most_blocks_at_once) {
            return tl::unexpected(garbled_many());
        }
        Put& put = puts.emplace_back(*kind);
        put.block.variable = *name;
        Extents& offset = put.block.box.offset;
        if (numbers->size() - at < before_offset + offset.size()) {
            return tl::unexpected(garbled_many());
        }
        const Value& version = (*numbers)[at + 2];
        put.version = version.as_int();
        bool is_sound = version.is_null() || put.version;
        for (std::size_t i = 0; i < offset.size(); ++i) {
            const auto begin = (*numbers)[at + before_offset + i].as_int();
            is_sound = is_sound && begin;
            offset[i] = begin.value_or(0);
        }
        if (!is_sound || !fits(put.block.box, put.block.shape)) {
            return tl::unexpected(garbled_many());
        }
        at += before_offset + offset.size();
    }
    return puts;
}

List encode(std::span<const base::Result<std::int64_t>> results) {
    List list;
    list.reserve(results.size());
    for (const auto& result : results) {
        list.push_back(result ? Value(*result)
                              : Value(Attributes{{"error", static_cast<int>(result.error().code)},
                                                 {"message", result.error().message}}));
    }
    return list;
}

base::Result<std::vector<base::Result<std::int64_t>>> decode_results(const Attributes& body, std::size_t expected) {
    const List* const list = base::list_field(body, "versions");
    if (list == nullptr || list->size() != expected) {
        return tl::unexpected(garbled_many());
    }
    std::vector<base::Result<std::int64_t>> results;
    results.reserve(expected);
    for (const Value& value : *list) {
        auto failure = value.as_map() == nullptr ? std::nullopt : transport::failure_in(*value.as_map(), "error");
        if (!value.as_int() && !failure) {
            return tl::unexpected(garbled_many());
        }
        results.push_back(failure ? tl::unexpected(*std::move(failure)) : base::Result<std::int64_t>(*value.as_int()));
    }
    return results;
}

}  // namespace staithe::space
