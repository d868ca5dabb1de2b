#include "transform/device.hpp"

#include <algorithm>

#include "base/config.hpp"
#include "transform/checksum.hpp"
#include "transform/codec.hpp"
#include "transform/coding.hpp"
#include "transform/cuda/cuda.hpp"
#include "transform/payload.hpp"

namespace staithe::transform {
namespace {

class Cpu final : public Device {
  public:
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool is_there() const override { return true; }
    [[nodiscard]] bool suits(const Task& task) const override {
        const auto codec = find_codec(task.codec);
        return codec && transform::suits((*codec)->describe(), task.dtype, task.is_lossy);
    }
    base::Result<std::vector<std::byte>> encode(const ArrayView& elements, const codecs::EncodeOptions& options,
                                                base::Seconds /*longest*/) override {
        return transform::encode(elements, options);
    }

  private:
    const std::string name_ = "cpu";
};

}  // namespace

const std::shared_ptr<Device>& cpu() {
    static const std::shared_ptr<Device> cores = std::make_shared<Cpu>();
    return cores;
}

std::vector<std::shared_ptr<Device>> devices_here() {
    std::vector<std::shared_ptr<Device>> devices;
    if (base::chosen_cuda() == "on") {
        devices.push_back(cuda::cuda_of_this_process());
    }
    return devices;
}

base::Result<> check_payload(std::span<const std::byte> payload, const ArrayView& elements,
                             const codecs::EncodeOptions& options) {
    const auto header = read_header(payload);
    if (!header) {
        return base::fail(header);
    }
    const bool is_like =
        header->codec == options.codec && header->dtype == elements.dtype && header->shape == elements.shape;
    const bool is_within = options.bound.kind != codecs::Bound::Kind::exact || header->bound == 0.0;
    const bool is_as_near = options.bound.kind != codecs::Bound::Kind::absolute || header->bound <= options.bound.value;
    if (!is_like || !is_within || !is_as_near) {
        return base::fail(ErrorCode::protocol, "it is a payload of something else");
    }
    const auto is_whole = [&](const TileEntry& tile) {
        return checksum(payload.subspan(tile.offset, tile.bytes)) == tile.checksum;
    };
    return std::ranges::all_of(header->tiles, is_whole)
               ? base::Result<>()
               : base::fail(ErrorCode::protocol, "a tile of the payload is damaged");
}

}  // namespace staithe::transform
