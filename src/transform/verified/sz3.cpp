// The library SZ3 (Liang et al. 2022): values predicted by interpolation or from their neighbours, quantised, coded by
// Huffman and Zstandard. Its headers are templates that take long to compile: only those that are used are named, and
// nothing else is in this file.
#include <SZ3/api/impl/SZAlgoInterp.hpp>
#include <SZ3/api/impl/SZAlgoLorenzoReg.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "transform/verified/libraries.hpp"

namespace staithe::transform::verified {
namespace {

/// SZ3's own programs write and read the same: these 16 bytes, the values, the settings.
struct Prefix {
    std::uint32_t magic = 0;
    std::uint32_t version = 0;
    std::uint64_t bytes = 0;  // of the values
};
static_assert(sizeof(Prefix) == 16);

constexpr std::size_t longest_settings = 256;  // their length is one byte

SZ3::Config settings_for(const ArrayView& block, double tolerance) {
    SZ3::Config settings;
    settings.setDims(block.shape.begin(), block.shape.end());
    settings.errorBoundMode = SZ3::EB_ABS;
    settings.absErrorBound = tolerance;
    return settings;
}

/// Room for all that SZ3 can write, even if it predicts nothing: the values, their codes and a tree of codes. Where it
/// finds too little it throws, and loses memory.
std::size_t capacity_for(std::size_t values, std::size_t item) {
    constexpr std::size_t most_codes = 65536;
    constexpr std::size_t bytes_of_code = 4;
    constexpr std::size_t bytes_of_node = 2 * (2 * sizeof(unsigned) + sizeof(int) + 1);
    return ZSTD_compressBound(4096 + values * (item + bytes_of_code) + std::min(values, most_codes) * bytes_of_node);
}

template <class T, unsigned dimensions>
void compress_block(const void* values, codecs::Mode mode, SZ3::Config& settings, std::vector<std::byte>& out) {
    const auto* const from = static_cast<const T*>(values);
    std::vector<T> work(from, from + settings.num);  // SZ3 puts there what it will bring back
    const std::size_t capacity = capacity_for(work.size(), sizeof(T));
    const auto memory = std::make_unique_for_overwrite<unsigned char[]>(sizeof(Prefix) + capacity + longest_settings);
    unsigned char* to = memory.get() + sizeof(Prefix);
    Prefix prefix{settings.sz3MagicNumber, settings.sz3DataVer, 0};
    if (mode == codecs::Mode::fast) {
        settings.cmprAlgo = SZ3::ALGO_INTERP;
        prefix.bytes = SZ3::SZ_compress_Interp<T, dimensions>(settings, work.data(), to, capacity);
    } else {
        settings.cmprAlgo =
            SZ3::ALGO_INTERP_LORENZO;  // which tries both on a sample, and says in the end which it took
        prefix.bytes = SZ3::SZ_compress_Interp_lorenzo<T, dimensions>(settings, work.data(), to, capacity);
    }
    std::memcpy(memory.get(), &prefix, sizeof(prefix));
    to += prefix.bytes;
    settings.save(to);
    const auto* const begin = reinterpret_cast<const std::byte*>(memory.get());
    out.insert(out.end(), begin, reinterpret_cast<const std::byte*>(to));
}

template <class T, unsigned dimensions>
void decompress_block(std::span<const std::byte> coded, const SZ3::Config& settings, void* values) {
    const auto* const from = reinterpret_cast<const unsigned char*>(coded.data());
    auto* const to = static_cast<T*>(values);
    if (settings.cmprAlgo == SZ3::ALGO_INTERP) {
        SZ3::SZ_decompress_Interp<T, dimensions>(settings, from, coded.size(), to);
    } else {
        SZ3::SZ_decompress_LorenzoReg<T, dimensions>(settings, from, coded.size(), to);
    }
}

/// What is compiled once for each type and number of dimensions.
struct Functions {
    decltype(&compress_block<float, 1>) compress;
    decltype(&decompress_block<float, 1>) decompress;
};
template <class T>
constexpr std::array<Functions, 4> functions{{{compress_block<T, 1>, decompress_block<T, 1>},
                                              {compress_block<T, 2>, decompress_block<T, 2>},
                                              {compress_block<T, 3>, decompress_block<T, 3>},
                                              {compress_block<T, 4>, decompress_block<T, 4>}}};

const Functions& functions_for(Dtype dtype, const SZ3::Config& settings) {
    return (dtype == Dtype::f32 ? functions<float> : functions<double>)[static_cast<std::size_t>(settings.N) - 1];
}

class Sz3 final : public LossyLibrary {
  public:
    base::Result<> compress(const ArrayView& block, double tolerance, codecs::Mode mode,
                            std::vector<std::byte>& out) const override {
        SZ3::Config settings = settings_for(block, tolerance);
        const std::size_t begin = out.size();
        functions_for(block.dtype, settings).compress(block.data, mode, settings, out);
        // Residuals beyond its 65536 codes are kept whole. Where that is not the exception, other codecs do better.
        if (2 * (out.size() - begin) > settings.num * static_cast<std::size_t>(size_of(block.dtype))) {
            return base::fail(ErrorCode::invalid_argument, "SZ3 can predict too few of the values");
        }
        return {};
    }

    base::Result<> decompress(std::span<const std::byte> coded, double tolerance,
                              const MutableArrayView& block) const override {
        const SZ3::Config expected = settings_for(block, tolerance);
        Prefix prefix;
        if (coded.size() < sizeof(prefix)) {
            return damaged();
        }
        std::memcpy(&prefix, coded.data(), sizeof(prefix));
        const std::size_t rest = coded.size() - sizeof(prefix);
        if (prefix.magic != expected.sz3MagicNumber || prefix.version != expected.sz3DataVer || prefix.bytes > rest ||
            rest - prefix.bytes > longest_settings) {
            return damaged();
        }
        // SZ3 believes the settings, and does not look where they end.
        const auto saved = coded.last(rest - prefix.bytes);
        std::array<std::byte, 4 * longest_settings> copy{};
        std::copy(saved.begin(), saved.end(), copy.begin());
        const auto* from = reinterpret_cast<const unsigned char*>(copy.data());
        SZ3::Config settings;
        settings.load(from);
        if ((settings.cmprAlgo != SZ3::ALGO_INTERP && settings.cmprAlgo != SZ3::ALGO_LORENZO_REG) ||
            settings.N != expected.N || settings.dims != expected.dims || settings.num != expected.num) {
            return damaged();
        }
        functions_for(block.dtype, settings)
            .decompress(coded.subspan(sizeof(prefix), prefix.bytes), settings, block.data);
        return {};
    }

    // Its trees of codes, and how many values there are, are taken as they come.
    [[nodiscard]] bool is_trusting() const override { return true; }

  private:
    static tl::unexpected<base::Failure> damaged() {
        return base::fail(ErrorCode::protocol, "the bytes are not what SZ3 writes");
    }
};

}  // namespace

base::Result<std::unique_ptr<LossyLibrary>> make_sz3() { return std::make_unique<Sz3>(); }

}  // namespace staithe::transform::verified
