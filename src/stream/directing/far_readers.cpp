#include "stream/directing/far_readers.hpp"

#include <utility>

#include "base/log.hpp"
#include "store/enclosed_source.hpp"
#include "stream/directing/protocol.hpp"

namespace staithe::stream {
namespace {

/// To ask for so many bytes takes longer than to send them.
constexpr std::int64_t most_enclosed_bytes = 32 << 10;

}  // namespace

base::Result<> FarReaders::welcome(Member& member, AttachChannel attach, const std::vector<WriterRank>& writers) {
    if (auto opened = open_stores(writers); !opened) {
        return opened;
    }
    auto channel = endpoint_->take_connections(
        *member.link, channel_purpose(stream_, member.id), [attach = std::move(attach)](os::FileDescriptor socket) {
            if (const auto attached = attach(std::move(socket)); !attached) {
                base::log(base::LogLevel::warn, "a reader of another host has no channel: {}",
                          attached.error().message);
            }
        });
    const auto traffic = std::make_shared<store::remote::Traffic>();
    auto blocks = endpoint_->take_connections(*member.link, blocks_purpose(stream_, member.id),
                                              [server = server_, stores = stores_, traffic](os::FileDescriptor socket) {
                                                  server->serve(std::move(socket), stores, traffic);
                                              });
    if (!channel || !blocks) {
        return base::fail(std::move(channel ? blocks : channel));
    }
    member.traffic = traffic;
    member.connections = {*std::move(channel), *std::move(blocks)};
    return {};
}

std::span<const std::byte> FarReaders::with_small_blocks(std::span<const std::byte> table,
                                                         std::span<const store::BlockRef> refs) {
    const auto bytes = store::enclosed_bytes(refs, most_enclosed_bytes);
    if (!bytes || !stores_) {
        return table;
    }
    enclosed_.assign(table.begin(), table.end());
    for (const store::BlockRef& ref : refs) {
        const auto store = stores_->find(ref.store);
        const auto block = store == stores_->end() ? base::fail(ErrorCode::protocol, "there is no such store")
                                                   : store->second->bytes(ref.offset, ref.bytes);
        if (!block) {
            return table;  // who asks for it is told why
        }
        const std::size_t end = enclosed_.size() + static_cast<std::size_t>(store::enclosed_size(ref.bytes));
        enclosed_.insert(enclosed_.end(), block->begin(), block->end());
        enclosed_.resize(end);
    }
    return enclosed_;
}

base::Result<> FarReaders::open_stores(const std::vector<WriterRank>& writers) {
    if (server_) {
        return {};
    }
    auto stores = std::make_shared<store::remote::Stores>();
    for (std::uint32_t rank = 0; rank < writers.size(); ++rank) {
        if (writers[rank].spill_pool) {
            return base::fail(
                ErrorCode::system,
                "stream '{}' spills steps to a disk, from which readers of other hosts cannot get them in "
                "this version: give its writer another overflow policy, or read it on its own host",
                stream_);
        }
        auto file = std::visit([](const auto& pool) { return pool->file().duplicate(); }, *writers[rank].pool);
        auto pool = file ? transport::MappedPool::open(*std::move(file), os::Access::read_only, os::Populate::no)
                         : base::fail(std::move(file));
        if (!pool) {
            return base::fail(pool.error().code,
                              "writer rank {} of stream '{}' holds blocks that other hosts cannot have: {}", rank,
                              stream_, pool.error().message);
        }
        (*stores)[rank] = *std::move(pool);
    }
    auto server = store::remote::BlockServer::start();
    if (!server) {
        return base::fail(std::move(server));
    }
    server_ = *std::move(server);
    stores_ = std::move(stores);
    return {};
}

}  // namespace staithe::stream
