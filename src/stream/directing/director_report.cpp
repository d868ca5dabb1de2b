// What the director says of its stream to those who look at it: `staithe ls`, `show`, `top`.
#include <algorithm>

#include "stream/describing/layout.hpp"
#include "stream/directing/director.hpp"

namespace staithe::stream {
namespace {

List as_list(const Extents& extents) { return {extents.begin(), extents.end()}; }

base::Result<std::shared_ptr<const Schema>> schema_of(transport::MappedPool& pool, const transport::Message& record) {
    const auto bytes = pool.bytes(record.offset, record.bytes);
    if (!bytes) {
        return base::fail(bytes);
    }
    const auto opened = open_record(*bytes, record.step);
    if (!opened) {
        return base::fail(opened);
    }
    const auto encoded = pool.bytes(opened->header.schema_offset, opened->header.schema_bytes);
    if (!encoded) {
        return base::fail(encoded);
    }
    auto blocks = decode_schema(std::vector(encoded->begin(), encoded->end()));
    if (!blocks) {
        return base::fail(std::move(blocks));
    }
    return std::make_shared<const Schema>(*std::move(blocks));
}

}  // namespace

void Director::describe_variables(const Step& step) {
    std::vector<std::shared_ptr<const Schema>> schemas;
    for (std::size_t rank = 0; rank < writers_.size(); ++rank) {
        WriterRank& writer = writers_[rank];
        if (!writer.mapped) {
            auto file = writer.pool.duplicate();
            if (!file) {
                return;  // out of descriptors: the report goes without
            }
            // Not populated: only records are looked at, never the data.
            writer.mapped =
                std::make_unique<transport::MappedPool>(*std::move(file), os::Access::read_only, os::Populate::no);
        }
        auto schema = schema_of(*writer.mapped, step.records[rank]);
        if (!schema) {
            return;
        }
        schemas.push_back(*std::move(schema));
    }
    const auto layout = Layout::build(std::move(schemas));
    if (!layout) {
        return;  // readers get the reason
    }
    variables_.clear();
    for (const VariableLayout& variable : (*layout)->variables()) {
        const BlockDescription& first = *variable.description;
        variables_.push_back(Attributes{{"name", first.variable},
                                        {"dtype", name_of(first.dtype)},
                                        {"shape", first.local ? Value() : Value(as_list(first.shape))},
                                        {"unit", first.unit},
                                        {"blocks", variable.blocks.size()}});
    }
}

Attributes Director::report() {
    drain();
    const auto newest = std::find_if(steps_.rbegin(), steps_.rend(),
                                     [](const Step& step) { return step.missing == 0 && !step.abandoned; });
    if (newest != steps_.rend()) {
        describe_variables(*newest);
    }
    std::int64_t queued_steps = 0;
    std::int64_t queued_bytes = 0;
    for (const Step& step : steps_) {
        queued_steps += step.missing == 0 ? 1 : 0;
        queued_bytes += step.data_bytes;
    }
    List readers;
    for (const ReaderGroup& group : groups_) {
        std::int64_t released = group.active ? published_steps_.value() : 0;
        std::size_t lag = 0;
        for (const Member* const member : group.members) {
            if (member != nullptr) {
                released = std::min(released, member->released);
                lag = std::max(lag, member->held.size());
            }
        }
        readers.push_back(Attributes{{"program", group.program},
                                     {"pid", group.pid},
                                     {"ranks", group.size},
                                     {"joined", group.joined_at},
                                     {"steps", released},
                                     {"lag", lag + group.waiting.size()},
                                     {"overflow", to_string(group.overflow)},
                                     {"dropped", group.dropped},
                                     {"paused", is_paused(group)},
                                     {"members", report_members(group)}});
    }
    const transport::Peer& self = endpoint_->self();
    Attributes report{{"name", settings_.stream},
                      {"placement", settings_.placement},
                      {"program", self.program},
                      {"pid", self.pid},
                      {"host", self.host},
                      {"ranks", settings_.writers},
                      {"started", started_},
                      {"ended", ended_ ? Value(ended_at_) : Value()},
                      {"steps", published_steps_.value()},
                      {"bytes", published_bytes_.value()},
                      {"queue", Attributes{{"steps", queued_steps},
                                           {"limit_steps", settings_.queue.steps},
                                           {"bytes", queued_bytes},
                                           {"limit_bytes", settings_.queue.bytes}}},
                      {"overflow", to_string(settings_.overflow)},
                      {"dropped", dropped_.value()},
                      {"spilled_steps", spilled_steps_.value()},
                      {"spilled_bytes", spilled_bytes_.value()},
                      {"stall_seconds", stall_seconds()},
                      {"readers", std::move(readers)},
                      {"variables", variables_},
                      {"state", ended_ ? "closed" : "open"}};
    report_waits(report);
    return report;
}

}  // namespace staithe::stream
