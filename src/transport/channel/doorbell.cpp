#include "transport/channel/doorbell.hpp"

#include <utility>

namespace staithe::transport {
namespace {

std::int64_t page_bytes() { return static_cast<std::int64_t>(os::page_size()); }

bool somebody_sleeps(const os::Mapping& page) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return reinterpret_cast<const DoorbellPage*>(page.data())->sleepers.load(std::memory_order_relaxed) != 0;
}

}  // namespace

Doorbell::Doorbell(os::Pipe pipe, os::FileDescriptor file, os::Mapping page)
    : pipe_(std::move(pipe)), file_(std::move(file)), page_(std::move(page)) {}

base::Result<Doorbell> Doorbell::create() {
    auto pipe = os::create_pipe();
    if (!pipe) {
        return base::fail(std::move(pipe));
    }
    auto file = os::create_memory_file("staithe:doorbell");
    if (!file) {
        return base::fail(std::move(file));
    }
    auto sized = os::allocate_range(*file, 0, page_bytes());
    if (sized) {
        sized = os::fix_size(*file);
    }
    if (!sized) {
        return base::fail(std::move(sized));
    }
    auto page = os::Mapping::map(*file, 0, page_bytes(), os::Access::read_write, os::Populate::yes);
    if (!page) {
        return base::fail(std::move(page));
    }
    os::close_for_writing(*file);
    auto read_only = os::duplicate_read_only(*file);
    if (!read_only) {
        return base::fail(std::move(read_only));
    }
    return Doorbell(*std::move(pipe), *std::move(read_only), *std::move(page));
}

base::Result<Doorbell::Button> Doorbell::button() const {
    auto pipe = os::reopen_write_end(pipe_);
    if (!pipe) {
        return base::fail(std::move(pipe));
    }
    auto page = file_.duplicate();
    if (!page) {
        return base::fail(std::move(page));
    }
    return Button{*std::move(pipe), *std::move(page)};
}

void Doorbell::add_sleeper() const {
    page().sleepers.fetch_add(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Doorbell::remove_sleeper() const { page().sleepers.fetch_sub(1, std::memory_order_seq_cst); }

void Doorbell::empty() const { os::empty_pipe(pipe_.read_end); }

void Doorbell::ring() const {
    if (somebody_sleeps(page_)) {
        ring_always();
    }
}

void Doorbell::ring_always() const { os::poke(pipe_.write_end); }

DoorbellButton::DoorbellButton(os::FileDescriptor pipe, os::Mapping page)
    : pipe_(std::move(pipe)), page_(std::move(page)) {}

base::Result<DoorbellButton> DoorbellButton::open(Doorbell::Button button) {
    if (auto checked = os::check_shared_memory(button.page, page_bytes()); !checked) {
        return base::fail(std::move(checked));
    }
    auto page = os::Mapping::map(button.page, 0, page_bytes(), os::Access::read_only, os::Populate::yes);
    if (!page) {
        return base::fail(std::move(page));
    }
    return DoorbellButton(std::move(button.pipe), *std::move(page));
}

void DoorbellButton::ring() const {
    if (somebody_sleeps(page_)) {
        os::poke(pipe_);
    }
}

}  // namespace staithe::transport
