#include "devices.hpp"

#include <nanobind/stl/array.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "numpy.hpp"
#include "selection.hpp"
#include "waiting.hpp"

namespace nb = nanobind;

namespace staithe::python {
namespace {

nb::module_ devices_module() { return nb::module_::import_("staithe.devices"); }

/// Functions of CUDA's driver by which memory is pinned: in the order in which staithe.devices has their addresses.
/// Memory goes back to the system in threads that must not wait for the GIL.
struct Pinning {
    int (*push_context)(void* context);
    int (*pop_context)(void** context);
    int (*host_register)(void* memory, std::size_t bytes, unsigned flags);
    int (*host_unregister)(void* memory);
    void* context;
};

/// Memory that a GPU copies to by itself. Where it cannot be pinned (files on disk, limits) copies are slower, no more.
class Pinned {
  public:
    Pinned(const Pinning& by, std::span<std::byte> memory) : by_(by), memory_(memory.data()) {
        constexpr unsigned for_all_contexts = 1;
        in_context([&] { pinned_ = by_.host_register(memory_, memory.size(), for_all_contexts) == 0; });
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    ~Pinned() {
        if (pinned_) {
            in_context([&] { by_.host_unregister(memory_); });
        }
    }

  private:
    // As the program ends the driver may have gone first, with all that was pinned.
    template <class Call>
    void in_context(Call call) const {
        if (by_.push_context(by_.context) == 0) {
            call();
            void* popped = nullptr;
            by_.pop_context(&popped);
        }
    }

    Pinning by_;
    std::byte* memory_;
    bool pinned_ = false;
};

}  // namespace

void Arrivals::wait() {
    for (; !copies_.empty(); copies_.pop_back()) {
        copies_.back().attr("wait")();
    }
}

void Arrivals::settle() noexcept {
    for (; !copies_.empty(); copies_.pop_back()) {
        try {
            copies_.back().attr("wait")();
        } catch (nb::python_error&) {  // NOLINT(bugprone-empty-catch): the step is given up, so nobody misses it
        }
    }
}

nb::object device_array(nb::handle array, const std::string& variable) {
    // Looked up in the class, which is quick and runs no code of the library's.
    const nb::handle type = array.type();
    if (!nb::hasattr(type, "__cuda_array_interface__") && !nb::hasattr(type, "__dlpack_device__")) {
        return nb::none();
    }
    return devices_module().attr("find")(array, Subject{&variable}.text());
}

void put_from_device(WriteStep& step, Arrivals& arrivals, const std::string& variable, nb::handle device_array,
                     PutOptions options) {
    options.column_major = nb::cast<bool>(device_array.attr("column_major"));
    const Dtype dtype = dtype_from(device_array.attr("dtype"), {&variable});
    const nb::object lengths = device_array.attr("shape");
    if (nb::len(lengths) > max_dimensions) {
        throw InvalidArgument(Subject{&variable}.text() + " has " + std::to_string(nb::len(lengths)) +
                              " dimensions: there can be 8");
    }
    const Extents shape = extents_from(lengths, "shape");
    Loan loan = step.loan(variable, dtype, shape, options);
    if (volume(shape) == 0) {
        step.publish(std::move(loan));
        return;
    }
    const auto memory = reinterpret_cast<std::uintptr_t>(loan.array().data);
    const nb::object copy = devices_module().attr("CopyToHost")(device_array, memory);
    const auto pinning = std::bit_cast<Pinning>(nb::cast<std::array<std::uintptr_t, 5>>(copy.attr("pinning")));
    without_gil(
        [&] { loan.attach([&](std::span<std::byte> extent) { return std::make_shared<Pinned>(pinning, extent); }); });
    // The copy begins only when the block is the step's, whose end waits for it whatever happens.
    step.publish(std::move(loan));
    arrivals.add(copy);
    copy.attr("start")();
}

bool read_into_device(nb::handle variable, nb::handle key, nb::handle out) {
    return nb::cast<bool>(devices_module().attr("read_into")(variable, key, out));
}

}  // namespace staithe::python
