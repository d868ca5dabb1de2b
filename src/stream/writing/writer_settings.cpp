#include "stream/writing/writer_settings.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/config.hpp"
#include "base/value_codec.hpp"
#include "stream/opening.hpp"
#include "stream/placements.hpp"
#include "transform/bound.hpp"
#include "transport/directory/entry.hpp"
#include "transport/directory/search.hpp"

namespace staithe::stream {
namespace {

constexpr int default_queue_steps = 8;
constexpr std::int64_t default_queue_bytes = std::int64_t{256} << 20;
constexpr std::int64_t default_spill_bytes = std::int64_t{8} << 30;
constexpr const char* default_spill_directory = "/var/tmp";  // a disk, where /tmp is often memory
constexpr int default_readers = 1;

/// An integer, or a text such as "256 MiB".
base::Result<std::int64_t> amount(const Attributes& settings, const std::string& name, std::int64_t otherwise) {
    const Value* value = find(settings, name);
    if (value == nullptr) {
        return otherwise;
    }
    if (const std::string* text = value->as_string()) {
        return base::parse_bytes(*text);
    }
    if (const auto number = value->as_int()) {
        return *number;
    }
    return base::fail(ErrorCode::invalid_argument, "STAITHE_STREAMS: '{}' must be a whole number", name);
}

base::Result<std::string> text(const Attributes& settings, const std::string& name,
                               const std::optional<std::string>& argument, const std::string& otherwise) {
    const Value* value = find(settings, name);
    if (argument || value == nullptr) {
        return argument.value_or(otherwise);
    }
    if (value->as_string() == nullptr) {
        return base::fail(ErrorCode::invalid_argument, "STAITHE_STREAMS: '{}' must be a text", name);
    }
    return *value->as_string();
}

constexpr std::int64_t most_steps = 1 << 20;
constexpr std::int64_t most_readers = 1 << 20;

// With bytes alone a stream of small steps still has an end.
constexpr std::int64_t most_steps_of_bytes = 1024;

/// What an option is, and what it may be.
struct Amount {
    const char* name = "";
    std::int64_t value = 0;
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// Which steps a server keeps. Programs that are not placed there need not know of it: the environment is for all.
base::Result<Retention> resolve_retention(const Attributes& environment, const WriterOptions& options, bool at_server,
                                          const QueueLimits& queue) {
    const auto given = [&](const char* name, const std::optional<std::int64_t>& argument,
                           std::int64_t otherwise) -> base::Result<std::optional<std::int64_t>> {
        if (argument || find(environment, name) == nullptr) {
            return argument;
        }
        return amount(environment, name, otherwise).map([](std::int64_t value) { return std::optional(value); });
    };
    const auto steps = given("keep_steps", options.keep_steps, queue.steps);
    const auto bytes = given("keep_bytes", options.keep_bytes, queue.bytes);
    if (!steps || !bytes) {
        return !steps ? base::fail(steps) : base::fail(bytes);
    }
    if (!at_server && (options.keep_steps || options.keep_bytes)) {
        return base::fail(ErrorCode::invalid_argument,
                          "only a server keeps steps: `keep` goes with the placement 'servers'");
    }
    if (!at_server) {
        return Retention{};
    }
    if (*steps && (**steps < 0 || **steps > Retention::most_steps)) {
        return base::fail(ErrorCode::invalid_argument, "{} steps cannot be kept: give 0 to {}", **steps,
                          Retention::most_steps);
    }
    if (*bytes && **bytes < 1) {
        return base::fail(ErrorCode::invalid_argument, "{} bytes cannot be kept: give 1 or more, or keep 0 steps",
                          **bytes);
    }
    if (!*steps && !*bytes) {
        return Retention{std::min<std::int64_t>(queue.steps, Retention::most_steps), queue.bytes};
    }
    return Retention{steps->value_or(most_steps_of_bytes), bytes->value_or(INT64_MAX)};
}

/// A text that is for all variables, or one for each name.
base::Result<Errors> resolve_errors(const Attributes& environment, const Errors& argument) {
    Errors error = argument;
    const Value* const said = argument.empty() ? find(environment, "error") : nullptr;
    if (said != nullptr) {
        const Attributes of_each =
            said->as_map() != nullptr ? *said->as_map() : Attributes{{transform::all_others, *said}};
        for (const auto& [name, bound] : of_each) {
            if (bound.as_string() == nullptr) {
                return base::fail(ErrorCode::invalid_argument,
                                  "STAITHE_STREAMS: the error of '{}' must be a text such as '1e-3 rel'", name);
            }
            auto parsed = transform::parse_bound(*bound.as_string());
            if (!parsed) {
                return base::fail(std::move(parsed));
            }
            error.emplace(name, *parsed);
        }
    }
    for (const auto& [name, bound] : error) {
        if (auto checked = transform::check_error(name, bound); !checked) {
            return base::fail(std::move(checked));
        }
    }
    return error;
}

}  // namespace

base::Result<std::string> resolve_codec(const std::string& stream, const WriterOptions& options) {
    const auto environment = base::stream_settings(stream);
    return environment ? text(*environment, "codec", options.codec, "") : base::fail(environment);
}

base::Result<WriterSettings> resolve_settings(const std::string& stream, const WriterOptions& options) {
    if (auto checked = transport::check_name(transport::Kind::stream, stream); !checked) {
        return base::fail(std::move(checked));
    }
    if (auto checked = check_group(options.group); !checked) {
        return base::fail(std::move(checked));
    }
    // As they will travel: inside of a message.
    if (auto checked = base::check(Attributes{{"attributes", options.attributes}, {"group", options.group.id}});
        !checked) {
        return base::fail(checked.error().code, "the attributes of stream '{}': {}", stream, checked.error().message);
    }
    const auto timeout = resolve_timeout(options.timeout);
    const auto environment = base::stream_settings(stream);
    if (!timeout || !environment) {
        return !timeout ? base::Result<WriterSettings>(base::fail(timeout))
                        : base::Result<WriterSettings>(base::fail(environment));
    }
    const auto steps = options.queue_steps ? base::Result<std::int64_t>(*options.queue_steps)
                                           : amount(*environment, "queue_steps", default_queue_steps);
    const auto bytes = options.queue_bytes ? base::Result<std::int64_t>(*options.queue_bytes)
                                           : amount(*environment, "queue_bytes", default_queue_bytes);
    const auto readers = options.readers ? base::Result<std::int64_t>(*options.readers)
                                         : amount(*environment, "readers", default_readers);
    const auto spill_bytes = options.spill_bytes ? base::Result<std::int64_t>(*options.spill_bytes)
                                                 : amount(*environment, "spill_bytes", default_spill_bytes);
    for (const auto* value : {&steps, &bytes, &readers, &spill_bytes}) {
        if (!*value) {
            return base::fail(*value);
        }
    }
    for (const Amount& given :
         {Amount{"queue_steps", *steps, 1, most_steps}, Amount{"queue_bytes", *bytes, 1},
          Amount{"readers", *readers, 0, most_readers}, Amount{"reserve_bytes", options.reserve_bytes, 0},
          Amount{"spill_bytes", *spill_bytes, 1}}) {
        if (given.value < given.least || given.value > given.most) {
            const bool bounded = given.most < std::numeric_limits<std::int64_t>::max();
            return base::fail(
                ErrorCode::invalid_argument, "stream '{}': {} cannot be {}: give {}", stream, given.name, given.value,
                bounded ? fmt::format("{} to {}", given.least, given.most) : fmt::format("{} or more", given.least));
        }
    }
    const auto placement = resolve_placement(*environment, options.placement);
    if (!placement) {
        return base::fail(placement);
    }
    const auto policy = text(*environment, "overflow", options.overflow, "block");
    const auto directory = text(*environment, "spill_directory", options.spill_directory,
                                base::environment("STAITHE_SPILL_DIRECTORY").value_or(default_spill_directory));
    const auto overflow = policy ? parse_overflow(*policy) : base::fail(policy);
    if (!overflow || !directory) {
        return !overflow ? base::Result<WriterSettings>(base::fail(overflow))
                         : base::Result<WriterSettings>(base::fail(directory));
    }
    if (auto checked = check_overflow(*overflow, static_cast<int>(*steps)); !checked) {
        return base::fail(checked.error().code, "stream '{}': {}", stream, checked.error().message);
    }
    auto places = transport::places_to_ask(options.address);
    if (!places) {
        return base::fail(places.error().code, "stream '{}': {}", stream, places.error().message);
    }
    const bool spills = overflow->policy == Overflow::Policy::spill;
    const bool compresses = overflow->policy == Overflow::Policy::compress;
    if ((options.spill_directory || options.spill_bytes) && !spills) {
        return base::fail(ErrorCode::invalid_argument,
                          "stream '{}': a spill directory or size goes with the overflow policy 'spill', this one is "
                          "'{}'",
                          stream, *policy);
    }
    WriterSettings settings;
    settings.at_server = (*placement)->name == std::string_view("servers");
    if (settings.at_server && overflow->is_of_writers()) {
        return base::fail(ErrorCode::invalid_argument,
                          "stream '{}': the overflow policy '{}' cannot be had at placement 'servers' in this version",
                          stream, *policy);
    }
    if (options.codec && (*placement)->name != std::string_view("file")) {
        return base::fail(ErrorCode::invalid_argument,
                          "stream '{}': a writer's codec is that of a file (placement 'file'), and this stream is at "
                          "'{}': a reader of another host names the one that it wants",
                          stream, (*placement)->name);
    }
    settings.timeout = *timeout;
    settings.spill_directory = *directory;
    settings.depth_is_ours = overflow->policy == Overflow::Policy::block && !options.queue_steps &&
                             !options.queue_bytes && find(*environment, "queue_steps") == nullptr &&
                             find(*environment, "queue_bytes") == nullptr;
    settings.director.stream = stream;
    settings.director.writers = options.group.size;
    settings.director.group_id = options.group.id;
    settings.director.queue = {static_cast<int>(*steps), *bytes, spills ? *spill_bytes : 0, compresses};
    const auto keep = resolve_retention(*environment, options, settings.at_server, settings.director.queue);
    if (!keep) {
        return base::fail(keep.error().code, "stream '{}': {}", stream, keep.error().message);
    }
    settings.director.queue.keep = *keep;
    auto error = resolve_errors(*environment, options.error);
    if (!error) {
        return base::fail(error.error().code, "stream '{}': {}", stream, error.error().message);
    }
    settings.error = *std::move(error);
    settings.director.overflow = *overflow;
    settings.director.expected_readers = static_cast<int>(*readers);
    settings.director.resume = options.resume;
    settings.director.placement = (*placement)->name;
    settings.director.attributes = options.attributes;
    settings.director.listen = options.listen;
    settings.director.offer_to = places->addresses;
    settings.places = {std::move(places->addresses), false};  // rank 0 may be of this host
    return settings;
}

}  // namespace staithe::stream
