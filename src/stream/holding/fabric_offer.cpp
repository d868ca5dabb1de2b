#include "stream/holding/fabric_offer.hpp"

#include <utility>

#include "stream/directing/protocol.hpp"
#include "stream/holding/fabric_messages.hpp"
#include "transport/fabric/fabric.hpp"

namespace staithe::stream {

base::Result<Attributes> FabricOffer::answer(const Attributes& request, const Files& files, Agreed& agreed) {
    if (text_field(request, fabric::question) == fabric::agree) {
        return agree(request, files, agreed);
    }
    const auto bytes = fabric::decode_bytes(request);
    if (!bytes || !agreed) {
        return base::fail(ErrorCode::protocol, "a request for memory to read by RDMA is garbled or comes too early");
    }
    return agreed->place_of(bytes->store, bytes->offset, bytes->bytes).map([](const auto& place) {
        return fabric::encode(place);
    });
}

base::Result<Attributes> FabricOffer::agree(const Attributes& request, const Files& files, Agreed& agreed) {
    const auto wish = fabric::decode_wish(request);
    const auto own = wish ? transport::fabric::offers() : base::fail(wish);
    const auto provider = own ? transport::fabric::agree(wish->providers, *own) : base::fail(own);
    if (!provider) {
        return base::fail(provider);
    }
    std::erase_if(exposed_, [](const auto& entry) { return entry.second.expired(); });
    auto& known = exposed_[transport::fabric::to_string(*provider) + " at " + wish->host];
    agreed = known.lock();
    if (!agreed) {
        auto opened = transport::fabric::ExposedPools::open(*provider, wish->host, files);
        if (!opened) {
            return base::fail(std::move(opened));
        }
        known = agreed = *std::move(opened);
    }
    return fabric::encode(
        store::fabric::Terms{*provider, wish->host, agreed->address(), agreed->greeting(), agreed->greeting_number()});
}

}  // namespace staithe::stream
