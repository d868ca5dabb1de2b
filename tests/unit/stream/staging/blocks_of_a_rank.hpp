// Blocks that this process holds as a writer rank does whose steps depots fetch, for tests of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "memory/sources.hpp"
#include "os/shared_memory.hpp"
#include "stream/holding/block_offer.hpp"
#include "stream/staging/depot.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {

/// They hold bytes, and no more is known of them.
inline std::shared_ptr<const std::vector<BlockDescription>> bytes_of_each(const std::vector<store::BlockRef>& blocks) {
    std::vector<BlockDescription> described;
    for (const store::BlockRef& ref : blocks) {
        described.emplace_back().variable = "T";
        described.back().shape = described.back().box.count = {ref.bytes};
    }
    return std::make_shared<const std::vector<BlockDescription>>(as_consigned(std::move(described)));
}

/// An endpoint of this process, which reaches itself, and rank 3 of the stream 'melt'.
class BlocksOfARank {
  public:
    static constexpr int rank = 3;
    static constexpr const char* stream = "melt";

    [[nodiscard]] const std::shared_ptr<transport::Endpoint>& endpoint() const { return endpoint_; }
    [[nodiscard]] transport::Entry entry(transport::Kind kind, const std::string& name) const {
        return transport::own_entry(kind, name, endpoint_->addresses(), endpoint_->self());
    }
    /// From now on.
    void offer() {
        offer_ =
            BlockOffer::make(endpoint_, service_of_blocks(stream, rank), [this]() -> base::Result<BlockOffer::Files> {
                BlockOffer::Files files;
                files[rank] = os::duplicate_read_only(pool_->file()).value();
                return files;
            }).value();
    }
    void withdraw() { offer_ = nullptr; }

    store::BlockRef block(std::vector<std::byte> bytes) {
        const auto size = static_cast<std::int64_t>(bytes.size());
        const auto place = pool_->allocate(std::max<std::int64_t>(size, 1)).value();
        std::ranges::copy(bytes, place.data);
        return {.store = rank, .offset = place.offset, .bytes = size};
    }
    [[nodiscard]] Consignment consignment(std::vector<store::BlockRef> blocks) const {
        auto described = bytes_of_each(blocks);
        return {rank, transport::to_json(entry(transport::Kind::stream, stream)), std::move(blocks),
                std::move(described)};
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
    const testing::EnvironmentVariable chosen_{"STAITHE_RUN_DIR", directory_.path().c_str()};
    const std::shared_ptr<transport::Endpoint> endpoint_ = transport::Endpoint::shared(directory_.path()).value();
    const std::shared_ptr<memory::Pool> pool_ = memory::open_pool("rank").value();
    std::shared_ptr<BlockOffer> offer_;
};

inline std::vector<std::byte> bytes_of(std::size_t size, unsigned seed) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>(i * 31 + i / 257 + seed);
    }
    return bytes;
}

/// Waits until the depot has it: where and how it lies.
inline base::Result<Stowed> stowed(Depot& depot, Consignment consignment) {
    const auto come = std::make_shared<std::promise<base::Result<Stowed>>>();
    if (const auto begun = depot.take(std::move(consignment), [come](const auto& there) { come->set_value(there); });
        !begun) {
        return base::fail(begun);
    }
    return come->get_future().get();
}
inline base::Result<std::int64_t> taken(Depot& depot, Consignment consignment) {
    return stowed(depot, std::move(consignment)).map([](const Stowed& there) { return there.place; });
}

}  // namespace staithe::stream
