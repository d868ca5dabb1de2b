#include "stream/recording/file_sink.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "format/formats.hpp"
#include "stream/opening.hpp"
#include "stream/reading/filed_source.hpp"
#include "stream/recording/appending.hpp"
#include "stream/recording/steps_to_file.hpp"
#include "stream/writing/producer.hpp"
#include "stream/writing/writer_settings.hpp"
#include "transport/directory/entry.hpp"

namespace staithe::stream {
namespace {

using base::fail;

/// A path is no name of a stream: the name of the file, and what tells it from those of other folders.
std::string stream_of(const std::string& path) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    std::string name = absolute.filename().string();
    std::ranges::replace_if(
        name, [](unsigned char each) { return std::isalnum(each) == 0 && each != '.' && each != '-'; }, '_');
    constexpr std::size_t most = 60;
    return fmt::format("f_{}_{:08x}", name.substr(0, most),
                       static_cast<std::uint32_t>(std::hash<std::string>()(absolute.string())));
}

}  // namespace

base::Result<std::shared_ptr<StepSink>> open_in_file(const std::string& stream, const WriterOptions& options) {
    const auto path = FiledSource::path_of(stream, "file");
    if (auto checked = path ? format::check_path(*path) : fail(path); !checked) {
        return fail(std::move(checked));
    }
    const auto codec = resolve_codec(stream, options);
    if (auto checked = codec ? check_file_codec(*codec, options.error) : base::fail(codec); !checked) {
        return fail(std::move(checked));
    }
    const bool is_first = options.group.rank == 0;
    base::Result<std::unique_ptr<format::RecordingWriter>> file(nullptr);
    const auto open_file = [&] { file = format::create_recording(*path, options.attributes, options.resume); };
    std::int64_t first_step = 0;
    if (is_first && options.resume) {
        open_file();
        if (!file) {
            return fail(std::move(file));
        }
        first_step = (*file)->newest().value_or(-1) + 1;
    }
    WriterOptions placed = options;
    placed.placement = "file";
    placed.resume = false;  // of the file, not of a writer that died
    auto producer = Producer::open_at_step(stream == *path ? stream_of(*path) : stream, placed, first_step);
    if (!producer || !is_first) {
        return producer ? base::Result<std::shared_ptr<StepSink>>(*std::move(producer)) : fail(std::move(producer));
    }
    const auto timeout = resolve_timeout(options.timeout);
    if (!timeout) {
        return fail(timeout);
    }
    if (!options.resume) {
        open_file();  // not before it is known that there will be steps
    }
    if (!file) {
        return fail(std::move(file));
    }
    const Group rank_zero_alone{.id = (*producer)->group().id};
    auto source = open_for_follower((*producer)->name(), "file", "producer", rank_zero_alone, *timeout);
    auto steps_to_file =
        source ? StepsToFile::start(*std::move(source), *std::move(file), *codec, *timeout) : fail(source);
    if (!steps_to_file) {
        return fail(std::move(steps_to_file));
    }
    (*producer)->go_along(*std::move(steps_to_file));
    return std::shared_ptr<StepSink>(*std::move(producer));
}

}  // namespace staithe::stream
