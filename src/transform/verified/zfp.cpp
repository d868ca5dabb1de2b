// The library zfp (Lindstrom 2014): blocks of 4^d values, transformed and coded by bit planes, at a fixed accuracy.

#include <zfp.h>

#include <algorithm>
#include <memory>

#include "os/shared_library.hpp"
#include "transform/verified/libraries.hpp"

namespace staithe::transform::verified {
namespace {

constexpr const char* file = "libzfp.so.1";

/// libzfp is loaded by the first program that asks for codecs, not with Staithe: one that was installed mostly brings a
/// runtime of OpenMP with it, which few machines without compilers have.
struct Functions {
    decltype(::stream_open)* stream_open = nullptr;
    decltype(::stream_close)* stream_close = nullptr;
    decltype(::zfp_stream_open)* open = nullptr;
    decltype(::zfp_stream_close)* close = nullptr;
    decltype(::zfp_stream_set_accuracy)* set_accuracy = nullptr;
    decltype(::zfp_stream_maximum_size)* maximum_size = nullptr;
    decltype(::zfp_compress)* compress = nullptr;
    decltype(::zfp_decompress)* decompress = nullptr;
};

base::Result<Functions> load() {
    const auto library = os::SharedLibrary::load(file);
    if (!library) {
        return base::fail(ErrorCode::not_found,
                          "Staithe was built with zfp, and cannot load it here ({}): install what is missing "
                          "(Debian: libzfp1, libgomp1)",
                          library.error().message);
    }
    Functions functions;
    bool found = true;
    const auto get = [&]<class Function>(Function*& function, const char* name) {
        function = library->function<Function>(name);
        found = found && function != nullptr;
    };
    get(functions.stream_open, "stream_open");
    get(functions.stream_close, "stream_close");
    get(functions.open, "zfp_stream_open");
    get(functions.close, "zfp_stream_close");
    get(functions.set_accuracy, "zfp_stream_set_accuracy");
    get(functions.maximum_size, "zfp_stream_maximum_size");
    get(functions.compress, "zfp_compress");
    get(functions.decompress, "zfp_decompress");
    if (!found) {
        return base::fail(ErrorCode::not_found, "{} is not what Staithe was built with: it lacks functions", file);
    }
    return functions;
}

zfp_field field_over(const ArrayView& block) {
    zfp_field field{};
    field.type = block.dtype == Dtype::f32 ? zfp_type_float : zfp_type_double;
    std::size_t* const lengths[] = {&field.nx, &field.ny, &field.nz, &field.nw};  // x runs fastest
    for (std::size_t i = 0; i < block.dimensions(); ++i) {
        *lengths[i] = static_cast<std::size_t>(block.shape[block.dimensions() - 1 - i]);
    }
    field.data = const_cast<void*>(block.data);  // written by decompression alone
    return field;
}

class Zfp final : public LossyLibrary {
  public:
    explicit Zfp(const Functions& zfp) : zfp_(zfp) {}

    base::Result<> compress(const ArrayView& block, double tolerance, codecs::Mode /*mode*/,
                            std::vector<std::byte>& out) const override {
        return run(block, tolerance, [&](zfp_stream* stream, const zfp_field& field, std::vector<std::byte>& bytes) {
            const std::size_t size = zfp_.compress(stream, &field);
            out.insert(out.end(), bytes.data(), bytes.data() + size);
            return size > 0;
        });
    }

    base::Result<> decompress(std::span<const std::byte> coded, double tolerance,
                              const MutableArrayView& block) const override {
        return run(block, tolerance, [&](zfp_stream* stream, zfp_field& field, std::vector<std::byte>& bytes) {
            if (coded.size() > bytes.size()) {
                return false;
            }
            std::copy(coded.begin(), coded.end(), bytes.begin());
            return zfp_.decompress(stream, &field) > 0;
        });
    }

    [[nodiscard]] bool is_trusting() const override { return false; }
    // Its bound allows for the worst that its transform can do, and the tolerance is rounded down to a power of 2.
    [[nodiscard]] int raises() const override { return 4; }

  private:
    /// Calls with a stream over as many bytes as zfp can write. It reads no more than that, whatever the bytes are, and
    /// never looks where its memory ends.
    template <class Call>
    base::Result<> run(const ArrayView& block, double tolerance, const Call& call) const {
        const std::unique_ptr<zfp_stream, decltype(zfp_.close)> stream(zfp_.open(nullptr), zfp_.close);
        zfp_.set_accuracy(stream.get(), tolerance);
        zfp_field field = field_over(block);
        std::vector<std::byte> bytes(zfp_.maximum_size(stream.get(), &field));
        const std::unique_ptr<bitstream, decltype(zfp_.stream_close)> bits(zfp_.stream_open(bytes.data(), bytes.size()),
                                                                           zfp_.stream_close);
        stream->stream = bits.get();
        if (!call(stream.get(), field, bytes)) {
            return base::fail(ErrorCode::invalid_argument, "zfp does not take it");
        }
        return {};
    }

    const Functions zfp_;
};

}  // namespace

base::Result<std::unique_ptr<LossyLibrary>> make_zfp() {
    const auto functions = load();
    if (!functions) {
        return base::fail(functions);
    }
    return std::make_unique<Zfp>(*functions);
}

}  // namespace staithe::transform::verified
