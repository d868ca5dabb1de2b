// A GPU that is ready to work: the kernels are loaded, and there is memory at both ends.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "base/budget.hpp"
#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transform/cuda/api.hpp"
#include "transform/cuda/shuffle_job.hpp"
#include "transform/cuda/tile_job.hpp"

namespace staithe::transform::cuda {

/// Of one thread at a time, while it is `Current` there.
class Gpu {
  public:
    /// The first one that CUDA shows. Its context is the one that other libraries of the process share.
    static base::Result<std::unique_ptr<Gpu>> open(const Libraries& libraries);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    /// The calling thread's calls mean this GPU while this lives.
    class Current {
      public:
        explicit Current(Gpu& gpu);
        ~Current();
        Current(const Current&) = delete;
        Current& operator=(const Current&) = delete;
        [[nodiscard]] const base::Result<>& done() const { return done_; }

      private:
        Gpu& gpu_;
        base::Result<> done_;
    };

    /// Memory that the GPU copies from and to, of the process's budget; undefined, and valid until the next call.
    /// Nothing may be under way.
    base::Result<std::byte*> pinned(std::size_t bytes);
    /// The same in the GPU.
    base::Result<std::byte*> memory(std::size_t bytes);

    // These begin, one after the other.
    base::Result<> copy_in(std::byte* to, std::span<const std::byte> from);
    base::Result<> copy_out(std::span<std::byte> to, const std::byte* from);
    /// By `quantiser`, of that type, each of the jobs, which lie there; their bytes are written to `bytes`.
    template <class Quantiser>
    base::Result<> encode_tiles(const TileJob* jobs, std::size_t count, unsigned* bytes, Quantiser quantiser) {
        void* arguments[] = {static_cast<void*>(&jobs), static_cast<void*>(&bytes), &quantiser};
        return launch(sizeof(quantiser.step) == sizeof(float) ? Kernel::encode_f32 : Kernel::encode_f64, count,
                      arguments);
    }
    base::Result<> shuffle_tiles(const ShuffleJob* jobs, std::size_t count) {
        void* arguments[] = {static_cast<void*>(&jobs)};
        return launch(Kernel::shuffle, count, arguments);
    }
    /// What has become of their pieces; their bytes are written to `bytes`.
    base::Result<> join_tiles(const ShuffleJob* jobs, std::size_t count, unsigned* bytes) {
        void* arguments[] = {static_cast<void*>(&jobs), static_cast<void*>(&bytes)};
        return launch(Kernel::join, count, arguments);
    }
    /// For libraries that begin something there, in the order of all that is begun.
    [[nodiscard]] Stream stream() const { return stream_; }

    /// Until all is done that was begun. After a `timeout` it may still be under way: then it must be abandoned.
    base::Result<> wait(const base::Deadline& deadline);
    /// Nothing is given back, since it may be written to. There are no more calls.
    void abandon() { context_ = nullptr; }

  private:
    enum class Kernel : std::size_t { encode_f32, encode_f64, shuffle, join, count_of_kernels };
    static constexpr auto number_of_kernels = static_cast<std::size_t>(Kernel::count_of_kernels);

    /// Memory that grows with what is asked for.
    template <class At>
    struct Grown {
        At at = nullptr;
        std::size_t bytes = 0;
    };
    template <class At>
    static void drop(Grown<At>& memory, int (*free)(At at));
    template <class At>
    base::Result<std::byte*> grow(Grown<At>& memory, std::size_t bytes, const char* what,
                                  int (*allocate)(At* at, std::size_t bytes), int (*free)(At at));
    Gpu(const Driver& driver, int device) : driver_(driver), device_(device) {}
    base::Result<> prepare(const Libraries& libraries);
    base::Result<> launch(Kernel kernel, std::size_t blocks, void** arguments);

    const Driver driver_;
    const int device_;
    Context context_ = nullptr;
    Module module_ = nullptr;
    std::array<Function, number_of_kernels> kernels_{};
    Stream stream_ = nullptr;
    Grown<void*> pinned_;
    base::Claim claim_of_pinned_;
    Grown<Address> memory_;
};

}  // namespace staithe::transform::cuda
