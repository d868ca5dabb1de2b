// The lossy libraries that Staithe knows. One file wraps one of them, and its header stays there.
#pragma once

#include <memory>
#include <vector>

#include "transform/codec.hpp"
#include "transform/verified/library.hpp"

namespace staithe::transform::verified {

/// Failures say why the library is not there, and what to do.
base::Result<std::unique_ptr<LossyLibrary>> make_sz3();
base::Result<std::unique_ptr<LossyLibrary>> make_zfp();

[[nodiscard]] std::vector<KnownCodec> known_codecs();

}  // namespace staithe::transform::verified
