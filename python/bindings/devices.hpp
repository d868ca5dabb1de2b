// Arrays in the memory of a GPU: what staithe.devices leaves to C++, since it must not wait for the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include <staithe/writer.hpp>

namespace staithe::python {

/// Copies into blocks of a step that may be under way. While they are, nobody else may get that memory: it waits for
/// them as it goes.
class Arrivals {
  public:
    Arrivals() = default;
    Arrivals(Arrivals&&) noexcept = default;
    Arrivals& operator=(Arrivals&&) = delete;
    ~Arrivals() { settle(); }

    /// An object of staithe.devices, whose `wait` raises if the copy failed.
    void add(nanobind::object copy) { copies_.push_back(std::move(copy)); }
    /// Waits for all of them; raises what one of them failed with.
    void wait();
    /// Waits for all of them, whatever became of them.
    void settle() noexcept;
    /// In a forked child, where they are its parent's.
    void forget() noexcept { copies_.clear(); }

  private:
    std::vector<nanobind::object> copies_;
};

/// An array as staithe.devices knows it; none if it is in the memory of the host. InvalidArgument if nothing can copy
/// from where it is.
nanobind::object device_array(nanobind::handle array, const std::string& variable);

/// Makes a block of the device array, and leaves the copy to be waited for.
void put_from_device(WriteStep& step, Arrivals& arrivals, const std::string& variable, nanobind::handle device_array,
                     PutOptions options);

/// Reads into an array of a device; false if `out` is none.
bool read_into_device(nanobind::handle variable, nanobind::handle key, nanobind::handle out);

}  // namespace staithe::python
