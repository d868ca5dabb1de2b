#include "stream/layout.hpp"

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

}  // namespace

base::Result<std::shared_ptr<const Layout>> Layout::build(std::vector<std::shared_ptr<const Schema>> schema_of_rank) {
    auto layout = std::make_shared<Layout>();
    layout->schemas_ = std::move(schema_of_rank);
    for (std::size_t rank = 0; rank < layout->schemas_.size(); ++rank) {
        const Schema& schema = *layout->schemas_[rank];
        for (std::size_t i = 0; i < schema.size(); ++i) {
            const BlockDescription& block = schema[i];
            const auto [entry, is_new] = layout->index_.try_emplace(block.variable, layout->variables_.size());
            if (is_new) {
                layout->variables_.push_back({&block, {}});
            }
            VariableLayout& variable = layout->variables_[entry->second];
            if (!is_new) {
                if (auto agreed = check_agreement(variable, block, static_cast<int>(rank)); !agreed) {
                    return base::fail(std::move(agreed));
                }
            }
            variable.blocks.push_back({static_cast<int>(rank), i, &block});
        }
    }
    return std::shared_ptr<const Layout>(std::move(layout));
}

const VariableLayout* Layout::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &variables_[found->second];
}

}  // namespace staithe::stream
