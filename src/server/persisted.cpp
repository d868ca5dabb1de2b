#include "server/persisted.hpp"

#include <map>
#include <unordered_set>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"

namespace staithe::server {

using store::log::Replayed;
using store::space::Put;

base::Result<std::unique_ptr<Persisted>> Persisted::open(const std::string& folder) {
    auto files = store::log::LogFolder::open(folder);
    return files ? base::Result<std::unique_ptr<Persisted>>(
                       std::unique_ptr<Persisted>(new Persisted(folder, *std::move(files))))
                 : base::fail(std::move(files));
}

/// The records of a log, one by one, as they were written.
class Persisted::Restoring {
  public:
    Restoring(Persisted& persisted, Home& home) : persisted_(persisted), home_(home) {}

    base::Result<> take(const Replayed& record) {
        auto described = record.description ? decode_record(*record.description) : base::fail(record.description);
        if (!described) {
            return is_damaged(record, "a record is damaged", ", and nobody knows of what");
        }
        if (auto* const block = std::get_if<PersistedBlock>(&*described)) {
            return take(record, *block);
        }
        if (auto* const attributes = std::get_if<PersistedAttributes>(&*described)) {
            replace(key_of(*attributes), record.place);
            attributes_.insert_or_assign(key_of(*attributes), std::move(*attributes));
        }
        if (auto* const rules = std::get_if<PersistedRules>(&*described)) {
            replace(key_of(*rules), record.place);
            rules_.insert_or_assign(key_of(*rules), std::move(*rules));
        }
        return {};
    }

    /// When the log takes records again.
    void end() {
        if (!unwanted_.empty()) {
            persisted_.log_.kill(std::move(unwanted_), {});
        }
        if (!lost_.empty()) {
            home_.remove([&](std::uint64_t key) { return lost_.contains(key); });
        }
        for (const auto& [key, attributes] : attributes_) {
            home_.set_attributes(attributes);
        }
        for (const auto& [key, rules] : rules_) {
            home_.retain(rules);
        }
    }

  private:
    base::Result<> take(const Replayed& record, PersistedBlock& block) {
        Put& put = block.put;
        if (std::cmp_not_equal(put.block.data_bytes(), record.bytes)) {
            return is_damaged(record, "a record is damaged", ", and nobody knows of what");
        }
        const auto room = home_.make_room(put);
        if (!room) {
            return base::fail(room);
        }
        if (!record.read(*room)) {
            home_.free_room(put);
            return is_damaged(record,
                              record.was_safe ? "a block is damaged" : "a block was not written whole, or is damaged",
                              fmt::format(": of version {} of '{}', space '{}'", *put.version,
                                          base::printable(put.block.variable), block.space));
        }
        const auto serial = home_.put(block.space, put);
        if (!serial) {
            home_.free_room(put);
            return is_damaged(record, "a block does not fit",
                              fmt::format(": {} (space '{}')", serial.error().message, block.space));
        }
        persisted_.places_[*serial].push_back(record.place);
        return {};
    }

    base::Result<> is_damaged(const Replayed& record, const char* what, const std::string& name) {
        unwanted_.push_back(record.place);
        if (record.was_safe) {
            lost_.insert(record.key);
        }
        base::log(base::LogLevel::warn, "{} in {}{}", what, persisted_.folder_, name);
        return {};
    }

    /// A crash, or a full disk, may have come between a saying and the end of the one before.
    void replace(std::uint64_t key, std::uint64_t place) {
        if (const auto before = std::exchange(persisted_.sayings_[key], place); before != 0) {
            unwanted_.push_back(before);
        }
    }

    Persisted& persisted_;
    Home& home_;
    std::unordered_set<std::uint64_t> lost_;  // keys
    std::vector<std::uint64_t> unwanted_;     // places
    // By their keys:
    std::map<std::uint64_t, PersistedAttributes> attributes_;
    std::map<std::uint64_t, PersistedRules> rules_;
};

base::Result<> Persisted::restore(Home& home) {
    Restoring restoring(*this, home);
    auto replayed = log_.replay([&](const Replayed& record) { return restoring.take(record); });
    if (!replayed) {
        return replayed;
    }
    auto started = log_.start();
    if (started) {
        restoring.end();
    }
    return started;
}

void Persisted::put(const std::string& space, Put put, const store::space::Version& version,
                    std::span<const std::byte> bytes, Done done) {
    put.version = version.number();
    const auto place = log_.append(key_of_version(space, put.block.variable, version.number()),
                                   encode_block(space, put), bytes, std::move(done));
    places_[version.serial()].push_back(place);
}

void Persisted::drop(const std::string& /*space*/, const store::space::Version& version) {
    if (auto found = places_.extract(version.serial())) {
        log_.kill(std::move(found.mapped()), {});
        ++drops_;
    }
}

void Persisted::retain(const PersistedRules& rules, Done done) { say(key_of(rules), encode(rules), std::move(done)); }

void Persisted::set_attributes(const PersistedAttributes& attributes, Done done) {
    say(key_of(attributes), attributes.attributes.empty() ? std::vector<std::byte>() : encode(attributes),
        std::move(done));
}

/// What was said before stays on disk until this is there.
void Persisted::say(std::uint64_t key, std::vector<std::byte> description, Done done) {
    const auto known = sayings_.extract(key);
    std::vector<std::uint64_t> before;
    if (known) {
        before.push_back(known.mapped());
    }
    if (description.empty()) {
        log_.kill(std::move(before), std::move(done));
        return;
    }
    sayings_[key] = log_.append(key, std::move(description), {},
                                [this, before = std::move(before), done = std::move(done)](const auto& written) {
                                    if (written && !before.empty()) {
                                        log_.kill(before, {});
                                    }
                                    done(written);
                                });
}

}  // namespace staithe::server
