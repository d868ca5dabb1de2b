// Where the steps of a stream live, by the name that users give: the one list of placements.
//
// A new placement is a folder of its own and a row in placements.cpp. Its name is also in the comments of options.hpp,
// in python/staithe/typing.py and, if workflows may name it, in python/staithe/workflow/model.py.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <staithe/options.hpp>

#include "base/result.hpp"

namespace staithe::stream {

class StepSink;
class StepSource;

struct Placement {
    const char* name;
    /// One rank of a writer group. Never null: where there are readers alone it says so (`invalid_argument`).
    base::Result<std::shared_ptr<StepSink>> (*open_writer)(const std::string& stream, const WriterOptions& options);
    /// One rank of a reader group.
    base::Result<std::shared_ptr<StepSource>> (*open_reader)(const std::string& stream, const ReaderOptions& options);
};

/// What a stream is placed at: the argument, what STAITHE_STREAMS says of the stream, where "file" and "folder" say it,
/// too, STAITHE_PLACEMENT, or "producer".
/// `invalid_argument` lists what there is.
base::Result<const Placement*> resolve_placement(const Attributes& settings,
                                                 const std::optional<std::string>& argument);
/// The same, for the stream of that name. One that is called like a recording is one, unless something else is said of
/// it.
base::Result<const Placement*> resolve_placement(const std::string& stream, const std::optional<std::string>& argument);

}  // namespace staithe::stream
