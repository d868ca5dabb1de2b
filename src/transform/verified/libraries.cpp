#include "transform/verified/libraries.hpp"

#include "transform/verified/verified.hpp"

namespace staithe::transform::verified {

// What stands in the place of libraries that were not found when Staithe was built.
#ifdef STAITHE_SZ3_MISSING
base::Result<std::unique_ptr<LossyLibrary>> make_sz3() {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_SZ3_MISSING);
}
#endif
#ifdef STAITHE_ZFP_MISSING
base::Result<std::unique_ptr<LossyLibrary>> make_zfp() {
    return base::fail(ErrorCode::not_found, "{}", STAITHE_ZFP_MISSING);
}
#endif

std::vector<KnownCodec> known_codecs() {
    struct Library {
        const char* name;
        const char* summary;
        base::Result<std::unique_ptr<LossyLibrary>> (*make)();
    };
    static std::vector<std::unique_ptr<VerifiedCodec>> codecs;
    std::vector<KnownCodec> known;
    for (const Library& library :
         {Library{"zfp", "zfp at a fixed accuracy, verified: blocks of 4 values along each dimension", make_zfp},
          Library{"sz3", "SZ3, verified: predicted by interpolation or neighbours, quantised, Huffman and Zstandard",
                  make_sz3}}) {
        codecs::CodecInfo info{
            library.name, library.summary, "", false, true, {Dtype::f32, Dtype::f64, Dtype::c64, Dtype::c128}};
        if (auto made = library.make(); made) {
            codecs.push_back(std::make_unique<VerifiedCodec>(info, *std::move(made), nullptr));
            known.push_back({info, codecs.back().get()});
        } else {
            info.missing = made.error().message;
            known.push_back({info, nullptr});
        }
    }
    return known;
}

}  // namespace staithe::transform::verified
