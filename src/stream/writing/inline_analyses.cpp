#include "stream/writing/inline_analyses.hpp"

#include <staithe/reader.hpp>

#include "stream/placements.hpp"
#include "stream/writing/producer.hpp"

namespace staithe::stream {

base::Result<std::unique_ptr<InlineAnalyses>> InlineAnalyses::open(const std::string& stream, const Group& group,
                                                                   std::optional<double> timeout) {
    ReaderOptions options;
    options.group = group;
    options.group.id += inline_group;
    options.program = "inline";
    options.timeout = timeout;
    // They read each step as it is ended, so they never hold the writer up; a step that was dropped they would await.
    options.overflow = "block";
    const auto placement = resolve_placement(stream, "inline");
    auto source = placement ? (*placement)->open_reader(stream, options) : base::fail(placement);
    if (!source) {
        return base::fail(std::move(source));
    }
    return std::unique_ptr<InlineAnalyses>(new InlineAnalyses(*std::move(source)));
}

void InlineAnalyses::add(std::shared_ptr<Analysis> analysis) {
    analysis->start(source_->group(), source_->attributes());
    analyses_.push_back(std::move(analysis));
}

void InlineAnalyses::run_steps(std::int64_t number) {
    // More than one if steps were written before the first analysis was attached.
    for (std::int64_t reached = -1; reached < number;) {
        const auto read = base::value_or_raise(source_->next_up_to(number));
        if (!read) {
            return;
        }
        reached = read->number;
        const ReadStep step(read);
        for (const auto& analysis : analyses_) {
            analysis->step(step);
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
    if (!analyses_) {
        analyses_ = base::value_or_raise(InlineAnalyses::open(stream_, group_, timeout_));
    }
    analyses_->add(std::move(analysis));
}

void Producer::run_analyses() {
    if (analyses_) {
        analyses_->run_steps(next_step_ - 1);
    }
}

void Producer::finish_analyses() {
    if (analyses_) {
        analyses_->finish();
        analyses_.reset();
    }
}

}  // namespace staithe::stream
