// What stands in the place of libraries that were not found when Staithe was built: the reason.
#include "transform/shuffled/compressor.hpp"

namespace staithe::transform::shuffled {

#ifdef STAITHE_LZ4_MISSING
const Compressor lz4{"lz4", "LZ4", STAITHE_LZ4_MISSING};
#endif
#ifdef STAITHE_ZSTD_MISSING
const Compressor zstd{"zstd", "Zstandard", STAITHE_ZSTD_MISSING};
#endif
#ifdef STAITHE_ZLIB_MISSING
const Compressor zlib{"zlib", "Deflate", STAITHE_ZLIB_MISSING};
const Compressor gzip{"gzip", "Deflate", STAITHE_ZLIB_MISSING};
#endif

}  // namespace staithe::transform::shuffled
