#include "transport/fabric/exposed_pools.hpp"

#include <exception>
#include <iterator>
#include <random>
#include <span>
#include <system_error>
#include <utility>

#include "base/deadline.hpp"
#include "base/log.hpp"
#include "os/fork.hpp"
#include "transport/fabric/fabric.hpp"

namespace staithe::transport::fabric {
namespace {

// Of providers that do not say when there is something to do: their peers wait for that long at most.
constexpr base::Seconds between_looks{0.0005};

Place place_of(const Region& region, std::int64_t offset, std::int64_t bytes) {
    return {offset, bytes, region.address(), region.key()};
}

}  // namespace

base::Result<std::shared_ptr<ExposedPools>> ExposedPools::open(const Provider& provider, const std::string& host,
                                                               const Files& files) {
    auto port = fabric::open(provider, host, Side::owner);
    auto news = port ? os::Event::create() : base::fail(std::move(port));
    if (!news) {
        return base::fail(std::move(news));
    }
    auto pools = os::kept_at_home(new ExposedPools(*std::move(port), *std::move(news), files));
    if (auto greeted = pools->greet(); !greeted) {
        return base::fail(std::move(greeted));
    }
    try {
        pools->thread_ = std::thread([raw = pools.get()] { raw->run(); });
    } catch (const std::system_error& error) {
        return base::fail(ErrorCode::limit_reached, "cannot start the thread that serves blocks by RDMA: {}",
                          error.what());
    }
    return pools;
}

ExposedPools::~ExposedPools() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    news_.set();
    if (thread_.joinable()) {
        thread_.join();
    }
    port_->stop();
}

base::Result<> ExposedPools::greet() {
    std::random_device random;
    greeting_ = std::make_unique<std::uint64_t>((std::uint64_t{random()} << 32) | random());
    auto region = port_->register_memory(std::as_writable_bytes(std::span(greeting_.get(), 1)), Port::Use::read_by_peers);
    if (!region) {
        return base::fail(std::move(region));
    }
    greeting_region_ = *std::move(region);
    greeting_place_ = fabric::place_of(*greeting_region_, 0, sizeof(*greeting_));
    return {};
}

base::Result<Place> ExposedPools::place_of(std::uint32_t store, std::int64_t offset, std::int64_t bytes) {
    const auto file = files_.find(store);
    if (file == files_.end()) {
        return base::fail(ErrorCode::protocol, "that process holds no such store");
    }
    const auto size = os::size_of_file(file->second);
    if (!size) {
        return base::fail(size);
    }
    if (offset < 0 || bytes < 1 || bytes > *size || offset > *size - bytes) {
        return base::fail(ErrorCode::protocol, "bytes {} + {} are not in that store", offset, bytes);
    }
    const std::lock_guard lock(mutex_);
    Pieces& pieces = pieces_[store];
    std::int64_t& followed = followed_[store];
    if (*size > followed) {
        drop_given_back(file->second, pieces);
        auto piece = register_piece(file->second, followed, *size - followed);
        if (!piece) {
            return base::fail(std::move(piece));
        }
        pieces.emplace(followed, *std::move(piece));
        followed = *size;
    }
    const auto after = pieces.upper_bound(offset);
    if (after != pieces.begin()) {
        const auto& [start, piece] = *std::prev(after);
        const auto length = static_cast<std::int64_t>(piece.memory.size());
        if (offset - start <= length - bytes) {
            return fabric::place_of(*piece.region, start, length);
        }
    }
    return base::fail(ErrorCode::not_found, "bytes {} + {} of that store are not registered in one piece", offset,
                      bytes);
}

base::Result<ExposedPools::Piece> ExposedPools::register_piece(const os::FileDescriptor& file, std::int64_t offset,
                                                               std::int64_t bytes) {
    // Kernels before 6.2 register only what could be written to.
    auto writable = os::duplicate_for_update(file);
    auto memory = writable ? os::Mapping::map(*writable, offset, bytes, os::Access::read_write, os::Populate::no)
                           : os::Mapping::map(file, offset, bytes, os::Access::read_only, os::Populate::no);
    if (!memory) {
        return base::fail(std::move(memory));
    }
    auto region = port_->register_memory({memory->data(), memory->size()}, Port::Use::read_by_peers);
    if (!region) {
        return base::fail(std::move(region));
    }
    return Piece{*std::move(memory), *std::move(region)};
}

/// Else the adapter would hold pages that the pool has returned to the system.
void ExposedPools::drop_given_back(const os::FileDescriptor& file, Pieces& pieces) {
    std::erase_if(pieces, [&](const auto& entry) {
        return !os::has_pages(file, entry.first, static_cast<std::int64_t>(entry.second.memory.size()));
    });
}

void ExposedPools::run() {
    for (;;) {
        int descriptor = -1;
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) {
                return;
            }
            if (const auto advanced = port_->advance(); !advanced) {
                base::log(base::LogLevel::debug, "serving blocks by RDMA: {}", advanced.error().message);
            }
            descriptor = port_->descriptor_to_sleep_on();
        }
        os::poll({{.descriptor = descriptor}, {.descriptor = news_.descriptor()}},
                 base::Deadline(descriptor < 0 ? between_looks : base::Seconds(1.0)));
    }
}

}  // namespace staithe::transport::fabric
