// The public edge of staithe/group_contact.hpp.
#include <staithe/group_contact.hpp>

#include <charconv>

#include "base/config.hpp"
#include "base/log.hpp"
#include "os/process.hpp"
#include "os/process_identity.hpp"
#include "transport/group_contact.hpp"

namespace staithe {

std::int64_t host_number() {
    const std::string boot = os::this_process().boot;  // hexadecimal digits
    std::int64_t number = 0;
    std::from_chars(boot.data(), boot.data() + boot.size(), number, 16);
    return number;
}

std::string make_group_contact() {
    auto contact = transport::tell_group(base::run_directory(os::user_id()));
    if (!contact) {
        base::log(base::LogLevel::warn, "the ranks of this group on other hosts are not told where rank 0 is: {}",
                  contact.error().message);
    }
    return contact.value_or("");
}

void take_group_contact(const std::string& contact) {
    if (!contact.empty()) {
        base::value_or_raise(transport::take_from_group(contact));
    }
}

}  // namespace staithe
