#include "stream/directing/far_readers.hpp"

#include <utility>

#include "base/log.hpp"
#include "stream/directing/protocol.hpp"

namespace staithe::stream {

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
    auto blocks = endpoint_->take_connections(
        *member.link, blocks_purpose(stream_, member.id),
        [server = server_, stores = stores_, client = server_->new_client()](os::FileDescriptor socket) {
            server->serve(std::move(socket), stores, client);
        });
    if (!channel || !blocks) {
        return base::fail(std::move(channel ? blocks : channel));
    }
    member.connections = {*std::move(channel), *std::move(blocks)};
    return {};
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
