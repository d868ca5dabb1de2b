#include "base/log.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <mutex>
#include <optional>

#include "base/config.hpp"
#include "base/text.hpp"

namespace staithe {
namespace base {
namespace {

constexpr std::array<const char*, 4> level_names{"error", "warn", "info", "debug"};

std::optional<LogLevel> level_named(const std::string& text) {
    for (std::size_t i = 0; i < level_names.size(); ++i) {
        if (text == level_names.at(i)) {
            return static_cast<LogLevel>(i);
        }
    }
    return std::nullopt;
}

std::optional<LogLevel> level_from_environment() {
    const auto text = environment("STAITHE_LOG");
    return text ? level_named(*text) : std::nullopt;
}

std::atomic<LogSink> chosen_sink{nullptr};
std::atomic<LogLevel> level_of_program{LogLevel::warn};

struct Name {
    std::mutex mutex;
    std::string text = program_name("-");
};

Name& name_of_process() {
    static Name name;
    return name;
}

std::string name_in_lines() {
    Name& name = name_of_process();
    const std::lock_guard lock(name.mutex);
    return name.text;
}

}  // namespace

void log_as(const std::string& program, int pid) {
    Name& name = name_of_process();
    const std::lock_guard lock(name.mutex);
    name.text = fmt::format("{} {}", program, pid);
}

Result<> check_log_level() {
    const auto text = environment("STAITHE_LOG");
    if (!text || level_named(*text)) {
        return {};
    }
    // Each has a first letter of its own: "warning", "DEBUG" and "err" are told what they mean.
    const auto first = static_cast<char>(std::tolower(static_cast<unsigned char>(text->front())));
    const auto* const meant =
        std::find_if(level_names.begin(), level_names.end(), [first](const char* name) { return name[0] == first; });
    return fail(ErrorCode::invalid_argument, "STAITHE_LOG is '{}': {} (allowed: error, warn, info, debug)", *text,
                meant == level_names.end() ? "there is no such level" : fmt::format("did you mean '{}'?", *meant));
}

bool logs(LogLevel level) {
    static const std::optional<LogLevel> chosen = level_from_environment();
    return level <= (chosen ? *chosen : level_of_program.load(std::memory_order_relaxed));
}

void write_log(LogLevel level, const std::string& text) {
    const LogSink sink = chosen_sink.load(std::memory_order_acquire);
    if (sink != nullptr && sink(level, text)) {
        return;
    }
    const std::string time =
        logs(LogLevel::debug) ? fmt::format(" {:.6f}", Seconds(Clock::now().time_since_epoch()).count()) : "";
    // One write, so that lines of several ranks on one terminal do not interleave.
    const std::string line = fmt::format("staithe[{}{}] {}: {}\n", printable(name_in_lines()), time,
                                         level_names.at(static_cast<std::size_t>(level)), printable(text));
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace base

void set_log_sink(LogSink sink) noexcept { base::chosen_sink.store(sink, std::memory_order_release); }
void set_log_level(LogLevel level) noexcept { base::level_of_program.store(level, std::memory_order_relaxed); }

}  // namespace staithe
