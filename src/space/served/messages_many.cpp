#include "space/served/messages_many.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/fields.hpp"
#include "space/served/messages.hpp"
#include "store/enclosed_source.hpp"
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

/// What is found of both is described by one.
bool are_alike(const store::BlockDescription& a, const store::BlockDescription& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.unit == b.unit && a.attributes == b.attributes;
}

Value failure_of(const base::Failure& failure) {
    return Attributes{{"error", static_cast<int>(failure.code)}, {"message", failure.message}};
}

/// Of a list, one after the other. Once one is missing, or something else, it is not sound any more.
class NumbersOfMany {
  public:
    explicit NumbersOfMany(const List& list) : list_(list) {}
    [[nodiscard]] bool at_end() const { return at_ >= list_.size(); }
    [[nodiscard]] bool is_sound() const { return is_sound_; }
    const Value& value() {
        static const Value none;
        is_sound_ = is_sound_ && !at_end();
        return at_end() ? none : list_[at_++];
    }
    std::optional<std::int64_t> number_or_null() {
        const Value& next = value();
        is_sound_ = is_sound_ && (next.is_null() || next.as_int());
        return next.as_int();
    }
    std::int64_t number() {
        const auto next = number_or_null();
        is_sound_ = is_sound_ && next;
        return next.value_or(0);
    }
    Box box(std::int64_t dimensions) {
        Box box;
        is_sound_ = is_sound_ && dimensions >= 0 && std::cmp_less_equal(dimensions, max_dimensions);
        for (Extents* const part : {&box.offset, &box.count}) {
            for (std::int64_t i = 0; is_sound_ && i < dimensions; ++i) {
                part->push_back(number());
            }
        }
        return box;
    }

  private:
    const List& list_;
    std::size_t at_ = 0;
    bool is_sound_ = true;
};

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
            Attributes kind = encode(put);
            kind.erase(put_id);  // of all of them: that of the first, and the numbers after it
            kinds.emplace_back(std::move(kind));
        }
        last = variable.last;
        puts.emplace_back(variable.number);
        puts.emplace_back(last.number);
        puts.push_back(put.version ? Value(*put.version) : Value());
        puts.insert(puts.end(), put.block.box.offset.begin(), put.block.box.offset.end());
    }
    Attributes body{{"variables", std::move(variables)}, {"kinds", std::move(kinds)}, {"puts", std::move(puts)}};
    if (!parcels.empty()) {
        add(body, parcels.front().put.id);
    }
    return body;
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
    const auto first = decode_put_id(body);
    if (!first) {
        return base::fail(first);
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
        put.id = {first->program, first->number + std::ssize(puts) - 1, first->settled};
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
        list.push_back(result ? Value(*result) : failure_of(result.error()));
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

Attributes encode(std::span<const store::space::Wanted> wanted) {
    List variables, numbers;
    std::unordered_map<std::string_view, std::int64_t> known;
    for (const store::space::Wanted& each : wanted) {
        const auto [place, is_new] = known.try_emplace(each.variable, std::ssize(variables));
        if (is_new) {
            variables.emplace_back(each.variable);
        }
        numbers.emplace_back(place->second);
        numbers.push_back(each.version ? Value(*each.version) : Value());
        numbers.push_back(each.box ? Value(each.box->dimensions()) : Value());
        if (each.box) {
            numbers.insert(numbers.end(), each.box->offset.begin(), each.box->offset.end());
            numbers.insert(numbers.end(), each.box->count.begin(), each.box->count.end());
        }
    }
    return {{"variables", std::move(variables)}, {"wanted", std::move(numbers)}};
}

base::Result<std::vector<store::space::Wanted>> decode_wanted_many(const Attributes& body) {
    const List* const variables = base::list_field(body, "variables");
    const List* const numbers = base::list_field(body, "wanted");
    if (variables == nullptr || numbers == nullptr) {
        return tl::unexpected(garbled_many());
    }
    std::vector<store::space::Wanted> wanted;
    for (NumbersOfMany next(*numbers); !next.at_end();) {
        const auto* const variable = element_of(*variables, next.value());
        const std::string* const name = variable == nullptr ? nullptr : variable->as_string();
        if (name == nullptr || wanted.size() == most_blocks_at_once) {
            return tl::unexpected(garbled_many());
        }
        store::space::Wanted& each = wanted.emplace_back();
        each.variable = *name;
        each.version = next.number_or_null();
        if (const auto dimensions = next.number_or_null()) {
            each.box = next.box(*dimensions);
        }
        if (!next.is_sound()) {
            return tl::unexpected(garbled_many());
        }
    }
    return wanted;
}

Attributes encode(std::span<const FoundOrNot> found) {
    List kinds, numbers;
    const store::BlockDescription* last = nullptr;
    for (const FoundOrNot& each : found) {
        if (!each || !*each) {
            numbers.push_back(each ? Value(failure_of((*each).error())) : Value());
            continue;
        }
        const Found& one = **each;
        if (last == nullptr || !are_alike(*last, one.whole)) {
            kinds.emplace_back(encode_array(one.whole));
            last = &one.whole;
        }
        for (const std::int64_t number :
             {std::ssize(kinds) - 1, one.version, one.serial, one.completion, std::ssize(one.blocks)}) {
            numbers.emplace_back(number);
        }
        for (const store::space::VersionBlock& block : one.blocks) {
            numbers.emplace_back(block.ref.bytes);
            numbers.emplace_back(std::int64_t{block.column_major});
            numbers.insert(numbers.end(), block.box.offset.begin(), block.box.offset.end());
            numbers.insert(numbers.end(), block.box.count.begin(), block.box.count.end());
        }
    }
    return {{"kinds", std::move(kinds)}, {"found", std::move(numbers)}};
}

base::Result<std::vector<FoundOrNot>> decode_found_many(const Attributes& body, std::size_t expected) {
    const List* const kinds = base::list_field(body, "kinds");
    const List* const numbers = base::list_field(body, "found");
    std::vector<store::BlockDescription> known;
    for (std::size_t i = 0; kinds != nullptr && i < kinds->size(); ++i) {
        const Attributes* const kind = (*kinds)[i].as_map();
        auto array = kind == nullptr ? tl::unexpected(garbled_many()) : decode_array(*kind);
        if (!array) {
            return base::fail(std::move(array));
        }
        known.push_back(*std::move(array));
    }
    if (kinds == nullptr || numbers == nullptr) {
        return tl::unexpected(garbled_many());
    }
    std::vector<FoundOrNot> all;
    all.reserve(expected);
    std::int64_t at = 0;
    for (NumbersOfMany next(*numbers); !next.at_end();) {
        const Value& first = next.value();
        if (all.size() == expected) {
            return tl::unexpected(garbled_many());
        }
        if (first.as_int()) {
            const auto* const whole = element_of(known, first);
            if (whole == nullptr) {
                return tl::unexpected(garbled_many());
            }
            Found found;
            found.whole = *whole;
            found.version = next.number();
            found.serial = next.number();
            found.completion = next.number();
            for (std::int64_t left = next.number(); left > 0 && next.is_sound(); --left) {
                const std::int64_t bytes = next.number(), by_columns = next.number();
                Box box = next.box(std::ssize(whole->shape));
                if (!next.is_sound() || bytes < 0 || bytes > most_enclosed || !fits(box, whole->shape)) {
                    return tl::unexpected(garbled_many());
                }
                found.blocks.push_back(
                    {.box = box, .ref = {.offset = at, .bytes = bytes}, .column_major = by_columns == 1});
                at += store::enclosed_size(bytes);
            }
            all.emplace_back(std::move(found));
        } else if (auto failure =
                       first.as_map() == nullptr ? std::nullopt : transport::failure_in(*first.as_map(), "error")) {
            all.emplace_back(tl::unexpected(*std::move(failure)));
        } else {
            all.emplace_back(std::nullopt);
        }
        if (!next.is_sound()) {
            return tl::unexpected(garbled_many());
        }
    }
    return all.size() == expected ? base::Result<std::vector<FoundOrNot>>(std::move(all))
                                  : tl::unexpected(garbled_many());
}

}  // namespace staithe::space
