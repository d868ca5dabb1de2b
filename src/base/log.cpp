#include "base/log.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>

#include "base/config.hpp"

namespace staithe {
namespace base {
namespace {

constexpr std::array<const char*, 4> level_names{"error", "warn", "info", "debug"};

std::optional<LogLevel> level_from_environment() {
    const auto text = environment("STAITHE_LOG");
    for (std::size_t i = 0; i < level_names.size(); ++i) {
        if (text && *text == level_names.at(i)) {
            return static_cast<LogLevel>(i);
        }
    }
    return std::nullopt;
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
    const std::string line = fmt::format("staithe[{}{}] {}: {}\n", name_in_lines(), time,
                                         level_names.at(static_cast<std::size_t>(level)), text);
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace base

void set_log_sink(LogSink sink) noexcept { base::chosen_sink.store(sink, std::memory_order_release); }
void set_log_level(LogLevel level) noexcept { base::level_of_program.store(level, std::memory_order_relaxed); }

}  // namespace staithe
