// What a step holds, put together from the schemas of all writer ranks: which variables, made of which blocks.
//
// Immutable; shared by all steps between which no rank's schema changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "array/box_index.hpp"
#include "stream/describing/schema.hpp"
#include "stream/reading/read_plan.hpp"

namespace staithe::stream {

/// The blocks of one rank, as its schema says.
using Schema = std::vector<BlockDescription>;

struct PlacedBlock {
    int rank = 0;
    bool column_major = false;
    std::size_t index = 0;  // among the blocks of the step: those of rank 0 as in its schema, then rank 1's
};

/// Made for thousands of blocks: what they agree on is kept once.
struct VariableLayout {
    const BlockDescription* description = nullptr;  // of its first block, with what all blocks agree on
    std::vector<PlacedBlock> blocks;                // by rank
    array::BoxIndex index;                          // of them; empty for several local arrays, which have no places
    std::unique_ptr<ReadPlans> plans;

    /// Of `blocks[i]`.
    [[nodiscard]] Box box(std::size_t i) const;
    /// What a source of its data has to know of `blocks[i]`: not the unit, of the attributes that for fill alone.
    [[nodiscard]] BlockDescription describe(std::size_t i) const;

    std::vector<std::int64_t> extents;  // of the boxes: an offset and a count per dimension
};

class Layout {
  public:
    /// `invalid_argument` when ranks disagree on a variable, or their blocks overlap: the message names them.
    static base::Result<std::shared_ptr<const Layout>> build(std::vector<std::shared_ptr<const Schema>> schema_of_rank);
    /// What a director has written (step_table.hpp). `protocol` when it is garbled.
    static base::Result<std::shared_ptr<const Layout>> decode(std::span<const std::byte> bytes, std::uint64_t number);

    [[nodiscard]] const std::vector<VariableLayout>& variables() const { return variables_; }
    /// In a step.
    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    [[nodiscard]] std::size_t ranks() const { return ranks_; }
    /// nullptr if there is none of that name.
    [[nodiscard]] const VariableLayout* find(std::string_view name) const;

  private:
    base::Result<std::size_t> variable_of(const BlockDescription& block, int rank);
    void add(std::size_t variable, int rank, bool column_major, const Box& box);
    base::Result<> place_all();

    std::vector<std::shared_ptr<const Schema>> schemas_;  // own the descriptions
    std::size_t ranks_ = 0;
    std::size_t blocks_ = 0;
    std::vector<VariableLayout> variables_;
    std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace staithe::stream
