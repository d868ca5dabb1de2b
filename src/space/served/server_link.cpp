#include "space/served/server_link.hpp"

#include <set>
#include <utility>

#include "base/config.hpp"
#include "base/fields.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "space/served/messages.hpp"
#include "store/pool_source.hpp"
#include "store/store_set.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::space {
namespace {

/// Of this process, by the process at the other end.
struct ServerLinks {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<ServerLink>> links;
};

}  // namespace

void ServerStores::add(std::uint32_t store, std::shared_ptr<store::BlockSource> source) {
    const std::lock_guard lock(mutex_);
    stores_.emplace(store, std::move(source));
}

bool ServerStores::has(std::uint32_t store) {
    const std::lock_guard lock(mutex_);
    return stores_.contains(store);
}

base::Result<std::optional<ArrayView>> ServerStores::view(const store::BlockRef& ref,
                                                          const store::BlockDescription& block) {
    const auto source = store_of(ref, block);
    return source ? (*source)->view(ref, block) : base::fail(source);
}

base::Result<> ServerStores::fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                                   const MutableArrayView& destination) {
    return store::by_source(
        refs, pieces, [this](const auto& ref, const auto& block) { return store_of(ref, block); },
        [&](auto& source, const auto& of_it) { return source.fetch(refs, of_it, destination); });
}

base::Result<store::BlockSource*> ServerStores::store_of(const store::BlockRef& ref,
                                                         const store::BlockDescription& block) {
    const std::lock_guard lock(mutex_);
    const auto found = stores_.find(ref.store);
    return found == stores_.end() ? tl::unexpected(store::unusable(ref, block, "the server has not passed its store"))
                                  : base::Result<store::BlockSource*>(found->second.get());
}

base::Result<std::shared_ptr<ServerLink>> ServerLink::to(const transport::Entry& entry,
                                                         const base::Deadline& deadline) {
    static os::OnePerProcess<ServerLinks> all;
    ServerLinks& links = all.get();
    const std::string server = entry.process.boot + "/" + entry.socket();
    const auto known = [&]() -> std::shared_ptr<ServerLink> {
        const auto link = links.links[server].lock();
        return link && link->is_open() ? link : nullptr;
    };
    {
        const std::lock_guard lock(links.mutex);
        if (auto link = known()) {
            return link;
        }
    }
    auto endpoint = transport::Endpoint::shared(base::run_directory(os::user_id()));
    if (!endpoint) {
        return base::fail(std::move(endpoint));
    }
    auto reached = transport::reach(**endpoint, entry, deadline);  // nobody waits behind a server that does not answer
    if (!reached) {
        return base::fail(std::move(reached));
    }
    const std::lock_guard lock(links.mutex);
    if (auto link = known()) {  // another thread was sooner
        return link;
    }
    std::shared_ptr<ServerLink> made(new ServerLink(*std::move(endpoint), *std::move(reached), entry));
    links.links[server] = made;
    return made;
}

ServerLink::ServerLink(std::shared_ptr<transport::Endpoint> endpoint, std::shared_ptr<transport::Link> link,
                       const transport::Entry& entry)
    : endpoint_(std::move(endpoint)),
      link_(std::move(link)),
      title_(fmt::format("{}, {}", entry.title(), to_string(entry.peer))),
      far_(link_->is_between_hosts() ? std::make_unique<FarMemory>(endpoint_, link_, title_) : nullptr) {}

base::Result<transport::Packet> ServerLink::call(Attributes request, const base::Deadline& deadline,
                                                 const std::function<base::Result<>()>& go_on,
                                                 std::span<const std::byte> enclosed) {
    request["service"] = server_service;
    auto answer = link_->call(std::move(request), enclosed, deadline, go_on);
    const bool is_lost = !answer && !link_->is_open();
    return is_lost ? base::fail(ErrorCode::peer_lost,
                                "{} is gone, and what it kept in memory with it: start it again (`staithe serve`), and "
                                "open the space anew",
                                title_)
                   : std::move(answer);
}

void ServerLink::notify(Attributes message) {
    if (home_.here()) {
        message["service"] = server_service;
        static_cast<void>(link_->notify(message));
    }
}

std::shared_ptr<void> ServerLink::repeat(const Attributes& message, base::Seconds interval) {
    return endpoint_->call_after(interval,
                                 [weak = std::weak_ptr(link_), message, interval]() -> std::optional<base::Seconds> {
                                     const auto link = weak.lock();
                                     return link && link->notify(message) ? std::optional(interval) : std::nullopt;
                                 });
}

base::Result<std::byte*> ServerLink::writable(const store::BlockRef& ref, const base::Deadline& deadline) {
    const std::lock_guard lock(mutex_);
    auto& own = own_[ref.store];
    if (own == nullptr) {
        auto answer = call({{"type", request::own}, {"store", ref.store}}, deadline);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        auto pool = answer->descriptors.empty()
                        ? base::fail(ErrorCode::protocol, "{} has given no memory to write to", title_)
                        : transport::MappedPool::open(std::move(answer->descriptors.front()), os::Access::read_write);
        if (!pool) {
            return base::fail(std::move(pool));
        }
        own = *std::move(pool);
    }
    const auto bytes = own->bytes(ref.offset, ref.bytes);
    return bytes ? base::Result<std::byte*>(bytes->data()) : base::fail(bytes);
}

base::Result<std::shared_ptr<store::BlockSource>> ServerLink::source_of(
    std::span<const store::space::VersionBlock> blocks, const base::Deadline& deadline) {
    if (far_) {
        return far_->source();
    }
    std::set<std::uint32_t> missing;
    for (const store::space::VersionBlock& block : blocks) {
        if (!stores_->has(block.ref.store)) {
            missing.insert(block.ref.store);
        }
    }
    for (auto next = missing.begin(); next != missing.end();) {
        List numbers;
        for (; next != missing.end() && numbers.size() < os::max_descriptors_per_message; ++next) {
            numbers.emplace_back(*next);
        }
        auto answer = call({{"type", request::stores}, {"stores", numbers}}, deadline);
        if (!answer) {
            return base::fail(std::move(answer));
        }
        if (answer->descriptors.size() != numbers.size()) {
            return base::fail(ErrorCode::protocol, "{} has passed {} stores in place of {}", title_,
                              answer->descriptors.size(), numbers.size());
        }
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            auto source = store::open_checked_pool_source(std::move(answer->descriptors[i]), title_);
            if (!source) {
                return base::fail(std::move(source));
            }
            stores_->add(static_cast<std::uint32_t>(*numbers[i].as_int()), *std::move(source));
        }
    }
    return stores_;
}

}  // namespace staithe::space
