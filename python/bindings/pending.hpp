// TEMPORARY: goes when the C++ interface has placement, Loan::owner and set_interruption.
#pragma once
#include <memory>
#include <optional>
#include <string>
namespace staithe::python::pending {
template <class O>
void set_placement(O& o, std::optional<std::string> p) {
    if constexpr (requires { o.placement; }) {
        o.placement = p;
    }
}
template <class W>
std::string placement(const W& w) {
    if constexpr (requires { w.placement(); }) {
        return w.placement();
    } else {
        return "producer";
    }
}
template <class L>
std::shared_ptr<const void> owner(const L& l) {
    if constexpr (requires { l.owner(); }) {
        return l.owner();
    } else {
        return {};
    }
}
}  // namespace staithe::python::pending
