// Work on tiles by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "transform/default_arithmetic.hpp"
#include "transform/helpers.hpp"
#include "transform/scratch.hpp"

namespace staithe::transform {

/// What runs out of memory fails, it does not throw; and the arithmetic is the default one.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
    const DefaultArithmetic arithmetic;
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return base::fail(ErrorCode::limit_reached, "no memory is left for work on an array");
    }
}

inline base::Result<> check_threads(int threads) {
    if (threads < 1) {
        return base::fail(ErrorCode::invalid_argument, "{} threads cannot be: give 1 or more", threads);
    }
    return {};
}

/// Calls `work(item, scratch)` for each item, in the calling thread and up to `threads - 1` others (helpers.hpp), each
/// with scratch memory from there. Returns the first failure; items after it may not have been worked on.
template <class Item, class Work>
base::Result<> for_each(const std::vector<Item>& items, int threads, std::pmr::memory_resource* memory,
                        const Work& work) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::optional<base::Failure> failure;
    const auto run = [&](const auto& stays) {
        Scratch scratch(memory);
        while (stays()) {
            const std::size_t i = next++;
            if (i >= items.size()) {
                return true;
            }
            base::Result<> done = guarded([&] { return work(items[i], scratch); });
            if (!done) {
                next = items.size();
                const std::lock_guard lock(mutex);
                if (!failure) {
                    failure = std::move(done).error();
                }
            }
        }
        return false;
    };
    if (const std::size_t helpers = std::min(static_cast<std::size_t>(threads), items.size()); helpers > 1) {
        work_together(helpers - 1, run);
    } else {
        run([] { return true; });
    }
    if (failure) {
        return tl::unexpected(*std::move(failure));
    }
    return {};
}

}  // namespace staithe::transform
