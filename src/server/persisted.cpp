#include "server/persisted.hpp"

#include <unordered_set>
#include <utility>

#include "base/fields.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "space/served/messages.hpp"

namespace staithe::server {

using store::log::Replayed;
using store::space::Put;

namespace {

/// A block as the log describes it.
struct Described {
    std::string space;
    Put put;
};

std::vector<std::byte> encode(const std::string& space, const Put& put) {
    Attributes body = space::encode(put);
    body["space"] = space;
    body["by"] = put.by.name;
    return base::to_cbor(std::move(body));
}

base::Result<Described> decode(std::span<const std::byte> description) {
    const auto value = base::from_cbor(description);
    const Attributes* const body = value ? value->as_map() : nullptr;
    auto put =
        body == nullptr ? base::fail(ErrorCode::protocol, "no description of a block") : space::decode_put(*body);
    auto space = put ? base::text_field(*body, "space") : base::fail(put);
    auto by = space ? base::text_field(*body, "by") : base::fail(space);
    if (!by || !put->version) {
        return base::fail(ErrorCode::protocol, "no description of a block");
    }
    put->by.name = *std::move(by);
    put->may_cover = true;  // it did not, or was allowed to
    return Described{*std::move(space), *std::move(put)};
}

}  // namespace

base::Result<std::unique_ptr<Persisted>> Persisted::open(const std::string& folder) {
    auto files = store::log::LogFolder::open(folder);
    return files ? base::Result<std::unique_ptr<Persisted>>(
                       std::unique_ptr<Persisted>(new Persisted(folder, *std::move(files))))
                 : base::fail(std::move(files));
}

std::uint64_t Persisted::key_of(const std::string& space, const std::string& variable, std::int64_t version) {
    return store::log::key_of(base::to_cbor(List{space, variable, version}));
}

base::Result<> Persisted::restore(Home& home) {
    std::unordered_set<std::uint64_t> lost;  // keys
    std::vector<std::uint64_t> damaged;      // places
    auto replayed = log_.replay([&](const Replayed& record) -> base::Result<> {
        const auto is_damaged = [&](const char* what, const std::string& name) {
            damaged.push_back(record.place);
            if (record.was_safe) {
                lost.insert(record.key);
            }
            base::log(base::LogLevel::warn, "{} in {}{}", what, folder_, name);
            return base::Result<>();
        };
        auto described = record.description ? decode(*record.description) : base::fail(record.description);
        if (!described) {
            return is_damaged("a block is damaged", ", and its name, too");
        }
        Put& put = described->put;
        if (std::cmp_not_equal(put.block.data_bytes(), record.bytes)) {
            return is_damaged("a block is damaged", ", and its name, too");
        }
        const auto room = home.make_room(put);
        if (!room) {
            return base::fail(room);
        }
        if (!record.read(*room)) {
            home.free_room(put);
            return is_damaged(record.was_safe ? "a block is damaged" : "a block was not written whole, or is damaged",
                              fmt::format(": of version {} of '{}', space '{}'", *put.version,
                                          base::printable(put.block.variable), described->space));
        }
        const auto version = home.put(described->space, put);
        if (!version) {
            home.free_room(put);
            return is_damaged("a block does not fit",
                              fmt::format(": {} (space '{}')", version.error().message, described->space));
        }
        places_[(*version)->serial()].push_back(record.place);
        return {};
    });
    if (!replayed) {
        return replayed;
    }
    auto started = log_.start();
    if (started && !damaged.empty()) {
        log_.kill(std::move(damaged), {});
        home.remove([&](std::uint64_t key) { return lost.contains(key); });
    }
    return started;
}

void Persisted::put(const std::string& space, Put put, const store::space::Version& version,
                    std::span<const std::byte> bytes, store::log::RecordLog::Done done) {
    put.version = version.number();
    put.locks.clear();
    const auto place =
        log_.append(key_of(space, put.block.variable, version.number()), encode(space, put), bytes, std::move(done));
    places_[version.serial()].push_back(place);
}

void Persisted::drop(const store::space::Version& version) {
    if (auto found = places_.extract(version.serial())) {
        log_.kill(std::move(found.mapped()), {});
        ++drops_;
    }
}

}  // namespace staithe::server
