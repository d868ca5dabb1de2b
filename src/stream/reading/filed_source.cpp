#include "stream/reading/filed_source.hpp"

#include <cstdint>
#include <utility>

#include "base/config.hpp"
#include "stream/opening.hpp"

namespace staithe::stream {

using base::fail;

base::Result<> FiledSource::check(const std::string& stream, const char* what, const ReaderOptions& options) {
    if (options.start == start_next) {
        return fail(ErrorCode::invalid_argument,
                    "'{}' is {}, to which nobody adds steps: it has no next one to start at", stream, what);
    }
    if (options.overflow.value_or("block") != "block") {
        return fail(ErrorCode::invalid_argument, "'{}' is {}, whose readers get all steps: overflow cannot be '{}'",
                    stream, what, *options.overflow);
    }
    if (!options.history.value_or("").empty()) {
        return fail(ErrorCode::invalid_argument, "'{}' is {}, which begins with its first step: leave `history` out",
                    stream, what);
    }
    return check_group(options.group);
}

base::Result<std::string> FiledSource::path_of(const std::string& stream, const char* key) {
    auto said = said_of(stream, key);
    return said ? base::Result<std::string>(said->value_or(stream)) : fail(std::move(said));
}

base::Result<std::optional<std::string>> FiledSource::said_of(const std::string& stream, const char* key) {
    const auto settings = base::stream_settings(stream);
    if (!settings) {
        return fail(settings);
    }
    const Value* const said = find(*settings, key);
    if (said == nullptr) {
        return std::nullopt;
    }
    if (said->as_string() == nullptr) {
        return fail(ErrorCode::invalid_argument, "STAITHE_STREAMS: the {} of '{}' must be a text", key, stream);
    }
    return *said->as_string();
}

base::Result<std::shared_ptr<const Step>> FiledSource::next(std::optional<double> /*timeout*/) {
    if (closed_ || !home_.here()) {
        return fail(ErrorCode::closed, "the reader of '{}' {}", name(),
                    closed_ ? "was closed" : "was opened before this process was forked: open one here");
    }
    if (has_been_read()) {
        return nullptr;
    }
    auto step = open_step(taken_);
    if (!step) {
        return step;
    }
    ++taken_;
    return pins_.pin(*std::move(step));
}

base::Result<std::shared_ptr<const Layout>> FiledSource::layout_of(std::vector<Schema> schema_of_rank) {
    if (layout_ != nullptr && schema_of_rank == schema_of_rank_) {
        return layout_;
    }
    std::vector<std::shared_ptr<const Schema>> schemas;
    for (const Schema& schema : schema_of_rank) {
        schemas.push_back(std::make_shared<const Schema>(schema));
    }
    auto layout = Layout::build(std::move(schemas));
    if (layout) {
        layout_ = *layout;
        schema_of_rank_ = std::move(schema_of_rank);
    }
    return layout;
}

base::Result<> FiledSource::close() {
    closed_ = true;
    return {};
}

ReaderStatistics FiledSource::statistics() const {
    return {.steps = static_cast<std::int64_t>(taken_), .pinned = pins_.count()};
}

}  // namespace staithe::stream
