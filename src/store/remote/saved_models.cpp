#include "store/remote/saved_models.hpp"

#include <filesystem>
#include <string_view>
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
/// Of all such files: what begins otherwise is somebody's.
constexpr std::string_view beginning = R"({"format":1,)";
/// Kinds of offers in a file: if there are more, the old ones make place.
constexpr std::size_t most_models = 1024;
constexpr std::size_t most_bytes = std::size_t{16} << 20;

std::string kind_of(const Offer& offer) {
    return fmt::format("{} {} {} {}{}", name_of(offer.dtype), codecs::to_string(offer.bound),
                       offer.codec.empty() ? "any" : offer.codec, offer.variable,
                       offer.computed ? " = " + offer.computed->formula : "");
}

/// The models of all machines that a file has, by their names; untrusted. Nothing, if there is no file, or nothing in
/// it.
base::Result<Attributes> read_machines(const std::string& path) {
    const auto text = os::read_file(path, most_bytes);
    if (!text || text->empty()) {
        return text || text.error().code == ErrorCode::not_found ? base::Result<Attributes>(Attributes())
                                                                 : base::fail(text);
    }
    if (!text->starts_with(beginning)) {
        return base::fail(ErrorCode::invalid_argument, "it is no file of models: name another one");
    }
    const auto value = base::from_json(*text);
    const Attributes* const whole = value ? value->as_map() : nullptr;
    const Attributes* const machines = whole == nullptr ? nullptr : base::map_field(*whole, "machines");
    return machines != nullptr ? base::Result<Attributes>(*machines)
                               : base::fail(ErrorCode::protocol, "it is damaged, and will be written anew");
}

}  // namespace

SavedModels::SavedModels(const std::string& path, std::string machine)
    : path_(path.empty() ? "" : std::filesystem::absolute(path).string()), machine_(std::move(machine)) {
    if (path_.empty()) {
        return;
    }
    const auto machines = read_machines(path_);
    if (!machines) {
        base::log(base::LogLevel::warn, "STAITHE_MODELS: nothing is taken from '{}': {}", base::printable(path_),
                  machines.error().message);
    } else if (const Attributes* const own = base::map_field(*machines, machine_)) {
        known_ = *own;
    }
}

SavedModels& SavedModels::of_process() {
    const auto made = [] {
        const auto path = base::models_file();
        return path ? new SavedModels(*path, fmt::format("{}, {} cores", os::processor_name(), os::online_cores()))
                    : new SavedModels("", "");
    };
    // Never destroyed: what is learnt may be saved when all else of the process ends.
    static SavedModels& models = *made();
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
    const auto machines = read_machines(path_);
    Attributes models = std::exchange(kept_, {});
    if (!machines && machines.error().code != ErrorCode::protocol) {
        return base::fail(machines.error().code, "nothing is written to '{}': {}", base::printable(path_),
                          machines.error().message);
    }
    Attributes all = machines.value_or(Attributes());
    if (const Attributes* const before = base::map_field(all, machine_);
        before != nullptr && before->size() + models.size() <= most_models) {
        models.insert(before->begin(), before->end());
    }
    all[machine_] = std::move(models);
    return os::write_atomically(path_, base::to_json(Attributes{{"format", format}, {"machines", std::move(all)}}));
}

}  // namespace staithe::store::remote
