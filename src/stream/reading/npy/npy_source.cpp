#include "stream/reading/npy/npy_source.hpp"

#include <utility>

#include "base/config.hpp"
#include "os/files.hpp"
#include "store/file_source.hpp"
#include "store/store_set.hpp"
#include "stream/opening.hpp"
#include "stream/reading/npy/array_file.hpp"

namespace staithe::stream::npy {
namespace {

using base::fail;

base::Result<std::string> folder_of(const std::string& stream) {
    const auto settings = base::stream_settings(stream);
    if (!settings) {
        return fail(settings);
    }
    const Value* folder = find(*settings, "folder");
    if (folder != nullptr && folder->as_string() == nullptr) {
        return fail(ErrorCode::invalid_argument, "STAITHE_STREAMS: the folder of '{}' must be a text", stream);
    }
    return folder != nullptr ? *folder->as_string() : stream;
}

base::Result<> check(const std::string& stream, const ReaderOptions& options) {
    if (options.start == start_next) {
        return fail(ErrorCode::invalid_argument,
                    "'{}' is a folder of .npy files, to which nobody adds steps: it has no next one to start at",
                    stream);
    }
    if (options.overflow.value_or("block") != "block") {
        return fail(ErrorCode::invalid_argument,
                    "'{}' is a folder of .npy files, whose readers get all steps: overflow cannot be '{}'", stream,
                    *options.overflow);
    }
    return check_group(options.group);
}

}  // namespace

base::Result<std::shared_ptr<StepSource>> NpySource::open(const std::string& stream, const ReaderOptions& options) {
    if (auto checked = check(stream, options); !checked) {
        return fail(checked);
    }
    const auto folder = folder_of(stream);
    if (!folder) {
        return fail(folder);
    }
    auto steps = find_steps(*folder);
    if (!steps) {
        return fail(steps);
    }
    std::erase_if(*steps, [&](const StepFiles& step) { return step.number < options.start; });
    return std::shared_ptr<StepSource>(new NpySource(stream, options.group, *std::move(steps)));
}

base::Result<std::shared_ptr<const Step>> NpySource::next(std::optional<double> /*timeout*/) {
    if (closed_ || !home_.here()) {
        return fail(ErrorCode::closed, "the reader of '{}' {}", name(),
                    closed_ ? "was closed" : "was opened before this process was forked: open one here");
    }
    if (taken_ == steps_.size()) {
        return nullptr;
    }
    auto step = open_step(steps_[taken_]);
    taken_ += step ? 1 : 0;
    return step;
}

base::Result<std::shared_ptr<const Step>> NpySource::open_step(const StepFiles& files) {
    auto step = std::make_shared<Step>();
    Schema schema;
    std::vector<std::shared_ptr<store::BlockSource>> stores;
    for (const auto& [variable, path] : files.files) {
        auto file = os::open_for_reading(path);
        const auto array = file ? read_header(*file, path) : fail(file);
        if (!array) {
            return fail(array);
        }
        BlockDescription& block = schema.emplace_back();
        block.variable = variable;
        block.dtype = array->dtype;
        block.column_major = array->column_major;
        block.shape = array->shape;
        block.box = Box::whole(array->shape);
        step->blocks.push_back(
            {.store = static_cast<std::uint32_t>(stores.size()), .offset = array->offset, .bytes = array->bytes});
        stores.push_back(std::make_shared<store::FileSource>(std::make_shared<transport::PoolFile>(*std::move(file))));
    }
    if (auto laid_out = lay_out(std::move(schema)); !laid_out) {
        return fail(laid_out);
    }
    step->number = files.number;
    step->layout = layout_;
    step->source = std::make_shared<store::StoreSet>(std::move(stores));
    return pins_.pin(std::move(step));
}

/// What is the same as in the last step keeps its layout, and so the plans of what was read.
base::Result<> NpySource::lay_out(Schema schema) {
    if (layout_ != nullptr && schema == schema_) {
        return {};
    }
    auto layout = Layout::build({std::make_shared<const Schema>(schema)});
    if (!layout) {
        return fail(layout);
    }
    layout_ = *std::move(layout);
    schema_ = std::move(schema);
    return {};
}

base::Result<> NpySource::close() {
    closed_ = true;
    return {};
}

ReaderStatistics NpySource::statistics() const {
    return {.steps = static_cast<std::int64_t>(taken_), .pinned = pins_.count()};
}

base::Result<std::shared_ptr<StepSink>> refuse_to_write(const std::string& stream, const WriterOptions& /*options*/) {
    return fail(ErrorCode::invalid_argument,
                "placement 'npy' is for readers, of what NumPy saved: '{}' cannot be written there", stream);
}

}  // namespace staithe::stream::npy
