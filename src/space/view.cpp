#include "space/view.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace staithe::space {

namespace {

using store::space::Overlay;
using store::space::Shown;

std::vector<Box> boxes_of(const Found& found) {
    std::vector<Box> boxes(found.blocks.size());
    std::ranges::transform(found.blocks, boxes.begin(), &store::space::VersionBlock::box);
    return boxes;
}

base::Result<std::vector<Shown>> whole(std::vector<Shown> shown, const Found& found, const Box& wanted) {
    const std::int64_t elements = volume(wanted.count).value_or(0);
    if (store::space::elements_of(shown) < elements) {
        return base::fail(ErrorCode::not_found,
                          "version {} of '{}' is complete, but nobody has put {} of the {} elements of {}",
                          found.version, base::printable(found.whole.variable),
                          elements - store::space::elements_of(shown), elements, to_string(wanted));
    }
    return shown;
}

Assembly assembly_of(const Found& found, const Box& wanted, std::span<const Shown> shown) {
    Assembly assembly;
    assembly.descriptions.reserve(shown.size());
    assembly.pieces.reserve(shown.size());
    store::BlockDescription of_block = found.whole;  // there may be very many: no more than is needed
    of_block.unit.clear();
    of_block.attributes.clear();
    for (const auto& [layer, part] : shown) {
        const auto& block = found.blocks[layer];
        store::BlockDescription& description = assembly.descriptions.emplace_back(of_block);
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

/// Some after the others: what describes very many at once would be memory that is touched for the first time.
base::Result<> fetch(const Found& found, const Box& wanted, std::span<const Shown> shown, const MutableArrayView& to) {
    constexpr std::size_t at_once = 16'384;
    base::Result<> fetched;
    while (fetched && !shown.empty()) {
        const auto some = assembly_of(found, wanted, shown.first(std::min(shown.size(), at_once)));
        fetched = found.source->fetch(some.refs, some.pieces, to);
        shown = shown.subspan(some.pieces.size());
    }
    return of_version(found, fetched);
}

base::Result<View> view_of(const Found& found, const Box& wanted, std::vector<Shown> parts) {
    const auto shown = whole(std::move(parts), found, wanted);
    if (!shown) {
        return base::fail(shown);
    }
    struct Held {
        std::shared_ptr<store::BlockSource> source;
        std::shared_ptr<const void> pin;
    };
    if (shown->size() == 1) {
        const auto one = assembly_of(found, wanted, *shown);
        auto view = found.source->view(one.refs.front(), one.descriptions.front());
        if (!view || *view) {
            return view ? base::Result<View>(View{slice(**view, one.pieces.front().overlap.source),
                                                  std::make_shared<Held>(found.source, found.pin)})
                        : base::fail(std::move(view));
        }
    }
    const auto memory = found.copies->take(size_in_bytes(wanted.count, found.whole.dtype).value_or(0));
    const auto to = MutableArrayView::row_major(memory.get(), found.whole.dtype, wanted.count);
    const auto fetched = fetch(found, wanted, *shown, to);
    return fetched ? base::Result<View>(View{to, memory}) : base::fail(fetched);
}

base::Result<> copy_of(const Found& found, const Box& wanted, std::vector<Shown> parts,
                       const MutableArrayView& destination) {
    const auto shown = whole(std::move(parts), found, wanted);
    return shown ? fetch(found, wanted, *shown, destination) : base::fail(shown);
}

}  // namespace

Overlay overlay_of(const Found& found) { return Overlay(boxes_of(found)); }

std::vector<Shown> shown_in(const Found& found, const Box& wanted) {
    return store::space::overlay(boxes_of(found), wanted);
}

base::Result<> of_version(const Found& found, const base::Result<>& done) {
    return done.map_error([&](const base::Failure& failure) {
        return base::Failure{failure.code, fmt::format("version {} of '{}': {}", found.version,
                                                       base::printable(found.whole.variable), failure.message)};
    });
}

base::Result<Assembly> assembly_of(const Found& found, const Box& wanted) {
    const auto shown = whole(shown_in(found, wanted), found, wanted);
    return shown ? base::Result<Assembly>(assembly_of(found, wanted, *shown)) : base::fail(shown);
}

base::Result<View> view_in(const Found& found, const Box& wanted) {
    return view_of(found, wanted, shown_in(found, wanted));
}

base::Result<View> view_in(const Found& found, const Overlay& overlay, const Box& wanted) {
    return view_of(found, wanted, overlay.shown_in(wanted));
}

base::Result<> copy_in(const Found& found, const Box& wanted, const MutableArrayView& destination) {
    return copy_of(found, wanted, shown_in(found, wanted), destination);
}

base::Result<> copy_in(const Found& found, const Overlay& overlay, const Box& wanted,
                       const MutableArrayView& destination) {
    return copy_of(found, wanted, overlay.shown_in(wanted), destination);
}

}  // namespace staithe::space
