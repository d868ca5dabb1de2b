#include "stream/directing/leased_memory.hpp"

#include <algorithm>
#include <utility>

#include "base/rounding.hpp"
#include "memory/pool.hpp"

namespace staithe::stream {

base::Result<std::unique_ptr<LeasedMemory>> LeasedMemory::make(const std::string& name) {
    auto file = os::create_memory_file(name);
    if (!file) {
        return base::fail(std::move(file));
    }
    return std::unique_ptr<LeasedMemory>(new LeasedMemory(*std::move(file)));
}

base::Result<> LeasedMemory::lease(std::int64_t bytes, base::FunctionRef<std::int64_t()> for_others) {
    // Claimed first, so that nobody else gets it, and then counted with the rest.
    const auto claim = [&] {
        const std::int64_t left = std::min(for_others(), INT64_MAX - bytes);
        return base::claim(base::Resource::memory, bytes + left,
                           left == 0 ? "lease a writer more memory"
                                     : "lease a writer more memory and leave others enough for two steps");
    };
    auto claimed = claim();
    if (!claimed) {
        memory::Pool::give_back_of_all(bytes);  // what spaces keep for reuse
        claimed = claim();
    }
    if (!claimed) {
        return base::fail(std::move(claimed));
    }
    if (auto checked = os::check_available_memory(bytes); !checked) {
        return checked;
    }
    *claimed = {};
    count(bytes_ + bytes);
    return {};
}

void LeasedMemory::end_lease(std::int64_t bytes) { count(bytes_ - std::clamp<std::int64_t>(bytes, 0, bytes_)); }

void LeasedMemory::count(std::int64_t bytes) {
    claim_ = {};
    claim_ = base::Claim(base::Resource::memory, bytes);
    bytes_ = bytes;
}

void LeasedMemory::keep_only(std::vector<store::BlockRef> blocks) {
    const auto page = static_cast<std::int64_t>(os::page_size());
    std::ranges::sort(blocks, {}, &store::BlockRef::offset);
    std::int64_t from = 0;  // all before it is looked at
    std::int64_t kept = 0;
    const auto discard = [&](std::int64_t to) {
        if (to > from) {
            os::discard_range(file_, from, to - from);
        }
    };
    const std::int64_t size = os::size_of_file(file_).value_or(0);
    for (const store::BlockRef& block : blocks) {
        if (block.offset < 0 || block.offset > size || block.bytes < 0 || block.bytes > size - block.offset) {
            continue;  // the rank has named what is not there
        }
        const std::int64_t first = block.offset / page * page;
        const std::int64_t last = base::round_up(block.offset + block.bytes, page);
        discard(first);
        kept += std::max<std::int64_t>(0, last - std::max(first, from));
        from = std::max(from, last);
    }
    discard(size);
    count(kept);
}

}  // namespace staithe::stream
