// All ways of a channel.
#include "conformance/channel_suite.hpp"

namespace staithe::testing {
namespace {

struct SharedMemoryWay {
    static constexpr const char* setting = nullptr;
    static constexpr auto member = Switchboard::Member::near;
};
INSTANTIATE_TYPED_TEST_SUITE_P(SharedMemory, ChannelSuite, SharedMemoryWay);

struct SocketWay {
    static constexpr const char* setting = "socket";
    static constexpr auto member = Switchboard::Member::near;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Sockets, ChannelSuite, SocketWay);

/// Whose connection comes later.
struct FarWay {
    static constexpr const char* setting = nullptr;
    static constexpr auto member = Switchboard::Member::far;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Far, ChannelSuite, FarWay);

}  // namespace
}  // namespace staithe::testing
