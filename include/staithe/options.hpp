// How a stream is opened. Plain values; every field has a default that works on a laptop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/group.hpp>
#include <staithe/transform.hpp>
#include <staithe/value.hpp>

namespace staithe {

/// By how much the values of variables may be off where they have a long way: by name, and for all others under "*".
/// Exact where nothing is said. Bounds are `absolute`, `relative` (to the range of the values that a writer rank has
/// put as one block, or a part of that range) or `pointwise_relative`.
using Errors = std::map<std::string, codecs::Bound>;

/// The queue holds at most `queue_steps` steps that readers have not released, and at most `queue_bytes` of
/// them. Two steps are always admitted (unless `queue_steps` is 1), so that writing and reading overlap. If neither is
/// set, a writer with two large steps in the queue waits for its readers for a moment: memory that they give back is
/// warm.
///
/// When it is full, the overflow policy says what happens:
///     "block"          begin_step waits, with its deadline: nothing is lost
///     "drop-oldest"    the oldest step that no reader has taken yet is dropped
///     "drop-newest"    the new step is dropped
///     "keep-every-K"   as drop-oldest, but the steps whose number is a multiple of K are kept: for those it waits
///     "latest"         readers are given the newest step only; what they have not taken by then is dropped
///     "compress"       further steps are encoded, each variable within its `error`, exactly if it has none: half of
///                      `queue_bytes` is for these, however many steps they are. Full as well: it waits
///     "spill"          steps go to files in `spill_directory`; readers see no difference. Full as well: it waits
/// A step that a reader holds is never dropped. Drops are counted, per reader group. All but "block", "compress" and
/// "spill" need two `queue_steps` at least.
///
/// What is not set here is taken from STAITHE_STREAMS (which `staithe run` sets from the workflow file), then
/// from the default that is named.
struct WriterOptions {
    Group group{};
    std::optional<int> queue_steps{};           // how many steps may wait for readers; 8
    std::optional<std::int64_t> queue_bytes{};  // how many bytes, of all ranks together; 256 MiB
    /// Reader groups that the stream waits for: steps are kept from the first on until as many have joined; 1.
    std::optional<int> readers{};
    /// What happens when the queue is full; "block".
    std::optional<std::string> overflow{};
    /// Where steps are spilled to, and how many bytes of them at most; STAITHE_SPILL_DIRECTORY or /var/tmp, 8 GiB.
    std::optional<std::string> spill_directory{};
    std::optional<std::int64_t> spill_bytes{};
    /// Continues after the last step that an earlier writer of this stream published before it died or gave up:
    /// Writer::next_step() says where. Without one, at step 0.
    bool resume = false;
    /// "producer", "inline", "servers" or "file"; "file" if the stream is called like a recording (`Recorder`), else
    /// STAITHE_PLACEMENT, or "producer". At "servers" a server of this host has the blocks (`staithe serve`), and they
    /// outlive this program: readers may come when it has long gone. At "file" a thread of rank 0 writes each step,
    /// while the program goes on, to the file that the stream is called like, or that STAITHE_STREAMS names as its
    /// "file": as a recorder writes it, within the errors that are said here. close() returns when all are on disk; why
    /// a step is not there, the end of a later one raises, or close(). `resume` goes on with that file.
    std::optional<std::string> placement{};
    /// At placement "servers": how many of the newest steps stay for readers to come, though all others have read them,
    /// and how many bytes at most, of all ranks together; one always stays unless `keep_steps` is 0. They take no room
    /// in the queue. Neither: as many steps and bytes as the queue may have; only one: the other is no limit.
    std::optional<std::int64_t> keep_steps{};
    std::optional<std::int64_t> keep_bytes{};
    /// Bytes of this rank's part of a step, if known: that much is pre-faulted in the background before the first step
    /// needs it.
    std::int64_t reserve_bytes = 0;
    /// Seconds that a call waits at most, or infinity; STAITHE_TIMEOUT. If neither says: for a living peer as long as
    /// it takes, else 60.
    std::optional<double> timeout{};
    /// Attributes of the stream; those of rank 0 count.
    Attributes attributes{};
    /// Of what this rank puts. Values that go to another host are encoded where that has them there sooner, within
    /// these bounds; readers of this host get them as they are.
    Errors error{};
    /// At placement "file": what compresses the variables there, as RecorderOptions::codec has it: "blosc",
    /// "blosc+zstd", or a codec.
    std::optional<std::string> codec{};
    /// Where this process listens for readers of other hosts: a number of this host's, or none for all, and a port,
    /// such as "0.0.0.0:7700" or ":0" (any that is free); or "off". STAITHE_LISTEN; or ":0" if STAITHE_RUN_DIR names a
    /// directory that other hosts may see; or "off". Only rank 0 takes it to heart.
    std::optional<std::string> listen{};
    /// Readers that listen, and that this process connects to and offers the stream, as it does to those of
    /// STAITHE_ADDRESS: "node7:7700", or several with commas between them.
    std::optional<std::string> address{};
};

/// Where a reader group begins, unless it names a step: with the oldest step that is still there, or with the next one
/// that is published.
inline constexpr std::int64_t start_oldest = -1;
inline constexpr std::int64_t start_next = -2;

/// What is not set here is taken from the stream, or is the default that is named.
struct ReaderOptions {
    Group group{};
    std::optional<double> timeout{};  // as for the writer
    /// What happens when this reader group does not keep up: as for the writer, but "compress" and "spill". The
    /// stream's if unset, so one reader may be content with the latest step where the others want all.
    std::optional<std::string> overflow{};
    /// start_oldest, start_next, or the number of a step: earlier ones are passed by.
    std::int64_t start = start_oldest;
    /// When the writer dies, wait for it to come back and go on, rather than throw PeerLost.
    bool resume = false;
    /// What this reader is content with, in the place of what the writer says: finer, coarser, or exact.
    Errors error{};
    /// A codec (codecs::list) that all that comes from another host is to be encoded by, whether it pays or not;
    /// "none": nothing is to be. Empty: whichever has it here sooner, or none.
    std::string codec{};
    /// Variables that each step has beside those that were put, or in their place: "speed = sqrt(u**2 + v**2)", or
    /// several with ';' between them, as for ReadStep::derive. Each stands for itself in those after it. A step that
    /// lacks what one names lacks that one.
    std::vector<std::string> derive{};
    /// A recording of the stream (recorder.hpp), perhaps one that is still written: its steps come first, and then
    /// those of the stream, which is waited for once they were read, from where it ends. Unset: what STAITHE_STREAMS
    /// says of the stream; empty: none, whatever it says. Reader::descriptor is another one once the recording was
    /// read.
    std::optional<std::string> history{};
    /// The name under which this reader group is shown; STAITHE_PROGRAM, or the executable's name.
    std::string program{};
    /// Where the steps are: "producer" or "inline", which read alike, or "npy": in the folder of .npy files that the
    /// stream is called like, or that STAITHE_STREAMS names as its "folder"; or "file": in the recording (recorder.hpp)
    /// that the stream is called like, or that STAITHE_STREAMS names as its "file". What STAITHE_STREAMS says of the
    /// stream; else "file" if it is called like a recording; else STAITHE_PLACEMENT, or "producer".
    std::optional<std::string> placement{};
    /// Where this process listens for a writer of another host that is told its address; STAITHE_LISTEN, or "off".
    std::optional<std::string> listen{};
    /// Where a process listens that knows of the stream, as its writer does: "node7:7700", or several with commas
    /// between them. The stream is then looked for there alone; at those of STAITHE_ADDRESS, if it is not found in the
    /// run directory.
    std::optional<std::string> address{};
};

/// What a put says besides the data. Offset and shape both unset: with one writer rank the block is the whole
/// variable, with several it is this rank's own local array.
struct PutOptions {
    std::optional<Extents> offset{};  // of the block in the variable, per dimension
    std::optional<Extents> shape{};   // of the whole variable
    std::string unit{};
    /// Of these, "_FillValue" is the value that stands for "none here": it stays as it is, and counts for no range.
    Attributes attributes{};
    /// By how much its values may be off at a reader of another host, in the place of what the writer's options say.
    std::optional<codecs::Bound> error{};
    /// Of a loan: its memory lies in Fortran order, not in C order. A put sees the order from its strides.
    bool column_major = false;
};

/// Where nothing is said. Made once: small steps are put in less time than it would take for each.
inline const PutOptions default_put_options{};

}  // namespace staithe
