#include "transform/plugins/plugin.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>

#include <staithe/codec_plugin.h>

#include "os/shared_library.hpp"
#include "transform/verified/bounded.hpp"
#include "transform/verified/verified.hpp"

namespace staithe::transform::plugins {
namespace {

constexpr std::size_t longest_name = 16;
constexpr std::uint32_t most_raises = 8;

std::uint32_t number_of(codecs::Mode mode) {
    switch (mode) {
        case codecs::Mode::dense: return STAITHE_CODEC_DENSE;
        case codecs::Mode::automatic: return STAITHE_CODEC_AUTO;
        case codecs::Mode::fast: break;
    }
    return STAITHE_CODEC_FAST;
}

/// What a function of the plugin returned, as a failure if it is one.
base::Result<> checked(const staithe_codec_plugin& plugin, int error) {
    if (error == 0) {
        return {};
    }
    const char* const text = plugin.message != nullptr ? plugin.message(error) : nullptr;
    return base::fail(ErrorCode::invalid_argument, "the plugin says: {}",
                      text != nullptr ? text : "error " + std::to_string(error));
}

/// Appends what `write` puts into at most `capacity` bytes.
template <class Write>
base::Result<> append(const staithe_codec_plugin& plugin, std::size_t capacity, std::vector<std::byte>& out,
                      const Write& write) {
    const std::size_t begin = out.size();
    std::size_t size = 0;
    out.resize(begin + capacity);
    auto done = checked(plugin, write(out.data() + begin, &size));
    if (done && size > capacity) {
        done = base::fail(ErrorCode::invalid_argument, "the plugin says that it wrote {} bytes, and had room for {}",
                          size, capacity);
    }
    out.resize(begin + (done ? size : 0));
    return done;
}

class Lossy final : public verified::LossyLibrary {
  public:
    explicit Lossy(const staithe_codec_plugin& plugin) : plugin_(plugin) {}

    base::Result<> compress(const ArrayView& block, double tolerance, codecs::Mode mode,
                            std::vector<std::byte>& out) const override {
        const auto capacity = static_cast<std::size_t>(size_in_bytes(block.shape, block.dtype).value_or(0));
        return append(plugin_, capacity, out, [&](void* to, std::size_t* size) {
            const Block seen(block);
            return plugin_.compress(&seen.block, block.data, tolerance, number_of(mode), to, capacity, size);
        });
    }

    base::Result<> decompress(std::span<const std::byte> coded, double tolerance,
                              const MutableArrayView& block) const override {
        const Block seen(block);
        return checked(plugin_, plugin_.decompress(&seen.block, coded.data(), coded.size(), tolerance, block.data));
    }

    [[nodiscard]] bool is_trusting() const override { return true; }
    [[nodiscard]] std::size_t most_dimensions() const override { return plugin_.max_dimensions; }
    [[nodiscard]] int raises() const override { return static_cast<int>(plugin_.raises); }

  private:
    /// A block as plugins see it.
    struct Block {
        explicit Block(const ArrayView& view)
            : block{shape.data(), static_cast<std::uint32_t>(view.dimensions()),
                    view.dtype == Dtype::f32 ? STAITHE_CODEC_F32 : STAITHE_CODEC_F64} {
            std::copy(view.shape.begin(), view.shape.end(), shape.begin());
        }
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;

        std::array<std::size_t, max_dimensions> shape{};
        const staithe_codec_block block;
    };

    const staithe_codec_plugin& plugin_;
};

class Lossless final : public verified::LosslessLibrary {
  public:
    explicit Lossless(const staithe_codec_plugin& plugin) : plugin_(plugin) {}

    base::Result<> compress(std::span<const std::byte> bytes, std::size_t item, codecs::Mode mode,
                            std::vector<std::byte>& out) const override {
        return append(plugin_, bytes.size(), out, [&](void* to, std::size_t* size) {
            return plugin_.pack(bytes.data(), bytes.size(), item, number_of(mode), to, bytes.size(), size);
        });
    }

    base::Result<> decompress(std::span<const std::byte> coded, std::size_t item,
                              std::span<std::byte> bytes) const override {
        return checked(plugin_, plugin_.unpack(coded.data(), coded.size(), item, bytes.data(), bytes.size()));
    }

    [[nodiscard]] bool is_trusting() const override { return true; }

  private:
    const staithe_codec_plugin& plugin_;
};

bool is_name(const char* name) {
    const std::string_view text = name != nullptr ? name : "";
    return !text.empty() && text.size() <= longest_name &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-_.") == std::string_view::npos;
}

/// What is wrong with the plugin; empty if it can be used.
std::string fault_of(const staithe_codec_plugin& plugin) {
    if (plugin.abi != STAITHE_CODEC_PLUGIN_ABI) {
        return "it was built for ABI " + std::to_string(plugin.abi) + ", and this Staithe has ABI " +
               std::to_string(STAITHE_CODEC_PLUGIN_ABI) + ": build it again";
    }
    if (plugin.struct_size < sizeof(staithe_codec_plugin)) {
        return "its struct_size is not that of a staithe_codec_plugin";
    }
    const bool lossy = plugin.lossy_types != 0;
    const bool lossless = plugin.pack != nullptr;
    if (!is_name(plugin.name)) {
        return "its name must be 1 to 16 lower-case letters, digits and any of +-_.";
    }
    if (!lossy && !lossless) {
        return "it is neither lossy nor lossless";
    }
    if (lossless && plugin.unpack == nullptr) {
        return "it packs, and does not unpack";
    }
    if (lossy && (plugin.compress == nullptr || plugin.decompress == nullptr)) {
        return "it is lossy, and does not both compress and decompress";
    }
    if (lossy && (plugin.max_dimensions < 1 || plugin.max_dimensions > max_dimensions)) {
        return "it is lossy, and its max_dimensions are not 1 to 8";
    }
    if (plugin.raises > most_raises || plugin.reserved != 0 ||
        (plugin.lossy_types & ~(STAITHE_CODEC_F32 | STAITHE_CODEC_F64)) != 0) {
        return "it asks for what this version does not know";
    }
    return "";
}

codecs::CodecInfo info_of(const staithe_codec_plugin& plugin) {
    codecs::CodecInfo info{plugin.name, plugin.summary != nullptr ? plugin.summary : "", "", false, false, {}};
    info.lossless = plugin.pack != nullptr;
    info.lossy = plugin.lossy_types != 0;
    if ((plugin.lossy_types & STAITHE_CODEC_F32) != 0) {
        info.lossy_dtypes.insert(info.lossy_dtypes.end(), {Dtype::f32, Dtype::c64});
    }
    if ((plugin.lossy_types & STAITHE_CODEC_F64) != 0) {
        info.lossy_dtypes.insert(info.lossy_dtypes.end(), {Dtype::f64, Dtype::c128});
    }
    return info;
}

}  // namespace

base::Result<KnownCodec> load(const std::string& path) {
    const auto library = os::SharedLibrary::load(path);
    if (!library) {
        return base::fail(ErrorCode::not_found, "the codec plugin {} cannot be loaded: {}", path,
                          library.error().message);
    }
    auto* const get = library->function<decltype(staithe_codec_plugin_get)>("staithe_codec_plugin_get");
    const staithe_codec_plugin* plugin = nullptr;
    const auto got = verified::contained([&]() -> base::Result<> {
        plugin = get != nullptr ? get() : nullptr;
        return {};
    });
    if (plugin == nullptr) {
        return base::fail(ErrorCode::invalid_argument,
                          "{} is no codec plugin: it has no staithe_codec_plugin_get that returns one{}{}", path,
                          got ? "" : ", which said: ", got ? "" : got.error().message);
    }
    if (const std::string fault = fault_of(*plugin); !fault.empty()) {
        return base::fail(ErrorCode::invalid_argument, "the codec plugin {} cannot be used: {}", path, fault);
    }
    // Never destroyed: threads may still work with them when the process ends.
    static auto& loaded = *new std::map<const staithe_codec_plugin*, KnownCodec>;
    KnownCodec& codec = loaded[plugin];
    if (codec.codec == nullptr) {
        codec.info = info_of(*plugin);
        codec.codec =
            new verified::VerifiedCodec(codec.info, codec.info.lossy ? std::make_unique<Lossy>(*plugin) : nullptr,
                                        codec.info.lossless ? std::make_unique<Lossless>(*plugin) : nullptr);
    }
    return codec;
}

std::vector<KnownCodec> known_codecs() {
    std::vector<KnownCodec> known;
    for (const char* const name : {"blosc2", "sperr"}) {
        const std::string file = "staithe_codec_" + std::string(name) + ".so";
        if (auto loaded = load(file); loaded) {
            known.push_back(*std::move(loaded));
        } else {
            codecs::CodecInfo info;
            info.name = name;
            info.missing = "its plugin " + file +
                           " was not built with Staithe: scripts/setup codecs gets what it is made of, and builds it";
            known.push_back({info, nullptr});
        }
    }
    return known;
}

}  // namespace staithe::transform::plugins
