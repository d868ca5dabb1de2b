// Which codecs there are, and which there could be.
#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <mutex>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "transform/codec.hpp"
#include "transform/coding.hpp"
#include "transform/dq/dq.hpp"
#include "transform/parallel.hpp"
#include "transform/plugins/plugin.hpp"
#include "transform/shuffled/shuffled.hpp"
#include "transform/verified/libraries.hpp"

namespace staithe::transform {
namespace {

/// Plugins join while others look: each makes a list of its own, and the lists before it stay.
class Registry {
  public:
    Registry() {
        static const dq::Dq dq;
        std::vector<KnownCodec> known{{dq.describe(), &dq}};
        for (const auto& family : {shuffled::known_codecs(), verified::known_codecs(), plugins::known_codecs()}) {
            known.insert(known.end(), family.begin(), family.end());
        }
        publish(std::move(known));
        for (const std::string& path : base::codec_plugins()) {
            if (const auto loaded = load(path); !loaded) {
                base::log(base::LogLevel::warn, "STAITHE_CODEC_PLUGINS: {}", loaded.error().message);
                codecs::CodecInfo absent;
                absent.name = std::filesystem::path(path).stem().string();
                absent.missing = loaded.error().message;
                add({absent, nullptr});
            }
        }
    }

    [[nodiscard]] const std::vector<KnownCodec>& known() const { return *current_.load(); }

    base::Result<codecs::CodecInfo> load(const std::string& path) {
        const std::lock_guard lock(mutex_);
        const auto plugin = plugins::load(path);
        if (!plugin) {
            return base::fail(plugin);
        }
        const auto same = std::find_if(known().begin(), known().end(), [&](const KnownCodec& other) {
            return other.codec != nullptr && other.info.name == plugin->info.name;
        });
        if (same == known().end()) {
            KnownCodec loaded = *plugin;
            loaded.is_loaded = true;
            add(loaded);
        } else if (same->codec != plugin->codec) {
            return base::fail(ErrorCode::already_exists,
                              "the codec plugin {} calls itself '{}', and there is a codec of that name", path,
                              plugin->info.name);
        }
        return plugin->info;
    }

  private:
    /// In the place of one of that name that is missing, or at the end.
    void add(const KnownCodec& codec) {
        std::vector<KnownCodec> longer = known();
        std::erase_if(longer, [&](const KnownCodec& other) {
            return other.codec == nullptr && other.info.name == codec.info.name;
        });
        longer.push_back(codec);
        publish(std::move(longer));
    }

    void publish(std::vector<KnownCodec> list) { current_ = &lists_.emplace_back(std::move(list)); }

    std::mutex mutex_;
    std::deque<std::vector<KnownCodec>> lists_;
    std::atomic<const std::vector<KnownCodec>*> current_ = nullptr;
};

Registry& registry() {
    static Registry all;
    return all;
}

}  // namespace

const std::vector<KnownCodec>& known_codecs() { return registry().known(); }

std::vector<std::string> loaded_codecs() {
    std::vector<std::string> names;
    for (const KnownCodec& known : known_codecs()) {
        if (known.is_loaded) {
            names.push_back(known.info.name);
        }
    }
    return names;
}

base::Result<const Codec*> find_codec(std::string_view name, const std::vector<KnownCodec>& among) {
    std::string present;
    for (const auto& [info, codec, is_loaded] : among) {
        if (info.name == name && codec != nullptr) {
            return codec;
        }
        if (info.name == name) {
            return base::fail(ErrorCode::not_found, "the codec '{}' is not here: {}", name, info.missing);
        }
        if (codec != nullptr) {
            present += (present.empty() ? "" : ", ") + info.name;
        }
    }
    return base::fail(ErrorCode::not_found, "there is no codec '{}' here; there are {}", name, present);
}

bool suits(const codecs::CodecInfo& codec, Dtype dtype, bool is_lossy) {
    return is_lossy ? codec.lossy && std::ranges::find(codec.lossy_dtypes, dtype) != codec.lossy_dtypes.end()
                    : codec.lossless;
}

base::Result<> check_codec(const std::string& name) {
    const auto found = find_codec(name);
    return found ? base::Result<>() : base::fail(found);
}

}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<CodecInfo> list() {
    std::vector<CodecInfo> found;
    for (const transform::KnownCodec& known : transform::known_codecs()) {
        found.push_back(known.info);
    }
    return found;
}

CodecInfo load(const std::string& path) {
    return base::value_or_raise(transform::guarded([&] { return transform::registry().load(path); }));
}

}  // namespace staithe::codecs
