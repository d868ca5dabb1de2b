#include "stream/holding/fabric_messages.hpp"

#include <bit>
#include <span>
#include <utility>

#include "stream/directing/protocol.hpp"
#include "transport/secret.hpp"

namespace staithe::stream::fabric {
namespace {

constexpr std::size_t most_providers = 32;
constexpr std::size_t longest_address = 256;

base::Failure garbled(const char* what) {
    return {ErrorCode::protocol, fmt::format("what a peer says of {} by RDMA is garbled", what)};
}

/// All 64 bits are of use; messages have signed numbers.
std::int64_t as_signed(std::uint64_t number) { return std::bit_cast<std::int64_t>(number); }
base::Result<std::uint64_t> unsigned_field(const Attributes& body, const std::string& name) {
    return integer_field(body, name, INT64_MIN, INT64_MAX).map([](std::int64_t number) {
        return std::bit_cast<std::uint64_t>(number);
    });
}

}  // namespace

Attributes encode(const Wish& wish) {
    List providers;
    for (const auto& [name, version] : wish.providers) {
        providers.push_back(List{name, version});
    }
    return {{question, agree}, {"host", wish.host}, {"providers", std::move(providers)}};
}

base::Result<Wish> decode_wish(const Attributes& body) {
    auto host = text_field(body, "host");
    const List* const providers = list_field(body, "providers");
    if (!host || host->find_first_not_of("0123456789abcdefABCDEF.:") != std::string::npos || providers == nullptr ||
        providers->size() > most_providers) {
        return tl::unexpected(garbled("its providers"));
    }
    Wish wish{*std::move(host), {}};
    for (const Value& entry : *providers) {
        const List* const pair = entry.as_list();
        if (pair == nullptr || pair->size() != 2 || (*pair)[0].as_string() == nullptr ||
            (*pair)[1].as_string() == nullptr) {
            return tl::unexpected(garbled("its providers"));
        }
        wish.providers.push_back({*(*pair)[0].as_string(), *(*pair)[1].as_string()});
    }
    return wish;
}

Attributes encode(const store::fabric::Terms& terms) {
    const std::span address(reinterpret_cast<const unsigned char*>(terms.address.data()), terms.address.size());
    return {{"provider", terms.provider.name},       {"version", terms.provider.version},
            {"address", transport::hex_of(address)}, {"greeting", as_signed(terms.greeting.address)},
            {"key", as_signed(terms.greeting.key)},  {"number", as_signed(terms.greeting_number)}};
}

base::Result<store::fabric::Terms> decode_terms(const Attributes& body) {
    auto provider = text_field(body, "provider");
    auto version = text_field(body, "version");
    const auto digits = text_field(body, "address");
    const auto greeting = unsigned_field(body, "greeting");
    const auto key = unsigned_field(body, "key");
    const auto number = unsigned_field(body, "number");
    if (!provider || !version || !digits || digits->size() > 2 * longest_address || !greeting || !key || !number) {
        return tl::unexpected(garbled("where it can be read"));
    }
    store::fabric::Terms terms{{*std::move(provider), *std::move(version)}, "", "", {}, *number};
    terms.greeting.address = *greeting;
    terms.greeting.key = *key;
    terms.address.resize(digits->size() / 2);
    if (!transport::from_hex(*digits, {reinterpret_cast<unsigned char*>(terms.address.data()), terms.address.size()})) {
        return tl::unexpected(garbled("where it can be read"));
    }
    return terms;
}

Attributes encode(const Bytes& bytes) {
    return {{question, place}, {"store", bytes.store}, {"offset", bytes.offset}, {"bytes", bytes.bytes}};
}

base::Result<Bytes> decode_bytes(const Attributes& body) {
    const auto store = integer_field(body, "store", 0, UINT32_MAX);
    const auto offset = integer_field(body, "offset", 0, INT64_MAX);
    const auto bytes = integer_field(body, "bytes", 1, INT64_MAX);
    if (!store || !offset || !bytes) {
        return tl::unexpected(garbled("a block that it reads"));
    }
    return Bytes{static_cast<std::uint32_t>(*store), *offset, *bytes};
}

Attributes encode(const transport::fabric::Place& place) {
    return {{"offset", place.offset},
            {"bytes", place.bytes},
            {"address", as_signed(place.address)},
            {"key", as_signed(place.key)}};
}

base::Result<transport::fabric::Place> decode_place(const Attributes& body) {
    const auto offset = integer_field(body, "offset", 0, INT64_MAX);
    const auto bytes = integer_field(body, "bytes", 1, INT64_MAX);
    const auto address = unsigned_field(body, "address");
    const auto key = unsigned_field(body, "key");
    if (!offset || !bytes || *bytes > INT64_MAX - *offset || !address || !key) {
        return tl::unexpected(garbled("its memory"));
    }
    return transport::fabric::Place{*offset, *bytes, *address, *key};
}

}  // namespace staithe::stream::fabric
