#include "stream/hosting/hosting_request.hpp"

#include "stream/directing/protocol.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {

Attributes encode(const DirectorSettings& settings) {
    return {{"stream", settings.stream},
            {"writers", settings.writers},
            {"group", settings.group_id},
            {"queue_steps", settings.queue.steps},
            {"queue_bytes", settings.queue.bytes},
            {"keep_steps", settings.queue.keep.steps},
            {"keep_bytes", settings.queue.keep.bytes},
            {"overflow", to_string(settings.overflow)},
            {"readers", settings.expected_readers},
            {"resume", settings.resume},
            {"placement", settings.placement},
            {"twin", settings.twin},
            {"attributes", settings.attributes}};
}

base::Result<DirectorSettings> decode_settings(const Attributes& body) {
    constexpr std::int64_t most_steps = 1 << 20;
    auto stream = text_field(body, "stream");
    const auto writers = integer_field(body, "writers", 1, most_ranks);
    auto group = text_field(body, "group");
    const auto queue_steps = integer_field(body, "queue_steps", 1, most_steps);
    const auto queue_bytes = integer_field(body, "queue_bytes", 1, INT64_MAX);
    const auto keep_steps = integer_field(body, "keep_steps", 0, Retention::most_steps);
    const auto keep_bytes = integer_field(body, "keep_bytes", 1, INT64_MAX);
    auto policy = text_field(body, "overflow");
    const auto readers = integer_field(body, "readers", 0, most_ranks);
    auto placement = text_field(body, "placement");
    auto twin = text_field(body, "twin");
    const Value* const resume = find(body, "resume");
    const Value* const attributes = find(body, "attributes");
    for (const auto* number : {&writers, &queue_steps, &queue_bytes, &keep_steps, &keep_bytes, &readers}) {
        if (!*number) {
            return base::fail(*number);
        }
    }
    for (const auto* text : {&stream, &group, &policy, &placement, &twin}) {
        if (!*text) {
            return base::fail(*text);
        }
    }
    if (resume == nullptr || !resume->as_bool() || attributes == nullptr || attributes->as_map() == nullptr) {
        return base::fail(ErrorCode::protocol, "a writer's request to take in a stream is garbled");
    }
    if (auto checked = transport::check_name(transport::Kind::stream, *stream); !checked) {
        return base::fail(std::move(checked));
    }
    if (auto checked = twin->empty() ? base::Result<>() : transport::check_name(transport::Kind::stream, *twin);
        !checked) {
        return base::fail(std::move(checked));
    }
    const auto overflow = parse_overflow(*policy);
    const auto checked = overflow ? check_overflow(*overflow, static_cast<int>(*queue_steps)) : base::fail(overflow);
    if (!checked) {
        return base::fail(checked);
    }
    if (overflow->is_of_writers()) {
        return base::fail(ErrorCode::protocol, "no server compresses or spills steps of a stream");
    }
    DirectorSettings settings;
    settings.stream = *std::move(stream);
    settings.writers = static_cast<int>(*writers);
    settings.group_id = *std::move(group);
    settings.queue = {static_cast<int>(*queue_steps), *queue_bytes, 0, false, {*keep_steps, *keep_bytes}};
    settings.overflow = *overflow;
    settings.expected_readers = static_cast<int>(*readers);
    settings.resume = *resume->as_bool();
    settings.placement = *std::move(placement);
    settings.twin = *std::move(twin);
    settings.attributes = *attributes->as_map();
    return settings;
}

}  // namespace staithe::stream
