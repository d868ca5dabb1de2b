#include "stream/directing/overflow.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace staithe::stream {
namespace {

using Policy = Overflow::Policy;

constexpr std::array<std::pair<std::string_view, Policy>, 6> names{{{"block", Policy::block},
                                                                    {"drop-oldest", Policy::drop_oldest},
                                                                    {"drop-newest", Policy::drop_newest},
                                                                    {"latest", Policy::latest},
                                                                    {"compress", Policy::compress},
                                                                    {"spill", Policy::spill}}};
constexpr std::string_view keep_every = "keep-every-";

}  // namespace

bool Overflow::gives_way(std::int64_t step) const {
    return policy == Policy::drop_oldest || policy == Policy::latest ||
           (policy == Policy::keep_every && step % every != 0);
}

bool Overflow::may_miss(std::int64_t step) const { return gives_way(step) || policy == Policy::drop_newest; }

base::Result<Overflow> parse_overflow(const std::string& text) {
    for (const auto& [name, policy] : names) {
        if (text == name) {
            return Overflow{policy, 1};
        }
    }
    if (text.starts_with(keep_every)) {
        Overflow overflow{Policy::keep_every, 0};
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + keep_every.size(), end, overflow.every);
        if (parsed.ec == std::errc() && parsed.ptr == end && overflow.every >= 1) {
            return overflow;
        }
    }
    return base::fail(ErrorCode::invalid_argument,
                      "overflow policy '{}' cannot be: use block, drop-oldest, drop-newest, keep-every-K (such as "
                      "keep-every-10), latest, compress or spill",
                      text);
}

base::Result<> check_overflow(const Overflow& overflow, int queue_steps) {
    if (!overflow.is_lossless() && queue_steps < 2) {
        return base::fail(ErrorCode::invalid_argument,
                          "overflow policy '{}' needs a queue of 2 steps or more, this stream has queue_steps={}",
                          to_string(overflow), queue_steps);
    }
    return {};
}

std::string to_string(const Overflow& overflow) {
    for (const auto& [name, policy] : names) {
        if (overflow.policy == policy) {
            return std::string(name);
        }
    }
    return fmt::format("{}{}", keep_every, overflow.every);
}

}  // namespace staithe::stream
