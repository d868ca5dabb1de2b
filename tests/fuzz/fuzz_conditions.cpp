// The text of conditions, and what becomes of them: they are bound to variables of all kinds, judge a block by its
// statistics and select its elements, which must agree; and statistics of other processes.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "fuzz/bytes.hpp"
#include "store/space/mask_boxes.hpp"
#include "store/space/predicate.hpp"

using namespace staithe;
using store::space::Matches;

namespace {

const std::map<std::string, Dtype> variables{
    {"a", Dtype::f64}, {"b", Dtype::u64}, {"c", Dtype::f16}, {"d", Dtype::c64}};
const Attributes attributes{{"run", "a12"}, {"n", 2}, {"dt", 0.5}};
const Extents shape{2, 3};

/// A block of any numbers.
class Block {
  public:
    explicit Block(fuzz::Bytes bytes) {
        std::copy_n(bytes.begin(), std::min(bytes.size(), memory_.size()), memory_.begin());
    }
    [[nodiscard]] ArrayView view(const std::string& variable) const {
        return ArrayView::row_major(memory_.data(), variables.at(variable), shape);
    }

  private:
    std::array<std::byte, 48> memory_{};
};

void evaluate(const store::space::Condition& condition, const Block& block) {
    const auto predicate = store::space::Predicate::make(condition, variables, attributes);
    if (!predicate) {
        fuzz::require(!predicate.error().message.empty(), "an error says what is wrong");
        return;
    }
    std::vector<ArrayView> views;
    std::vector<store::space::Statistics> statistics;
    for (const std::string& variable : predicate->variables()) {
        views.push_back(block.view(variable));
        statistics.push_back(store::space::summarize(views.back()));
    }
    std::vector<std::uint8_t> mask(6);
    const std::int64_t hits = select(*predicate, views, shape, mask);
    const Matches judged = predicate->judge(statistics);
    fuzz::require(judged != Matches::none || hits == 0, "a block without matches has none");
    fuzz::require(judged != Matches::all || hits == 6, "a block of matches has no others");
    std::int64_t in_boxes = 0;
    for (const Box& box : store::space::boxes_of(mask, shape)) {
        in_boxes += *volume(box.count);
    }
    fuzz::require(in_boxes == hits, "boxes hold all that match");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes bytes = fuzz::bytes_of(data, size);
    base::ByteReader reader(bytes);
    if (const auto statistics = store::space::read_statistics(reader)) {
        base::ByteWriter writer;
        store::space::write(writer, *statistics);
        base::ByteReader again(writer.bytes());
        fuzz::require(store::space::read_statistics(again) == *statistics, "statistics survive bytes");
    }
    const fuzz::Bytes text = fuzz::take_part(bytes);
    const auto condition = store::space::Condition::parse({reinterpret_cast<const char*>(text.data()), text.size()});
    if (condition) {
        evaluate(*condition, Block(bytes));
    } else {
        fuzz::require(condition.error().code == ErrorCode::invalid_argument, "a text that is wrong is refused");
    }
    return 0;
}
