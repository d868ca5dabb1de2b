// How this process gets to one of another host: by which of its addresses, and proving that it has the key.
//
// A process may have addresses that lead nowhere from here, or to another process: a bridge of containers has the same
// one on every host. So all are tried side by side, and the first at which the right process proves itself is used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/file_descriptor.hpp"
#include "transport/directory/address.hpp"
#include "transport/keyed_challenge.hpp"

namespace staithe::transport {

/// A connection whose listener has proved itself, and has let this process in.
struct Approached {
    os::FileDescriptor socket;
    Visitor visitor;
    std::string at;  // the address that answered
};

/// Who this process is by its own word, and whom it looks for: empty if it takes whoever is there.
struct Approaching {
    std::vector<Address::HostPort> places;
    std::string self;
    std::string wanted;
    Purpose purpose = {};
};

/// `not_found` if nobody listens there, `timeout` if nobody answers. Says, too, if it failed because who is there takes
/// nobody in now.
base::Result<Approached> approach(const Approaching& approaching, const std::shared_ptr<const Key>& key,
                                  const base::Deadline& deadline, bool& takes_nobody);

/// The same on a connection that stands.
base::Result<> prove(const os::FileDescriptor& socket, Visitor& visitor, const base::Deadline& deadline);

}  // namespace staithe::transport
