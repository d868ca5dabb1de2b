#include "stream/reading/npy/npy_source.hpp"

#include <utility>

#include "os/files.hpp"
#include "store/file_source.hpp"
#include "store/store_set.hpp"
#include "stream/reading/npy/array_file.hpp"

namespace staithe::stream::npy {
using base::fail;

base::Result<std::shared_ptr<StepSource>> NpySource::open(const std::string& stream, const ReaderOptions& options) {
    if (auto checked = check(stream, "a folder of .npy files", options); !checked) {
        return fail(checked);
    }
    const auto folder = path_of(stream, "folder");
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

base::Result<std::shared_ptr<const Step>> NpySource::open_step(std::size_t place) {
    const StepFiles& files = steps_[place];
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
    auto layout = layout_of({std::move(schema)});
    if (!layout) {
        return fail(std::move(layout));
    }
    step->number = files.number;
    step->layout = *std::move(layout);
    step->source = std::make_shared<store::StoreSet>(std::move(stores));
    return step;
}

base::Result<std::shared_ptr<StepSink>> refuse_to_write(const std::string& stream, const WriterOptions& /*options*/) {
    return fail(ErrorCode::invalid_argument,
                "placement 'npy' is for readers, of what NumPy saved: '{}' cannot be written there", stream);
}

}  // namespace staithe::stream::npy
