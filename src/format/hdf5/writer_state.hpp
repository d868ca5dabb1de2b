// What a writer of an HDF5 file knows of it, to go on from. A step makes a new one of it, which counts once all is
// well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/hdf5/attributes.hpp"
#include "format/hdf5/chunk_index.hpp"
#include "format/hdf5/datasets.hpp"
#include "format/hdf5/dimension_scales.hpp"
#include "format/hdf5/image.hpp"
#include "format/hdf5/objects.hpp"
#include "format/hdf5/store.hpp"
#include "format/hdf5/texts.hpp"
#include "os/file_descriptor.hpp"

namespace staithe::format::hdf5 {

/// Attributes in a header: they are encoded anew where they are others than before.
class EncodedAttributes {
  public:
    void set(Attributes attributes) {
        is_new_ = is_new_ || attributes != attributes_;
        attributes_ = std::move(attributes);
    }
    void add_texts(TextCollections& texts) const {
        if (is_new_) {
            hdf5::add_texts(attributes_, texts);
        }
    }
    /// Once the texts are placed.
    const std::vector<Message>& encode(const TextCollections& texts) {
        if (std::exchange(is_new_, false)) {
            messages_ = hdf5::encode(attributes_, texts);
        }
        return messages_;
    }

  private:
    Attributes attributes_;
    std::vector<Message> messages_;
    bool is_new_ = true;
};

/// An array that steps are added to, or one of a step alone.
struct Growing {
    Growing(Dataset begun, ChunkIndex chunks);
    /// A new one.
    explicit Growing(const Dataset& begun);

    Dataset dataset;
    ChunkIndex index;
    EncodedAttributes attributes{};
};

/// What a header of the root says of steps that are unlike the others. Those that are many are in blocks, which stay as
/// they are, each of which leads to the one before.
struct LinksApart {
    std::vector<Message> newest{};
    Continuation others{};

    static constexpr std::ptrdiff_t most = 256;
};

struct WriterState {
    Address end = aligned(Superblock::bytes);
    std::optional<std::int64_t> newest{};
    EncodedAttributes attributes{};
    std::vector<Growing> arrays{};  // along steps, by name
    Growing numbers{numbers_dataset()};
    Growing texts{texts_dataset()};
    LinksApart apart{};
    Scales scales{};  // of these arrays, as far as this writer has written them

    [[nodiscard]] std::int64_t steps() const { return *numbers.dataset.steps; }
};

/// Of a file that is there; `invalid_argument` if another program has written what cannot be added to.
[[nodiscard]] base::Result<WriterState> state_of(const os::FileDescriptor& file, const Store& store);

}  // namespace staithe::format::hdf5
