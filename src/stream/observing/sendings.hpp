// What goes over links to other hosts, as reports have it: what was offered to be taken coded, and which ways it went.
#pragma once

#include <optional>

#include <staithe/value.hpp>

#include "store/remote/traffic.hpp"
#include "transport/link.hpp"

namespace staithe::stream {

List report_coded(const store::remote::Traffic::Figures& figures);

/// What a writer rank sends to a server, for the one that directs the stream: only it knows. One of its links.
Attributes report_link(const transport::Peer& server, const store::remote::Traffic::Figures& figures);
/// Links as a writer rank tells of them, and nothing else; nothing if they are none.
std::optional<List> links_in(const List& told);

}  // namespace staithe::stream
