#include "space/own_keeper.hpp"

#include <map>
#include <utility>

#include "base/interruption.hpp"
#include "base/text.hpp"
#include "memory/sources.hpp"
#include "os/fork.hpp"

namespace staithe::space {
namespace {

/// Of this process, by name.
struct OwnSpaces {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<OwnKeeper>> spaces;
};

}  // namespace

base::Result<std::shared_ptr<OwnKeeper>> OwnKeeper::of(const std::string& space) {
    static os::OnePerProcess<OwnSpaces> all;
    OwnSpaces& own = all.get();
    const std::lock_guard lock(own.mutex);
    auto& kept = own.spaces[space];
    if (auto keeper = kept.lock()) {
        return keeper;
    }
    auto pool = memory::open_pool("space-" + space);
    if (!pool) {
        return base::fail(std::move(pool));
    }
    std::shared_ptr<OwnKeeper> keeper(new OwnKeeper(space, std::make_shared<PoolBlocks>(*std::move(pool), 0)));
    kept = keeper;
    return keeper;
}

OwnKeeper::OwnKeeper(const std::string& space, std::shared_ptr<PoolBlocks> blocks)
    : space_(space),
      blocks_(std::move(blocks)),
      // Versions that somebody holds may outlive the space.
      catalog_(space, [blocks = blocks_](const store::BlockRef& ref) { blocks->free(ref); }) {}

base::Result<Room> OwnKeeper::reserve(const store::space::Put& put, const base::Deadline& /*deadline*/) {
    if (put.persist) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' cannot outlive this process, which keeps space '{}' itself: start a server that has a "
                          "folder for it, `staithe serve --spill FOLDER`",
                          base::printable(put.block.variable), space_);
    }
    {
        const std::lock_guard lock(mutex_);
        if (auto checked = catalog_.check(put); !checked) {
            return base::fail(std::move(checked));
        }
    }
    const auto ref = blocks_->allocate(put.block.data_bytes());
    if (!ref) {
        return base::fail(ref);
    }
    return Room(*ref, blocks_->address_of(*ref), [blocks = blocks_, ref = *ref] { blocks->free(ref); });
}

base::Result<std::int64_t> OwnKeeper::put(store::space::Put put, Room room, const base::Deadline& /*deadline*/) {
    put.ref = room.ref();
    if (auto allowed = locks_.check(put, space_); !allowed) {
        return base::fail(std::move(allowed));
    }
    const std::lock_guard lock(mutex_);
    auto version = catalog_.put(put, base::Clock::now());
    if (version) {
        room.hand_over();
        completed_.notify_all();
    }
    return version;
}

base::Result<Found> OwnKeeper::find(const store::space::Wanted& wanted, const base::Deadline& deadline) {
    const std::stop_callback wake(deadline.stop(), [this] {
        {
            const std::lock_guard lock(mutex_);
        }  // whoever has looked for it sleeps by now
        completed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    struct Awaiting {
        store::space::Catalog& catalog;
        const store::space::Wanted& wanted;
        ~Awaiting() { catalog.await_no_more(wanted); }  // before the lock goes
    };
    catalog_.await(wanted);
    const Awaiting awaiting{catalog_, wanted};
    for (;;) {
        auto version = catalog_.find(wanted);
        if (!version) {
            return base::fail(std::move(version));
        }
        if (*version != nullptr) {
            Found found = found_in(*version, wanted);
            found.source = blocks_;
            found.copies = copies_;
            return found;
        }
        if (deadline.passed()) {
            return base::fail(ErrorCode::timeout, "waited {:g} s: {} (this process keeps the space, for itself alone)",
                              deadline.seconds(), catalog_.why_not(wanted));
        }
        completed_.wait_until(lock, base::next_question(deadline).at());
        lock.unlock();  // to ask may take the interpreter's lock, whose holder may want this one
        const bool gives_up = base::interrupted();
        lock.lock();
        if (gives_up) {
            return base::fail(ErrorCode::timeout, "waiting was interrupted: {}", catalog_.why_not(wanted));
        }
    }
}

base::Result<std::vector<std::string>> OwnKeeper::list(const std::string& pattern) {
    const std::lock_guard lock(mutex_);
    return catalog_.list(pattern);
}

base::Result<std::vector<Listed>> OwnKeeper::versions(const std::string& variable) {
    const std::lock_guard lock(mutex_);
    const auto versions = catalog_.versions(variable);
    if (!versions) {
        return base::fail(versions);
    }
    std::vector<Listed> list;
    for (const auto& version : *versions) {
        list.push_back(listed(*version));
    }
    return list;
}

base::Result<> OwnKeeper::remove(const std::string& variable, std::optional<std::int64_t> version) {
    {
        const std::lock_guard lock(mutex_);
        if (auto removed = catalog_.remove(variable, version); !removed || version) {
            return removed;  // who removes version after version puts others into their memory
        }
    }
    blocks_->give_back_all();
    return {};
}

base::Result<std::int64_t> OwnKeeper::remove_container(const std::string& path) {
    std::int64_t removed = 0;
    {
        const std::lock_guard lock(mutex_);
        removed = catalog_.remove_variables_in(path);
        catalog_.containers().remove(path);
    }
    blocks_->give_back_all();
    return removed;
}

base::Result<> OwnKeeper::set_attributes(const std::string& path, const Attributes& attributes) {
    const std::lock_guard lock(mutex_);
    catalog_.containers().set_attributes(path, attributes);
    return {};
}

base::Result<Attributes> OwnKeeper::attributes(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return catalog_.containers().attributes_of(path);
}

base::Result<std::vector<std::string>> OwnKeeper::list_containers(const std::string& pattern) {
    const std::lock_guard lock(mutex_);
    return catalog_.containers().list(catalog_.list("*"), pattern);
}

base::Result<> OwnKeeper::retain(const std::string& variable, const store::space::RetentionRules& rules) {
    const std::lock_guard lock(mutex_);
    return catalog_.retain(variable, rules, base::Clock::now());
}

base::Result<LockGrant> OwnKeeper::lock(const store::space::LockTable::Wish& wish, std::int64_t thread,
                                        const base::Deadline& deadline) {
    return locks_.lock(space_, wish, thread, deadline);
}

}  // namespace staithe::space
