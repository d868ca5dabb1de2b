#include "transport/directory/heard.hpp"

#include <utility>

namespace staithe::transport {
namespace {

constexpr std::size_t most_entries = 4096;

}  // namespace

base::Result<> Heard::take(Entry entry, const std::shared_ptr<Link>& from) {
    forget(entry.kind, entry.name, from);
    const std::lock_guard lock(mutex_);
    std::erase_if(told_, [](const Told& told) { return !told.holds(); });
    if (told_.size() >= most_entries) {
        return base::fail(ErrorCode::limit_reached, "knows of {} things already", told_.size());
    }
    told_.push_back({std::move(entry), from});
    return {};
}

void Heard::forget(Kind kind, const std::string& name, const std::shared_ptr<Link>& from) {
    const std::lock_guard lock(mutex_);
    std::erase_if(told_, [&](const Told& told) {
        return told.entry.kind == kind && told.entry.name == name && told.from.lock() == from;
    });
}

std::optional<Entry> Heard::find(Kind kind, const std::string& name) const {
    for (Entry& entry : list(kind)) {
        if (entry.name == name) {
            return std::move(entry);
        }
    }
    return std::nullopt;
}

std::vector<Entry> Heard::list(Kind kind) const {
    std::vector<Entry> entries;
    const std::lock_guard lock(mutex_);
    for (const Told& told : told_) {
        if (told.entry.kind == kind && told.holds()) {
            entries.push_back(told.entry);
        }
    }
    return entries;
}

}  // namespace staithe::transport
