#include "stream/observing/sendings.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.hpp"

namespace staithe::stream {
namespace {

/// Of what a rank tells; who has more links, or variables, is not believed.
constexpr std::size_t most_told = 4096;

struct ToldField {
    enum class Kind : std::uint8_t { told_text, told_number };
    const char* name = "";
    Kind kind = Kind::told_text;
    bool may_be_none = false;
};
using enum ToldField::Kind;

constexpr std::array fields_of_link{ToldField{"program", told_text}, ToldField{"host", told_text},
                                    ToldField{"pid", told_number}, ToldField{"bytes", told_number},
                                    ToldField{"link_bytes_per_second", told_number, true}};
constexpr std::array fields_of_variable{ToldField{"variable", told_text}, ToldField{"error", told_text},
                                        ToldField{"wanted", told_text, true},
                                        ToldField{"decode_seconds_per_byte", told_number}};
constexpr std::array fields_of_way{ToldField{"codec", told_text, true},
                                   ToldField{"mode", told_text},
                                   ToldField{"device", told_text},
                                   ToldField{"failures", told_number},
                                   ToldField{"tries", told_number},
                                   ToldField{"bytes", told_number},
                                   ToldField{"reused", told_number},
                                   ToldField{"coded", told_number},
                                   ToldField{"reused_coded", told_number},
                                   ToldField{"seconds", told_number},
                                   ToldField{"expected_seconds", told_number},
                                   ToldField{"expected_coded", told_number},
                                   ToldField{"within", told_number},
                                   ToldField{"tiles", told_number},
                                   ToldField{"raw_tiles", told_number},
                                   ToldField{"fallback_tiles", told_number}};

/// Of predictions for regions, one by one.
struct AccuracyField {
    const char* name = "";
    Value (*of)(const transform::Accuracy& accuracy) = nullptr;
};
double of_each(double sum, const transform::Accuracy& accuracy) {
    return sum / static_cast<double>(accuracy.predictions);
}
constexpr std::array fields_of_accuracy{
    AccuracyField{"count", [](const auto& accuracy) { return Value(accuracy.predictions); }},
    AccuracyField{"seconds_off", [](const auto& accuracy) { return Value(of_each(accuracy.seconds_off, accuracy)); }},
    AccuracyField{"coded_off", [](const auto& accuracy) { return Value(of_each(accuracy.coded_off, accuracy)); }},
    AccuracyField{"within_95",
                  [](const auto& accuracy) { return Value(of_each(static_cast<double>(accuracy.within), accuracy)); }}};

/// Nothing before there was one.
Value report_accuracy(const transform::Accuracy& accuracy) {
    if (accuracy.predictions == 0) {
        return {};
    }
    Attributes reported;
    for (const auto& [name, of] : fields_of_accuracy) {
        reported[name] = of(accuracy);
    }
    return reported;
}

/// These fields alone; nothing if one is missing, or something else.
std::optional<Attributes> only_fields(std::span<const ToldField> fields, const Value& told) {
    const Attributes* const map = told.as_map();
    Attributes taken;
    for (const auto& [name, kind, may_be_none] : fields) {
        const Value* const value = map == nullptr ? nullptr : find(*map, name);
        if (value == nullptr) {
            return std::nullopt;
        }
        const std::string* const words = value->as_string();
        if (kind == told_text && words != nullptr) {
            taken[name] = base::printable(*words);
        } else if ((kind == told_number && value->as_double()) || (may_be_none && value->is_null())) {
            taken[name] = *value;
        } else {
            return std::nullopt;
        }
    }
    return taken;
}

/// Each as `taken` has it; nothing if that has nothing for one of them.
std::optional<List> each_of(const Value* told, std::optional<Attributes> (*taken)(const Value& each)) {
    const List* const list = told == nullptr ? nullptr : told->as_list();
    if (list == nullptr || list->size() > most_told) {
        return std::nullopt;
    }
    List all;
    for (const Value& each : *list) {
        auto one = taken(each);
        if (!one) {
            return std::nullopt;
        }
        all.emplace_back(*std::move(one));
    }
    return all;
}

std::optional<Attributes> way_in(const Value& told) {
    auto way = only_fields(fields_of_way, told);
    const Value* const predictions = way ? find(*told.as_map(), "predictions") : nullptr;
    if (predictions == nullptr) {
        return std::nullopt;
    }
    if (predictions->is_null()) {
        (*way)["predictions"] = Value();
        return way;
    }
    std::array<ToldField, fields_of_accuracy.size()> fields;
    std::ranges::transform(fields_of_accuracy, fields.begin(),
                           [](const AccuracyField& field) { return ToldField{field.name, told_number}; });
    auto accuracy = only_fields(fields, *predictions);
    if (!accuracy) {
        return std::nullopt;
    }
    (*way)["predictions"] = *std::move(accuracy);
    return way;
}

std::optional<Attributes> variable_in(const Value& told) {
    auto variable = only_fields(fields_of_variable, told);
    auto ways = variable ? each_of(find(*told.as_map(), "ways"), way_in) : std::nullopt;
    if (!ways) {
        return std::nullopt;
    }
    (*variable)["ways"] = *std::move(ways);
    return variable;
}

std::optional<Attributes> link_in(const Value& told) {
    auto link = only_fields(fields_of_link, told);
    auto coded = link ? each_of(find(*told.as_map(), "coded"), variable_in) : std::nullopt;
    if (!coded) {
        return std::nullopt;
    }
    (*link)["coded"] = *std::move(coded);
    return link;
}

}  // namespace

List report_coded(const store::remote::Traffic::Figures& figures) {
    List coded;
    for (const auto& [variable, entry] : figures.coded) {
        const auto& [offer, known, used] = entry;
        List ways;
        for (const auto& way : known.chooser.ways()) {
            const bool is_dense = way.way.mode == codecs::Mode::dense;
            ways.push_back(Attributes{{"codec", way.way.codec.empty() ? Value() : Value(way.way.codec)},
                                      {"mode", is_dense ? "dense" : "fast"},
                                      {"device", way.way.device.empty() ? "cpu" : way.way.device},
                                      {"failures", way.failures},
                                      {"tries", way.tries},
                                      {"bytes", way.bytes},
                                      {"reused", way.reused},
                                      {"coded", way.coded},
                                      {"reused_coded", way.reused_coded},
                                      {"seconds", way.took.count()},
                                      {"expected_seconds", way.expected.count()},
                                      {"expected_coded", way.expected_coded},
                                      {"within", way.kept.bound},
                                      {"tiles", way.kept.tiles},
                                      {"raw_tiles", way.kept.raw_tiles},
                                      {"fallback_tiles", way.kept.fallback_tiles},
                                      {"predictions", report_accuracy(way.model.accuracy())}});
        }
        coded.push_back(Attributes{{"variable", base::printable(offer.variable)},
                                   {"error", codecs::to_string(offer.bound)},
                                   {"wanted", offer.codec.empty() ? Value() : Value(base::printable(offer.codec))},
                                   {"decode_seconds_per_byte", known.decode},
                                   {"ways", std::move(ways)}});
    }
    return coded;
}

Attributes report_link(const transport::Peer& server, const store::remote::Traffic::Figures& figures) {
    return {{"program", server.program},
            {"host", server.host},
            {"pid", server.pid},
            {"bytes", figures.bytes},
            {"link_bytes_per_second", figures.link ? Value(figures.link->bytes_a_second()) : Value()},
            {"coded", report_coded(figures)}};
}

std::optional<List> links_in(const List& told) {
    const Value list(told);
    return each_of(&list, link_in);
}

}  // namespace staithe::stream
