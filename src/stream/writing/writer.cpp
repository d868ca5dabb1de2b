// The public edge of writing: staithe::Writer, WriteStep, Loan. Failures become exceptions here.
#include <staithe/writer.hpp>

#include <utility>

#include "base/log.hpp"
#include "base/value_codec.hpp"
#include "stream/placements.hpp"
#include "stream/writing/step_sink.hpp"
#include "transport/directory/url.hpp"

namespace staithe {

using base::value_or_raise;

Loan::Loan(std::unique_ptr<stream::LentBlock> block) : block_(std::move(block)) {}
Loan::Loan(Loan&&) noexcept = default;
Loan& Loan::operator=(Loan&&) noexcept = default;
Loan::~Loan() = default;

MutableArrayView Loan::array() const {
    if (!block_) {
        base::raise({ErrorCode::closed, "this loan was published or moved from"});
    }
    const store::BlockDescription& lent = block_->description;
    return {block_->block.memory.data, lent.dtype, lent.box.count, lent.view(nullptr).strides};
}

std::size_t Loan::count_for_span(Dtype element) const {
    const MutableArrayView memory = array();
    if (memory.dtype != element) {
        base::raise({ErrorCode::invalid_argument,
                     fmt::format("the loan of '{}' is {}, it gives no span of {}", block_->description.variable,
                                 name_of(memory.dtype), name_of(element))});
    }
    return static_cast<std::size_t>(volume(memory.shape).value_or(0));
}

std::shared_ptr<const void> Loan::owner() const { return block_ ? block_->pool : nullptr; }

void Loan::attach(const std::function<std::shared_ptr<void>(std::span<std::byte> memory)>& make) const {
    static_cast<void>(array());  // where it is over, say so
    block_->pool->attach(block_->block.memory, make);
}

WriteStep::WriteStep(std::shared_ptr<stream::StepSink> sink, std::unique_ptr<stream::StepDraft> draft)
    : sink_(std::move(sink)), draft_(std::move(draft)) {}
WriteStep::WriteStep(WriteStep&&) noexcept = default;

WriteStep& WriteStep::operator=(WriteStep&& other) noexcept {
    std::swap(sink_, other.sink_);
    std::swap(draft_, other.draft_);
    return *this;
}

WriteStep::~WriteStep() {
    if (draft_ && sink_->check_home()) {
        static_cast<void>(sink_->abandon(std::move(draft_)));
    }
}

namespace {

stream::StepDraft& opened(const std::unique_ptr<stream::StepDraft>& draft) {
    if (!draft) {
        base::raise({ErrorCode::closed, "this step has ended: begin the next one"});
    }
    return *draft;
}

stream::StepSink& at_home(const std::shared_ptr<stream::StepSink>& sink) {
    value_or_raise(sink->check_home());
    return *sink;
}

}  // namespace

std::int64_t WriteStep::index() const { return opened(draft_).number; }

void WriteStep::put(const std::string& variable, const ArrayView& block, const PutOptions& options) {
    value_or_raise(at_home(sink_).put(opened(draft_), variable, block, options));
}

Loan WriteStep::loan(const std::string& variable, Dtype dtype, const Extents& count, const PutOptions& options) {
    return Loan(value_or_raise(at_home(sink_).lend(opened(draft_), variable, dtype, count, options)));
}

void WriteStep::publish(Loan&& loan) {
    const std::unique_ptr<stream::LentBlock> block = std::move(loan.block_);
    if (!block) {
        base::raise({ErrorCode::closed, "this loan was published or moved from"});
    }
    value_or_raise(at_home(sink_).publish(opened(draft_), *block));
}

void WriteStep::set_attribute(const std::string& name, Value value) {
    value_or_raise(base::check(Attributes{{name, value}}));  // as it will travel
    opened(draft_).attributes.insert_or_assign(name, std::move(value));
}

void WriteStep::end() {
    static_cast<void>(opened(draft_));
    value_or_raise(at_home(sink_).end(std::move(draft_)));
    sink_->run_followers();
}

void WriteStep::abandon() {
    static_cast<void>(opened(draft_));
    value_or_raise(at_home(sink_).abandon(std::move(draft_)));
}

namespace {

base::Result<std::shared_ptr<stream::StepSink>> open_sink(const std::string& name_or_url, WriterOptions options) {
    const auto stream = transport::name_in(name_or_url, options.address);
    const auto placement = stream ? stream::resolve_placement(*stream, options.placement) : base::fail(stream);
    return placement ? (*placement)->open_writer(*stream, options) : base::fail(placement);
}

}  // namespace

Writer::Writer(const std::string& stream, const WriterOptions& options)
    : sink_(value_or_raise(open_sink(stream, options))) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

WriteStep Writer::begin_step(const std::optional<double>& timeout) {
    at_home(sink_).stop_watching();
    return WriteStep(sink_, value_or_raise(sink_->begin_step(timeout)));
}

int Writer::descriptor() { return value_or_raise(at_home(sink_).descriptor()); }

std::int64_t Writer::next_step() const { return sink_->next_step(); }

void Writer::attach(std::shared_ptr<Analysis> analysis) { at_home(sink_).attach(std::move(analysis)); }

void Writer::close() {
    at_home(sink_).stop_watching();
    sink_->finish_followers();
    value_or_raise(sink_->close());
    sink_->dismiss_followers();
}

void Writer::fail(const std::string& reason) { at_home(sink_).fail(reason); }

const std::string& Writer::name() const { return sink_->name(); }
const Group& Writer::group() const { return sink_->group(); }
const std::string& Writer::placement() const { return sink_->placement(); }
WriterStatistics Writer::statistics() const { return at_home(sink_).statistics(); }

}  // namespace staithe
