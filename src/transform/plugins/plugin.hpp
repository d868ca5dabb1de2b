// Codecs that are shared libraries of their own: <staithe/codec_plugin.h>.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "transform/codec.hpp"

namespace staithe::transform::plugins {

/// Loads the file, and makes a codec of it, which stays until the process ends; the same one if it was loaded before.
/// `not_found` where it cannot be loaded, `invalid_argument` where it is no plugin that this version takes. One thread
/// at a time.
base::Result<KnownCodec> load(const std::string& path);

/// The plugins that come with Staithe, where they were built.
[[nodiscard]] std::vector<KnownCodec> known_codecs();

}  // namespace staithe::transform::plugins
