// What Zarr stores are written to and read from, beyond what a program usually does.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/value_codec.hpp"
#include "format/zarr/metadata.hpp"
#include "format/zarr/nodes.hpp"
#include "format/zarr/written_files.hpp"
#include "os/files.hpp"
#include "support/resource_limit.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::format::zarr {
namespace {

TEST(ZarrNodes, OfARecordingOfManyStepsThatAllDifferAreRead) {
    const testing::TemporaryDirectory directory;
    std::map<std::string, Attributes> all;
    for (int step = 0; step < 70'000; ++step) {
        all.emplace("step" + std::to_string(step), encode_group({}));
    }
    const Attributes root = encode_root({}, all);
    ASSERT_TRUE(os::write_atomically(directory.path() + "/" + metadata_name, to_json(root)));
    const auto nodes = read_nodes(directory.path());
    ASSERT_TRUE(nodes) << nodes.error().message;
    EXPECT_EQ(nodes->all.size(), all.size());
}

TEST(ZarrFiles, ThatAreLargerThanTheProcessMayMakeThemAreRefused) {
    const testing::TemporaryDirectory directory;
    const testing::ResourceLimit limit(RLIMIT_FSIZE, std::size_t{1} << 20);  // who goes beyond is ended: SIGXFSZ
    const std::vector<std::byte> bytes(600'000);
    WrittenFiles files;
    ASSERT_TRUE(files.write({directory.path(), "c.0"}, bytes));
    for (const auto& [offset, size] : {std::pair(600'000, 0), std::pair(0, 2'000'000)}) {
        const auto refused = files.write({directory.path(), "c.0", offset, size}, bytes);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
        EXPECT_NE(refused.error().message.find("ulimit -f"), std::string::npos) << refused.error().message;
    }
    EXPECT_EQ(std::filesystem::file_size(directory.path() + "/c.0"), bytes.size());
}

}  // namespace
}  // namespace staithe::format::zarr
