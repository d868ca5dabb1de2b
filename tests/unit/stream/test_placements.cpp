#include "stream/placements.hpp"

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"

namespace staithe::stream {
namespace {

using testing::EnvironmentVariable;

std::string name_of(const base::Result<const Placement*>& placement) {
    return placement ? (*placement)->name : placement.error().message;
}

TEST(Placements, AreChosenByArgumentThenStreamThenEnvironment) {
    const EnvironmentVariable none("STAITHE_PLACEMENT", nullptr);
    EXPECT_EQ(name_of(resolve_placement(Attributes{}, std::nullopt)), "producer");
    const EnvironmentVariable chosen("STAITHE_PLACEMENT", "inline");
    EXPECT_EQ(name_of(resolve_placement(Attributes{}, std::nullopt)), "inline");
    const Attributes settings{{"placement", "producer"}};
    EXPECT_EQ(name_of(resolve_placement(settings, std::nullopt)), "producer");
    EXPECT_EQ(name_of(resolve_placement(settings, "inline")), "inline");
}

TEST(Placements, OneThatThereIsNotNamesThoseThatThereAre) {
    const auto placement = resolve_placement(Attributes{}, "moon");
    EXPECT_EQ(placement.error().code, ErrorCode::invalid_argument);
    for (const char* word : {"'moon'", "'producer'", "'inline'"}) {
        EXPECT_NE(placement.error().message.find(word), std::string::npos) << word;
    }
    EXPECT_FALSE(resolve_placement(Attributes{{"placement", 7}}, std::nullopt));
}

}  // namespace
}  // namespace staithe::stream
