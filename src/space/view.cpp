#include "space/view.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "base/text.hpp"

namespace staithe::space {

std::vector<store::space::Shown> shown_in(const Found& found, const Box& wanted) {
    std::vector<Box> boxes;
    for (const auto& block : found.blocks) {
        boxes.push_back(block.box);
    }
    return store::space::overlay(boxes, wanted);
}

base::Result<View> view_in(const Found& found, const Box& wanted) {
    const auto shown = shown_in(found, wanted);
    const std::int64_t elements = volume(wanted.count).value_or(0);
    if (store::space::elements_of(shown) < elements) {
        return base::fail(ErrorCode::not_found,
                          "version {} of '{}' is complete, but nobody has put {} of the {} elements of {}",
                          found.version, base::printable(found.whole.variable),
                          elements - store::space::elements_of(shown), elements, to_string(wanted));
    }
    std::vector<store::BlockRef> refs;
    std::vector<store::BlockDescription> descriptions;
    std::vector<store::Piece> pieces;
    descriptions.reserve(shown.size());
    for (const auto& [layer, part] : shown) {
        const auto& block = found.blocks[layer];
        store::BlockDescription& description = descriptions.emplace_back(found.whole);
        description.box = block.box;
        description.column_major = block.column_major;
        Box there{part.offset, part.count}, here{part.offset, part.count};
        for (std::size_t i = 0; i < part.dimensions(); ++i) {
            there.offset[i] -= block.box.offset[i];
            here.offset[i] -= wanted.offset[i];
        }
        pieces.push_back({refs.size(), &description, {here, Selection(there)}});
        refs.push_back(block.ref);
    }
    struct Held {
        std::shared_ptr<store::BlockSource> source;
        std::shared_ptr<const void> pin;
    };
    if (shown.size() == 1) {
        auto view = found.source->view(refs.front(), descriptions.front());
        if (!view || *view) {
            return view ? base::Result<View>(View{slice(**view, pieces.front().overlap.source),
                                                  std::make_shared<Held>(found.source, found.pin)})
                        : base::fail(std::move(view));
        }
    }
    const std::int64_t bytes = size_in_bytes(wanted.count, found.whole.dtype).value_or(0);
    const std::shared_ptr<std::byte[]> memory =
        found.memory ? found.memory->take(bytes)
                     : std::shared_ptr<std::byte[]>(new std::byte[static_cast<std::size_t>(bytes)]);
    const auto to = MutableArrayView::row_major(memory.get(), found.whole.dtype, wanted.count);
    if (auto fetched = found.source->fetch(refs, pieces, to); !fetched) {
        return base::fail(std::move(fetched));
    }
    return View{to, memory};
}

}  // namespace staithe::space
