#include "format/hdf5/store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "format/conventions.hpp"
#include "format/hdf5/attributes.hpp"
#include "format/hdf5/chunk_finder.hpp"
#include "format/hdf5/dimension_scales.hpp"
#include "format/hdf5/others.hpp"
#include "format/hdf5/symbol_tables.hpp"

namespace staithe::format::hdf5 {
namespace {

using base::fail;

/// More than any program has written: what a file says may be anything.
constexpr std::int64_t most_recorded = std::int64_t{1} << 32;

/// A recorder has made both arrays, of numbers and of texts.
bool is_recording(std::span<const NamedObject> root) {
    const auto has = [&](std::string_view name) {
        return std::ranges::find(root, name, &NamedObject::name) != root.end();
    };
    return has(numbers_name) && has(attributes_name);
}

/// What the objects of a recording are taken for, one after the other.
class Loading {
  public:
    Loading(const Image& image, const std::string& path, Store& store)
        : image_(image), path_(path), texts_(image), store_(store), left_(image.end()) {}

    base::Result<> load() {
        const auto root = read_header(image_, store_.superblock.root, left_);
        const auto links = root ? links_of(image_, *root, left_) : fail(root);
        if (links && !is_recording(*links)) {
            return load_others(image_, *root, path_, store_);
        }
        auto attributes = links ? read_attributes(texts_, *root) : fail(links);
        if (!attributes) {
            return fail(std::move(attributes));
        }
        store_.attributes = *std::move(attributes);
        if (auto taken = take_links(*links, "", &store_.arrays, 0); !taken) {
            return taken;
        }
        std::ranges::sort(store_.arrays, {}, name_of_dataset);
        return check_steps();
    }

  private:
    static const std::string& name_of_dataset(const Dataset& dataset) { return dataset.node.info.name; }

    /// Of a group, whose path ends with a slash. Arrays go to `arrays`.
    base::Result<> take_group(std::span<const Message> group, const std::string& path, std::vector<Dataset>* arrays,
                              int depth) {
        const auto links = links_of(image_, group, left_);
        return links ? take_links(*links, path, arrays, depth) : base::Result<>(fail(links));
    }

    base::Result<> take_links(std::span<const NamedObject> links, const std::string& path, std::vector<Dataset>* arrays,
                              int depth) {
        for (const NamedObject& link : links) {
            auto taken = !base::is_utf8(link.name) ? fail(ErrorCode::protocol, "a name is no UTF-8")
                         : depth > most_groups + 1 ? fail(ErrorCode::protocol, "its groups have no end")
                                                   : take(link, path, arrays, depth);
            if (!taken) {
                return taken;
            }
        }
        return {};
    }

    base::Result<> take(const NamedObject& link, const std::string& path, std::vector<Dataset>* arrays, int depth) {
        if (!taken_.insert(link.object).second) {
            return fail(ErrorCode::protocol, "two links lead to the object at {}", link.object);
        }
        const auto messages = read_header(image_, link.object, left_);
        if (!messages) {
            return fail(messages);
        }
        const std::string name = path + link.name;
        const bool lies_along = arrays == &store_.arrays;
        if (is_group(*messages)) {
            const auto step = depth == 0 ? step_of(name) : std::nullopt;
            return step ? take_step(*step, link.object, *messages)
                        : take_group(*messages, name + "/", arrays, depth + 1);
        }
        if (is_mere_scale(*messages)) {
            return {};
        }
        const auto attributes = read_attributes(texts_, *messages);
        auto dataset = attributes ? decode(name, *messages, *attributes, lies_along) : fail(attributes);
        if (!dataset) {
            return fail(std::move(dataset));
        }
        if (lies_along && (name == numbers_name || name == attributes_name)) {
            return name == numbers_name ? take_numbers(*std::move(dataset)) : take_texts(*std::move(dataset));
        }
        dataset->node.fill.reset();  // a recorder leaves no chunk out
        if (const auto checked = check(dataset->node.info); !checked || dataset->holds != Holds::numbers) {
            return fail(ErrorCode::protocol, "{}",
                        checked ? "the array '" + name + "' has texts" : checked.error().message);
        }
        arrays->push_back(*std::move(dataset));
        return {};
    }

    base::Result<> take_step(std::int64_t number, Address group, std::span<const Message> messages) {
        StepApart step{.group = group};
        auto attributes = read_attributes(texts_, messages);
        if (!attributes) {
            return fail(std::move(attributes));
        }
        step.attributes = *std::move(attributes);
        if (auto taken = take_group(messages, "", &step.arrays, 1); !taken) {
            return taken;
        }
        std::ranges::sort(step.arrays, {}, name_of_dataset);
        store_.apart.insert_or_assign(number, std::move(step));
        return {};
    }

    base::Result<> take_texts(Dataset dataset) {
        const Dataset own = texts_dataset();
        if (dataset.holds != Holds::texts || dataset.node.packing != Packing::none ||
            dataset.node.grid != own.node.grid || !dataset.layout.chunk || !dataset.node.info.shape.empty()) {
            return fail(ErrorCode::protocol, "the array '{}' is not laid out as in recordings", attributes_name);
        }
        store_.texts_array = std::move(dataset);
        return {};
    }

    base::Result<> take_numbers(Dataset dataset) {
        const ArrayInfo& info = dataset.node.info;
        if (dataset.holds != Holds::numbers || info.dtype != Dtype::i64 || !info.shape.empty() ||
            dataset.node.packing != Packing::none || !dataset.layout.chunk || *dataset.steps > most_recorded) {
            return fail(ErrorCode::protocol, "the array '{}' has no numbers of steps", numbers_name);
        }
        ChunkFinder chunks(image_, dataset);
        for (std::int64_t step = 0; step < *dataset.steps; step += dataset.node.grid.steps) {
            const auto chunk = chunks.find(chunk_offset(dataset.node, step, {}));
            if (!chunk || !*chunk) {
                return fail(chunk ? ErrorCode::protocol : chunk.error().code, "the array '{}' {}", numbers_name,
                            chunk ? "lacks a chunk" : chunk.error().message);
            }
            const auto count = static_cast<std::size_t>(std::min(*dataset.steps - step, dataset.node.grid.steps));
            std::vector<std::int64_t> part(image_.has((*chunk)->address, count * sizeof(std::int64_t)) ? count : 0);
            if (part.empty()) {
                return fail(ErrorCode::protocol, "the array '{}' lies where the file has ended", numbers_name);
            }
            if (auto read = image_.read((*chunk)->address, std::as_writable_bytes(std::span(part))); !read) {
                return read;
            }
            // Chunk by chunk: an index may have the same one again and again, and not be long.
            const std::size_t last = std::max<std::size_t>(store_.numbers.size(), 1) - 1;
            store_.numbers.insert(store_.numbers.end(), part.begin(), part.end());
            if (auto checked = check_numbers(std::span(store_.numbers).subspan(last)); !checked) {
                return checked;
            }
        }
        store_.numbers_array = std::move(dataset);
        return {};
    }

    base::Result<> check_steps() {
        const auto steps = store_.numbers_array.steps;
        for (const Dataset& array : store_.arrays) {
            if (array.steps != steps) {
                return fail(ErrorCode::protocol, "the array '{}' has {} steps, and others have {}",
                            base::printable(array.node.info.name), *array.steps, *steps);
            }
        }
        return store_.texts_array.steps == steps
                   ? base::Result<>()
                   : fail(ErrorCode::protocol, "the array '{}' has not as many steps as others", attributes_name);
    }

    const Image& image_;
    const std::string& path_;
    TextReader texts_;
    Store& store_;
    std::uint64_t left_;       // for headers
    std::set<Address> taken_;  // objects
};

}  // namespace

std::optional<std::int64_t> Store::newest() const { return newest_of(numbers, apart); }

base::Result<Store> load(const os::FileDescriptor& file, const std::string& path) {
    Store store;
    const auto superblock = read_superblock(file);
    base::Result<> loaded = superblock ? base::Result<>() : fail(superblock);
    if (superblock) {
        store.superblock = *superblock;
        const Image image(file, superblock->end);
        loaded = Loading(image, path, store).load();
    }
    if (!loaded) {
        return fail(loaded.error().code, "'{}' cannot be read as a recording: {}", base::printable(path),
                    loaded.error().message);
    }
    return store;
}

}  // namespace staithe::format::hdf5
