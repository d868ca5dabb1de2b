#include "stream/reading/live/intake.hpp"

#include <algorithm>
#include <utility>

namespace staithe::stream::live {

base::Result<> KnownLayout::update(std::size_t rank, const RecordHeader& header, transport::MappedPool& pool) {
    KnownSchema& known = schemas_[rank];
    if (!known.schema || known.id != header.schema_id) {
        const auto encoded = pool.bytes(header.schema_offset, header.schema_bytes);
        if (!encoded) {
            return base::fail(encoded);
        }
        auto blocks = decode_schema(std::vector(encoded->begin(), encoded->end()));
        if (!blocks) {
            return base::fail(std::move(blocks));
        }
        known = {header.schema_id, std::make_shared<const Schema>(*std::move(blocks))};
        layout_ = nullptr;
    }
    if (known.schema->size() != header.blocks) {
        return base::fail(ErrorCode::protocol, "record and schema of rank {} do not agree", rank);
    }
    return {};
}

base::Result<std::shared_ptr<const Layout>> KnownLayout::layout() {
    if (!layout_) {
        std::vector<std::shared_ptr<const Schema>> schemas;
        for (const KnownSchema& known : schemas_) {
            schemas.push_back(known.schema);
        }
        auto built = Layout::build(std::move(schemas));
        if (!built) {
            return built;
        }
        layout_ = *std::move(built);
    }
    return layout_;
}

Intake::Intake(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)), by_rank_(connection_->pools.size()), known_(connection_->pools.size()) {}

bool Intake::collect() {
    transport::Message message;
    Membership& membership = *connection_->membership;
    while (!has_step() && membership.down.pop(message)) {
        switch (static_cast<Hot>(message.kind)) {
            case Hot::announce: announced_.push_back(message); break;
            case Hot::end: ended_ = true; break;
            case Hot::writer_failed: failure_ = membership.failure_in(message); [[fallthrough]];
            case Hot::writer_lost: lost_rank_ = message.rank; break;
            default: break;  // a newer director may say more than this version knows
        }
    }
    return has_step();
}

std::int64_t Intake::leave() {
    const std::int64_t left = number();
    announced_.clear();
    return left;
}

base::Result<> sort_by_rank(std::span<const transport::Message> announced,
                            std::vector<const transport::Message*>& by_rank) {
    std::fill(by_rank.begin(), by_rank.end(), nullptr);
    for (const transport::Message& message : announced) {
        if (message.rank >= by_rank.size() || by_rank[message.rank] != nullptr ||
            message.step != announced.front().step) {
            return base::fail(ErrorCode::protocol,
                              "it was not announced once for each of {} writer ranks (rank {}, step {})",
                              by_rank.size(), message.rank, message.step);
        }
        by_rank[message.rank] = &message;
    }
    return {};
}

base::Result<> Intake::read_record(std::size_t rank, PinnedStep& step) {
    const transport::Message& message = *by_rank_[rank];
    transport::MappedPool& pool = *connection_->pools[rank];
    const auto bytes = pool.bytes(message.offset, message.bytes);
    if (!bytes) {
        return base::fail(bytes);
    }
    const auto record = open_record(*bytes, message.step);
    if (!record) {
        return base::fail(record);
    }
    if (auto updated = known_.update(rank, record->header, pool); !updated) {
        return updated;
    }
    const std::size_t first = step.blocks.size();
    record->append_blocks_to(step.blocks);
    for (std::size_t i = first; i < step.blocks.size(); ++i) {
        if (step.blocks[i].store % by_rank_.size() != rank) {
            return base::fail(ErrorCode::protocol, "rank {} names a block in store {}, which is not its own", rank,
                              step.blocks[i].store);
        }
    }
    if (!record->attributes.empty()) {
        step.attributes_of_ranks.emplace_back(record->attributes.begin(), record->attributes.end());
    }
    return {};
}

base::Result<std::shared_ptr<const Step>> Intake::take() {
    auto step = std::make_shared<PinnedStep>(connection_, number());
    step->blocks.reserve(known_.blocks());
    auto taken = sort_by_rank(announced_, by_rank_);
    for (std::size_t rank = 0; taken && rank < by_rank_.size(); ++rank) {
        taken = read_record(rank, *step);
    }
    announced_.clear();
    const auto explained = [&](const base::Failure& failure) {
        return base::fail(failure.code, "stream '{}', step {}: {}", connection_->membership->stream(), step->number,
                          failure.message);
    };
    if (!taken) {
        return explained(taken.error());
    }
    auto layout = known_.layout();
    if (!layout) {
        return explained(layout.error());
    }
    step->layout = *std::move(layout);
    return std::shared_ptr<const Step>(std::move(step));
}

}  // namespace staithe::stream::live
