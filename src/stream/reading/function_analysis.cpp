// Analyses made of functions.
#include <algorithm>
#include <map>
#include <utility>

#include <staithe/analysis.hpp>
#include <staithe/reader.hpp>
#include <staithe/writer.hpp>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "format/formats.hpp"

namespace staithe {
namespace stream {
namespace {

/// STAITHE_PLACEMENT may tell how the stream that is read is placed, and then not the results.
std::optional<std::string> placement_of_results(const std::string& stream) {
    const auto chosen = base::environment("STAITHE_PLACEMENT");
    const auto settings = base::stream_settings(stream);
    const bool is_for_reading = chosen == "inline" || chosen == "npy" || chosen == "file";
    const bool is_settled = stream.find('/') != std::string::npos || format::check_path(stream) || !settings ||
                            find(*settings, "placement") != nullptr;
    return is_for_reading && !is_settled ? std::optional<std::string>("producer") : std::nullopt;
}

}  // namespace

/// What is the same in all calls, and the call that is made.
class FunctionRun {
  public:
    FunctionRun(std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs,
                FunctionAnalysis::Function function, FunctionOptions options)
        : name_(std::move(name)),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)),
          function_(std::move(function)),
          options_(std::move(options)) {
        check_names("inputs", inputs_);
        check_names("outputs", outputs_);
    }

    /// Nobody takes for complete what did not come to its end.
    ~FunctionRun() {
        try {
            fail("was not run to its end");
        } catch (const std::exception& error) {
            base::log(base::LogLevel::warn, "analysis '{}': {}", name_, error.what());
        }
    }
    FunctionRun(const FunctionRun&) = delete;
    FunctionRun& operator=(const FunctionRun&) = delete;

    void start(const Group& group, const Attributes& attributes) {
        group_ = group;
        writer_.reset();
        forget();
        if (options_.share || group.rank == 0) {
            WriterOptions options = options_.results;
            options.group = options_.share ? group : Group{};
            options.attributes = attributes;
            const std::string stream = options_.stream.value_or(name_);
            options.placement = options.placement ? options.placement : placement_of_results(stream);
            writer_.emplace(stream, options);
        }
    }

    void step(const ReadStep& step) {
        if (!writer_) {
            return;  // rank 0 has the whole arrays; or a step before this one failed
        }
        step_ = &step;
        try {
            if (options_.share) {
                begin();  // ranks that write together go through the same steps, whatever they have
            }
            if (options_.share == Share::process) {
                call_by_block();
            } else {
                call(PutOptions());
            }
            if (result_) {
                result_->end();
            }
            result_.reset();
        } catch (const std::exception& error) {
            // Results of later steps would stand where those of this one are missing.
            fail(fmt::format("step {}: {}", step.index(), error.what()));
            throw;
        }
    }

    void finish() {
        if (writer_) {
            writer_->close();
            writer_.reset();
        }
    }

    [[nodiscard]] const ArrayView& input(const std::string& variable) const {
        const auto found = std::ranges::find(inputs_, variable);
        if (found == inputs_.end()) {
            refuse(ErrorCode::not_found, fmt::format("'{}' is no input; there is {}", base::printable(variable),
                                                     base::closest(variable, inputs_)));
        }
        return views_[static_cast<std::size_t>(found - inputs_.begin())].array;
    }

    [[nodiscard]] const ReadStep& step() const { return *step_; }

    void put(const std::string& variable, const ArrayView& array) {
        if (std::ranges::find(outputs_, variable) == outputs_.end()) {
            refuse(ErrorCode::invalid_argument, fmt::format("'{}' is no output; there is {}", base::printable(variable),
                                                            base::closest(variable, outputs_)));
        }
        if (place_.offset && array.shape != count_) {
            refuse(ErrorCode::invalid_argument,
                   fmt::format("output '{}' has the shape {}, and the block where it is to lie {}",
                               base::printable(variable), to_string(array.shape), to_string(count_)));
        }
        begin();
        result_->put(variable, array, place_);
        put_.push_back(variable);
    }

  private:
    /// What was begun for a step.
    void forget() {
        result_.reset();
        views_.clear();
        put_.clear();
    }

    void fail(const std::string& why) {
        forget();
        if (writer_) {
            writer_->fail(fmt::format("analysis '{}': {}", name_, why));
            writer_.reset();
        }
    }

    [[noreturn]] void refuse(ErrorCode code, const std::string& why) const {
        base::raise({code, fmt::format("analysis '{}': {}", base::printable(name_), why)});
    }

    void check_names(const char* what, const std::vector<std::string>& names) const {
        for (auto name = names.begin(); name != names.end(); ++name) {
            if (std::find(names.begin(), name, *name) != name) {
                refuse(ErrorCode::invalid_argument, fmt::format("{} names '{}' twice", what, base::printable(*name)));
            }
        }
        if (names.empty()) {
            refuse(ErrorCode::invalid_argument, fmt::format("{} names no variable", what));
        }
    }

    void begin() {
        if (!result_) {
            result_.emplace(writer_->begin_step());
            Attributes attributes = step_->attributes();
            attributes.try_emplace("step", step_->index());
            for (auto& [name, value] : attributes) {
                result_->set_attribute(name, std::move(value));
            }
        }
    }

    /// With what `views_` has, if anything; else with this rank's arrays. Its outputs lie there.
    void call(PutOptions place) {
        if (!place.offset && views_.empty()) {
            for (const std::string& name : inputs_) {
                views_.push_back(array_of(step_->variable(name)));
            }
        }
        place_ = std::move(place);
        AnalysisCall call(*this);
        function_(call);
        views_.clear();
        const auto missing = std::ranges::find_if(
            outputs_, [this](const std::string& output) { return std::ranges::find(put_, output) == put_.end(); });
        if (!put_.empty() && missing != outputs_.end()) {
            refuse(ErrorCode::invalid_argument, fmt::format("the function has put '{}', and not '{}'",
                                                            base::printable(put_.front()), base::printable(*missing)));
        }
        put_.clear();
    }

    [[nodiscard]] View array_of(const Variable& variable) const {
        const bool is_whole = !options_.share || variable.shape().empty() || *options_.share == Share::process;
        const Selection selection =
            is_whole ? Selection::all(variable.shape()) : variable.part(*options_.share, group_);
        if (auto view = variable.view(selection)) {
            return *std::move(view);
        }
        const Extents shape = shape_of(selection);
        const auto bytes = static_cast<std::size_t>(size_in_bytes(shape, variable.dtype()).value_or(0));
        const auto memory = std::make_shared_for_overwrite<std::byte[]>(bytes);
        const auto array = MutableArrayView::row_major(memory.get(), variable.dtype(), shape);
        variable.read(selection, array);
        return {array, memory};
    }

    void call_by_block() {
        std::vector<Variable> variables;
        for (const std::string& name : inputs_) {
            variables.push_back(step_->variable(name));
        }
        const auto is_number = [](const Variable& each) { return !each.is_local() && each.shape().empty(); };
        const auto found = std::ranges::find_if_not(variables, is_number);
        const Variable& leading = found == variables.end() ? variables.front() : *found;
        const std::vector<std::size_t> blocks = leading.share_of_blocks(group_);
        if (leading.is_local() && blocks.size() > 1) {
            refuse(
                ErrorCode::invalid_argument,
                fmt::format("this rank has {} local arrays of '{}', and each rank writes one: let as many analyse as "
                            "write, or analyse inline",
                            blocks.size(), base::printable(leading.name())));
        }
        const std::vector<BlockInfo> infos = leading.blocks();
        for (const std::size_t block : blocks) {
            views_.clear();
            for (const Variable& variable : variables) {
                const bool is_alone = is_number(variable) && found != variables.end();
                views_.push_back(is_alone ? array_of(variable) : block_like(variable, leading, infos[block]));
            }
            count_ = infos[block].box.count;
            PutOptions place;
            if (!leading.is_local()) {
                place.offset = infos[block].box.offset;
                place.shape = leading.shape();
            }
            call(std::move(place));
        }
    }

    /// The block of a variable where another one has that block: local arrays go together by their ranks.
    [[nodiscard]] View block_like(const Variable& variable, const Variable& leading, const BlockInfo& block) const {
        const std::vector<BlockInfo> infos = variable.blocks();
        const auto same = std::ranges::find_if(infos, [&](const BlockInfo& each) {
            return each.rank == block.rank && (variable.is_local() || each.box == block.box);
        });
        if (same == infos.end() || variable.is_local() != leading.is_local()) {
            refuse(ErrorCode::invalid_argument,
                   fmt::format("'{}' has no block of rank {} where '{}' has {}: inputs are cut alike",
                               base::printable(variable.name()), block.rank, base::printable(leading.name()),
                               to_string(block.box)));
        }
        return variable.block(static_cast<std::size_t>(same - infos.begin()));
    }

    const std::string name_;
    const std::vector<std::string> inputs_;
    const std::vector<std::string> outputs_;
    const FunctionAnalysis::Function function_;
    const FunctionOptions options_;
    Group group_;
    std::optional<Writer> writer_;
    // Of the step:
    const ReadStep* step_ = nullptr;
    std::optional<WriteStep> result_;
    // And of the call:
    std::vector<View> views_;
    std::vector<std::string> put_;
    PutOptions place_;
    Extents count_;
};

}  // namespace stream

const ArrayView& AnalysisCall::input(const std::string& variable) const { return run_.input(variable); }
const ReadStep& AnalysisCall::step() const { return std::as_const(run_).step(); }
void AnalysisCall::put(const std::string& variable, const ArrayView& array) { run_.put(variable, array); }

FunctionAnalysis::FunctionAnalysis(std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs,
                                   Function function, FunctionOptions options)
    : run_(std::make_unique<stream::FunctionRun>(std::move(name), std::move(inputs), std::move(outputs),
                                                 std::move(function), std::move(options))) {}
FunctionAnalysis::FunctionAnalysis(FunctionAnalysis&&) noexcept = default;
FunctionAnalysis& FunctionAnalysis::operator=(FunctionAnalysis&&) noexcept = default;
FunctionAnalysis::~FunctionAnalysis() = default;

void FunctionAnalysis::start(const Group& group, const Attributes& attributes) { run_->start(group, attributes); }
void FunctionAnalysis::step(const ReadStep& step) { run_->step(step); }
void FunctionAnalysis::finish() { run_->finish(); }

}  // namespace staithe
