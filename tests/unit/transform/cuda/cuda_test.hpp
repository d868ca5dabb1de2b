// Tests of the device cuda by a fake GPU, which runs the real kernels on the CPU.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "os/shared_library.hpp"
#include "support/sanitizers.hpp"
#include "support/watchdog.hpp"
#include "transform/cuda/api.hpp"
#include "transform/cuda/cuda.hpp"

namespace staithe::transform::cuda {

inline constexpr const char* fake_gpu = "libstaithe_fake_gpu.so";
inline const Libraries fakes{fake_gpu, {fake_gpu}, fake_gpu};
inline constexpr base::Seconds long_enough{60.0};

class CudaTest : public ::testing::Test {
  protected:
    template <class Signature, class... Arguments>
    auto call(const char* name, Arguments... arguments) const {
        return fake_->function<Signature>(name)(arguments...);
    }
    void SetUp() override {
#ifdef STAITHE_THREAD_SANITIZER
        GTEST_SKIP() << "ThreadSanitizer does not know the fibers that stand for threads of a GPU";
#endif
        const auto loaded = os::SharedLibrary::load(fake_gpu);
        ASSERT_TRUE(loaded) << loaded.error().message;
        fake_.emplace(*loaded);
        call<void()>("fake_gpu_forget");
    }
    /// What is left on a GPU that was given up nobody gives back.
    void TearDown() override {
        if (fake_) {
            call<void()>("fake_gpu_forget");
        }
    }

    void fail_at(int number, int failure) const { call<void(int, int)>("fake_gpu_fail", number, failure); }
    [[nodiscard]] std::size_t kept() const { return call<std::size_t()>("fake_gpu_kept"); }

    std::optional<os::SharedLibrary> fake_;

  private:
    staithe::testing::Watchdog watchdog_{280};  // the kernels on the CPU are slow, and slower under a sanitizer
};

}  // namespace staithe::transform::cuda
