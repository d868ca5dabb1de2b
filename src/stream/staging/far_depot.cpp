#include "stream/staging/far_depot.hpp"

#include <utility>

#include "stream/directing/protocol.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "stream/opening.hpp"
#include "transport/channel/loss.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {

base::Result<std::shared_ptr<FarDepot>> FarDepot::open(transport::Endpoint& endpoint, const transport::Entry& server,
                                                       const std::string& stream, std::string service,
                                                       std::uint32_t store, const base::Deadline& deadline) {
    auto link = transport::reach(endpoint, server, deadline);
    if (!link) {
        return base::fail(std::move(link));
    }
    const std::string title = fmt::format("{}, {}", server.title(), transport::to_string(server.peer));
    std::shared_ptr<FarDepot> depot(new FarDepot(*std::move(link), title, std::move(service)));
    Attributes request = depot->message(hosting::found);
    request["stream"] = stream;
    request["store"] = store;
    auto answer = depot->link_->call(std::move(request), {}, deadline);
    return answer ? base::Result<std::shared_ptr<FarDepot>>(std::move(depot)) : base::fail(std::move(answer));
}

FarDepot::~FarDepot() {
    stop();
    static_cast<void>(link_->notify(message(hosting::close)));
}

Attributes FarDepot::message(const char* type) const {
    return {{"service", hosting_service}, {"type", type}, {"depot", service_}};
}

base::Result<> FarDepot::take(Consignment consignment, Then then) {
    return errands_.add([this, consignment = std::move(consignment), then = std::move(then)] {
        const auto stowed = have_fetched(consignment);
        if (!stopped_) {
            then(stowed);
        }
    });
}

base::Result<Stowed> FarDepot::have_fetched(const Consignment& consignment) {
    Attributes request = message(hosting::take);
    request.merge(encode(consignment));
    // Fetching itself ends when nothing comes.
    const auto answer =
        link_->call(std::move(request), {}, base::Deadline(base::Seconds(base::forever)), [this]() -> base::Result<> {
            return stopped_ ? base::fail(ErrorCode::closed, "the stream is gone") : base::Result<>();
        });
    if (!link_->is_open()) {
        return base::fail(ErrorCode::closed, "{}, {}: it has blocks of the stream", title_,
                          transport::how_lost(*link_));
    }
    if (answer && base::flag_field(answer->body, hosting::drains)) {
        drains_ = true;
        return base::fail(ErrorCode::limit_reached, "{} is being drained", title_);
    }
    return answer ? decode_stowed(answer->body, consignment) : base::fail(answer);
}

void FarDepot::free(std::int64_t place) {
    Attributes said = message(hosting::free);
    said["place"] = place;
    static_cast<void>(link_->notify(said));
}

void FarDepot::shrink() { static_cast<void>(link_->notify(message(hosting::shrink))); }

}  // namespace staithe::stream
