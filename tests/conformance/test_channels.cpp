// Both ways of a channel.
#include "conformance/channel_suite.hpp"

namespace staithe::testing {
namespace {

struct SharedMemoryWay {
    static constexpr const char* setting = nullptr;
};
INSTANTIATE_TYPED_TEST_SUITE_P(SharedMemory, ChannelSuite, SharedMemoryWay);

struct SocketWay {
    static constexpr const char* setting = "socket";
};
INSTANTIATE_TYPED_TEST_SUITE_P(Sockets, ChannelSuite, SocketWay);

}  // namespace
}  // namespace staithe::testing
