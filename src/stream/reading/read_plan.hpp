// Which pieces of which blocks a selection is made of, found once and kept for the steps that are like it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "store/block_source.hpp"

namespace staithe::stream {

struct VariableLayout;

struct ReadPlan {
    Selection selection;
    std::vector<store::Piece> pieces;                   // in the order of the blocks
    std::vector<store::BlockDescription> descriptions;  // that they name
    std::int64_t elements = 0;                          // in them; what is less than the selection nobody wrote
};

/// That ranks have written all elements of the selection: `not_found`, which names the variable and the step.
base::Result<> check_is_whole(const ReadPlan& plan, const std::string& variable, std::int64_t step);

/// The plans of one variable of a layout, as long as that holds. Thread-safe.
class ReadPlans {
  public:
    /// The selection must fit the variable's shape. Of a variable that has one: not of several local arrays.
    std::shared_ptr<const ReadPlan> of(const VariableLayout& variable, const Selection& selection);

  private:
    static constexpr std::size_t most_kept = 8;  // a program reads few parts of a variable, step after step

    std::mutex mutex_;
    std::vector<std::shared_ptr<const ReadPlan>> kept_;  // the one used last first
};

}  // namespace staithe::stream
