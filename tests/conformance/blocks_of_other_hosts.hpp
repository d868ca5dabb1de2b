// Blocks that two owners hold in pools of their own, and give over stream sockets.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <staithe/transform.hpp>

#include "memory/sources.hpp"
#include "os/shared_memory.hpp"
#include "store/decoding_source.hpp"
#include "store/remote/block_server.hpp"
#include "store/remote/remote_source.hpp"
#include "support/stream_sockets.hpp"

namespace staithe::testing {

template <Ends (*connected)(), int connections>
class BlocksOfOtherHosts {
  public:
    store::BlockRef keep(std::uint32_t store, std::span<const std::byte> bytes) {
        const auto size = static_cast<std::int64_t>(bytes.size());
        const auto block = pools_.at(store)->allocate(size).value();
        std::copy(bytes.begin(), bytes.end(), block.data);
        return {.store = store, .offset = block.offset, .bytes = size};
    }
    [[nodiscard]] const os::FileDescriptor& pool(std::size_t store) const { return pools_.at(store)->file(); }
    std::shared_ptr<store::BlockSource> source(store::remote::RemoteOptions options = {base::Seconds(20),
                                                                                       connections}) const {
        std::vector<store::remote::Owner> owners;
        for (std::uint32_t number = 0; number < pools_.size(); ++number) {
            auto stores = std::make_shared<store::remote::Stores>();
            stores->emplace(number, std::make_shared<transport::MappedPool>(
                                        os::duplicate_read_only(pools_.at(number)->file()).value()));
            owners.push_back({"owner", {number}, [server = server_, stores](const base::Deadline&) {
                                  const auto ends = connected();
                                  server->serve(os::FileDescriptor(ends.second), stores);
                                  return base::Result<os::FileDescriptor>(os::FileDescriptor(ends.first));
                              }});
        }
        return std::make_shared<store::remote::RemoteSource>(std::move(owners), std::move(options));
    }

  private:
    const std::array<std::shared_ptr<memory::Pool>, 2> pools_{memory::open_pool("owner").value(),
                                                              memory::open_pool("other owner").value()};
    const std::shared_ptr<store::remote::BlockServer> server_ = store::remote::BlockServer::start().value();
};

/// The class that the suites ask for, of such blocks as they are.
template <Ends (*connected)(), int connections>
struct Remote {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        return blocks.keep(store, elements);
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const { return blocks.source(); }
    static constexpr bool shows = false;

    BlocksOfOtherHosts<connected, connections> blocks;
};

/// The same, encoded on its way.
struct CodedAndRemote {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        return blocks.keep(store, elements);
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return blocks.source({.timeout = base::Seconds(20),
                              .connections = 2,
                              .allowed =
                                  [](const store::BlockDescription&) {
                                      return std::optional(store::remote::Allowed{codecs::Bound::exact(), "dq"});
                                  },
                              .least_coded = 1});
    }
    static constexpr bool shows = false;

    BlocksOfOtherHosts<connected_by_tcp, 2> blocks;
};

/// What is kept encoded, and decoded here.
struct EncodedAndRemote {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& block,
                         std::span<const std::byte> elements) {
        store::BlockRef ref = blocks.keep(store, codecs::encode(block.view(elements.data())));
        ref.encoding = store::Encoding::payload;
        return ref;
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::DecodingSource>(blocks.source());
    }
    static constexpr bool shows = false;

    BlocksOfOtherHosts<connected_by_tcp, 1> blocks;
};

}  // namespace staithe::testing
