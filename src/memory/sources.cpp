#include "memory/sources.hpp"

#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/text.hpp"
#include "memory/extents/budgeted.hpp"
#include "memory/extents/disk_file.hpp"
#include "memory/extents/own_memory.hpp"
#include "memory/extents/recycling_file.hpp"

namespace staithe::memory {
namespace {

using Opened = base::Result<std::unique_ptr<ExtentSource>>;

struct Way {
    std::string_view name;
    bool reserves;  // memory for small blocks, as a pool is opened
    Opened (*open)(const std::string& name, const std::string& place);
};

// Tests of streams let pools stand on other files, by a setting that nobody else knows: on ones whose ranges are used
// again; on another file system.
bool recycles() { return base::environment("STAITHE_TEST_EXTENTS") == "recycled"; }
bool is_elsewhere() { return base::environment("STAITHE_TEST_EXTENTS") == "tmpfs"; }

Opened recycling(base::Result<os::FileDescriptor> file) {
    return std::move(file).map([](auto opened) -> std::unique_ptr<ExtentSource> {
        return std::make_unique<RecyclingFile>(std::move(opened));
    });
}

Opened sealed_memory(const std::string& name, const std::string& /*place*/) {
    return (recycles() ? recycling(os::create_memory_file(name)) : own_memory(name)).map([&](auto source) {
        return budgeted(std::move(source), name);
    });
}

Opened disk(const std::string& /*name*/, const std::string& place) {
    return recycles() ? recycling(os::create_disk_file(place)) : disk_file(place);
}

Opened tmpfs(const std::string& name, const std::string& place) {
    return recycling(os::create_disk_file(place)).map([&](auto source) { return budgeted(std::move(source), name); });
}

Opened any_memory(const std::string& name, const std::string& place) {
    return is_elsewhere() ? tmpfs(name, "/dev/shm") : sealed_memory(name, place);
}

constexpr Way ways[] = {
    {in_memory, true, any_memory},
    {in_sealed_memory, true, sealed_memory},
    {on_disk, false, disk},
    {on_tmpfs, false, tmpfs},
};

}  // namespace

base::Result<std::shared_ptr<Pool>> open_pool(const std::string& name, std::string_view way, const std::string& place) {
    std::vector<std::string> names;
    for (const Way& each : ways) {
        if (each.name == way) {
            auto source = each.open(name, place);
            if (!source) {
                return base::fail(std::move(source));
            }
            auto pool = Pool::create(name, *std::move(source));
            const auto reserved = each.reserves ? pool->reserve_small() : base::Result<>();
            return reserved ? base::Result<std::shared_ptr<Pool>>(std::move(pool)) : base::fail(reserved);
        }
        names.emplace_back(each.name);
    }
    return base::fail(ErrorCode::invalid_argument, "the pool '{}' cannot be made of '{}': there is {}", name, way,
                      base::closest(way, names));
}

base::Result<std::shared_ptr<Pool>> open_leased_pool(const std::string& name, os::FileDescriptor file, Lessor lessor) {
    if (auto checked = os::check_shared_memory(file); !checked) {
        return base::fail(std::move(checked));
    }
    auto pool = Pool::create(name, leased(std::move(file), std::move(lessor)));
    auto reserved = pool->reserve_small();
    return reserved ? base::Result<std::shared_ptr<Pool>>(std::move(pool)) : base::fail(std::move(reserved));
}

}  // namespace staithe::memory
