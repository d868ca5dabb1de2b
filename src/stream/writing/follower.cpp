#include "stream/writing/follower.hpp"

#include <utility>

#include <staithe/reader.hpp>

#include "stream/placements.hpp"

namespace staithe::stream {

base::Result<std::shared_ptr<StepSource>> open_for_follower(const std::string& stream, const std::string& kind,
                                                            const std::string& placement, Group group,
                                                            const std::optional<double>& timeout) {
    ReaderOptions options;
    options.group = std::move(group);
    options.group.id += kind;
    options.program = kind;
    options.timeout = timeout;
    options.history = "";
    // A step that was dropped a follower would await.
    options.overflow = "block";
    // Nothing is saved by what the ranks do not have as it was put; by how much a file may differ, it says itself.
    options.error = {{"*", codecs::Bound::exact()}};
    const auto resolved = resolve_placement(stream, placement);
    return resolved ? (*resolved)->open_reader(stream, options) : base::fail(resolved);
}

}  // namespace staithe::stream
