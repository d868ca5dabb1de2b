// The sources of blocks that there are: pools in memory, files, another process behind a pipe, owners behind stream
// sockets, codecs over another source, and bytes in a map.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <staithe/transform.hpp>

#include "conformance/block_source_suite.hpp"
#include "conformance/blocks_in_parts.hpp"
#include "conformance/blocks_of_other_hosts.hpp"
#include "conformance/blocks_over_a_pipe.hpp"
#include "conformance/bytes_in_a_map.hpp"
#include "memory/sources.hpp"
#include "os/files.hpp"
#include "os/shared_memory.hpp"
#include "store/checked_file.hpp"
#include "store/decoding_source.hpp"
#include "store/file_source.hpp"
#include "store/mapped_source.hpp"
#include "store/pool_source.hpp"
#include "store/store_set.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::testing {
namespace {

/// Two stores of a kind, as one source.
template <class Store>
class TwoStores {
  public:
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& /*block*/,
                         std::span<const std::byte> elements) {
        const auto bytes = static_cast<std::int64_t>(elements.size());
        return {.store = store, .offset = stores_[store].append(elements), .bytes = bytes};
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::StoreSet>(
            std::vector<std::shared_ptr<store::BlockSource>>{stores_[0].source(), stores_[1].source()});
    }
    static constexpr bool shows = Store::shows;

  private:
    std::array<Store, 2> stores_;
};

class PoolInMemory {
  public:
    std::int64_t append(std::span<const std::byte> bytes) {
        const auto block = pool_->allocate(static_cast<std::int64_t>(bytes.size())).value();
        std::copy(bytes.begin(), bytes.end(), block.data);
        return block.offset;
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::MappedSource>(
            std::make_shared<transport::MappedPool>(os::duplicate_read_only(pool_->file()).value()));
    }
    static constexpr bool shows = true;

  private:
    const std::shared_ptr<memory::Pool> pool_ = memory::open_pool("owner").value();
};

class File {
  public:
    std::int64_t append(std::span<const std::byte> bytes) {
        const std::int64_t offset = ::lseek(file_.get(), 0, SEEK_END);
        EXPECT_EQ(::write(file_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        return offset;
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::FileSource>(std::make_shared<transport::PoolFile>(file_.duplicate().value()));
    }
    static constexpr bool shows = false;

  private:
    TemporaryDirectory directory_;
    const os::FileDescriptor file_ = os::open_for_update(directory_.path() + "/blocks").value();
};

class FileWithChecksums {
  public:
    std::int64_t append(std::span<const std::byte> bytes) {
        const store::BlockRef ref{.offset = end_, .bytes = static_cast<std::int64_t>(bytes.size())};
        std::vector<std::byte> place(static_cast<std::size_t>(store::size_with_checksums(ref.bytes)));
        store::write_with_checksums(place.data(), ref, bytes.data());
        EXPECT_EQ(::pwrite(file_.get(), place.data(), place.size(), end_), static_cast<ssize_t>(place.size()));
        end_ += static_cast<std::int64_t>(place.size());
        return ref.offset;
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return store::open_checked_pool_source(file_.duplicate().value(), "a server").value();
    }
    static constexpr bool shows = false;

  private:
    TemporaryDirectory directory_;
    const os::FileDescriptor file_ = os::open_for_update(directory_.path() + "/blocks").value();
    std::int64_t end_ = 0;
};

/// What a codec made of the blocks, in a map.
struct Encoded {
    store::BlockRef keep(std::uint32_t store, const store::BlockDescription& block,
                         std::span<const std::byte> elements) {
        store::BlockRef ref = map->keep(store, codecs::encode(block.view(elements.data())));
        ref.encoding = store::Encoding::payload;
        return ref;
    }
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::DecodingSource>(map);
    }
    static constexpr bool shows = false;

    std::shared_ptr<BytesInAMap> map = std::make_shared<BytesInAMap>();
};

/// A decoder among blocks that no codec touched.
struct NotEncoded : InAMap {
    [[nodiscard]] std::shared_ptr<store::BlockSource> source() const {
        return std::make_shared<store::DecodingSource>(map);
    }
};

INSTANTIATE_TYPED_TEST_SUITE_P(PoolsInMemory, BlockSources, TwoStores<PoolInMemory>);
INSTANTIATE_TYPED_TEST_SUITE_P(Files, BlockSources, TwoStores<File>);
INSTANTIATE_TYPED_TEST_SUITE_P(FilesWithChecksums, BlockSources, TwoStores<FileWithChecksums>);
INSTANTIATE_TYPED_TEST_SUITE_P(BytesInAMap, BlockSources, InAMap);
INSTANTIATE_TYPED_TEST_SUITE_P(Encoded, BlockSources, Encoded);
INSTANTIATE_TYPED_TEST_SUITE_P(NotEncoded, BlockSources, NotEncoded);
INSTANTIATE_TYPED_TEST_SUITE_P(InParts, BlockSources, InParts);
INSTANTIATE_TYPED_TEST_SUITE_P(Piped, BlockSources, Piped);
INSTANTIATE_TYPED_TEST_SUITE_P(EncodedAndPiped, BlockSources, EncodedAndPiped);
using RemoteByOneUnixSocket = Remote<connected_by_unix_sockets, 1>;
using RemoteByThreeTcpConnections = Remote<connected_by_tcp, 3>;
INSTANTIATE_TYPED_TEST_SUITE_P(RemoteByOneUnixSocket, BlockSources, RemoteByOneUnixSocket);
INSTANTIATE_TYPED_TEST_SUITE_P(RemoteByThreeTcpConnections, BlockSources, RemoteByThreeTcpConnections);
INSTANTIATE_TYPED_TEST_SUITE_P(CodedAndRemote, BlockSources, CodedAndRemote);
INSTANTIATE_TYPED_TEST_SUITE_P(EncodedAndRemote, BlockSources, EncodedAndRemote);

TEST(FileSource, OfAFileThatWasCutShortFailsAndGoesOn) {
    TemporaryDirectory directory;
    const auto file = os::open_for_update(directory.path() + "/blocks").value();
    ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
    store::FileSource source(std::make_shared<transport::PoolFile>(file.duplicate().value()));
    store::BlockDescription block;
    block.variable = "pressure";
    block.shape = block.box.count = {4096};
    block.box.offset = {0};
    const store::BlockRef ref{.bytes = 4096};
    const store::Piece piece{0, &block, {{{0}, {4096}}, Selection::all({4096})}};
    std::vector<std::uint8_t> got(4096, 1);
    const auto fetch = [&] { return source.fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got)); };
    EXPECT_TRUE(fetch());
    ASSERT_EQ(::ftruncate(file.get(), 100), 0);
    EXPECT_EQ(fetch().error().code, ErrorCode::protocol);
}

TEST(DecodingSource, OfDamagedBytesFailsByName) {
    Encoded kept;
    store::BlockDescription block;
    block.variable = "pressure";
    block.shape = block.box.count = {4096};
    block.box.offset = {0};
    const std::vector<std::uint8_t> values(4096, 3);
    store::BlockDescription other = block;
    other.dtype = Dtype::i8;
    std::vector<std::byte> payload = codecs::encode(view_of(values));
    const store::BlockRef good = kept.keep(0, block, std::as_bytes(std::span(values)));
    payload[payload.size() / 2] ^= std::byte{1};
    store::BlockRef damaged = kept.map->keep(1, payload);
    damaged.encoding = store::Encoding::payload;
    store::BlockRef empty = kept.map->keep(1, {});
    empty.encoding = store::Encoding::payload;
    std::vector<std::uint8_t> got(4096);
    const auto source = kept.source();
    using Asked = std::pair<store::BlockRef, store::BlockDescription>;
    for (const auto& [ref, description] : {Asked(damaged, block), Asked(empty, block), Asked(good, other)}) {
        const store::Piece piece{0, &description, {{{0}, {4096}}, Selection::all({4096})}};
        const MutableArrayView destination{got.data(), description.dtype, {4096}, {1}};
        const auto fetched = source->fetch(std::span(&ref, 1), std::span(&piece, 1), destination);
        ASSERT_FALSE(fetched);
        EXPECT_EQ(fetched.error().code, ErrorCode::protocol);
        EXPECT_NE(fetched.error().message.find("'pressure'"), std::string::npos) << fetched.error().message;
    }
}

}  // namespace
}  // namespace staithe::testing
