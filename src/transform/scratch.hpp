// Memory that coding a tile takes, kept from tile to tile. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace staithe::transform {

class Scratch {
  public:
    /// What a piece of it is for: two uses at a time must not meet.
    enum class Use : std::size_t {
        tile,
        gathered,
        block,
        decoded,
        workspace,
        counts,
        widths,
        planes,
        exceptions,
        residuals,
        tables,
        width_words,
        symbol_words,
        sample,
        shuffled,
        compressed,
        count_of_uses
    };

    /// At least so many bytes, aligned to cache lines, undefined. Valid until the next call for the same use.
    std::byte* get(Use use, std::size_t bytes) {
        Piece& piece = pieces_[static_cast<std::size_t>(use)];
        if (piece.bytes < bytes) {
            piece.bytes = 0;
            piece.memory.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
            piece.bytes = bytes;
        }
        return piece.memory.get();
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
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };
    struct Piece {
        std::unique_ptr<std::byte, Free> memory;
        std::size_t bytes = 0;
    };
    std::array<Piece, static_cast<std::size_t>(Use::count_of_uses)> pieces_;
    struct Kept {
        const void* key = nullptr;
        std::shared_ptr<void> object{};
    };
    std::vector<Kept> kept_;
};

}  // namespace staithe::transform
