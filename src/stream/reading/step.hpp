// A complete step, as a source of steps hands it out: which blocks there are, and where their data is to be had.
//
// Immutable, for any thread. Whoever looks at its data keeps it: when its last user lets it go, nobody does any more. A
// source that gives steps back derives from it, and hands out pointers that do so then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <staithe/reader.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"
#include "monitor/span.hpp"
#include "store/block_source.hpp"
#include "stream/describing/layout.hpp"
#include "stream/reading/fetched_memory.hpp"

namespace staithe::stream {

struct Step {
    Step() = default;
    virtual ~Step() = default;
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    /// Those of all ranks put together.
    [[nodiscard]] virtual base::Result<Attributes> attributes() const { return Attributes(); }
    /// A piece that is in this process already, with an owner that pins no step.
    [[nodiscard]] virtual base::Result<std::optional<View>> kept(const store::Piece& /*piece*/) const {
        return std::nullopt;
    }
    /// For a copy of its elements, not zeroed.
    [[nodiscard]] std::shared_ptr<std::byte[]> room_for(std::int64_t bytes) const {
        return memory ? memory->take(bytes)
                      : std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    }
    std::int64_t number = 0;
    std::shared_ptr<const Layout> layout;
    std::vector<store::BlockRef> blocks;  // by PlacedBlock::index
    std::shared_ptr<store::BlockSource> source;
    std::shared_ptr<FetchedMemory> memory;  // for copies of its blocks; null: of the heap
    monitor::Tracer tracer;                 // of who reads it
};

}  // namespace staithe::stream
