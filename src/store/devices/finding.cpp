#include "store/devices/finding.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/config.hpp"
#include "store/devices/messages.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::store::devices {

std::vector<transport::Entry> devices_of_host(const std::string& run_directory) {
    auto entries = transport::Directory(run_directory).list(transport::Kind::device);
    std::erase_if(entries, [](const transport::Entry& entry) { return !entry.is_here(); });
    return entries;
}

base::Result<transport::Search> search_at(const std::shared_ptr<transport::Endpoint>& endpoint,
                                          const std::string& addresses) {
    auto places = transport::parse_places(addresses);
    return places ? base::Result<transport::Search>(transport::Search(endpoint->run_directory(), endpoint,
                                                                      transport::Kind::device, "",
                                                                      transport::Places{*std::move(places), true}))
                  : base::fail(std::move(places));
}

base::Result<std::vector<transport::Entry>> find_devices(const std::shared_ptr<transport::Endpoint>& endpoint,
                                                         const std::optional<std::string>& address,
                                                         const base::Deadline& deadline) {
    auto entries = address ? std::vector<transport::Entry>() : devices_of_host(endpoint->run_directory());
    const auto addresses = address ? address : base::devices_to_ask();
    if (!addresses) {
        return entries;
    }
    auto search = search_at(endpoint, *addresses);
    auto told = search ? search->list(deadline) : base::fail(std::move(search));
    if (!told) {
        return told;
    }
    std::ranges::move(*told, std::back_inserter(entries));
    return entries;
}

base::Result<Attributes> ask_device(transport::Endpoint& endpoint, const transport::Entry& entry,
                                    const base::Deadline& deadline) {
    const auto link = transport::reach(endpoint, entry, deadline);
    auto answer =
        link ? (*link)->call({{"service", service}, {"type", request::describe}}, {}, deadline) : base::fail(link);
    if (!answer) {
        return base::fail(std::move(answer));
    }
    answer->body.erase("reply");
    return std::move(answer->body);
}

}  // namespace staithe::store::devices
