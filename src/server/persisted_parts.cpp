#include "server/persisted_parts.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "os/files.hpp"
#include "server/persisted_records.hpp"
#include "store/log/log_folder.hpp"
#include "store/space/home.hpp"

namespace staithe::server {
namespace {

namespace fs = std::filesystem;
using store::log::Entry;
using store::log::LogFolder;
using store::log::Replayed;

/// For another server to deal out what there is, however much that is.
constexpr base::Seconds until_dealt{86400.0};

constexpr std::size_t written_together = std::size_t{32} << 20;  // bytes

// The parts of n servers are of-<n>/0, of-<n>/1…; a server alone has its log in the folder itself. New ones are made in
// of-<n>.new. The name of-<m>.old says that these are whole, and that the old ones may go.
constexpr std::string_view beginning = "of-", being_made = ".new", outdated = ".old";

std::string name_of_parts(int size) { return fmt::format("{}{}", beginning, size); }

/// The m of "of-<m>" with that ending.
std::optional<int> size_in(std::string_view name, std::string_view ending) {
    if (!name.starts_with(beginning) || !name.ends_with(ending)) {
        return std::nullopt;
    }
    const std::string_view digits = name.substr(beginning.size(), name.size() - beginning.size() - ending.size());
    int size = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    return is_number && size > 0 && size <= space::most_members ? std::optional(size) : std::nullopt;
}

std::optional<int> size_of_any(const std::string& folder, std::string_view ending) {
    for (const std::string& name : os::list_directory(folder)) {
        if (const auto size = size_in(name, ending)) {
            return size;
        }
    }
    return std::nullopt;
}

std::vector<std::string> log_files(const std::string& folder) {
    auto names = os::list_directory(folder);
    std::erase_if(names, [](const std::string& name) { return !LogFolder::has_file(name); });
    return names;
}

base::Result<> rename(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::rename(from, to, error);
    return error ? base::fail(ErrorCode::system, "cannot rename {} to {}: {}", from, to, error.message())
                 : base::Result<>();
}

base::Result<> make_directory(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    return error ? base::fail(ErrorCode::system, "cannot make {}: {}", path, error.message()) : base::Result<>();
}

base::Result<> move_log_files(const std::string& from, const std::string& to) {
    for (const std::string& name : log_files(from)) {
        if (auto moved = rename(from + "/" + name, to + "/" + name); !moved) {
            return moved;
        }
    }
    return os::sync_directory(to);
}

/// All records of some logs, each to the log of the server that is the home of what it describes.
class Dealing {
  public:
    static base::Result<Dealing> into(const std::string& folder, int size) {
        Dealing dealing;
        for (int rank = 0; rank < size; ++rank) {
            auto log = LogFolder::open(fmt::format("{}/{}", folder, rank));
            if (!log) {
                return base::fail(std::move(log));
            }
            dealing.parts_.push_back({*std::move(log)});
        }
        return dealing;
    }

    base::Result<> take(LogFolder& log) {
        return log.replay([this](const Replayed& record) { return take(record); });
    }

    base::Result<> end() {
        auto written = write();
        for (Part& part : parts_) {
            std::vector<std::uint64_t> lost;
            for (std::size_t i = 0; i < part.keys.size() && !lost_.empty(); ++i) {
                if (lost_.contains(part.keys[i])) {
                    lost.push_back(i + 1);
                }
            }
            const Entry killed{.kind = store::log::RecordKind::killed, .places = std::move(lost)};
            if (written && !killed.places.empty()) {
                written = part.log.write(std::span(&killed, 1)).front();
            }
            part.log.end();
        }
        return written;
    }

  private:
    struct Part {
        LogFolder log;
        std::vector<std::uint64_t> keys{};            // of the records at places 1, 2…
        std::vector<Entry> entries{};                 // to be written
        std::vector<std::vector<std::byte>> bytes{};  // of these
    };

    base::Result<> take(const Replayed& record) {
        const auto described = record.description ? decode_record(*record.description) : base::fail(record.description);
        std::vector<std::byte> bytes(record.bytes);
        if (!described || !record.read(bytes.data())) {
            if (record.was_safe) {
                lost_.insert(record.key);  // with all that belongs to it
            }
            base::log(base::LogLevel::warn, "a record of what servers were told to keep is damaged, and left out");
            return {};
        }
        Part& part = parts_[static_cast<std::size_t>(home_of(*described))];
        part.keys.push_back(record.key);
        gathered_ += bytes.size() + record.description->size();
        part.bytes.push_back(std::move(bytes));
        part.entries.push_back({.place = part.keys.size(),
                                .key = record.key,
                                .description = {record.description->begin(), record.description->end()},
                                .bytes = part.bytes.back()});
        return gathered_ < written_together ? base::Result<>() : write();
    }

    [[nodiscard]] int home_of(const PersistedRecord& record) const {
        const auto size = static_cast<int>(parts_.size());
        if (const auto* const block = std::get_if<PersistedBlock>(&record)) {
            return store::space::home_of(block->space, block->put.block.variable, size);
        }
        if (const auto* const rules = std::get_if<PersistedRules>(&record)) {
            return store::space::home_of(rules->space, rules->variable, size);
        }
        const auto& attributes = std::get<PersistedAttributes>(record);
        return store::space::home_of(attributes.space, attributes.path, size);
    }

    base::Result<> write() {
        gathered_ = 0;
        for (Part& part : parts_) {
            for (const auto& written : part.log.write(part.entries)) {
                if (!written) {
                    return written;
                }
            }
            part.entries.clear();
            part.bytes.clear();
        }
        return {};
    }

    std::vector<Part> parts_;
    std::size_t gathered_ = 0;
    std::unordered_set<std::uint64_t> lost_;  // keys
};

class Parts {
  public:
    explicit Parts(const std::string& folder) : folder_(folder) {}

    /// What a crash has left in the middle.
    base::Result<> tidy() {
        const auto made = size_of_any(folder_, being_made);
        if (const auto old = size_of_any(folder_, outdated)) {
            return finish(*old, made);
        }
        return made ? remove(path_of(*made) + std::string(being_made)) : base::Result<>();
    }

    /// Of how many servers there are parts; 0 if there are none.
    base::Result<int> size() const {
        std::vector<int> sizes;
        if (!log_files(folder_).empty()) {
            sizes.push_back(1);
        }
        for (const std::string& name : os::list_directory(folder_)) {
            if (const auto size = size_in(name, "")) {
                sizes.push_back(*size);
            }
        }
        if (sizes.size() > 1) {
            return base::fail(
                ErrorCode::already_exists,
                "{} has what {} servers were told to keep, and what {} were: which is to go on, nobody can say. "
                "Move one of them elsewhere",
                folder_, sizes[0], sizes[1]);
        }
        return sizes.empty() ? 0 : sizes.front();
    }

    base::Result<> deal(int before, int after) {
        base::log(base::LogLevel::info, "{}: what {} servers were told to keep is dealt out among {}", folder_, before,
                  after);
        std::vector<LogFolder> old;  // nobody else has them open meanwhile
        for (int rank = 0; rank < before; ++rank) {
            auto log = LogFolder::open(path_of_part(rank, before));
            if (!log) {
                return base::fail(std::move(log));
            }
            old.push_back(*std::move(log));
        }
        const std::string made = path_of(after) + std::string(being_made);
        if (auto dealt = deal_into(made, after, old); !dealt) {
            static_cast<void>(remove(made));
            return dealt;
        }
        const std::string going = path_of(before) + std::string(outdated);
        auto decided = before == 1 ? make_directory(going) : rename(path_of(before), going);
        decided = decided ? os::sync_directory(folder_) : decided;
        return decided ? finish(before, after) : decided;
    }

    [[nodiscard]] std::string path_of_part(int rank, int size) const {
        return size == 1 ? folder_ : fmt::format("{}/{}", path_of(size), rank);
    }

  private:
    static base::Result<> deal_into(const std::string& made, int size, std::vector<LogFolder>& old) {
        auto dealing = Dealing::into(made, size);
        for (LogFolder& log : old) {
            if (auto taken = dealing ? dealing->take(log) : base::fail(dealing); !taken) {
                return taken;
            }
        }
        return dealing->end();
    }

    [[nodiscard]] std::string path_of(int size) const { return folder_ + "/" + name_of_parts(size); }

    /// The new ones are whole: they take the place of the old ones.
    base::Result<> finish(int before, std::optional<int> after) {
        const std::string going = path_of(before) + std::string(outdated);
        auto done = before == 1 ? move_log_files(folder_, going) : base::Result<>();
        if (after) {
            const std::string made = path_of(*after) + std::string(being_made);
            if (*after == 1) {
                done = done ? move_log_files(made + "/0", folder_) : done;
                done = done ? remove(made) : done;
            } else {
                done = done ? rename(made, path_of(*after)) : done;
            }
            done = done ? os::sync_directory(folder_) : done;
        }
        return done ? remove(going) : done;
    }

    static base::Result<> remove(const std::string& path) {
        std::error_code error;
        fs::remove_all(path, error);
        return error ? base::fail(ErrorCode::system, "cannot remove {}: {}", path, error.message()) : base::Result<>();
    }

    const std::string folder_;
};

}  // namespace

base::Result<std::string> part_of(const std::string& folder, const space::Member& member) {
    Parts parts(folder);
    const auto names = os::list_directory(folder);
    const bool are_several = std::ranges::any_of(names, [](const auto& name) { return name.starts_with(beginning); });
    if (member.is_alone() && !are_several) {
        return folder;
    }
    const std::string lock_path = folder + "/lock";
    const auto made = make_directory(lock_path);
    const auto lock = made ? os::lock_directory(lock_path, base::Deadline(until_dealt)) : base::fail(made);
    const auto tidied = lock ? parts.tidy() : base::fail(lock);
    const auto size = tidied ? parts.size() : base::fail(tidied);
    const auto ready = !size                                ? base::fail(size)
                       : *size == 0 || *size == member.size ? base::Result<>()
                                                            : parts.deal(*size, member.size);
    return ready ? base::Result<std::string>(parts.path_of_part(member.rank, member.size)) : base::fail(ready);
}

}  // namespace staithe::server
