// Asking another process what it knows of, and telling it what this one has: the directory beyond this host.
//
// A process knows what lies in its run directory, and what others have told it. The messages are in
// docs/formats/stream_protocol.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/directory/entry.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

class Endpoint;

/// What those requests name as their service; no stream is called like it.
inline constexpr const char* inquiry_service = "/directory";

base::Result<std::optional<Entry>> ask_for(Link& link, Kind kind, const std::string& name,
                                           const base::Deadline& deadline);
base::Result<std::vector<Entry>> ask_for_all(Link& link, Kind kind, const base::Deadline& deadline);
base::Result<> tell_of(Link& link, const Entry& entry);
base::Result<> tell_that_gone(Link& link, const Entry& entry);

/// What this process answers. May wait for the run directory.
base::Result<Attributes> answer_inquiry(Endpoint& self, const std::shared_ptr<Link>& link, const Attributes& message);

}  // namespace staithe::transport
