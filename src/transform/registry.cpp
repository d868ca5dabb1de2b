// Which codecs there are.
#include <array>

#include "base/result.hpp"
#include "transform/codec.hpp"
#include "transform/dq/dq.hpp"

namespace staithe::transform {
namespace {

const std::array<const Codec*, 1>& all_codecs() {
    static const dq::Dq dq;
    static const std::array<const Codec*, 1> codecs{&dq};
    return codecs;
}

}  // namespace

base::Result<const Codec*> find_codec(std::string_view name) {
    std::string known;
    for (const Codec* const codec : all_codecs()) {
        const codecs::CodecInfo info = codec->describe();
        if (info.name == name) {
            return codec;
        }
        known += (known.empty() ? "" : ", ") + info.name;
    }
    return base::fail(ErrorCode::not_found, "there is no codec '{}' here; there are {}", name, known);
}

}  // namespace staithe::transform

namespace staithe::codecs {

std::vector<CodecInfo> list() {
    std::vector<CodecInfo> found;
    for (const transform::Codec* const codec : transform::all_codecs()) {
        found.push_back(codec->describe());
    }
    return found;
}

}  // namespace staithe::codecs
