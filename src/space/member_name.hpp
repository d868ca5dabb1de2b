// How one of several servers that keep spaces together is called: "run7.2-of-4" is rank 2 of the four that are "run7".
#pragma once

#include <optional>
#include <string>

namespace staithe::space {

inline constexpr int most_members = 4096;

struct Member {
    std::string servers;  // what they are called together
    int rank = 0;
    int size = 1;

    [[nodiscard]] bool is_alone() const { return size == 1; }
};

/// A server that is alone has the name itself.
[[nodiscard]] std::string member_name(const std::string& servers, int rank, int size);
/// Nothing if the name is that of a server alone.
[[nodiscard]] std::optional<Member> member_of(const std::string& name);

}  // namespace staithe::space
