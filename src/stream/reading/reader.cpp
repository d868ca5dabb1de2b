// The public edge of reading: staithe::Reader, ReadStep. Failures become exceptions here.
#include <staithe/reader.hpp>

#include <utility>

#include "base/text.hpp"
#include "stream/placements.hpp"
#include "stream/reading/derived/definitions.hpp"
#include "stream/reading/derived/derive.hpp"
#include "stream/reading/step_source.hpp"
#include "transport/directory/url.hpp"

namespace staithe {

using base::value_or_raise;

ReadStep::ReadStep(std::shared_ptr<const stream::Step> step, std::shared_ptr<const stream::Definitions> definitions)
    : step_(std::move(step)), definitions_(std::move(definitions)) {}

std::int64_t ReadStep::index() const { return step_->number; }
int ReadStep::writers() const { return static_cast<int>(step_->layout->ranks()); }

Attributes ReadStep::attributes() const { return value_or_raise(step_->attributes()); }

std::vector<std::string> ReadStep::variables() const { return definitions_->names(*step_->layout); }

bool ReadStep::has(const std::string& variable) const { return definitions_->has(variable, *step_->layout); }

Variable ReadStep::variable(const std::string& name) const {
    if (const auto* const defined = definitions_->find(name)) {
        return only_variable_of(value_or_raise(stream::derive(step_, *defined)));
    }
    const stream::VariableLayout* layout = step_->layout->find(name);
    if (layout == nullptr) {
        base::raise({ErrorCode::not_found, fmt::format("step {} has no variable '{}'; it has {}", index(), name,
                                                       base::closest(name, variables()))});
    }
    return {step_, layout};
}

Variable ReadStep::derive(const std::string& expression) const {
    const auto meant = value_or_raise(definitions_->expression(expression));
    return only_variable_of(value_or_raise(stream::derive(step_, meant)));
}

Variable ReadStep::only_variable_of(std::shared_ptr<const stream::Step> step) {
    const stream::VariableLayout* const layout = &step->layout->variables().front();
    return {std::move(step), layout};
}

namespace {

base::Result<std::shared_ptr<stream::StepSource>> open_source(const std::string& name_or_url, ReaderOptions options) {
    const auto stream = transport::name_in(name_or_url, options.address);
    const auto placement = stream ? stream::resolve_placement(*stream, options.placement) : base::fail(stream);
    return placement ? (*placement)->open_reader(*stream, options) : base::fail(placement);
}

}  // namespace

Reader::Reader(const std::string& stream, const ReaderOptions& options)
    : definitions_(std::make_shared<stream::Definitions>(value_or_raise(stream::Definitions::parse(options.derive)))),
      source_(value_or_raise(open_source(stream, options))) {}
Reader::Reader(std::shared_ptr<stream::StepSource> source)
    : definitions_(std::make_shared<stream::Definitions>()), source_(std::move(source)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Reader stream::reader_of(std::shared_ptr<StepSource> source) { return Reader(std::move(source)); }
ReadStep stream::read_step_of(std::shared_ptr<const Step> step) {
    return {std::move(step), std::make_shared<stream::Definitions>()};
}

std::optional<ReadStep> Reader::next(std::optional<double> timeout) {
    auto step = value_or_raise(source_->next(timeout));
    if (!step) {
        return std::nullopt;
    }
    return ReadStep(std::move(step), definitions_);
}

void Reader::pause() { value_or_raise(source_->pause()); }
void Reader::resume() { value_or_raise(source_->resume()); }
void Reader::follow_latest() { value_or_raise(source_->follow_latest()); }

int Reader::descriptor(bool once) { return value_or_raise(source_->descriptor(once)); }

void Reader::close() { value_or_raise(source_->close()); }

const std::string& Reader::name() const { return source_->name(); }
const Group& Reader::group() const { return source_->group(); }
bool Reader::can_hold_a_step() const { return source_->can_hold_a_step(); }
int Reader::writers() const { return source_->writers(); }
const Attributes& Reader::attributes() const { return source_->attributes(); }
ReaderStatistics Reader::statistics() const { return source_->statistics(); }

}  // namespace staithe
