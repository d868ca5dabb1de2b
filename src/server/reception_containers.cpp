// What programs ask of containers and their attributes.
#include "base/fields.hpp"
#include "server/reception.hpp"
#include "server/safekeeping.hpp"
#include "space/keeper.hpp"

namespace staithe::server {

Reception::Answer Reception::list_containers(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto pattern = catalog ? base::text_field(request.body, "pattern") : base::fail(catalog);
    if (!pattern) {
        return base::fail(pattern);
    }
    return names((*catalog)->containers().list((*catalog)->list("*"), *pattern));
}

Reception::Answer Reception::attributes(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto path = catalog ? base::text_field(request.body, "path") : base::fail(catalog);
    if (!path) {
        return base::fail(path);
    }
    return Reply{{{"attributes", (*catalog)->containers().attributes_of(*path)}}};
}

Reception::Answer Reception::set_attributes(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto path = catalog ? base::text_field(request.body, "path") : base::fail(catalog);
    const Attributes* const attributes = base::map_field(request.body, "attributes");
    if (!path || attributes == nullptr) {
        return path ? base::fail(ErrorCode::protocol, "attributes were to be set, and there are none")
                    : base::fail(path);
    }
    store::space::Containers& containers = (*catalog)->containers();
    containers.set_attributes(*path, *attributes);
    if (safe_ == nullptr) {
        return Reply{};
    }
    safe_->set_attributes({*base::text_field(request.body, "space"), *path, containers.attributes_of(*path)},
                          when_safe(request));
    return std::nullopt;
}

Reception::Answer Reception::remove_container(const Request& request) {
    const auto catalog = catalog_of(request);
    const auto path = catalog ? base::text_field(request.body, "path") : base::fail(catalog);
    if (!path) {
        return base::fail(path);
    }
    const std::int64_t removed = (*catalog)->remove_variables_in(*path);
    const auto bare = (*catalog)->containers().remove(*path);
    if (safe_ == nullptr) {
        return Reply{{{"removed", removed}}};
    }
    for (const std::string& each : bare) {
        safe_->set_attributes({*base::text_field(request.body, "space"), each, {}}, [](const base::Result<>&) {});
    }
    safe_->flush(when_safe(
        request, [removed, homes = homes_led()] { return Reply{{{"removed", removed}, {"homes", homes}}}; }, {}));
    return std::nullopt;
}

}  // namespace staithe::server
