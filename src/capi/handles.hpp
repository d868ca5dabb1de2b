// What the opaque types of the header are, and the ways of handles: made, given, ended.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <staithe/staithe.h>
#include <staithe/error.hpp>
#include <staithe/reader.hpp>
#include <staithe/recorder.hpp>
#include <staithe/running_reduction.hpp>
#include <staithe/space.hpp>
#include <staithe/value.hpp>
#include <staithe/writer.hpp>

struct staithe_attributes {
    staithe::Attributes map;
};

struct staithe_names {
    std::vector<std::string> list;
};

struct staithe_writer {
    staithe::Writer writer;
};

struct staithe_write_step {
    staithe::WriteStep step;
};

struct staithe_loan {
    std::variant<staithe::Loan, staithe::SpaceLoan> loan;
};

struct staithe_reader {
    staithe::Reader reader;
};

struct staithe_read_step {
    staithe::ReadStep step;
};

struct staithe_variable {
    staithe::Variable variable;
};

struct staithe_running_reduction {
    staithe::RunningReduction running;
};

struct staithe_recorder {
    staithe::Recorder recorder;
};

struct staithe_view {
    staithe::View view;
};

struct staithe_space {
    staithe::Space space;
};

struct staithe_space_array {
    staithe::SpaceArray array;
};

struct staithe_versions {
    std::vector<staithe::SpaceVersion> list;
};

struct staithe_hits {
    staithe::SpaceQueryResult result;
};

struct staithe_lock {
    staithe::SpaceLock lock;
};

struct staithe_boxes {
    std::vector<staithe::Box> list;
};

struct staithe_batch {
    staithe::SpaceBatch batch;
};

struct staithe_watch {
    staithe::SpaceWatch watch;
};

struct staithe_future {
    using Array = std::future<staithe::SpaceArray>;
    using Version = std::future<std::int64_t>;

    explicit staithe_future(Array array, std::stop_source ending) : result(std::move(array)), stop(std::move(ending)) {}
    explicit staithe_future(Version version) : result(std::move(version)), stop(std::nostopstate) {}
    staithe_future(const staithe_future&) = delete;
    staithe_future& operator=(const staithe_future&) = delete;
    /// The memory of a put is used until that is done.
    ~staithe_future() {
        stop.request_stop();
        if (const auto* version = std::get_if<Version>(&result); version != nullptr && version->valid()) {
            version->wait();
        }
    }

    std::variant<Array, Version> result;
    std::stop_source stop;
};

namespace staithe::capi {

/// Why a handle may be missing: mostly a call was made too early, or too late.
template <class T>
inline constexpr const char* why_missing = "";
template <>
inline constexpr const char* why_missing<staithe_attributes> = ": create the attributes first, or set one";
template <>
inline constexpr const char* why_missing<staithe_writer> = ": open the writer first";
template <>
inline constexpr const char* why_missing<staithe_write_step> =
    ": begin a step first; one that was ended or abandoned is gone";
template <>
inline constexpr const char* why_missing<staithe_loan> = ": take a loan first; one that was published is gone";
template <>
inline constexpr const char* why_missing<staithe_batch> = ": make a batch of the space first";
template <>
inline constexpr const char* why_missing<staithe_watch> = ": watch a variable of the space first";
template <>
inline constexpr const char* why_missing<staithe_future> =
    ": start the call first; a future whose result was taken is gone";
template <>
inline constexpr const char* why_missing<staithe_reader> = ": open the reader first";
template <>
inline constexpr const char* why_missing<staithe_read_step> =
    ": take the next step first; there is none after the stream's last, and one that was released is gone";
template <>
inline constexpr const char* why_missing<staithe_running_reduction> = ": create the running reduction first";
template <>
inline constexpr const char* why_missing<staithe_recorder> = ": open the recorder first";
template <>
inline constexpr const char* why_missing<staithe_view> =
    ": take a view first; there is none where the selection lies in several blocks, read it instead";
template <>
inline constexpr const char* why_missing<staithe_space> = ": open the space first";
template <>
inline constexpr const char* why_missing<staithe_space_array> = ": get it from the space first";
template <>
inline constexpr const char* why_missing<staithe_lock> = ": take the lock first; one that was released is gone";

/// What an argument points to. Throws InvalidArgument, which names the argument, if it is NULL.
template <class T>
T& given(T* argument, const char* name) {
    if (argument == nullptr) {
        throw InvalidArgument(std::string("the argument '") + name + "' is NULL" + why_missing<std::remove_const_t<T>>);
    }
    return *argument;
}

/// The one of that number in a list, counted from 0. Throws InvalidArgument, which says what they are, if there is
/// none.
template <class T>
const T& one_of(const std::vector<T>& list, int64_t index, const char* what) {
    if (index < 0 || index >= static_cast<int64_t>(list.size())) {
        throw InvalidArgument("there are " + std::to_string(list.size()) + " " + what +
                              (std::string_view(what).ends_with('x') ? "es" : "s") + ", and no " + what + " " +
                              std::to_string(index));
    }
    return list[static_cast<std::size_t>(index)];
}

/// The place for a result: empty, for as long as there is none.
template <class T>
T*& emptied(T** place, const char* name) {
    T*& result = given(place, name);
    result = nullptr;
    return result;
}

/// Takes the handle away from the caller, who finds NULL in its place.
template <class Handle>
std::unique_ptr<Handle> taken(Handle** place, const char* name) {
    std::unique_ptr<Handle> handle(given(place, name));
    *place = nullptr;
    static_cast<void>(given(handle.get(), name));
    return handle;
}

template <class Handle>
void free_handle(Handle** place) noexcept {
    if (place != nullptr) {
        delete *place;
        *place = nullptr;
    }
}

}  // namespace staithe::capi
