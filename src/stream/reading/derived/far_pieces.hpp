// Pieces of a derived variable that others compute: whoever holds all that they are made of.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/evaluator.hpp"
#include "stream/reading/derived/composition.hpp"
#include "stream/reading/step.hpp"

namespace staithe::stream {

class FarPieces {
  public:
    /// Of which so much is made; null: their elements are wanted.
    FarPieces(const Step& step, const store::reducing::Recipe* recipe) : step_(step), recipe_(recipe) {}

    /// All tasks of a piece, if whoever has their operands had better do them. The piece's description outlives this.
    bool take(const store::Piece& piece, std::span<const Composition::Task> tasks);

    /// Those that were taken, all at once. Pieces of who is gone meanwhile, or refuses, are appended to `left`.
    base::Result<> fetch(std::vector<store::Piece>& left);
    base::Result<> reduce(store::reducing::Reduction& into, std::vector<store::Piece>& left);

  private:
    /// With one evaluator.
    struct Group {
        store::Evaluator* evaluator = nullptr;
        std::vector<store::Piece> pieces;
        std::vector<store::Evaluated> evaluated;
    };
    std::optional<store::Evaluated> evaluated(std::size_t block, const Composition::Task& task);
    store::Evaluator* evaluator_of(const store::Evaluated& evaluated) const;
    template <class Get>
    base::Result<> get(std::vector<store::Piece>& left, const Get& get);

    const Step& step_;
    const store::reducing::Recipe* const recipe_;
    std::vector<Group> groups_;
    std::vector<std::shared_ptr<const ReadPlan>> plans_;  // whose descriptions operands name
};

/// All that is selected, if it lies in one block; else nullptr.
[[nodiscard]] const store::Piece* only_piece(const ReadPlan& plan);

/// The piece, cut where what its only task is computed of goes on in another block, if that makes few parts.
std::vector<store::Piece> cut_by_blocks(const store::Piece& piece, std::span<const Composition::Task> tasks);

}  // namespace staithe::stream
