#include "transform/dq/predictors.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "transform/dq/lattice.hpp"

namespace staithe::transform::dq {
namespace {

constexpr std::size_t least_sample = 4096;
constexpr std::size_t sampled_share = 8;
// Each third group is looked at: rows of most tiles are no multiple of three groups long, so these lie everywhere.
constexpr std::size_t groups_between_looks = 3;
// `automatic` takes the time of entropy coding where it saves one byte in five.
constexpr double worth_the_time = 0.8;

struct Sample {
    TileRows tile;
    const std::byte* values = nullptr;
};

/// The middle of the tile, an eighth of it, and all of a small one.
Sample middle_of(const TileRows& tile, const std::byte* values, std::size_t item) {
    Sample sample{tile, values};
    auto& count = sample.tile.count;
    const std::size_t wanted = std::max(least_sample, tile.values() / sampled_share);
    while (sample.tile.values() > wanted) {
        auto& longest = *std::max_element(count.begin(), count.end());
        longest = (longest + 1) / 2;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        sample.values += static_cast<std::ptrdiff_t>((tile.count[i] - count[i]) / 2) * tile.stride[i];
    }
    sample.values += (tile.count[3] - count[3]) / 2 * item;
    return sample;
}

/// Bits that residuals take.
struct Cost {
    double entropy = 0.0;
    double planes = 0.0;
};

/// Bits of states and tables, whatever is coded.
constexpr double bits_of_entropy_coding =
    8 * (sizeof(EntropyHeader) + (1 + chains) * words_of_states * sizeof(std::uint16_t) + 20);

Cost cost_of(const std::uint32_t* residuals, std::size_t blocks) {
    Cost cost;
    for (std::size_t g = 0; g < blocks * groups_of_block; g += groups_between_looks) {
        std::uint64_t sum = 0;
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < group; ++i) {
            sum += residuals[g * group + i];
            all |= residuals[g * group + i];
        }
        // The entropy of numbers of that mean that are distributed geometrically is near to log2(1 + e × mean). The
        // exponent and fraction of a floating-point number are its logarithm, nearly.
        const float likely = 1.0F + static_cast<float>(sum) * (2.718F / static_cast<float>(group));
        constexpr float one = 1U << 23U;
        cost.entropy +=
            static_cast<float>(group) * (static_cast<float>(std::bit_cast<std::uint32_t>(likely)) / one - 127);
        cost.planes += static_cast<double>(group * static_cast<std::size_t>(std::bit_width(all)) + 4);
    }
    cost.entropy *= groups_between_looks;
    cost.planes *= groups_between_looks;
    return cost;
}

Cost cost_of(const Kernels& kernels, const Sample& sample, const Manner& manner, Predictor predictor,
             Scratch& scratch) {
    EncodeJob job = job_for(sample.tile, sample.values, manner, predictor, scratch);
    job.residuals = reinterpret_cast<std::uint32_t*>(
        scratch.get(Scratch::Use::residuals, residual_words(job.tile) * sizeof(std::uint32_t)));
    encoder_for(kernels, manner.elements, predictor)(job);
    Cost cost = cost_of(job.residuals, job.tile.blocks());
    const double exceptions = 8.0 * static_cast<double>(job.exceptions * manner.item);
    cost.entropy += exceptions;
    cost.planes += exceptions;
    return cost;
}

}  // namespace

EncodeTile encoder_for(const Kernels& kernels, Elements elements, Predictor predictor) {
    return predictor == Predictor::interpolation ? kernels.interpolating_encoder(elements)
                                                 : encoder_for(kernels, elements);
}

DecodeTile decoder_for(const Kernels& kernels, Elements elements, Predictor predictor) {
    return predictor == Predictor::interpolation ? kernels.interpolating_decoder(elements)
                                                 : decoder_for(kernels, elements);
}

std::size_t workspace_bytes(const TileRows& tile, const Manner& manner, Predictor predictor) {
    return predictor == Predictor::interpolation ? lattice_values(tile) * manner.item
                                                 : Workspace<std::uint32_t>::words(tile) * word_bytes(manner.elements);
}

EncodeJob job_for(const TileRows& tile, const std::byte* values, const Manner& manner, Predictor predictor,
                  Scratch& scratch) {
    EncodeJob job;
    job.tile = tile;
    job.tile.across_rows = predictor != Predictor::rows;
    job.values = values;
    job.quantiser = manner.quantiser;
    job.workspace = scratch.get(Scratch::Use::workspace, workspace_bytes(job.tile, manner, predictor));
    job.exception_words = reinterpret_cast<std::uint16_t*>(
        scratch.get(Scratch::Use::exceptions, tile.exception_words() * sizeof(std::uint16_t)));
    return job;
}

std::size_t residual_words(const TileRows& tile) { return tile.blocks() * block + group; }

Choice choose(const Kernels& kernels, const TileRows& tile, const std::byte* values, const Manner& manner,
              codecs::Mode mode, Scratch& scratch) {
    if (mode == codecs::Mode::fast || word_bytes(manner.elements) != sizeof(std::uint32_t)) {
        return {};
    }
    const Sample sample = middle_of(tile, values, manner.item);
    const double share = static_cast<double>(sample.tile.values()) / static_cast<double>(tile.values());
    const Cost lorenzo = cost_of(kernels, sample, manner, Predictor::lorenzo, scratch);
    Choice choice{Predictor::lorenzo, Coding::entropy, lorenzo.planes / share / 8};
    double least = lorenzo.entropy;
    for (const Predictor predictor : {Predictor::rows, Predictor::interpolation}) {
        if (predictor == Predictor::interpolation && manner.kind != Kind::quantised) {
            continue;
        }
        const double cost = cost_of(kernels, sample, manner, predictor, scratch).entropy;
        if (cost < least) {
            least = cost;
            choice.predictor = predictor;
        }
    }
    least += share * bits_of_entropy_coding;
    if (least > (mode == codecs::Mode::automatic ? worth_the_time : 1.0) * lorenzo.planes) {
        return {};
    }
    return choice;
}

}  // namespace staithe::transform::dq
