#include "format/formats.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "format/hdf5/hdf5_reader.hpp"
#include "format/hdf5/hdf5_writer.hpp"
#include "format/zarr/zarr_reader.hpp"
#include "format/zarr/zarr_writer.hpp"
#include "os/files.hpp"

namespace staithe::format {
namespace {

struct Format {
    std::string_view ending;
    base::Result<std::unique_ptr<RecordingWriter>> (*create)(const std::string& path, const Attributes& attributes,
                                                             bool resume);
    base::Result<std::unique_ptr<RecordingReader>> (*open)(const std::string& path);
};

constexpr std::array formats{
    Format{".zarr", zarr::create, zarr::open},
    Format{".h5", hdf5::create, hdf5::open},
    Format{".hdf5", hdf5::create, hdf5::open},
};

std::string endings() {
    std::string text;
    for (const Format& format : formats) {
        text += fmt::format("{}'{}'", text.empty() ? "" : " or ", format.ending);
    }
    return text;
}

base::Result<const Format*> find_format(const std::string& path) {
    const auto* const found =
        std::ranges::find_if(formats, [&](const Format& format) { return path.ends_with(format.ending); });
    return found != formats.end()
               ? base::Result<const Format*>(found)
               : base::fail(ErrorCode::invalid_argument,
                            "'{}' does not say by its ending what kind of file it is: let it end in {}",
                            base::printable(path), endings());
}

}  // namespace

base::Result<> check_path(const std::string& path) {
    const auto format = find_format(os::without_slashes(path));
    return format ? base::Result<>() : base::fail(format);
}

base::Result<std::unique_ptr<RecordingWriter>> create_recording(const std::string& path_as_given,
                                                                const Attributes& attributes, bool resume) {
    const std::string path = os::without_slashes(path_as_given);
    const auto format = find_format(path);
    return format ? (*format)->create(path, attributes, resume) : base::fail(format);
}

base::Result<std::unique_ptr<RecordingReader>> open_recording(const std::string& path_as_given) {
    const std::string path = os::without_slashes(path_as_given);
    const auto format = find_format(path);
    return format ? (*format)->open(path) : base::fail(format);
}

}  // namespace staithe::format
