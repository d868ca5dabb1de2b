#include "stream/describing/layout.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "stream/describing/step_table.hpp"

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
    if (first.box.dimensions() != block.box.dimensions()) {
        return disagree("number of dimensions", fmt::format("{}", first.box.dimensions()),
                        fmt::format("{}", block.box.dimensions()));
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
    for (std::size_t i = 0; i < variable.blocks.size(); ++i) {
        boxes.push_back(variable.box(i));
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

Box VariableLayout::box(std::size_t i) const {
    const std::size_t dimensions = description->shape.size();
    const std::span<const std::int64_t> numbers = std::span(extents).subspan(2 * dimensions * i, 2 * dimensions);
    Box box;
    box.offset.resize(dimensions);
    box.count.resize(dimensions);
    std::copy_n(numbers.begin(), dimensions, box.offset.begin());
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(dimensions), dimensions, box.count.begin());
    return box;
}

BlockDescription VariableLayout::describe(std::size_t i) const {
    BlockDescription block;
    block.variable = description->variable;
    block.dtype = description->dtype;
    block.local = description->local;
    block.column_major = blocks[i].column_major;
    block.box = box(i);
    block.shape = block.local ? block.box.count : description->shape;
    block.error = description->error;
    if (const Value* const fill = find(description->attributes, store::fill_attribute)) {
        block.attributes.emplace(store::fill_attribute, *fill);
    }
    return block;
}

/// The variable of a block of that rank. The description stays.
base::Result<std::size_t> Layout::variable_of(const BlockDescription& block, int rank) {
    const auto [entry, is_new] = index_.try_emplace(block.variable, variables_.size());
    if (is_new) {
        variables_.push_back({&block, {}, {}, std::make_unique<ReadPlans>(), {}});
    } else if (auto agreed = check_agreement(variables_[entry->second], block, rank); !agreed) {
        return base::fail(std::move(agreed));
    }
    return entry->second;
}

void Layout::add(std::size_t variable, int rank, bool column_major, const Box& box) {
    VariableLayout& layout = variables_[variable];
    layout.blocks.push_back({rank, column_major, blocks_++});
    layout.extents.insert(layout.extents.end(), box.offset.begin(), box.offset.end());
    layout.extents.insert(layout.extents.end(), box.count.begin(), box.count.end());
}

base::Result<> Layout::place_all() {
    for (VariableLayout& variable : variables_) {
        if (auto placed = place(variable); !placed) {
            return placed;
        }
    }
    return {};
}

base::Result<std::shared_ptr<const Layout>> Layout::build(std::vector<std::shared_ptr<const Schema>> schema_of_rank) {
    auto layout = std::make_shared<Layout>();
    layout->schemas_ = std::move(schema_of_rank);
    layout->ranks_ = layout->schemas_.size();
    for (std::size_t rank = 0; rank < layout->ranks_; ++rank) {
        for (const BlockDescription& block : *layout->schemas_[rank]) {
            const auto variable = layout->variable_of(block, static_cast<int>(rank));
            if (!variable) {
                return base::fail(variable);
            }
            layout->add(*variable, static_cast<int>(rank), block.column_major, block.box);
        }
    }
    if (auto placed = layout->place_all(); !placed) {
        return base::fail(std::move(placed));
    }
    return std::shared_ptr<const Layout>(std::move(layout));
}

base::Result<std::shared_ptr<const Layout>> Layout::decode(std::span<const std::byte> bytes, std::uint64_t number) {
    const auto parts = split_layout(bytes, number);
    if (!parts) {
        return base::fail(parts);
    }
    auto layout = std::make_shared<Layout>();
    layout->ranks_ = parts->head_of_rank.size();
    struct Head {
        std::shared_ptr<Schema> blocks;  // null: no rank before had it
        std::vector<std::size_t> variables;
    };
    std::vector<Head> heads(parts->heads.size());
    base::ByteReader boxes(parts->boxes);
    for (std::size_t r = 0; r < layout->ranks_; ++r) {
        const auto rank = static_cast<int>(r);
        Head& head = heads[parts->head_of_rank[r]];
        const bool is_new = head.blocks == nullptr;
        if (is_new) {
            auto blocks = decode_schema_head(parts->heads[parts->head_of_rank[r]]);
            if (!blocks) {
                return base::fail(std::move(blocks));
            }
            head.blocks = std::make_shared<Schema>(*std::move(blocks));
            layout->schemas_.push_back(head.blocks);
        }
        for (std::size_t i = 0; i < head.blocks->size(); ++i) {
            BlockDescription& block = (*head.blocks)[i];
            const auto box = take_box(boxes, block);
            if (!box) {
                return base::fail(box);
            }
            if (is_new) {
                block.box = *box;
                block.shape = block.local ? box->count : block.shape;
                const auto variable = layout->variable_of(block, rank);
                if (!variable) {
                    return base::fail(variable);
                }
                head.variables.push_back(*variable);
            }
            layout->add(head.variables[i], rank, block.column_major, *box);
        }
    }
    if (boxes.left() != 0 || layout->schemas_.size() != heads.size()) {
        return base::fail(ErrorCode::protocol, "layout {} of a stream is too long", number);
    }
    if (auto placed = layout->place_all(); !placed) {
        return base::fail(std::move(placed));
    }
    return std::shared_ptr<const Layout>(std::move(layout));
}

const VariableLayout* Layout::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &variables_[found->second];
}

}  // namespace staithe::stream
