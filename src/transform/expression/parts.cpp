#include "transform/expression/parts.hpp"

#include <utility>

#include "base/text.hpp"
#include "transform/expression/broadcast.hpp"

namespace staithe::transform::expression {
namespace {

class Finding {
  public:
    Finding(const Expression& expression, std::span<const Extents> shapes) : expression_(expression), shapes_(shapes) {}

    base::Result<Parts> find() {
        parts_.of.resize(shapes_.size());
        const auto shape = shape_of(expression_.root());
        if (!shape) {
            return base::fail(shape);
        }
        parts_.shape = *shape;
        return std::move(parts_);
    }

  private:
    /// What is broadcast: all that subscripts stand behind, or all there is, but for what is in subscripted parts of
    /// it.
    struct Together {
        Extents shape{};
        const Node* first = nullptr;
        Extents shape_of_first{};
    };

    base::Result<Extents> shape_of(const Node& root) {
        Together together;
        const auto added = add(root, together);
        return added ? base::Result<Extents>(together.shape) : base::fail(added);
    }

    base::Result<> add(const Node& node, Together& together) {
        if (node.kind == Node::Kind::variable) {
            parts_.of[node.operand] = Part::whole(shapes_[node.operand]);
            return join(node, shapes_[node.operand], together);
        }
        if (node.kind == Node::Kind::part) {
            const auto shape = shape_of_part(node);
            return shape ? join(node, *shape, together) : base::fail(shape);
        }
        for (const Node& argument : node.arguments) {
            if (auto added = add(argument, together); !added) {
                return added;
            }
        }
        return {};
    }

    [[nodiscard]] base::Result<> join(const Node& node, const Extents& shape, Together& together) const {
        if (together.first == nullptr) {
            together = {shape, &node, shape};
            return {};
        }
        const auto both = broadcast(together.shape, shape);
        if (!both) {
            return expression_.fail(fmt::format(
                "'{}' has the shape {}, '{}' {}: they do not go together", base::printable(together.first->name),
                to_string(together.shape_of_first), base::printable(node.name), to_string(shape)));
        }
        together.shape = *both;
        return {};
    }

    base::Result<Extents> shape_of_part(const Node& node) {
        const Node& whole = node.arguments.front();
        const auto shape = shape_of(whole);
        if (!shape) {
            return base::fail(shape);
        }
        const auto part = Part::selected(node.subscripts, *shape);
        if (!part) {
            const bool has_name = whole.kind == Node::Kind::variable || whole.kind == Node::Kind::part;
            return expression_.fail(
                fmt::format("'{}': {} has the shape {}, {}", base::printable(node.name),
                            has_name ? fmt::format("'{}'", base::printable(whole.name)) : "the whole",
                            to_string(*shape), part.error().message));
        }
        for (std::size_t i = node.operand; i < node.operands_end; ++i) {
            parts_.of[i] = parts_.of[i].cut_by(*part);
        }
        return part->shape;
    }

    const Expression& expression_;
    std::span<const Extents> shapes_;
    Parts parts_;
};

}  // namespace

base::Result<Parts> parts_of(const Expression& expression, std::span<const Extents> shapes) {
    return Finding(expression, shapes).find();
}

}  // namespace staithe::transform::expression
