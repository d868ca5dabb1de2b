#include "transport/fabric/fabric.hpp"

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"

namespace staithe::transport::fabric {
namespace {

TEST(Fabric, TheFirstOfTheCallersThatBothHaveIsTaken) {
    const Provider cxi{"cxi", "117.0"};
    const Provider verbs{"verbs;ofi_rxm", "117.0"};
    const Provider newer{"verbs;ofi_rxm", "118.0"};
    EXPECT_EQ(agree({cxi, verbs}, {verbs, cxi}), cxi);
    EXPECT_EQ(agree({cxi, verbs}, {verbs}), verbs);
    const auto none = agree({cxi, verbs}, {newer});
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message.find("cxi 117.0, verbs;ofi_rxm 117.0 there, verbs;ofi_rxm 118.0 here"),
              std::string::npos)
        << none.error().message;
}

TEST(Fabric, OffMeansThatThereIsNone) {
    const testing::EnvironmentVariable off("STAITHE_FABRIC", "off");
    const auto offered = offers();
    ASSERT_FALSE(offered);
    EXPECT_EQ(offered.error().message, "STAITHE_FABRIC is off");
}

}  // namespace
}  // namespace staithe::transport::fabric
