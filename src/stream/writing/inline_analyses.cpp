#include "stream/writing/inline_analyses.hpp"

#include <exception>

#include <staithe/reader.hpp>

#include "stream/directing/protocol.hpp"
#include "stream/writing/producer.hpp"

namespace staithe::stream {

base::Result<std::unique_ptr<InlineAnalyses>> InlineAnalyses::open(const std::string& stream, const Group& group,
                                                                   std::optional<double> timeout) {
    auto source = open_for_follower(stream, inline_group, "inline", group, timeout);
    if (!source) {
        return base::fail(std::move(source));
    }
    return std::unique_ptr<InlineAnalyses>(new InlineAnalyses(*std::move(source)));
}

void InlineAnalyses::add(std::shared_ptr<Analysis> analysis) {
    analysis->start(source_->group(), source_->attributes());
    analyses_.push_back(std::move(analysis));
}

void InlineAnalyses::follow(std::int64_t number) {
    // More than one if steps were written before the first analysis was attached.
    for (std::int64_t reached = -1; reached < number;) {
        const auto read = base::value_or_raise(source_->next_up_to(number, std::nullopt));
        if (!read) {
            return;
        }
        reached = read->number;
        const ReadStep step = read_step_of(read);
        // What one of them raises is none of the others' doing.
        std::exception_ptr first;
        for (const auto& analysis : analyses_) {
            try {
                analysis->step(step);
            } catch (...) {
                first = first ? first : std::current_exception();
            }
        }
        if (first) {
            std::rethrow_exception(first);
        }
    }
}

void InlineAnalyses::finish() {
    for (const auto& analysis : analyses_) {
        analysis->finish();
    }
    analyses_.clear();
    base::value_or_raise(source_->close());
}

// What Producer does with them; here, so that producer.cpp knows nothing of reading.

void Producer::attach(std::shared_ptr<Analysis> analysis) {
    if (analyses_ == nullptr) {
        auto analyses = base::value_or_raise(InlineAnalyses::open(stream_, group_, timeout_));
        analyses_ = analyses.get();
        go_along(std::move(analyses));
    }
    analyses_->add(std::move(analysis));
}

}  // namespace staithe::stream
