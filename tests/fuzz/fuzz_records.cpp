// What lies in another process's pool, as a reader takes it: records, schemas, and the layout of several ranks.
#include <cstring>
#include <memory>
#include <vector>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "stream/describing/layout.hpp"
#include "stream/describing/schema.hpp"

using namespace staithe;

namespace {

/// At a place that is aligned as pools are.
std::vector<std::byte> in_a_pool(fuzz::Bytes bytes) { return {bytes.begin(), bytes.end()}; }

void look_at_record(fuzz::Bytes bytes) {
    const auto record = in_a_pool(bytes);
    std::uint64_t step = 0;
    if (record.size() >= 16) {
        std::memcpy(&step, record.data() + 8, sizeof(step));
    }
    if (const auto view = stream::view_record(record, step)) {
        std::int64_t sum = 0;
        for (const std::int64_t offset : view->offsets) {
            sum ^= offset;
        }
        static_cast<void>(sum);
        static_cast<void>(base::from_cbor(view->attributes));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    look_at_record(fuzz::take_part(input));
    std::vector<std::shared_ptr<const stream::Schema>> schemas;
    while (!input.empty() && schemas.size() < 4) {
        const auto encoded = in_a_pool(fuzz::take_part(input));
        auto blocks = stream::decode_schema(encoded);
        if (!blocks) {
            continue;
        }
        const auto written = stream::encode_schema(*blocks).value();
        const auto again = stream::decode_schema(written);
        fuzz::require(again && stream::encode_schema(*again).value() == written, "a schema survives being written");
        for (const stream::BlockDescription& block : *blocks) {
            fuzz::require(block.data_bytes() >= 0, "no block has less than nothing");
            static_cast<void>(block.view(nullptr));
        }
        schemas.push_back(std::make_shared<const stream::Schema>(*std::move(blocks)));
    }
    if (const auto layout = stream::Layout::build(std::move(schemas))) {
        for (const stream::VariableLayout& variable : (*layout)->variables()) {
            fuzz::require((*layout)->find(variable.description->variable) == &variable,
                          "a variable is found by its name");
        }
    }
    return 0;
}
