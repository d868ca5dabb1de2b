#include "space/view.hpp"

#include <cstddef>
#include <memory>
#include <utility>
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

base::Result<Assembly> assembly_of(const Found& found, const Box& wanted) {
    const auto shown = shown_in(found, wanted);
    const std::int64_t elements = volume(wanted.count).value_or(0);
    if (store::space::elements_of(shown) < elements) {
        return base::fail(ErrorCode::not_found,
                          "version {} of '{}' is complete, but nobody has put {} of the {} elements of {}",
                          found.version, base::printable(found.whole.variable),
                          elements - store::space::elements_of(shown), elements, to_string(wanted));
    }
    Assembly assembly;
    assembly.descriptions.reserve(shown.size());
    for (const auto& [layer, part] : shown) {
        const auto& block = found.blocks[layer];
        store::BlockDescription& description = assembly.descriptions.emplace_back(found.whole);
        description.box = block.box;
        description.column_major = block.column_major;
        Box there{part.offset, part.count}, here{part.offset, part.count};
        for (std::size_t i = 0; i < part.dimensions(); ++i) {
            there.offset[i] -= block.box.offset[i];
            here.offset[i] -= wanted.offset[i];
        }
        assembly.pieces.push_back({assembly.refs.size(), &description, {here, Selection(there)}});
        assembly.refs.push_back(block.ref);
    }
    return assembly;
}

base::Result<View> view_in(const Found& found, const Box& wanted) {
    const auto assembly = assembly_of(found, wanted);
    if (!assembly) {
        return base::fail(assembly);
    }
    struct Held {
        std::shared_ptr<store::BlockSource> source;
        std::shared_ptr<const void> pin;
    };
    if (assembly->pieces.size() == 1) {
        auto view = found.source->view(assembly->refs.front(), assembly->descriptions.front());
        if (!view || *view) {
            return view ? base::Result<View>(View{slice(**view, assembly->pieces.front().overlap.source),
                                                  std::make_shared<Held>(found.source, found.pin)})
                        : base::fail(std::move(view));
        }
    }
    const auto memory = found.copies->take(size_in_bytes(wanted.count, found.whole.dtype).value_or(0));
    const auto to = MutableArrayView::row_major(memory.get(), found.whole.dtype, wanted.count);
    const auto fetched = found.source->fetch(assembly->refs, assembly->pieces, to);
    return fetched ? base::Result<View>(View{to, memory}) : base::fail(fetched);
}

base::Result<> copy_in(const Found& found, const Box& wanted, const MutableArrayView& destination) {
    const auto assembly = assembly_of(found, wanted);
    return assembly ? found.source->fetch(assembly->refs, assembly->pieces, destination) : base::fail(assembly);
}

}  // namespace staithe::space
