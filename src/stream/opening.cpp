#include "stream/opening.hpp"

#include "base/config.hpp"

namespace staithe::stream {

base::Result<std::optional<double>> resolve_timeout(std::optional<double> argument) {
    if (!argument) {
        return base::timeout_of_environment();
    }
    if (!(*argument >= 0.0)) {
        return base::fail(ErrorCode::invalid_argument,
                          "a timeout of {:g} s cannot be: give seconds from 0 up, or infinity", *argument);
    }
    return argument;
}

base::Result<> check_group(const Group& group) {
    if (group.size < 1 || group.rank < 0 || group.rank >= group.size) {
        return base::fail(ErrorCode::invalid_argument,
                          "rank {} of a group of {} cannot be: a group has one rank or more, which count from 0",
                          group.rank, group.size);
    }
    return {};
}

}  // namespace staithe::stream
