#include "space/served/messages.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <staithe/dtype.hpp>

#include "base/fields.hpp"

namespace staithe::space {
namespace {

using base::integer_field;
using base::text_field;

base::Failure garbled() { return {ErrorCode::protocol, "a message about a space is garbled"}; }

List list_of(const Extents& extents) { return {extents.begin(), extents.end()}; }

base::Result<Extents> extents_of(const Attributes& body, const std::string& name) {
    const List* const list = base::list_field(body, name);
    if (list == nullptr || list->size() > max_dimensions) {
        return tl::unexpected(garbled());
    }
    Extents extents;
    for (const Value& value : *list) {
        if (!value.as_int()) {
            return tl::unexpected(garbled());
        }
        extents.push_back(*value.as_int());
    }
    return extents;
}

Value number_or_null(std::optional<std::int64_t> number) { return number ? Value(*number) : Value(); }

base::Result<std::optional<std::int64_t>> optional_number(const Attributes& body, const std::string& name) {
    const Value* const value = find(body, name);
    if (value == nullptr || value->is_null()) {
        return std::nullopt;
    }
    return value->as_int() ? base::Result<std::optional<std::int64_t>>(value->as_int()) : tl::unexpected(garbled());
}

base::Result<Box> decode_box(const Attributes& body) {
    const auto offset = extents_of(body, "offset");
    const auto count = extents_of(body, "count");
    return offset && count && offset->size() == count->size() ? base::Result<Box>(Box{*offset, *count})
                                                              : tl::unexpected(garbled());
}

/// Their dimensions, and of each its offset and count.
List list_of(std::span<const Box> boxes) {
    List list{boxes.front().dimensions()};
    for (const Box& box : boxes) {
        list.insert(list.end(), box.offset.begin(), box.offset.end());
        list.insert(list.end(), box.count.begin(), box.count.end());
    }
    return list;
}

base::Result<std::vector<Box>> decode_boxes(const List& list) {
    const auto dimensions = list.empty() ? std::nullopt : list.front().as_int();
    if (!dimensions || *dimensions < 0 || std::cmp_greater(*dimensions, max_dimensions) ||
        !std::ranges::all_of(list, [](const Value& number) { return number.as_int().has_value(); })) {
        return tl::unexpected(garbled());
    }
    const auto of_box = static_cast<std::size_t>(2 * *dimensions);
    const std::size_t numbers = list.size() - 1;
    const std::size_t count = of_box == 0 ? 1 : numbers / of_box;  // there is one box of no dimensions
    if (numbers != count * of_box || count == 0 || count > store::space::Wanted::most_boxes) {
        return tl::unexpected(garbled());
    }
    std::vector<Box> boxes(count);
    auto next = list.begin() + 1;
    for (Box& box : boxes) {
        for (Extents* const part : {&box.offset, &box.count}) {
            for (std::int64_t i = 0; i < *dimensions; ++i) {
                part->push_back(*(next++)->as_int());
            }
        }
    }
    return boxes;
}

bool decode_twin(const Attributes& body, std::optional<store::space::BlockPlace>& twin) {
    const List* const fields = base::list_field(body, "twin");
    if (fields == nullptr) {
        return true;
    }
    const auto store = fields->size() == 2 ? (*fields)[0].as_int() : std::nullopt;
    const auto at = fields->size() == 2 ? (*fields)[1].as_int() : std::nullopt;
    if (!store || !at || *store < 0 || *store >= store::space::lost_store || *at < 0) {
        return false;
    }
    twin.emplace(static_cast<std::uint32_t>(*store), *at);
    return true;
}

base::Result<store::space::WayOut::Step> decode_step(const Attributes& fields) {
    const auto waiting = integer_field(fields, "waiting", 1, INT64_MAX);
    const auto in_the_way = integer_field(fields, "in the way", 1, INT64_MAX);
    auto holder = text_field(fields, "holder");
    auto text = text_field(fields, "text");
    if (!waiting || !in_the_way || !holder || !text) {
        return tl::unexpected(garbled());
    }
    return store::space::WayOut::Step{*waiting, *in_the_way, *std::move(holder), *std::move(text)};
}

base::Result<store::space::WayOut> decode_way(const Attributes& fields) {
    auto from = text_field(fields, "from");
    auto to = text_field(fields, "to");
    const List* const steps = base::list_field(fields, "steps");
    if (!from || !to || steps == nullptr || steps->empty()) {
        return tl::unexpected(garbled());
    }
    store::space::WayOut way{*std::move(from), *std::move(to), {}};
    for (const Value& value : *steps) {
        const Attributes* const told = value.as_map();
        auto step = told == nullptr ? tl::unexpected(garbled()) : decode_step(*told);
        if (!step) {
            return base::fail(std::move(step));
        }
        way.steps.push_back(*std::move(step));
    }
    return way;
}

}  // namespace

Attributes encode_array(const store::BlockDescription& array) {
    return {{"variable", array.variable},
            {"dtype", static_cast<std::int64_t>(array.dtype)},
            {"shape", list_of(array.shape)},
            {"unit", array.unit},
            {"attributes", array.attributes}};
}

base::Result<store::BlockDescription> decode_array(const Attributes& body) {
    store::BlockDescription array;
    auto variable = text_field(body, "variable");
    auto unit = text_field(body, "unit");
    const auto code = integer_field(body, "dtype", 0, UINT8_MAX);
    const auto dtype = code ? dtype_from_code(static_cast<std::uint8_t>(*code)) : std::nullopt;
    const auto shape = extents_of(body, "shape");
    const Attributes* const attributes = base::map_field(body, "attributes");
    if (!variable || !unit || !dtype || !shape || attributes == nullptr || !fits(Box::whole(*shape), *shape)) {
        return tl::unexpected(garbled());
    }
    array.variable = *std::move(variable);
    array.unit = *std::move(unit);
    array.dtype = *dtype;
    array.shape = *shape;
    array.box = Box::whole(*shape);
    array.attributes = *attributes;
    return array;
}

Attributes encode(const store::space::Put& put) {
    Attributes body = encode_array(put.block);
    body["offset"] = list_of(put.block.box.offset);
    body["count"] = list_of(put.block.box.count);
    body["by columns"] = put.block.column_major;
    body["version"] = number_or_null(put.version);
    body["rank"] = put.by.rank;
    body["ranks"] = put.by.ranks;
    body["completes"] = put.completes;
    body["may cover"] = put.may_cover;
    body["persist"] = put.persist;
    if (!put.locks.empty()) {
        body["locks"] = List(put.locks.begin(), put.locks.end());
    }
    add(body, put.id);
    if (put.twin) {
        body["twin"] = List{put.twin->first, put.twin->second};
    }
    return body;
}

void add(Attributes& body, const store::space::PutId& id) {
    if (!id.program.empty()) {
        body[put_id] = List{id.program, id.number, id.settled};
    }
}

base::Result<store::space::PutId> decode_put_id(const Attributes& body) {
    const List* const fields = base::list_field(body, put_id);
    if (fields == nullptr) {
        return store::space::PutId{};
    }
    const std::string* const program = fields->size() == 3 ? (*fields)[0].as_string() : nullptr;
    if (program == nullptr || !(*fields)[1].as_int() || !(*fields)[2].as_int()) {
        return tl::unexpected(garbled());
    }
    return store::space::PutId{*program, *(*fields)[1].as_int(), *(*fields)[2].as_int()};
}

base::Result<store::space::Put> decode_put(const Attributes& body) {
    auto block = decode_array(body);
    const auto box = decode_box(body);
    const auto version = optional_number(body, "version");
    const auto ranks = integer_field(body, "ranks", 1, INT32_MAX);
    const auto rank = integer_field(body, "rank", 0, ranks.value_or(1) - 1);
    if (!block || !box || !version || !rank || !ranks || !fits(*box, block->shape) ||
        !size_in_bytes(box->count, block->dtype)) {
        return tl::unexpected(garbled());
    }
    store::space::Put put;
    put.block = *std::move(block);
    put.version = *version;
    put.block.box = *box;
    put.block.column_major = base::flag_field(body, "by columns");
    put.by = {"", static_cast<int>(*rank), static_cast<int>(*ranks)};
    put.completes = base::flag_field(body, "completes");
    put.may_cover = base::flag_field(body, "may cover");
    put.persist = base::flag_field(body, "persist");
    if (const List* const locks = base::list_field(body, "locks")) {
        for (const Value& token : *locks) {
            put.locks.push_back(token.as_int().value_or(0));  // 0 is no lock's
        }
    }
    const auto id = decode_put_id(body);
    put.id = id.value_or(store::space::PutId{});
    return id && decode_twin(body, put.twin) ? base::Result<store::space::Put>(std::move(put))
                                             : tl::unexpected(garbled());
}

base::Result<std::set<int>> decode_homes(const Attributes& body) {
    const List* const homes = base::list_field(body, "homes");
    const auto is_rank = [](const Value& home) {
        return home.as_int() && *home.as_int() >= 0 && *home.as_int() <= INT32_MAX;
    };
    if (homes == nullptr || !std::ranges::all_of(*homes, is_rank)) {
        return tl::unexpected(garbled());
    }
    std::set<int> ranks;
    std::ranges::transform(*homes, std::inserter(ranks, ranks.end()),
                           [](const Value& home) { return static_cast<int>(*home.as_int()); });
    return ranks;
}

Attributes encode(const store::space::Wanted& wanted) {
    Attributes body{{"variable", wanted.variable}, {"version", number_or_null(wanted.version)}};
    if (wanted.after) {
        body["after"] = *wanted.after;
    }
    if (wanted.box) {
        body["offset"] = list_of(wanted.box->offset);
        body["count"] = list_of(wanted.box->count);
    }
    if (!wanted.boxes.empty()) {
        body["boxes"] = list_of(wanted.boxes);
    }
    return body;
}

base::Result<store::space::Wanted> decode_wanted(const Attributes& body) {
    auto variable = text_field(body, "variable");
    const auto version = optional_number(body, "version");
    const auto after = optional_number(body, "after");
    if (!variable || !version || !after) {
        return tl::unexpected(garbled());
    }
    store::space::Wanted wanted{.variable = *std::move(variable), .version = *version, .after = *after};
    if (find(body, "offset") != nullptr) {
        const auto box = decode_box(body);
        if (!box) {
            return base::fail(box);
        }
        wanted.box = *box;
    }
    if (const List* const list = base::list_field(body, "boxes")) {
        auto boxes = decode_boxes(*list);
        if (!boxes) {
            return base::fail(std::move(boxes));
        }
        wanted.boxes = *std::move(boxes);
    }
    return wanted;
}

Attributes encode(const store::space::RetentionRules& rules) {
    return {{"keep", number_or_null(rules.keep)},
            {"keep bytes", number_or_null(rules.keep_bytes)},
            {"keep seconds", rules.keep_for ? Value(base::Seconds(*rules.keep_for).count()) : Value()}};
}

base::Result<store::space::RetentionRules> decode_rules(const Attributes& body) {
    const auto keep = optional_number(body, "keep");
    const auto keep_bytes = optional_number(body, "keep bytes");
    const Value* const seconds = find(body, "keep seconds");
    if (!keep || !keep_bytes || seconds == nullptr || (!seconds->is_null() && !seconds->as_double())) {
        return tl::unexpected(garbled());
    }
    store::space::RetentionRules rules{*keep, *keep_bytes};
    if (!seconds->is_null()) {
        const auto time = store::space::duration_of(*seconds->as_double());
        if (!time) {
            return tl::unexpected(garbled());
        }
        rules.keep_for = *time;
    }
    return rules;
}

Attributes encode(const store::space::LockTable::Wish& wish) {
    Attributes body{{"variable", wish.variable},
                    {"writes", wish.mode == store::space::LockMode::write},
                    {"lease", base::Seconds(wish.lease).count()}};
    body["offset"] = list_of(wish.box.offset);
    body["count"] = list_of(wish.box.count);
    return body;
}

base::Result<store::space::LockTable::Wish> decode_wish(const Attributes& body) {
    auto variable = text_field(body, "variable");
    const auto box = decode_box(body);
    const Value* const seconds = find(body, "lease");
    const auto lease =
        seconds == nullptr || !seconds->as_double() ? std::nullopt : store::space::duration_of(*seconds->as_double());
    if (!variable || !box || !lease) {
        return tl::unexpected(garbled());
    }
    return store::space::LockTable::Wish{
        .variable = *std::move(variable),
        .mode = base::flag_field(body, "writes") ? store::space::LockMode::write : store::space::LockMode::read,
        .box = *box,
        .lease = *lease};
}

Attributes encode(const std::vector<store::space::WayOut>& ways) {
    List list;
    for (const auto& way : ways) {
        List steps;
        for (const auto& step : way.steps) {
            steps.emplace_back(Attributes{{"waiting", step.waiting},
                                          {"in the way", step.in_the_way},
                                          {"holder", step.holder},
                                          {"text", step.text}});
        }
        list.emplace_back(Attributes{{"from", way.from}, {"to", way.to}, {"steps", std::move(steps)}});
    }
    return {{"ways", std::move(list)}};
}

base::Result<std::vector<store::space::WayOut>> decode_ways(const Attributes& body) {
    const List* const list = base::list_field(body, "ways");
    if (list == nullptr) {
        return tl::unexpected(garbled());
    }
    std::vector<store::space::WayOut> ways;
    for (const Value& value : *list) {
        const Attributes* const fields = value.as_map();
        auto way = fields == nullptr ? tl::unexpected(garbled()) : decode_way(*fields);
        if (!way) {
            return base::fail(std::move(way));
        }
        ways.push_back(*std::move(way));
    }
    return ways;
}

Attributes encode(const Listed& listed) {
    Attributes body = encode_array(listed.whole);
    body["version"] = listed.version;
    body["serial"] = listed.serial;
    body["complete"] = listed.is_complete;
    body["completion"] = listed.completion;
    body["blocks"] = listed.blocks;
    body["bytes"] = listed.bytes;
    return body;
}

base::Result<Listed> decode_listed(const Attributes& body) {
    auto whole = decode_array(body);
    const auto version = integer_field(body, "version", INT64_MIN, INT64_MAX);
    const auto serial = integer_field(body, "serial", 1, INT64_MAX);
    const auto completion = integer_field(body, "completion", 0, INT64_MAX);
    const auto blocks = integer_field(body, "blocks", 0, INT64_MAX);
    const auto bytes = integer_field(body, "bytes", 0, INT64_MAX);
    if (!whole || !version || !serial || !completion || !blocks || !bytes) {
        return tl::unexpected(garbled());
    }
    return Listed{.version = *version,
                  .serial = *serial,
                  .is_complete = base::flag_field(body, "complete"),
                  .completion = *completion,
                  .blocks = *blocks,
                  .bytes = *bytes,
                  .whole = *std::move(whole)};
}

}  // namespace staithe::space
