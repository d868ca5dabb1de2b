#include "stream/directing/progress.hpp"

#include "os/files.hpp"

namespace staithe::stream {
namespace {

constexpr std::uint32_t progress_magic = 0x52505453;  // "STPR"
constexpr std::uint32_t progress_format = 1;

}  // namespace

base::Result<std::unique_ptr<Progress>> Progress::open(const std::string& run_directory, const std::string& stream,
                                                       bool resume) {
    std::string path = fmt::format("{}/{}.progress", run_directory, stream);
    const auto file = os::open_for_update(path);
    if (!file) {
        return base::fail(file);
    }
    // A full file system is an error here, and not a SIGBUS at the first store.
    if (auto allocated = os::allocate_range(*file, 0, sizeof(Content)); !allocated) {
        return base::fail(std::move(allocated));
    }
    auto mapping = os::Mapping::map(*file, 0, sizeof(Content), os::Access::read_write, os::Populate::yes);
    if (!mapping) {
        return base::fail(std::move(mapping));
    }
    std::unique_ptr<Progress> progress(new Progress(std::move(path), *std::move(mapping)));
    Content& content = progress->content();
    const bool is_sound =
        content.magic == progress_magic && content.format == progress_format && content.next_step.load() >= 0;
    if (!resume || !is_sound) {
        content.magic = progress_magic;
        content.format = progress_format;
        content.next_step.store(0);
    }
    return progress;
}

std::int64_t Progress::next_step() const { return content().next_step.load(std::memory_order_relaxed); }

void Progress::set_next_step(std::int64_t step) { content().next_step.store(step, std::memory_order_release); }

void Progress::remove() { os::remove_file(path_); }

}  // namespace staithe::stream
