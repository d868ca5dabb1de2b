// What lies in another process's memory, as directors and readers take it: records, tables, schemas, layouts.
#include <cstring>
#include <memory>
#include <vector>

#include "base/value_codec.hpp"
#include "fuzz/bytes.hpp"
#include "stream/describing/layout.hpp"
#include "stream/describing/record.hpp"
#include "stream/describing/schema.hpp"
#include "stream/describing/step_table.hpp"

using namespace staithe;

namespace {

/// In memory of its own, so that reading too far is found.
std::vector<std::byte> in_a_pool(fuzz::Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// The step that a record or a table says it is of.
std::uint64_t step_in(const std::vector<std::byte>& bytes) {
    std::uint64_t step = 0;
    if (bytes.size() >= 16) {
        std::memcpy(&step, bytes.data() + 8, sizeof(step));
    }
    return step;
}

void look_at_record(const std::vector<std::byte>& bytes) {
    if (const auto header = stream::read_record_header(bytes, step_in(bytes))) {
        const stream::RecordView record = stream::view_record(bytes, *header);
        fuzz::require(record.blocks.size_bytes() + record.attributes.size() < bytes.size(),
                      "a record holds its blocks");
        static_cast<void>(base::from_cbor(record.attributes));
    }
}

void look_at_table(const std::vector<std::byte>& bytes) {
    if (const auto table = stream::decode_step_table(bytes, step_in(bytes))) {
        fuzz::require(table->blocks.size() * sizeof(store::BlockRef) <= bytes.size(), "a table holds its blocks");
        static_cast<void>(stream::merge_attributes(table->attributes));
    }
}

void look_at_layout(const std::vector<std::byte>& bytes) {
    if (const auto layout = stream::Layout::decode(bytes, step_in(bytes))) {
        fuzz::require((*layout)->blocks() * sizeof(std::int64_t) <= bytes.size(), "a layout holds its blocks");
        for (const stream::VariableLayout& variable : (*layout)->variables()) {
            fuzz::require((*layout)->find(variable.description->variable) == &variable,
                          "a variable is found by its name");
            for (std::size_t i = 0; i < variable.blocks.size(); ++i) {
                fuzz::require(variable.describe(i).data_bytes() >= 0, "no block has less than nothing");
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes input = fuzz::bytes_of(data, size);
    const auto first = in_a_pool(fuzz::take_part(input));
    look_at_record(first);
    look_at_table(first);
    look_at_layout(first);
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
