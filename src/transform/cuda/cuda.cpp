#include "transform/cuda/cuda.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "transform/cuda/dq_tiles.hpp"
#include "transform/cuda/shuffled_tiles.hpp"
#include "transform/dq/elements.hpp"
#include "transform/parallel.hpp"

namespace staithe::transform::cuda {
namespace {

/// At once: a GPU is busy with so much, and little of its memory, which a simulation needs, is taken.
constexpr std::int64_t bytes_of_batch = std::int64_t{64} << 20;

/// Others see it meanwhile.
class AtWork {
  public:
    explicit AtWork(std::atomic<bool>& shown) : shown_(shown) { shown_ = true; }
    ~AtWork() { shown_ = false; }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

  private:
    std::atomic<bool>& shown_;
};

bool has_kernels(Dtype dtype) {
    return dtype == Dtype::f32 || dtype == Dtype::f64 || dtype == Dtype::c64 || dtype == Dtype::c128;
}

/// As dq does (dq/dq.cpp).
template <class T>
dq::Quantiser<T> quantiser_for(const Plan& plan) {
    const bool is_complex = plan.array.dtype == Dtype::c64 || plan.array.dtype == Dtype::c128;
    auto quantiser = dq::Quantiser<T>::for_bound(plan.options.bound * (is_complex ? share_of_part : 1.0), 0.0);
    quantiser.has_fill = plan.options.fill.has_value();
    quantiser.fill = static_cast<T>(plan.options.fill.value_or(0.0));
    return quantiser;
}

/// Whether this is what nvCOMP does. It has no levels.
bool is_for_nvcomp(const Plan& plan, const codecs::EncodeOptions& options) {
    return options.mode == codecs::Mode::fast && !options.level && plan.tiles > 0;
}

/// Whether this is what the kernels of dq do, but for tiles of which values say otherwise.
bool is_for_dq(const Plan& plan, const codecs::EncodeOptions& options) {
    return options.codec == fallback && options.mode == codecs::Mode::fast && has_kernels(plan.array.dtype) &&
           plan.options.bound > 0.0 && plan.options.rate == 0.0 && plan.options.noise == 0.0 && plan.tiles > 0 &&
           dq::by_elements(plan.tile_of(0)).has_value();
}

}  // namespace

void Cuda::open_ahead() { static_cast<void>(begin_to_open()); }

/// Once more where there was no memory for it. Nothing, if no thread can be had: then later.
std::shared_future<base::Result<>> Cuda::begin_to_open() {
    const std::lock_guard lock(opening_mutex_);
    constexpr std::chrono::seconds now(0);
    const bool is_wanted = !opening_.valid() || (opening_.wait_for(now) == std::future_status::ready &&
                                                 !opening_.get() && is_busy(opening_.get().error()));
    if (is_wanted) {
        is_opening_ = true;
        try {
            opening_ = std::async(std::launch::async, [this] { return open(); });
        } catch (const std::system_error&) {
            is_opening_ = false;
        }
    }
    return opening_;
}

void Cuda::wait_until_opened() {
    const std::lock_guard lock(opening_mutex_);
    if (opening_.valid()) {
        opening_.wait();
    }
}

base::Result<> Cuda::wait_until_opened(const base::Deadline& deadline) {
    const auto opening = begin_to_open();
    if (!opening.valid() || opening.wait_until(deadline.at()) != std::future_status::ready) {
        return base::fail(ErrorCode::limit_reached, "the GPU was not ready after {} s", deadline.seconds());
    }
    return opening.get();
}

bool Cuda::is_there() const { return !is_lost_ && !is_opening_ && !is_at_work_ && home_.here(); }

bool Cuda::suits(const Task& task) const {
    if (task.mode != codecs::Mode::fast) {
        return false;
    }
    return task.is_lossy ? task.codec == fallback && has_kernels(task.dtype)
                         : has_nvcomp_ && Nvcomp().compressor_of(task.codec) != nullptr && cpu()->suits(task);
}

base::Result<std::vector<std::byte>> Cuda::encode(const ArrayView& elements, const codecs::EncodeOptions& options,
                                                  base::Seconds longest) {
    if (is_lost_ || !home_.here()) {
        return base::fail(ErrorCode::peer_lost, "the GPU is not used any more by this process, since it failed");
    }
    return guarded([&]() -> base::Result<std::vector<std::byte>> {
        const auto plan = plan_for(elements, options);
        if (!plan) {
            return base::fail(plan);
        }
        CodedTiles coded(static_cast<std::size_t>(plan->tiles));
        if (is_for_gpu(*plan, options)) {
            if (auto done = code(*plan, options, base::Deadline(longest), coded); !done) {
                return base::fail(std::move(done));
            }
        }
        const auto take = [&](std::int64_t number, Scratch& scratch,
                              std::vector<std::byte>& out) -> base::Result<CodedTile> {
            const auto& [method, bytes] = coded[static_cast<std::size_t>(number)];
            ++(bytes.empty() ? left_ : coded_);
            if (bytes.empty()) {
                return encode_tile(*plan, number, scratch, out);
            }
            out.insert(out.end(), bytes.begin(), bytes.end());
            return CodedTile{method};
        };
        return encode_by(take, *plan, options);
    });
}

/// In the thread that opens it.
base::Result<> Cuda::open() {
    auto opened = Gpu::open(libraries_);
    base::Result<> done;
    const std::lock_guard lock(mutex_);
    if (opened) {
        gpu_ = *std::move(opened);
        if (auto loaded = Nvcomp::load(libraries_)) {
            nvcomp_ = *loaded;
            has_nvcomp_ = true;
        } else {
            base::log(base::LogLevel::info, "what is to be exact is not encoded on the GPU: {}",
                      loaded.error().message);
        }
    } else {
        base::log(base::LogLevel::warn, "nothing is encoded on a GPU: {}", opened.error().message);
        look_at(opened.error());
        done = base::fail(std::move(opened));
    }
    is_opening_ = false;
    return done;
}

bool Cuda::is_for_gpu(const Plan& plan, const codecs::EncodeOptions& options) const {
    const bool is_of_nvcomp = Nvcomp().compressor_of(options.codec) != nullptr;
    return is_of_nvcomp ? is_for_nvcomp(plan, options) : is_for_dq(plan, options);
}

/// What the CPU does of it has time after that, and others the GPU. What was begun before a failure ends first, where
/// the GPU goes on: it writes to memory that is the next one's.
base::Result<> Cuda::code(const Plan& plan, const codecs::EncodeOptions& options, const base::Deadline& deadline,
                          CodedTiles& coded) {
    if (auto opened = wait_until_opened(deadline); !opened) {
        return opened;
    }
    const std::unique_lock lock(mutex_, deadline.left());
    if (!lock) {
        return base::fail(ErrorCode::limit_reached, "the GPU was busy with other arrays for {} s", deadline.seconds());
    }
    if (is_lost_) {
        return base::fail(ErrorCode::peer_lost, "the GPU is not used any more by this process, since it failed");
    }
    const AtWork at_work(is_at_work_);
    base::Result<> done;
    {
        const Gpu::Current current(*gpu_);
        done = current.done() ? guarded([&] { return code_there(plan, options, deadline, coded); }) : current.done();
        if (!done && current.done() && is_busy(done.error())) {
            if (const auto ended = gpu_->wait(deadline); !ended) {
                done = base::fail(is_busy(ended.error()) ? ErrorCode::system : ended.error().code, "{}, and then: {}",
                                  done.error().message, ended.error().message);
            }
        }
    }
    if (!done) {
        look_at(done.error());
    }
    return done;
}

base::Result<> Cuda::code_there(const Plan& plan, const codecs::EncodeOptions& options, const base::Deadline& deadline,
                                CodedTiles& coded) {
    if (options.codec != fallback) {
        return code_shuffled(plan, options, deadline, coded);
    }
    return plan.array.dtype == Dtype::f32 || plan.array.dtype == Dtype::c64
               ? code_elements<float>(plan, options, deadline, coded)
               : code_elements<double>(plan, options, deadline, coded);
}

template <class T>
base::Result<> Cuda::code_elements(const Plan& plan, const codecs::EncodeOptions& options,
                                   const base::Deadline& deadline, CodedTiles& coded) {
    const auto quantiser = quantiser_for<T>(plan);
    if (!quantiser.usable()) {
        return {};  // a bound so fine is kept by exact coding
    }
    DqTiles<T> work(quantiser);
    return code_with(work, plan, options, deadline, coded);
}

/// What nvCOMP has failed at, the GPU has not: that goes on with what else it does.
base::Result<> Cuda::code_shuffled(const Plan& plan, const codecs::EncodeOptions& options,
                                   const base::Deadline& deadline, CodedTiles& coded) {
    if (!nvcomp_) {
        return {};
    }
    ShuffledTiles work(*nvcomp_->compressor_of(options.codec), *plan.codec, gpu_->stream());
    auto done = code_with(work, plan, options, deadline, coded);
    if (done || !work.has_nvcomp_failed()) {
        return done;
    }
    base::log(base::LogLevel::warn, "what is to be exact is not encoded on the GPU any more: {}", done.error().message);
    has_nvcomp_ = false;
    nvcomp_.reset();
    coded.assign(coded.size(), {});
    return gpu_->wait(deadline);  // for what was begun before
}

base::Result<> Cuda::code_with(TileWork& work, const Plan& plan, const codecs::EncodeOptions& options,
                               const base::Deadline& deadline, CodedTiles& coded) {
    const std::int64_t bytes_of_tile = size_in_bytes(plan.tile, plan.array.dtype).value_or(1);
    const std::int64_t at_once = std::max<std::int64_t>(1, bytes_of_batch / bytes_of_tile);
    for (std::int64_t first = 0; first < plan.tiles; first += at_once) {
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(std::min(at_once, plan.tiles - first)));
        std::iota(numbers.begin(), numbers.end(), first);
        if (auto done = encode_batch(*gpu_, work, plan, options, numbers, deadline, coded); !done) {
            return done;
        }
    }
    return {};
}

void Cuda::look_at(const base::Failure& failure) {
    if (failure.code == ErrorCode::limit_reached) {
        return;  // memory, which others may give back
    }
    is_lost_ = true;
    if (gpu_ != nullptr && failure.code == ErrorCode::timeout) {
        gpu_->abandon();
    }
    gpu_.reset();
}

namespace {

/// Never destroyed: when the process ends, CUDA may have gone already, and the GPU's memory goes with the process. But
/// the thread that opens it must not run on then.
class OfThisProcess {
  public:
    OfThisProcess() { cuda_->open_ahead(); }
    ~OfThisProcess() {
        if (home_.here()) {
            cuda_->wait_until_opened();
        }
    }
    OfThisProcess(const OfThisProcess&) = delete;
    OfThisProcess& operator=(const OfThisProcess&) = delete;
    [[nodiscard]] std::shared_ptr<Device> device() const {
        return {cuda_, [](Device* /*stays*/) {}};
    }

  private:
    const os::Home home_;
    Cuda* const cuda_ = new Cuda();
};

}  // namespace

std::shared_ptr<Device> cuda_of_this_process() {
    static const OfThisProcess cuda;
    return cuda.device();
}

}  // namespace staithe::transform::cuda
