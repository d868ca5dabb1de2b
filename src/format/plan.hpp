// How the arrays of a step are to lie in a file: with those of earlier steps, if they are alike, else by themselves;
// cut in which chunks, compressed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "format/chunks.hpp"
#include "format/recording.hpp"

namespace staithe::format {

/// How an array lies in a file.
struct ArrayNode {
    ArrayInfo info;
    ChunkGrid grid{};
    Packing packing = Packing::none;
    std::string codec{};    // of the newest chunks, where they are compressed,
    codecs::Bound error{};  // and how far their values may be off
    // What other programs have stored, and who reads knows:
    std::shared_ptr<const ChunkCoding> coding{};  // of chunks that are `coded`
    std::optional<FillValue> fill{};              // of chunks that they left out
};

struct Plan {
    bool lies_along = true;
    std::vector<ArrayNode> arrays;  // by name
};

/// What there is before a step.
struct Before {
    const std::string& path;  // of the recording
    std::optional<std::int64_t> newest;
    std::span<const ArrayNode> arrays;  // along steps, by name
    bool has_steps = false;             // along these
};

/// `invalid_argument` says what a file cannot hold.
[[nodiscard]] base::Result<Plan> plan(const StepToStore& step, const Before& before);

/// What is said where steps, from one to another, could not be stored.
[[nodiscard]] tl::unexpected<base::Failure> not_stored(const std::string& path, std::int64_t first, std::int64_t last,
                                                       const base::Failure& why);

/// Likewise where nobody knows whether they are: a disk may have taken what leads to them, or not.
[[nodiscard]] tl::unexpected<base::Failure> maybe_stored(const std::string& path, std::int64_t first, std::int64_t last,
                                                         const base::Failure& why);
/// What is said of steps after that.
[[nodiscard]] tl::unexpected<base::Failure> nothing_more_is_stored();

/// The array of that name, which the step has.
[[nodiscard]] const ArrayToStore& array_of(const StepToStore& step, const std::string& name);

}  // namespace staithe::format
