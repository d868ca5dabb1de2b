#include "store/remote/saved_models.hpp"

#include <utility>

#include "base/config.hpp"
#include "base/fields.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"

namespace staithe::store::remote {
namespace {

constexpr std::int64_t format = 1;
/// Kinds of offers in a file: if there are more, the old ones make place.
constexpr std::size_t most_models = 1024;
constexpr std::size_t most_bytes = std::size_t{16} << 20;

std::string kind_of(const Offer& offer) {
    return fmt::format("{} {} {} {}", name_of(offer.dtype), codecs::to_string(offer.bound),
                       offer.codec.empty() ? "any" : offer.codec, offer.variable);
}

/// Untrusted. Nothing, if there is no file.
base::Result<Attributes> read_models(const std::string& path, const std::string& machine) {
    const auto text = os::read_file(path, most_bytes);
    if (!text) {
        return text.error().code == ErrorCode::not_found ? base::Result<Attributes>(Attributes()) : base::fail(text);
    }
    const auto value = base::from_json(*text);
    const Attributes* const whole = value ? value->as_map() : nullptr;
    const Attributes* const models = whole == nullptr ? nullptr : base::map_field(*whole, "models");
    if (models == nullptr || !base::integer_field(*whole, "format", format, format)) {
        return base::fail(ErrorCode::protocol, "it is damaged, or of another version");
    }
    if (const auto of = base::text_field(*whole, "machine"); !of || *of != machine) {
        return base::fail(ErrorCode::protocol, "it is of a machine with other processors");
    }
    return *models;
}

}  // namespace

SavedModels::SavedModels(std::string path, std::string machine) : path_(std::move(path)), machine_(std::move(machine)) {
    if (path_.empty()) {
        return;
    }
    if (auto known = read_models(path_, machine_)) {
        known_ = *std::move(known);
    } else {
        base::log(base::LogLevel::warn, "STAITHE_MODELS: nothing is taken from '{}': {}", base::printable(path_),
                  known.error().message);
    }
}

SavedModels& SavedModels::of_process() {
    // Never destroyed: what is learnt may be saved when all else of the process ends.
    static SavedModels& models = *new SavedModels(
        base::models_file().value_or(""), fmt::format("{}, {} cores", os::processor_name(), os::online_cores()));
    return models;
}

void SavedModels::recall(const Offer& offer, transform::Chooser& chooser) const {
    const std::lock_guard lock(mutex_);
    if (const Attributes* const known = base::map_field(known_, kind_of(offer))) {
        chooser.recall(*known);
    }
}

void SavedModels::keep(const Offer& offer, const transform::Chooser& chooser) {
    Attributes saved = path_.empty() ? Attributes() : chooser.saved();
    if (!saved.empty()) {
        const std::lock_guard lock(mutex_);
        kept_[kind_of(offer)] = saved;
        known_[kind_of(offer)] = std::move(saved);
    }
}

base::Result<> SavedModels::save() {
    const std::lock_guard lock(mutex_);
    if (kept_.empty()) {
        return {};
    }
    Attributes models = std::exchange(kept_, {});
    if (auto others = read_models(path_, machine_); others && others->size() + models.size() <= most_models) {
        models.merge(*others);
    }
    return os::write_atomically(
        path_, base::to_json(Attributes{{"format", format}, {"machine", machine_}, {"models", std::move(models)}}));
}

}  // namespace staithe::store::remote
