// Which codecs there are, and which there could be.
#include "base/result.hpp"
#include "transform/codec.hpp"
#include "transform/dq/dq.hpp"
#include "transform/shuffled/shuffled.hpp"
#include "transform/verified/libraries.hpp"

namespace staithe::transform {

const std::vector<KnownCodec>& known_codecs() {
    static const dq::Dq dq;
    static const std::vector<KnownCodec> known = [] {
        std::vector<KnownCodec> all{{dq.describe(), &dq}};
        for (const auto& family : {shuffled::known_codecs(), verified::known_codecs()}) {
            all.insert(all.end(), family.begin(), family.end());
        }
        return all;
    }();
    return known;
}

base::Result<const Codec*> find_codec(std::string_view name, const std::vector<KnownCodec>& among) {
    std::string present;
    for (const auto& [info, codec] : among) {
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

}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<CodecInfo> list() {
    std::vector<CodecInfo> found;
    for (const transform::KnownCodec& known : transform::known_codecs()) {
        found.push_back(known.info);
    }
    return found;
}

}  // namespace staithe::codecs
