// What a reader took of a live stream stays what it was, whatever its writer does to the memory that it came from.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class LiveSourceTest : public StreamTest {};

/// Overwrites a text in this process's pools, as a hostile writer could; how often it was there.
int scribble_over(const std::string& text) {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const int file = std::stoi(entry.path().filename());
        if (!std::filesystem::read_symlink(entry.path(), gone).string().starts_with("/memfd:staithe")) {
            continue;
        }
        std::string content(1 << 20, '\0');
        const auto count = ::pread(file, content.data(), content.size(), 0);
        content.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        for (auto at = content.find(text); at != std::string::npos; at = content.find(text, at + 1)) {
            const std::string scribble(text.size(), '\xff');
            found += ::pwrite(file, scribble.data(), scribble.size(), static_cast<off_t>(at)) > 0 ? 1 : 0;
        }
    }
    return found;
}

TEST_F(LiveSourceTest, AttributesOfAStepAreWhatTheyWereWhenItWasTaken) {
    Writer out("s");
    Reader in("s");
    WriteStep writing = out.begin_step();
    writing.put("x", 1.0);
    writing.set_attribute("note", "as it was written");
    writing.end();
    const ReadStep step = in.next().value();
    ASSERT_GT(scribble_over("as it was written"), 0);
    EXPECT_EQ(step.attributes(), (Attributes{{"note", "as it was written"}}));
}

}  // namespace
}  // namespace staithe
