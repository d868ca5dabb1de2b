#include "store/pool_source.hpp"

#include <atomic>
#include <utility>

#include "store/checked_file.hpp"
#include "store/file_source.hpp"
#include "store/mapped_source.hpp"

namespace staithe::store {
namespace {

std::atomic<PoolSourceOpener> opener_of_tests{nullptr};

std::shared_ptr<BlockSource> source_of_way(std::shared_ptr<transport::MappedPool> pool) {
    return std::make_shared<MappedSource>(std::move(pool));
}
std::shared_ptr<BlockSource> source_of_way(std::shared_ptr<transport::PoolFile> file) {
    return std::make_shared<FileSource>(std::move(file));
}

}  // namespace

base::Result<std::shared_ptr<BlockSource>> open_pool_source(os::FileDescriptor file) {
    if (const PoolSourceOpener opener = opener_of_tests) {
        return opener(std::move(file));
    }
    return transport::open_peer_pool(std::move(file)).map([](auto pool) { return source_of(std::move(pool)); });
}

base::Result<std::shared_ptr<BlockSource>> open_checked_pool_source(os::FileDescriptor file, const std::string& whose) {
    if (const PoolSourceOpener opener = opener_of_tests) {
        return opener(std::move(file));
    }
    return open_checked_pool(std::move(file), whose, os::Populate::no).map([](auto pool) {
        return source_of(std::move(pool));
    });
}

base::Result<transport::PeerPool> open_checked_pool(os::FileDescriptor file, const std::string& whose,
                                                    os::Populate populate) {
    if (os::check_shared_memory(file)) {
        return transport::open_peer_pool(std::move(file), populate);
    }
    auto checked = transport::PoolFile::check(file);
    return checked ? base::Result<transport::PeerPool>(std::make_shared<CheckedFile>(std::move(file), whose))
                   : base::fail(std::move(checked));
}

std::shared_ptr<BlockSource> source_of(transport::PeerPool pool) {
    return std::visit([](auto& way) { return source_of_way(std::move(way)); }, pool);
}

void open_pool_sources_by(PoolSourceOpener opener) { opener_of_tests = opener; }

}  // namespace staithe::store
