// Steps into files that stock tools read.
//
//     staithe::Recorder out("melt.zarr");
//     staithe::Reader in("melt");
//     while (std::optional<staithe::ReadStep> step = in.next()) {
//         out.append(*step);
//     }
//
// The ending of the path says which format it is: ".zarr", Zarr version 3; ".h5" or ".hdf5", HDF5. A `Reader` of that
// path reads the steps back.
//
// Blocking: `append` returns once the step is on disk. A program that is killed meanwhile leaves all steps that were
// appended, and nothing of the one that was not.
// Threads: one at a time may use a Recorder, and no process that was forked off after it was opened.
// Errors: InvalidArgument (what the format cannot hold: the message says what), AlreadyExists (there is something at
// the path, or another recorder writes there), LimitReached (the disk is full), SystemFailure; and those of readers,
// for steps that come from other programs. After any of them the recording has the steps that it had, and takes more.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/export.hpp>
#include <staithe/reader.hpp>
#include <staithe/transform.hpp>
#include <staithe/value.hpp>

namespace staithe {

namespace stream {
struct Recording;
}

struct RecorderOptions {
    /// Of the recording: most often those of the stream.
    Attributes attributes{};
    /// By the names of variables, how far values may be off in the file; "*": of all others. Such variables are rounded
    /// to as few bits as that takes, and compressed: any tool reads them; less than 16 KiB a step stays as it is.
    /// Bounds are absolute, relative or pointwise relative, the same in all steps. Of what has no bound, or an exact
    /// one, every bit is as it was. A variable has its bound as the attribute "error".
    Errors error{};
    /// What compresses variables of 16 KiB a step and more. Empty: what has a bound, as any tool reads it, and nothing
    /// else. "blosc": all of them, so; "blosc+zstd": likewise, in fewer bytes at a third of the speed. A codec
    /// (codecs::list): all of them, by it, within the bounds; other tools need Staithe's plugin to read that. The same
    /// in all steps.
    std::string codec{};
    /// The names of those that are recorded; empty: all.
    std::vector<std::string> variables{};
    /// Goes on with what is there. Nothing there: begins.
    bool resume = false;
};

/// Raises what a Recorder of these would, as far as that can be told before there are steps, and makes nothing.
STAITHE_API void check_recording(const std::string& path, const RecorderOptions& options = {});

class STAITHE_API Recorder {
  public:
    explicit Recorder(std::string path, const RecorderOptions& options = {});
    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) noexcept;
    ~Recorder();

    /// All of the step, under its number, which is greater than those before. InvalidArgument, too, if the first step
    /// lacks a variable for which there is a bound; NotFound if it lacks one of `variables`.
    void append(const ReadStep& step);
    /// Closing again does nothing; others may write there then.
    void close();

    [[nodiscard]] const std::string& path() const { return path_; }
    /// The number of the newest step that it has.
    [[nodiscard]] std::optional<std::int64_t> newest() const;

  private:
    std::string path_;
    std::unique_ptr<stream::Recording> recording_;  // null: closed
};

}  // namespace staithe
