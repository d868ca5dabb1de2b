// Memory that coding a tile takes, kept from tile to tile. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <vector>

#include "transform/kept_memory.hpp"

namespace staithe::transform {

class Scratch {
  public:
    /// From `memory`, or from what coding keeps.
    explicit Scratch(std::pmr::memory_resource* memory = nullptr)
        : memory_(memory != nullptr ? memory : kept_memory()) {}

    /// What a piece of it is for: two uses at a time must not meet.
    enum class Use : std::size_t {
        tile,
        payload,
        gathered,
        block,
        decoded,
        workspace,
        counts,
        widths,
        planes,
        exceptions,
        common_exceptions,
        residuals,
        tables,
        form_words,
        symbol_words,
        sparse_words,
        sample,
        shuffled,
        compressed,
        count_of_uses
    };

    /// At least so many bytes, aligned to cache lines, undefined. Valid until the next call for the same use.
    std::byte* get(Use use, std::size_t bytes) {
        auto& piece = pieces_[static_cast<std::size_t>(use)];
        if (piece.get_deleter().bytes < bytes) {
            piece.reset();
            piece = take_from(*memory_, bytes);
        }
        return piece.get();
    }

    /// What a library works in, as `create` makes it: made by the first call, and kept as long as all of this.
    template <auto create, auto destroy>
    auto* keep() {
        using Object = decltype(create());
        static char key;  // one for each pair of functions
        for (const Kept& kept : kept_) {
            if (kept.key == &key) {
                return static_cast<Object>(kept.object.get());
            }
        }
        const Object object = create();
        if (object == nullptr) {
            throw std::bad_alloc();
        }
        kept_.push_back({&key, {object, [](Object made) { destroy(made); }}});
        return object;
    }

  private:
    std::pmr::memory_resource* const memory_;
    std::array<TakenMemory, static_cast<std::size_t>(Use::count_of_uses)> pieces_;
    struct Kept {
        const void* key = nullptr;
        std::shared_ptr<void> object{};
    };
    std::vector<Kept> kept_;
};

}  // namespace staithe::transform
