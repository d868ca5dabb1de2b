#include "stream/describing/layout.hpp"

namespace staithe::stream {
namespace {

base::Result<> check_agreement(const VariableLayout& variable, const BlockDescription& block, int rank) {
    const BlockDescription& first = *variable.description;
    const int first_rank = variable.blocks.front().rank;
    const auto disagree = [&](const std::string& what, const std::string& a, const std::string& b) {
        return base::fail(ErrorCode::invalid_argument,
                          "writer ranks disagree on the {} of '{}': rank {} says {}, rank {} says {}", what,
                          block.variable, first_rank, a, rank, b);
    };
    if (first.dtype != block.dtype) {
        return disagree("dtype", name_of(first.dtype), name_of(block.dtype));
    }
    if (first.local != block.local) {
        return disagree("kind", first.local ? "local" : "global", block.local ? "local" : "global");
    }
    if (!first.local && first.shape != block.shape) {
        return disagree("shape", to_string(first.shape), to_string(block.shape));
    }
    return {};
}

/// Makes the index of the blocks' boxes, and checks that they do not overlap. Those of one rank were checked when they
/// were put.
base::Result<> place(VariableLayout& variable) {
    if (variable.description->local && variable.blocks.size() > 1) {
        return {};
    }
    std::vector<Box> boxes;
    boxes.reserve(variable.blocks.size());
    for (const PlacedBlock& block : variable.blocks) {
        boxes.push_back(block.description->box);
    }
    variable.index = array::BoxIndex(boxes);
    if (variable.blocks.front().rank == variable.blocks.back().rank) {
        return {};
    }
    const auto clash = array::find_clash(variable.index, boxes);
    if (!clash) {
        return {};
    }
    const auto& [a, b] = *clash;
    return base::fail(ErrorCode::invalid_argument,
                      "variable '{}': the blocks of rank {}, {}, and of rank {}, {}, overlap",
                      variable.description->variable, variable.blocks[a].rank, to_string(boxes[a]),
                      variable.blocks[b].rank, to_string(boxes[b]));
}

}  // namespace

base::Result<std::shared_ptr<const Layout>> Layout::build(std::vector<std::shared_ptr<const Schema>> schema_of_rank) {
    auto layout = std::make_shared<Layout>();
    layout->schemas_ = std::move(schema_of_rank);
    for (std::size_t rank = 0; rank < layout->schemas_.size(); ++rank) {
        const Schema& schema = *layout->schemas_[rank];
        for (const BlockDescription& block : schema) {
            const auto [entry, is_new] = layout->index_.try_emplace(block.variable, layout->variables_.size());
            if (is_new) {
                layout->variables_.push_back({&block, {}, {}, std::make_unique<ReadPlans>()});
            }
            VariableLayout& variable = layout->variables_[entry->second];
            if (!is_new) {
                if (auto agreed = check_agreement(variable, block, static_cast<int>(rank)); !agreed) {
                    return base::fail(std::move(agreed));
                }
            }
            variable.blocks.push_back({static_cast<int>(rank), layout->blocks_++, &block});
        }
    }
    for (VariableLayout& variable : layout->variables_) {
        if (auto placed = place(variable); !placed) {
            return base::fail(std::move(placed));
        }
    }
    return std::shared_ptr<const Layout>(std::move(layout));
}

const VariableLayout* Layout::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &variables_[found->second];
}

}  // namespace staithe::stream
