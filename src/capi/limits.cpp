// Limits of the process, and what it holds.
#include <staithe/limits.hpp>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/structures.hpp"

using namespace staithe::capi;

namespace {

constexpr staithe_limits unset_limits{
    .struct_size = sizeof(staithe_limits),
    .memory = STAITHE_UNSET,
    .descriptors = STAITHE_UNSET,
    .connections = STAITHE_UNSET,
    .bytes_in_flight = STAITHE_UNSET,
    .prefetch = STAITHE_UNSET,
};

}  // namespace

extern "C" {

void staithe_limits_init(staithe_limits* limits, size_t struct_size) { initialise(limits, struct_size, unset_limits); }

staithe_status staithe_set_limits(const staithe_limits* limits) {
    return guard([&] {
        const staithe_limits all = complete(limits, unset_limits, smallest_limits, "staithe_limits");
        staithe::set_limits({.memory = given_number(all.memory),
                             .descriptors = given_number(all.descriptors),
                             .connections = given_number(all.connections),
                             .bytes_in_flight = given_number(all.bytes_in_flight),
                             .prefetch = given_number(all.prefetch)});
    });
}

staithe_status staithe_get_limits(staithe_limits* limits, size_t struct_size) {
    return guard([&] {
        staithe_limits& result = given(limits, "limits");
        if (struct_size < smallest_limits) {
            throw staithe::InvalidArgument("the struct_size of staithe_limits is " + std::to_string(struct_size) +
                                           ": give sizeof(staithe_limits)");
        }
        const staithe::Limits now = staithe::limits();
        initialise(&result, struct_size,
                   {.struct_size = struct_size,
                    .memory = now.memory.value_or(STAITHE_UNSET),
                    .descriptors = now.descriptors.value_or(STAITHE_UNSET),
                    .connections = now.connections.value_or(STAITHE_UNSET),
                    .bytes_in_flight = now.bytes_in_flight.value_or(STAITHE_UNSET),
                    .prefetch = now.prefetch.value_or(STAITHE_UNSET)});
    });
}

staithe_status staithe_get_usage(staithe_usage* usage, size_t struct_size) {
    return guard([&] {
        const staithe::Usage now = staithe::usage();
        fill(&given(usage, "usage"), struct_size,
             staithe_usage{now.memory, now.descriptors, now.connections, now.bytes_in_flight, now.prefetch});
    });
}
}
