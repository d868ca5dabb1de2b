// What outlives the server: blocks that are answered for when they are on disk, and those of an earlier server.
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "server/persisted.hpp"
#include "server/persisted_parts.hpp"
#include "server/reception.hpp"

namespace staithe::server {

using store::space::Put;
using store::space::Version;

/// Its memory is no client's.
class Reception::Restored final : public Persisted::Home {
  public:
    explicit Restored(Reception& reception) : reception_(reception) {}
    ~Restored() override {
        if (store_) {
            reception_.stores_.abandon(store_->store());  // it goes with the last block in it
        }
    }
    Restored(const Restored&) = delete;
    Restored& operator=(const Restored&) = delete;

    base::Result<std::byte*> make_room(Put& put) override {
        if (store_ == nullptr) {
            auto made = reception_.stores_.make("server-" + reception_.server_);
            if (!made) {
                return base::fail(std::move(made));
            }
            store_ = *std::move(made);
        }
        auto room = store_->allocate(put.block.data_bytes());
        const bool is_on_disk = !room && room.error().code == ErrorCode::limit_reached;
        if (is_on_disk) {
            room = reception_.stores_.allocate_on_disk(put.block.data_bytes());
        }
        if (!room) {
            return base::fail(room.error().code,
                              "server '{}' has no room for what it was told to keep, such as version {} of '{}': {}. "
                              "Start it with more memory, or let more lie on disk",
                              reception_.server_, *put.version, base::printable(put.block.variable),
                              room.error().message);
        }
        put.ref = *room;
        return is_on_disk ? reception_.stores_.address_on_disk(*room) : store_->address_of(*room);
    }
    void free_room(const Put& put) override { reception_.stores_.free(put.ref); }

    base::Result<std::int64_t> put(const std::string& space, const Put& put) override {
        if (reception_.stores_.is_on_disk(put.ref)) {
            reception_.stores_.write_to_disk(put.ref, reception_.stores_.address_on_disk(put.ref));
        }
        return reception_.catalog(space).place(put, base::Clock::now()).map(&store::space::Catalog::Placed::serial);
    }

    void remove(base::FunctionRef<bool(std::uint64_t key)> is_lost) override {
        for (const auto& [space, catalog] : reception_.spaces_) {
            for (const std::string& variable : catalog->list("*")) {
                const auto versions = catalog->versions(variable);
                for (const auto& version : *versions) {
                    if (is_lost(key_of_version(space, variable, version->number()))) {
                        base::log(base::LogLevel::warn,
                                  "version {} of '{}' in space '{}' is lost: part of it is damaged", version->number(),
                                  base::printable(variable), space);
                        static_cast<void>(catalog->remove(variable, version->number()));
                    }
                }
            }
        }
    }

    void set_attributes(const PersistedAttributes& attributes) override {
        reception_.catalog(attributes.space).containers().set_attributes(attributes.path, attributes.attributes);
    }
    void retain(const PersistedRules& rules) override {
        const auto retained = reception_.catalog(rules.space).retain(rules.variable, rules.rules, base::Clock::now());
        if (!retained) {  // no server has taken such
            base::log(base::LogLevel::warn, "in space '{}': {}", rules.space, retained.error().message);
        }
    }

  private:
    Reception& reception_;
    std::shared_ptr<space::PoolBlocks> store_;
};

base::Result<> Reception::keep_in(const std::string& folder, std::optional<std::int64_t> most_spilled) {
    const std::lock_guard lock(mutex_);
    const auto part = part_of(folder, member_);
    auto opened = part ? Persisted::open(*part) : base::fail(part);
    auto has_disk = opened ? stores_.add_disk(*part, most_spilled) : base::fail(opened);
    if (!has_disk) {
        return has_disk;
    }
    persisted_ = *std::move(opened);
    safe_ = persisted_.get();
    Restored restored(*this);
    return persisted_->restore(restored);
}

void Reception::end() {
    std::unique_ptr<Persisted> persisted;  // whose thread may wait for the mutex
    const std::lock_guard lock(mutex_);
    persisted = std::move(persisted_);
    safe_ = nullptr;
    merging_.end();
}

base::Result<> Reception::can_persist(const Put& put) const {
    return !put.persist || persisted_
               ? base::Result<>()
               : base::fail(ErrorCode::invalid_argument,
                            "'{}' cannot outlive server '{}', which was given no folder: start it with `staithe serve "
                            "--spill FOLDER`",
                            base::printable(put.block.variable), server_);
}

base::Failure Reception::not_safe(const base::Failure& why) const {
    return {why.code, fmt::format("server '{}' has done it, but {}: {}", server_,
                                  followers_ != nullptr ? "alone" : "not on disk", why.message)};
}

/// Answers once it is safe.
Safekeeping::Done Reception::when_safe(const Request& request, std::function<Reply()> reply_then, Pins pins) {
    return [reception = weak_from_this(), link = request.client.link, id = request.id,
            reply_then = std::move(reply_then), pins = std::move(pins)](const base::Result<>& written) mutable {
        if (const auto self = reception.lock()) {
            const std::lock_guard lock(self->mutex_);
            reply(*link, id,
                  written ? base::Result<Reply>(reply_then()) : tl::unexpected(self->not_safe(written.error())));
            pins.clear();  // under the mutex, since blocks may go with them
        }
    };
}

Safekeeping::Done Reception::when_safe(const Request& request) {
    return when_safe(request, [] { return Reply{}; }, {});
}

void Reception::persist(const Client& client, const std::string& space, const Put& put, const Version& version,
                        Safekeeping::Done done) {
    const std::byte* const bytes = client.own->address_of(put.ref);
    safe_->put(space, put, version, {bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(put.ref.bytes)},
               std::move(done));
}

}  // namespace staithe::server
