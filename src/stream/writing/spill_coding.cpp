#include "stream/writing/spill_coding.hpp"

#include "transform/coding.hpp"
#include "transform/helpers.hpp"

namespace staithe::stream {
namespace {

/// Of what was measured before, that a further block leaves.
constexpr double remembered = 0.9;

/// Until something was written: as memory takes it, so that nothing is encoded before it is known what for.
constexpr double rate_of_memory = 1e10;

/// Variables of a program that are known apart: who makes up more of them has all learnt anew.
constexpr std::size_t most_variables = 256;

}  // namespace

SpillCoding::Known* SpillCoding::known_of(const store::BlockDescription& description) {
    const std::pair key(description.variable, description.dtype);
    if (const auto found = known_.find(key); found != known_.end()) {
        return &found->second;
    }
    auto chooser = transform::Chooser::for_values(description.dtype, codecs::Bound::exact());
    if (!chooser) {
        return nullptr;
    }
    if (known_.size() >= most_variables) {
        known_.clear();
    }
    return &known_.emplace(key, Known{*std::move(chooser)}).first->second;
}

std::optional<SpillCoding::Payload> SpillCoding::encode(const ArrayView& block,
                                                        const store::BlockDescription& description, bool has_room) {
    codecs::EncodeOptions options{.threads = transform::background_threads};
    options.fill = store::declared_fill(description.attributes);
    Known* const known = has_room ? known_of(description) : nullptr;
    if (known == nullptr) {
        auto payload = transform::encode(block, options);
        return payload ? std::optional(*std::move(payload)) : std::nullopt;
    }
    const transform::SeenRegions::Place place(description.box.offset.empty() ? 0 : description.box.offset[0],
                                              description.data_bytes());
    auto region = known->seen.recall(place, description.data_bytes());
    if (!region) {
        region = known->seen.keep(place, transform::look_at(block, options.bound, options.fill, scratch_));
    }
    // Nothing goes on beside it: the program waits for all that it takes.
    const transform::Pace pace{.link = seconds_ > 0.0 ? bytes_ / seconds_ : rate_of_memory, .ahead = 0};
    const std::size_t choice = known->chooser.choose(*region, pace);
    const transform::Way way = known->chooser.way(choice);
    std::optional<Payload> payload;
    const auto began = base::Clock::now();
    if (!way.codec.empty()) {
        options.codec = way.codec;
        options.mode = way.mode;
        auto encoded = transform::encode(block, options);
        payload = encoded ? std::optional(*std::move(encoded)) : std::nullopt;
    }
    const base::Seconds took = base::Clock::now() - began;
    const auto coded = payload ? std::ssize(*payload) : region->bytes;
    const auto lately = known->chooser.learn(choice, *region, coded, took);
    if (payload) {
        known->seen.came(place, coded, lately);
    }
    return payload;
}

void SpillCoding::wrote(std::int64_t bytes, base::Seconds took) {
    bytes_ = remembered * bytes_ + static_cast<double>(bytes);
    seconds_ = remembered * seconds_ + took.count();
}

}  // namespace staithe::stream
