#include "base/config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/value_codec.hpp"

namespace staithe::base {
namespace {

/// Whoever opens a stream takes those that are for it.
Result<> check_settings(const std::string& stream, const Attributes& settings) {
    const std::vector<std::string> known{"placement",       "file",        "folder",      "history",
                                         "readers",         "queue_steps", "queue_bytes", "overflow",
                                         "spill_directory", "spill_bytes", "keep_steps",  "keep_bytes",
                                         "error",           "codec"};
    for (const auto& [name, value] : settings) {
        if (std::ranges::find(known, name) == known.end()) {
            return fail(ErrorCode::invalid_argument,
                        "STAITHE_STREAMS: '{}' has '{}', which no stream has; there are {}", stream, printable(name),
                        closest(name, known));
        }
    }
    return {};
}

}  // namespace

std::optional<std::string> environment(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') {
        return std::nullopt;
    }
    return std::string(text);
}

Result<std::optional<double>> timeout_of_environment() {
    const auto text = environment("STAITHE_TIMEOUT");
    if (!text) {
        return std::nullopt;
    }
    double seconds = 0.0;
    const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (status != std::errc{} || end != text->data() + text->size() || !(seconds > 0.0)) {
        return fail(ErrorCode::invalid_argument,
                    "STAITHE_TIMEOUT is '{}': give a number of seconds above 0, such as 60, or inf", *text);
    }
    return std::optional(seconds);
}

std::string run_directory(unsigned uid) {
    if (auto chosen = environment("STAITHE_RUN_DIR")) {
        return *chosen;
    }
    if (auto runtime = environment("XDG_RUNTIME_DIR")) {
        return *runtime + "/staithe";
    }
    return fmt::format("/tmp/staithe-{}", uid);
}

std::string program_name(const std::string& fallback) { return environment("STAITHE_PROGRAM").value_or(fallback); }

Result<Attributes> stream_settings(const std::string& stream) {
    const auto text = environment("STAITHE_STREAMS");
    if (!text) {
        return Attributes{};
    }
    auto parsed = from_json(*text);
    const Attributes* streams = parsed ? parsed->as_map() : nullptr;
    if (streams == nullptr) {
        return fail(ErrorCode::invalid_argument,
                    "STAITHE_STREAMS is not a JSON map of streams, such as {{\"melt\": {{\"queue_steps\": 2}}}}");
    }
    const auto found = streams->find(stream);
    if (found == streams->end()) {
        return Attributes{};
    }
    const Attributes* const settings = found->second.as_map();
    if (settings == nullptr) {
        return fail(ErrorCode::invalid_argument, "STAITHE_STREAMS: the entry of '{}' is not a map", stream);
    }
    auto checked = check_settings(stream, *settings);
    return checked ? Result<Attributes>(*settings) : fail(std::move(checked));
}

std::map<std::string, int> streams_to_open(const std::string& purpose) {
    std::map<std::string, int> streams;
    const auto text = environment("STAITHE_OPENS");
    const auto parsed = text ? from_json(*text) : Result<Value>(Value());
    const Value* const of_purpose = parsed && parsed->as_map() != nullptr ? find(*parsed->as_map(), purpose) : nullptr;
    if (const Attributes* const map = of_purpose == nullptr ? nullptr : of_purpose->as_map()) {
        for (const auto& [stream, ranks] : *map) {
            streams.emplace(stream,
                            static_cast<int>(std::clamp<std::int64_t>(ranks.as_int().value_or(1), 1, INT32_MAX)));
        }
    }
    return streams;
}

Result<Limits> limits_of_environment() {
    const auto text = environment("STAITHE_LIMITS");
    if (!text) {
        return Limits{};
    }
    const auto parsed = from_json(*text);
    const Attributes* map = parsed ? parsed->as_map() : nullptr;
    if (map == nullptr) {
        return fail(ErrorCode::invalid_argument,
                    "STAITHE_LIMITS is not a JSON map, such as {{\"memory\": \"2 GiB\", \"connections\": 100}}");
    }
    Limits limits;
    for (const auto& [name, value] : *map) {
        auto* const limit = name == "memory"            ? &limits.memory
                            : name == "descriptors"     ? &limits.descriptors
                            : name == "connections"     ? &limits.connections
                            : name == "bytes_in_flight" ? &limits.bytes_in_flight
                            : name == "prefetch"        ? &limits.prefetch
                                                        : nullptr;
        if (limit == nullptr) {
            return fail(ErrorCode::invalid_argument,
                        "STAITHE_LIMITS: there is no limit '{}'; there are memory, descriptors, connections, "
                        "bytes_in_flight and prefetch",
                        name);
        }
        const std::string* amount = value.as_string();
        const auto number = amount != nullptr
                                ? parse_bytes(*amount).map([](std::int64_t n) { return std::optional(n); })
                                : Result<std::optional<std::int64_t>>(value.as_int());
        if (!number || !*number || **number < 0) {
            return fail(ErrorCode::invalid_argument,
                        "STAITHE_LIMITS: '{}' is {}: give a number from 0 up, or a size such as \"2 GiB\"", name,
                        to_json(value));
        }
        *limit = *number;
    }
    return limits;
}

std::optional<std::string> key_file() { return environment("STAITHE_KEY_FILE"); }

std::optional<std::string> place_to_listen() { return environment("STAITHE_LISTEN"); }

std::optional<std::string> addresses_to_ask() { return environment("STAITHE_ADDRESS"); }

std::optional<std::string> devices_to_ask() { return environment("STAITHE_DEVICES"); }

std::string chosen_fabric() { return environment("STAITHE_FABRIC").value_or("auto"); }

std::string chosen_cuda() { return environment("STAITHE_CUDA").value_or("off"); }

std::optional<std::string> models_file() { return environment("STAITHE_MODELS"); }

std::vector<std::string> codec_plugins() {
    std::vector<std::string> paths;
    std::istringstream text(environment("STAITHE_CODEC_PLUGINS").value_or(""));
    for (std::string path; std::getline(text, path, ':');) {
        if (!path.empty()) {
            paths.push_back(path);
        }
    }
    return paths;
}

namespace {

/// The factor of a unit, in any case; 0 if there is no such unit.
std::int64_t factor_of(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 11> units{{{"", 1},
                                                                               {"b", 1},
                                                                               {"bytes", 1},
                                                                               {"kb", 1'000},
                                                                               {"mb", 1'000'000},
                                                                               {"gb", 1'000'000'000},
                                                                               {"tb", 1'000'000'000'000},
                                                                               {"kib", std::int64_t{1} << 10},
                                                                               {"mib", std::int64_t{1} << 20},
                                                                               {"gib", std::int64_t{1} << 30},
                                                                               {"tib", std::int64_t{1} << 40}}};
    std::string lower(unit);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto* const found =
        std::find_if(units.begin(), units.end(), [&](const auto& known) { return known.first == lower; });
    return found == units.end() ? 0 : found->second;
}

}  // namespace

Result<std::int64_t> parse_bytes(std::string_view text) {
    const std::string_view amount = trimmed(text);
    const char* const begin = amount.data();
    const char* const end = begin + amount.size();
    const auto unit_from = [&](const char* at) { return factor_of(trimmed({at, static_cast<std::size_t>(end - at)})); };
    std::int64_t whole = 0;
    if (const auto read = std::from_chars(begin, end, whole); read.ec == std::errc{}) {
        const std::int64_t factor = unit_from(read.ptr);
        if (whole >= 0 && factor > 0 && whole <= INT64_MAX / factor) {
            return whole * factor;
        }
    }
    double number = 0.0;
    if (const auto read = std::from_chars(begin, end, number); read.ec == std::errc{}) {
        const auto factor = static_cast<double>(unit_from(read.ptr));
        if (number >= 0.0 && factor > 0.0 && number * factor < 0x1p63) {
            return static_cast<std::int64_t>(number * factor);
        }
    }
    return fail(ErrorCode::invalid_argument, "'{}' is no amount of memory: write 4096, '256 MiB' or '1.5 GB'", text);
}

std::string format_bytes(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units{"B", "KB", "MB", "GB", "TB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    // From 999.5 on three digits would show 1000.
    while (std::abs(amount) >= (unit == 0 ? 1000.0 : 999.5) && unit + 1 < units.size()) {
        amount /= 1000.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", amount, units.at(unit));
}

}  // namespace staithe::base
