#include "stream/holding/holdings.hpp"

#include <utility>

#include "base/log.hpp"
#include "os/shared_memory.hpp"
#include "stream/observing/sendings.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {

base::Result<std::unique_ptr<Holdings>> Holdings::of(std::shared_ptr<transport::Endpoint> endpoint, std::string stream,
                                                     Group group, const memory::Pool& pool,
                                                     const memory::Pool* spill_pool,
                                                     std::optional<std::string> listen) {
    std::unique_ptr<Holdings> holdings(
        new Holdings(std::move(endpoint), std::move(stream), std::move(group), std::move(listen)));
    for (const memory::Pool* each : {&pool, spill_pool}) {
        if (each != nullptr) {
            auto file = os::duplicate_read_only(each->file());
            if (!file) {
                return base::fail(std::move(file));
            }
            holdings->files_->push_back(*std::move(file));
        }
    }
    return holdings;
}

base::Result<> Holdings::offer(const std::optional<std::string>& listen) {
    auto made = BlockOffer::make(
        endpoint_, service_of_blocks(stream_, group_.rank),
        [files = files_, rank = group_.rank, size = group_.size]() -> base::Result<BlockOffer::Files> {
            BlockOffer::Files found;
            for (std::size_t i = 0; i < files->size(); ++i) {
                auto file = (*files)[i].duplicate();
                if (!file) {
                    return base::fail(std::move(file));
                }
                found[static_cast<std::uint32_t>(static_cast<std::size_t>(rank) + i * static_cast<std::size_t>(size))] =
                    *std::move(file);
            }
            return found;
        },
        listen, monitor::Tracer(stream_, group_.rank));
    if (!made) {
        return base::fail(std::move(made));
    }
    offer_ = *std::move(made);
    return {};
}

base::Result<> Holdings::reach_those_who_fetch(const std::vector<std::string>& contacts,
                                               const base::Deadline& deadline) {
    auto fetchers = Fetchers::offer(endpoint_, stream_, group_.rank);
    if (!fetchers) {
        return base::fail(std::move(fetchers));
    }
    fetchers_ = *std::move(fetchers);
    for (const std::string& contact : contacts) {
        if (const auto reached = fetchers_->reach(contact, deadline); !reached) {  // that server may reach this process
            base::log(base::LogLevel::info, "stream '{}': {}", stream_, reached.error().message);
        }
    }
    return {};
}

List Holdings::report_sent() const {
    List links;
    if (offer_) {
        for (const auto& [peer, traffic] : offer_->all_traffic()) {
            links.emplace_back(report_link(peer, traffic->figures()));
        }
    }
    return links;
}

base::Result<std::vector<int>> Holdings::introduce(const transport::Link& director, Attributes& request) {
    const bool is_far = director.is_between_hosts();
    const bool is_same_process = !is_far && director.peer().pid == endpoint_->self().pid;
    if (!offer_ && (is_far || (!is_same_process && endpoint_->place_to_listen(listen_)))) {
        auto offered = offer(listen_);
        const bool port_is_taken = !offered && offered.error().code == ErrorCode::already_exists;
        if (port_is_taken && is_far) {
            offered = offer(":0");  // several ranks of one host were told the same port
        }
        if (!offered && !(port_is_taken && !is_far)) {
            return base::fail(std::move(offered));
        }
    }
    request["pools"] = files_->size();
    if (offer_) {
        request["entry"] = transport::to_json(
            transport::own_entry(transport::Kind::stream, stream_, endpoint_->addresses(), endpoint_->self()));
    }
    std::vector<int> descriptors;
    for (const os::FileDescriptor& file : *files_) {
        if (!is_far) {
            descriptors.push_back(file.get());
        }
    }
    return descriptors;
}

}  // namespace staithe::stream
