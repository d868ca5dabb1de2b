#include "transport/admission.hpp"

#include <string>

namespace staithe::transport {
base::Result<std::shared_ptr<Gate>> gate_for(const Parties& parties, const std::shared_ptr<const Key>& key) {
    if (parties.caller.uid == parties.listener.uid) {
        return std::make_shared<Gate>();
    }
    if (!key) {
        return base::fail(ErrorCode::system,
                          "process {} of user {} and process {} of user {} have no key in common: both need "
                          "STAITHE_KEY_FILE, a key made with `staithe key`",
                          parties.caller.pid, parties.caller.uid, parties.listener.pid, parties.listener.uid);
    }
    return std::make_shared<Gate>(key, parties);
}

base::Result<> prove(Link& link, const Key& key, const Parties& parties, const base::Deadline& deadline) {
    const Nonce own = fresh_nonce();
    const auto challenge = link.call({{"challenge", to_hex(own)}}, {}, deadline);
    if (!challenge) {
        return base::fail(challenge);
    }
    const auto listeners = nonce_from_hex(text_of(challenge->body, "challenge"));
    if (!listeners ||
        !same_proof(proof_of(key, Role::listener, parties, own, *listeners), text_of(challenge->body, "proof"))) {
        link.refuse(refusal_of_strangers());
        return base::fail(ErrorCode::system,
                          "process {} of user {} does not prove that it has the key of STAITHE_KEY_FILE: is it the "
                          "same key?",
                          parties.listener.pid, parties.listener.uid);
    }
    const auto accepted = link.call({{"proof", proof_of(key, Role::caller, parties, own, *listeners)}}, {}, deadline);
    return accepted ? base::Result<>() : base::fail(accepted);
}

base::Failure refusal_of_strangers() {
    return {ErrorCode::system, "refuses a process of another user that does not prove that it has the key"};
}

}  // namespace staithe::transport
