// Groups, for those who make them.
#include <algorithm>
#include <chrono>
#include <string>

#include <staithe/group_contact.hpp>

#include "capi/guard.hpp"
#include "capi/handles.hpp"

using namespace staithe::capi;

extern "C" {

int64_t staithe_group_stamp() {
    using std::chrono::nanoseconds;
    return std::chrono::duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

int64_t staithe_host_number() { return staithe::host_number(); }

staithe_status staithe_group_make_contact(char* contact) {
    return guard([&] {
        char& begin = given(contact, "contact");
        begin = '\0';
        const std::string text = staithe::make_group_contact();
        if (text.size() >= STAITHE_GROUP_CONTACT_SIZE) {
            throw staithe::LimitReached("this host has too many addresses for a contact: set STAITHE_LISTEN to one");
        }
        std::copy_n(text.c_str(), text.size() + 1, &begin);
    });
}

staithe_status staithe_group_take_contact(const char* contact) {
    return guard([&] { staithe::take_group_contact(&given(contact, "contact")); });
}
}
