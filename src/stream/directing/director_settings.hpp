// What a director is told about its stream. Pure values.
#pragma once

#include <string>

#include <staithe/value.hpp>

#include "stream/directing/overflow.hpp"
#include "stream/directing/queue_limits.hpp"

namespace staithe::stream {

struct DirectorSettings {
    std::string stream;
    int writers = 1;
    std::string group_id;
    QueueLimits queue;
    Overflow overflow;
    int expected_readers = 1;
    bool resume = false;
    std::string placement;
    Attributes attributes;
};

}  // namespace staithe::stream
