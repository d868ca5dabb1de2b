#include "transport/directory/url.hpp"

#include <string_view>
#include <utility>

#include "transport/directory/address.hpp"

namespace staithe::transport {
namespace {

constexpr std::string_view scheme = "staithe://";

}  // namespace

base::Result<std::optional<Url>> parse_url(const std::string& text) {
    if (!text.starts_with(scheme)) {
        return std::nullopt;
    }
    const auto slash = text.find('/', scheme.size());
    if (slash == std::string::npos || slash + 1 == text.size()) {
        return base::fail(ErrorCode::invalid_argument, "'{}' names nothing at that address: use {}host:port/name", text,
                          scheme);
    }
    Url url{text.substr(scheme.size(), slash - scheme.size()), text.substr(slash + 1)};
    if (auto places = parse_places(url.addresses); !places) {
        return base::fail(std::move(places));
    }
    return url;
}

base::Result<std::string> name_in(const std::string& name_or_url, std::optional<std::string>& addresses) {
    auto url = parse_url(name_or_url);
    if (!url || !*url) {
        return url ? base::Result<std::string>(name_or_url) : base::fail(std::move(url));
    }
    if (addresses) {
        return base::fail(ErrorCode::invalid_argument, "'{}' has its address in it: leave the option `address` out",
                          name_or_url);
    }
    addresses = std::move((*url)->addresses);
    return std::move((*url)->name);
}

}  // namespace staithe::transport
