// The public edge of reading: staithe::Reader, ReadStep. Failures become exceptions here.
#include <staithe/reader.hpp>

#include <utility>

#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "stream/reading/consumer.hpp"

namespace staithe {

using base::value_or_raise;

ReadStep::ReadStep(std::shared_ptr<const stream::StepView> step) : step_(std::move(step)) {}

std::int64_t ReadStep::index() const { return step_->number; }

Attributes ReadStep::attributes() const {
    Attributes merged;
    // Ranks rarely say more than rank 0; where they disagree the lower rank counts.
    for (const stream::RecordView& record : step_->records) {
        if (record.attributes.empty()) {
            continue;
        }
        Value attributes = value_or_raise(base::from_cbor(record.attributes));
        if (Attributes* map = attributes.as_map()) {
            merged.merge(*map);
        }
    }
    return merged;
}

std::vector<std::string> ReadStep::variables() const {
    std::vector<std::string> names;
    for (const stream::VariableLayout& variable : step_->layout->variables()) {
        names.push_back(variable.description->variable);
    }
    return names;
}

bool ReadStep::has(const std::string& variable) const { return step_->layout->find(variable) != nullptr; }

Variable ReadStep::variable(const std::string& name) const {
    const stream::VariableLayout* layout = step_->layout->find(name);
    if (layout == nullptr) {
        base::raise({ErrorCode::not_found, fmt::format("step {} has no variable '{}'; it has {}", index(), name,
                                                       base::closest(name, variables()))});
    }
    return {step_, layout};
}

namespace {

/// The consumer, if it is this process's, without its watcher.
class AtHome {
  public:
    explicit AtHome(const std::shared_ptr<stream::Consumer>& consumer) : consumer_(*consumer) {
        value_or_raise(consumer_.check_home());
        consumer_.stop_watching();
    }
    ~AtHome() { consumer_.go_on_watching(); }
    AtHome(const AtHome&) = delete;
    AtHome& operator=(const AtHome&) = delete;
    stream::Consumer* operator->() const { return &consumer_; }

  private:
    stream::Consumer& consumer_;
};

}  // namespace

Reader::Reader(const std::string& stream, const ReaderOptions& options)
    : consumer_(value_or_raise(stream::Consumer::open(stream, options))) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

std::optional<ReadStep> Reader::next(std::optional<double> timeout) {
    auto step = value_or_raise(AtHome(consumer_)->next(timeout));
    if (!step) {
        return std::nullopt;
    }
    return ReadStep(std::move(step));
}

void Reader::pause() { value_or_raise(AtHome(consumer_)->pause()); }
void Reader::resume() { value_or_raise(AtHome(consumer_)->resume()); }
void Reader::follow_latest() { value_or_raise(AtHome(consumer_)->follow_latest()); }

int Reader::descriptor(bool once) { return value_or_raise(AtHome(consumer_)->descriptor(once)); }

void Reader::close() { AtHome(consumer_)->close(); }

const std::string& Reader::name() const { return consumer_->name(); }
const Group& Reader::group() const { return consumer_->group(); }
bool Reader::can_hold_a_step() const { return !consumer_->joined().on_request && !consumer_->holds_whole_queue(); }
int Reader::writers() const { return consumer_->joined().writers; }
const Attributes& Reader::attributes() const { return consumer_->joined().attributes; }
ReaderStatistics Reader::statistics() const { return consumer_->statistics(); }

}  // namespace staithe
