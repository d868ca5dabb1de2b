#include "stream/holding/far_memory.hpp"

#include <utility>

#include "stream/holding/fabric_messages.hpp"
#include "transport/fabric/fabric.hpp"

namespace staithe::stream {
namespace {

base::Result<store::fabric::Terms> agree_with(Holder& holder, const base::Deadline& deadline) {
    const auto providers = transport::fabric::offers();
    const auto host = providers ? holder.host(deadline) : base::fail(providers);
    const auto answer = host ? holder.ask(fabric::encode(fabric::Wish{*host, *providers}), deadline) : base::fail(host);
    auto terms = answer ? fabric::decode_terms(answer->body) : base::fail(answer);
    if (terms) {
        terms->host = *host;
    }
    return terms;
}

base::Result<transport::fabric::Place> ask_for_place(Holder& holder, const store::BlockRef& ref,
                                                     const base::Deadline& deadline) {
    const auto answer = holder.ask(fabric::encode(fabric::Bytes{ref.store, ref.offset, ref.bytes}), deadline);
    return answer ? fabric::decode_place(answer->body) : base::fail(answer);
}

}  // namespace

store::fabric::FabricOwner fabric_owner(std::shared_ptr<Holder> holder, std::vector<std::uint32_t> stores,
                                        std::function<void(const std::string& way)> tell) {
    return {.name = holder->name(),
            .stores = std::move(stores),
            .agree = [holder](const base::Deadline& deadline) { return agree_with(*holder, deadline); },
            .find = [holder](const store::BlockRef& ref,
                             const base::Deadline& deadline) { return ask_for_place(*holder, ref, deadline); },
            .is_gone = [holder] { return holder->loss().has_value(); },
            .tell = std::move(tell)};
}

}  // namespace staithe::stream
