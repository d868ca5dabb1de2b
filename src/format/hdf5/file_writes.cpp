#include "format/hdf5/file_writes.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "os/direct_writes.hpp"
#include "os/file_limit.hpp"
#include "os/files.hpp"
#include "os/kept_files.hpp"

namespace staithe::format::hdf5 {
namespace {

/// So much the file is larger than it has to be, while it is written: a hole, for which no disk is needed.
constexpr Address ahead = Address{64} << 20;

/// More than that goes to the file by itself.
constexpr std::size_t most_to_gather = std::size_t{64} << 10;

/// So much is gathered, of all.
constexpr std::size_t most_gathered = std::size_t{4} << 20;

std::int64_t offset_of(Address address) { return static_cast<std::int64_t>(address); }

}  // namespace

FileWrites::~FileWrites() {
    if (home_.here()) {
        behind_->await_all();
        if (size_ > kept_) {
            static_cast<void>(os::cut(file_, offset_of(kept_)));
        }
    }
}

/// Before what is large, but never beyond what the process may.
base::Result<> FileWrites::grow(Address end) {
    auto can = os::check_size_of_file(end);
    const Address grown = std::min<Address>(end + ahead, os::most_bytes_of_a_file());
    if (can && end > size_ && os::cut(file_, offset_of(grown))) {  // where it cannot, what is written says why
        size_ = grown;
    }
    return can;
}

base::Result<> FileWrites::write(Address address, const BytesToStore& bytes) {
    if (bytes.bytes.size() <= most_to_gather) {
        gather(address, bytes.bytes);
        return bytes_gathered_ > most_gathered ? write_gathered() : base::Result<>();
    }
    if (auto grown = grow(address + bytes.bytes.size()); !grown) {
        return grown;
    }
    if (!bytes.keeps) {
        return os::write_at(file_, offset_of(address), bytes.bytes);
    }
    behind_->begin([this, address, bytes](os::DirectWrites& writes) {
        return writes.write_at(file_, offset_of(address), bytes.bytes);
    });
    return {};
}

/// What comes later counts: a step may take the place of one that failed.
void FileWrites::gather(Address address, std::span<const std::byte> bytes) {
    auto found = gathered_.upper_bound(address);
    if (found == gathered_.begin() || address > std::prev(found)->first + std::prev(found)->second.size()) {
        found = gathered_.emplace_hint(found, address, std::vector<std::byte>());
    } else {
        --found;
    }
    auto& [begin, had] = *found;
    const auto before = static_cast<std::size_t>(address - begin);
    const std::size_t size = std::max(had.size(), before + bytes.size());
    bytes_gathered_ += size - had.size();
    had.resize(size);
    std::ranges::copy(bytes, had.begin() + static_cast<std::ptrdiff_t>(before));
    while (std::next(found) != gathered_.end() && std::next(found)->first <= begin + had.size()) {
        const auto next = std::next(found);
        const auto covered = static_cast<std::size_t>(begin + had.size() - next->first);
        if (covered < next->second.size()) {
            had.insert(had.end(), next->second.begin() + static_cast<std::ptrdiff_t>(covered), next->second.end());
        }
        bytes_gathered_ -= std::min(covered, next->second.size());
        gathered_.erase(next);
    }
}

base::Result<> FileWrites::write_gathered() {
    while (!gathered_.empty()) {
        const auto first = gathered_.begin();
        auto done = os::check_size_of_file(first->first + first->second.size());
        done = done ? os::write_at(file_, offset_of(first->first), first->second) : std::move(done);
        if (!done) {
            return done;
        }
        bytes_gathered_ -= first->second.size();
        gathered_.erase(first);
    }
    return {};
}

base::Result<> FileWrites::synchronise(Address end) {
    auto done = write_gathered();
    if (done && end > size_) {  // its last bytes may be none that were written
        done = os::check_size_of_file(end);
        done = done ? os::cut(file_, offset_of(end)) : std::move(done);
        size_ = done ? end : size_;
    }
    return done ? os::sync(file_) : std::move(done);
}

void FileWrites::give_back(Address end) {
    for (auto last = gathered_.end(); last != gathered_.begin();) {
        --last;
        auto& [begin, bytes] = *last;
        const auto kept = static_cast<std::size_t>(end > begin ? std::min<Address>(end - begin, bytes.size()) : 0);
        bytes_gathered_ -= bytes.size() - kept;
        bytes.resize(kept);
        if (kept > 0) {
            break;  // all others lie before it
        }
        last = gathered_.erase(last);
    }
    if (os::cut(file_, offset_of(end))) {
        size_ = end;
    }
}

}  // namespace staithe::format::hdf5
