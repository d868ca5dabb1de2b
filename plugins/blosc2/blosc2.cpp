// The codec blosc2: Blosc2 over a whole tile, for programs that read its frames. Exact.
#include <blosc2.h>

#include <climits>
#include <memory>

#include <staithe/codec_plugin.h>

namespace {

using Context = std::unique_ptr<blosc2_context, decltype(&blosc2_free_ctx)>;

enum Failure { no_context = 1, no_smaller, too_large };

const char* message(int error) {
    switch (error) {
        case no_context: return "Blosc2 has no memory";
        case no_smaller: return "it becomes no smaller";
        case too_large: return "it is more than Blosc2 takes at once";
        default: return blosc2_error_string(error);
    }
}

int pack(const void* bytes, std::size_t size, std::size_t item, std::uint32_t mode, void* packed, std::size_t capacity,
         std::size_t* packed_size) {
    if (size > BLOSC2_MAX_BUFFERSIZE) {
        return too_large;
    }
    blosc2_cparams parameters = BLOSC2_CPARAMS_DEFAULTS;
    parameters.typesize = static_cast<std::int32_t>(item);
    parameters.nthreads = 1;  // Staithe's threads have tiles of their own
    parameters.compcode = mode == STAITHE_CODEC_FAST ? BLOSC_LZ4 : BLOSC_ZSTD;
    parameters.clevel = 5;
    const Context context(blosc2_create_cctx(parameters), blosc2_free_ctx);
    if (context == nullptr) {
        return no_context;
    }
    const int written = blosc2_compress_ctx(context.get(), bytes, static_cast<std::int32_t>(size), packed,
                                            static_cast<std::int32_t>(capacity));
    if (written <= 0) {
        return written < 0 ? written : no_smaller;
    }
    *packed_size = static_cast<std::size_t>(written);
    return 0;
}

int unpack(const void* packed, std::size_t packed_size, std::size_t /*item*/, void* bytes, std::size_t size) {
    if (packed_size > INT_MAX || size > BLOSC2_MAX_BUFFERSIZE) {
        return too_large;
    }
    blosc2_dparams parameters = BLOSC2_DPARAMS_DEFAULTS;
    parameters.nthreads = 1;
    const Context context(blosc2_create_dctx(parameters), blosc2_free_ctx);
    if (context == nullptr) {
        return no_context;
    }
    const int read = blosc2_decompress_ctx(context.get(), packed, static_cast<std::int32_t>(packed_size), bytes,
                                           static_cast<std::int32_t>(size));
    return read < 0 ? read : static_cast<std::size_t>(read) == size ? 0 : BLOSC2_ERROR_DATA;
}

}  // namespace

const staithe_codec_plugin* staithe_codec_plugin_get() {
    static const staithe_codec_plugin plugin = [] {
        blosc2_init();
        staithe_codec_plugin made{};
        made.abi = STAITHE_CODEC_PLUGIN_ABI;
        made.struct_size = sizeof(made);
        made.name = "blosc2";
        made.summary = "Blosc2: shuffled in blocks, then LZ4, or Zstandard in the dense mode; exact";
        made.pack = pack;
        made.unpack = unpack;
        made.message = message;
        return made;
    }();
    return &plugin;
}
