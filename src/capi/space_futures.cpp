// Gets and puts of spaces that are not waited for.
#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <staithe/space.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

namespace staithe::capi {
namespace {

/// What came of the call, which must be of that kind; ends the future.
template <class Kind>
auto result_of(staithe_future** future, const char* what_it_is) {
    const auto ending = taken(future, "future");
    auto* const result = std::get_if<Kind>(&ending->result);
    if (result == nullptr) {
        throw InvalidArgument(std::string("this future is of a ") + what_it_is);
    }
    return result->get();
}

bool is_ready_within(const staithe_future& future, double seconds) {
    // What is longer than this the clock may not be able to count.
    constexpr double longest = 1e9;
    const std::chrono::duration<double> time(std::clamp(seconds, 0.0, longest));
    return std::visit([&](const auto& result) { return result.wait_for(time) == std::future_status::ready; },
                      future.result);
}

}  // namespace
}  // namespace staithe::capi

using namespace staithe::capi;

extern "C" {

staithe_status staithe_space_get_async(const staithe_space* space, const char* variable, int64_t version,
                                       const staithe_selection* box, double timeout, staithe_future** future) {
    return guard([&] {
        staithe_future*& result = emptied(future, "future");
        const auto promise = std::make_shared<std::promise<staithe::SpaceArray>>();
        auto started = std::make_unique<staithe_future>(promise->get_future(), std::stop_source());
        const auto done = [promise](std::future<staithe::SpaceArray> got) {
            try {
                promise->set_value(got.get());
            } catch (...) {
                promise->set_exception(std::current_exception());
            }
        };
        given(space, "space")
            .space.get_async(&given(variable, "variable"), space_get_of(version, box, timeout), done,
                             started->stop.get_token());
        result = started.release();
    });
}

staithe_status staithe_space_put_async(staithe_space* space, const char* variable, const void* data,
                                       staithe_dtype dtype, int32_t dimensions, const int64_t* count,
                                       const staithe_space_put_options* options, staithe_future** future) {
    return guard([&] {
        staithe_future*& result = emptied(future, "future");
        const auto put = put_of(options, dimensions);
        result = new staithe_future(
            given(space, "space")
                .space.put_async(&given(variable, "variable"),
                                 array_of(data, dtype_of(dtype), extents_of(count, dimensions, "count"), put.layout),
                                 put.options));
    });
}

staithe_status staithe_future_is_ready(const staithe_future* future, int32_t* is_ready) {
    return guard([&] { given(is_ready, "is_ready") = is_ready_within(given(future, "future"), 0) ? 1 : 0; });
}

staithe_status staithe_future_wait(const staithe_future* future, double timeout) {
    return guard([&] {
        const staithe_future& waited_for = given(future, "future");
        const auto seconds = given_number(timeout);
        if (!seconds) {
            std::visit([](const auto& result) { result.wait(); }, waited_for.result);
        } else if (!is_ready_within(waited_for, *seconds)) {
            throw staithe::Timeout("the get or put that was started is still under way after " +
                                   std::to_string(*seconds) + " s");
        }
    });
}

staithe_status staithe_future_array(staithe_future** future, staithe_space_array** array) {
    return guard([&] {
        staithe_space_array*& result = emptied(array, "array");
        result = new staithe_space_array{
            result_of<staithe_future::Array>(future, "put: staithe_future_version says which version it is")};
    });
}

staithe_status staithe_future_version(staithe_future** future, int64_t* version) {
    return guard([&] {
        const int64_t number =
            result_of<staithe_future::Version>(future, "get: staithe_future_array gives what it got");
        if (version != nullptr) {
            *version = number;
        }
    });
}

void staithe_future_free(staithe_future** future) { free_handle(future); }
}
