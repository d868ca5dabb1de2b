// Who is talked to: processes of the same user, and those of others that have the same key.
#pragma once

#include <memory>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "transport/keyed_challenge.hpp"
#include "transport/link.hpp"

namespace staithe::transport {

/// An open gate for processes of one user, a closed one where they have to prove that they have the key; a failure
/// where this one has none.
base::Result<std::shared_ptr<Gate>> gate_for(const Parties& parties, const std::shared_ptr<const Key>& key);

/// The caller's side of the challenge. The listener proves itself first: what is at the other end may be anyone's.
base::Result<> prove(Link& link, const Key& key, const Parties& parties, const base::Deadline& deadline);

/// What a process is told that does not prove it.
base::Failure refusal_of_strangers();

}  // namespace staithe::transport
