// The device cuda: on a GPU of NVIDIA's, dq's fast way, whose payloads are those of the CPU, byte by byte; and, where
// nvCOMP is, shuffled codecs, whose payloads decode to the same elements.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/fork.hpp"
#include "transform/cuda/api.hpp"
#include "transform/cuda/gpu.hpp"
#include "transform/cuda/nvcomp.hpp"
#include "transform/cuda/tile_batch.hpp"
#include "transform/device.hpp"
#include "transform/plan.hpp"

namespace staithe::transform::cuda {

/// Takes elements in the memory of the host. Tiles that take more than one attempt, and all that the kernels do not do,
/// the CPU encodes. One array at a time.
class Cuda final : public Device {
  public:
    /// CUDA is loaded, and the kernels are compiled, when something is encoded first, or ahead of that; in a thread, so
    /// that whoever waits for it may give up.
    explicit Cuda(Libraries libraries = {}) : libraries_(std::move(libraries)) {}
    ~Cuda() override { wait_until_opened(); }
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;

    /// Begins to do that. Until it is done the device is not there.
    void open_ahead();
    /// Ends when that has.
    void wait_until_opened();

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool is_there() const override;
    [[nodiscard]] bool suits(const Task& task) const override;
    base::Result<std::vector<std::byte>> encode(const ArrayView& elements, const codecs::EncodeOptions& options,
                                                base::Seconds longest) override;

    /// How many tiles the GPU has coded, and how many it has left to the CPU.
    struct Tiles {
        std::int64_t coded = 0;
        std::int64_t left = 0;
    };
    [[nodiscard]] Tiles tiles() const { return {coded_, left_}; }

  private:
    using CodedTiles = std::vector<CodedThere>;

    base::Result<> open();
    std::shared_future<base::Result<>> begin_to_open();
    base::Result<> wait_until_opened(const base::Deadline& deadline);
    [[nodiscard]] bool is_for_gpu(const Plan& plan, const codecs::EncodeOptions& options) const;
    base::Result<> code(const Plan& plan, const codecs::EncodeOptions& options, const base::Deadline& deadline,
                        CodedTiles& coded);
    base::Result<> code_there(const Plan& plan, const codecs::EncodeOptions& options, const base::Deadline& deadline,
                              CodedTiles& coded);
    template <class T>
    base::Result<> code_elements(const Plan& plan, const codecs::EncodeOptions& options, const base::Deadline& deadline,
                                 CodedTiles& coded);
    base::Result<> code_shuffled(const Plan& plan, const codecs::EncodeOptions& options, const base::Deadline& deadline,
                                 CodedTiles& coded);
    base::Result<> code_with(TileWork& work, const Plan& plan, const codecs::EncodeOptions& options,
                             const base::Deadline& deadline, CodedTiles& coded);
    /// What has failed decides whether the GPU is asked again.
    void look_at(const base::Failure& failure);

    const std::string name_ = "cuda";
    const Libraries libraries_;
    const os::Home home_;
    std::timed_mutex mutex_;  // of the GPU
    std::unique_ptr<Gpu> gpu_;
    std::optional<Nvcomp> nvcomp_;
    std::atomic<bool> has_nvcomp_{false};
    std::mutex opening_mutex_;
    std::shared_future<base::Result<>> opening_;
    std::atomic<bool> is_opening_{false};
    std::atomic<bool> is_at_work_{false};
    std::atomic<bool> is_lost_{false};
    std::atomic<std::int64_t> coded_{0};
    std::atomic<std::int64_t> left_{0};
};

/// That of this process, which is being opened from the first call on.
[[nodiscard]] std::shared_ptr<Device> cuda_of_this_process();

}  // namespace staithe::transform::cuda
