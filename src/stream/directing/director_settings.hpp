// What a director is told about its stream. Pure values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <staithe/value.hpp>

#include "stream/directing/overflow.hpp"
#include "stream/directing/queue_limits.hpp"
#include "transport/directory/address.hpp"

namespace staithe::stream {

struct DirectorSettings {
    std::string stream;
    int writers = 1;
    std::string group_id;
    QueueLimits queue;
    Overflow overflow;
    int expected_readers = 1;
    bool resume = false;
    std::int64_t first_step = 0;  // where there is none to go on after
    std::string placement;
    std::string server{};  // that directs it; empty: the process of rank 0 does
    std::string twin{};    // the stream that another server has the same steps of; empty: none
    Attributes attributes;
    std::optional<std::string> listen;                   // for processes of other hosts, where somebody said so
    std::vector<transport::Address::HostPort> offer_to;  // who listens there is told of the stream
};

}  // namespace staithe::stream
