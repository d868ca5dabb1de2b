#include "stream/holding/fetchers.hpp"

#include <algorithm>
#include <utility>

#include "base/fields.hpp"
#include "stream/directing/protocol.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {
namespace {

/// The director waits for the answer.
constexpr base::Seconds time_to_reach{2.0};

}  // namespace

std::string service_of_fetchers(const std::string& stream, int rank) {
    return fmt::format("fetchers of {}, rank {}", stream, rank);  // no stream is called so
}

base::Result<std::shared_ptr<Fetchers>> Fetchers::offer(std::shared_ptr<transport::Endpoint> endpoint,
                                                        std::string stream, int rank) {
    const std::string service = service_of_fetchers(stream, rank);
    std::shared_ptr<Fetchers> fetchers(new Fetchers(std::move(endpoint), std::move(stream)));
    auto offered = fetchers->endpoint_->offer(
        service,
        [weak = std::weak_ptr(fetchers)](const auto& link, const auto& request) {
            if (const auto self = weak.lock()) {
                self->answer(link, request);
            }
        },
        "off");  // the director has a link
    if (!offered) {
        return base::fail(std::move(offered));
    }
    Fetchers* const made = fetchers.get();
    return std::shared_ptr<Fetchers>(made, [fetchers = std::move(fetchers), service](Fetchers* withdrawn) mutable {
        withdrawn->endpoint_->withdraw(service);
        fetchers = nullptr;
    });
}

base::Result<> Fetchers::reach(const std::string& contact, const base::Deadline& deadline) {
    auto entry = transport::entry_from_json("the contact of a server", transport::Kind::stream, stream_, contact);
    if (entry) {
        entry->told_by = "the director";
    }
    auto link = entry ? transport::reach(*endpoint_, *entry, deadline) : base::fail(entry);
    if (!link) {
        return base::fail(std::move(link));
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(links_, [&](const auto& known) { return known == *link || !known->is_open(); });
    if (links_.size() >= most_depots) {
        return base::fail(ErrorCode::limit_reached, "stream '{}': {} servers fetch it already", stream_, most_depots);
    }
    links_.push_back(*std::move(link));
    return {};
}

/// That takes as long as it takes to connect.
void Fetchers::answer(const std::shared_ptr<transport::Link>& link, const transport::Packet& request) {
    auto begun =
        errands_.add([this, link, id = request.id(), contact = text_field(request.body, "contact").value_or("")] {
            auto reached = reach(contact, base::Deadline(time_to_reach));
            static_cast<void>(
                link->reply(id, reached ? base::Result<Attributes>(Attributes{}) : base::fail(std::move(reached))));
        });
    if (!begun) {
        static_cast<void>(link->reply(request.id(), base::fail(std::move(begun))));
    }
}

}  // namespace staithe::stream
