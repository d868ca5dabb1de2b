// The sources of steps that there are: a live stream, recordings of one, whose blocks may
// come encoded from another process, a folder of .npy files, and files of formats.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/deadline.hpp"
#include "conformance/blocks_over_a_pipe.hpp"
#include "conformance/recording.hpp"
#include "conformance/step_source_suite.hpp"
#include "stream/placements.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::testing {
namespace {

/// Writer ranks in threads, which end when their reader has left.
class LiveStream {
  public:
    /// For so many reader groups.
    explicit LiveStream(int readers = 1) : readers_(readers) {}
    ~LiveStream() {
        for (std::thread& rank : ranks_) {
            rank.join();
        }
    }
    LiveStream(const LiveStream&) = delete;
    LiveStream& operator=(const LiveStream&) = delete;

    void write(const Content& content) {
        for (int rank = 0; rank < content.writers; ++rank) {
            ranks_.emplace_back([this, rank, content] { write_rank(rank, content); });
        }
    }

  private:
    void write_rank(int rank, const Content& content) const {
        WriterOptions options;
        options.readers = readers_;
        options.group = {.rank = rank, .size = content.writers};
        options.attributes = content.attributes;
        Writer out("s", options);
        for (const Content::Step& content_of_step : content.steps) {
            WriteStep step = out.begin_step();
            for (const Content::Block& block : content_of_step.blocks) {
                if (block.rank == rank) {
                    step.put(block.variable, ArrayView::row_major(block.values.data(), Dtype::f64, block.count),
                             block.options);
                }
            }
            for (const auto& [name, value] : content_of_step.attributes) {
                step.set_attribute(name, value);
            }
            step.end();
        }
        out.close();
    }

    const int readers_;
    std::vector<std::thread> ranks_;
};

/// Ranks of a group that read in threads, all but one.
class OtherRanks {
  public:
    OtherRanks() = default;
    ~OtherRanks() {
        for (std::thread& rank : ranks_) {
            rank.join();
        }
    }
    OtherRanks(const OtherRanks&) = delete;
    OtherRanks& operator=(const OtherRanks&) = delete;

    void read(const ReaderOptions& options) {
        for (int rank = 0; rank < options.group.size; ++rank) {
            if (rank != options.group.rank) {
                ReaderOptions other = options;
                other.group.rank = rank;
                ranks_.emplace_back([other] {
                    Reader in("s", other);
                    while (in.next()) {
                    }
                });
            }
        }
    }

  private:
    std::vector<std::thread> ranks_;
};

struct Live {
    Reader open(const Content& content, const Group& group) {
        stream.write(content);
        others.read({.group = group});
        return Reader("s", {.group = group});
    }

    LiveStream stream;
    OtherRanks others;
};

template <class Kept>
struct RecordedIn {
    Reader open(const Content& content, const Group& group) {
        LiveStream stream;
        stream.write(content);
        const auto live = stream::resolve_placement("s", std::nullopt).value()->open_reader("s", {}).value();
        return stream::reader_of(std::make_shared<RecordedSource>(record<Kept>(*live), group));
    }
};

/// A folder of files, of arrays that no other tool has written: C order, version 1 of the format.
struct Npy {
    [[nodiscard]] Reader open(const Content& content, const Group& group) const {
        for (std::size_t step = 0; step < content.steps.size(); ++step) {
            for (const Content::Block& block : content.steps[step].blocks) {
                std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
                for (const std::int64_t length : block.count) {
                    header += std::to_string(length) + ",";
                }
                header += ")}\n";
                std::ofstream file(directory / (block.variable + "_" + std::to_string(step) + ".npy"));
                file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
                file.write(reinterpret_cast<const char*>(block.values.data()),
                           static_cast<std::streamsize>(block.values.size() * sizeof(double)));
            }
        }
        return Reader(directory.path(), {.group = group, .placement = "npy"});
    }

    TemporaryDirectory directory;
};

/// Of which format a file is, its ending says.
struct Zarr {
    static constexpr const char* ending = ".zarr";
};
struct Hdf5 {
    static constexpr const char* ending = ".h5";
};

/// A file of a format, that a recorder has written.
template <class Format>
struct Filed {
    [[nodiscard]] Reader open(const Content& content, const Group& group) const {
        LiveStream stream;
        stream.write(content);
        const std::string path = directory.path() + "/s" + Format::ending;
        Reader live("s");
        Recorder out(path, {.attributes = live.attributes()});
        while (const auto step = live.next()) {
            out.append(*step);
        }
        return Reader(path, {.group = group});
    }

    TemporaryDirectory directory;
};

/// Whether a rank of a group of so many waits for a step, so that it has joined.
bool is_awaited_by_one_of(int ranks) {
    const Attributes description = describe("s");
    const List& groups = *find(description, "readers")->as_list();
    return std::any_of(groups.begin(), groups.end(), [&](const Value& group) {
        const List& members = *find(*group.as_map(), "members")->as_list();
        return find(*group.as_map(), "ranks")->as_int() == ranks && !members.empty() &&
               find(*members.front().as_map(), "waiting_seconds")->as_double().has_value();
    });
}

/// The first step of a file, and the others live.
struct Continued {
    Reader open(const Content& content, const Group& group) {
        stream.write(content);
        const std::string path = directory.path() + "/s.zarr";
        {
            Reader recorded("s", ReaderOptions{.program = "record"});
            Recorder(path, {.attributes = recorded.attributes()}).append(*recorded.next());
        }
        const ReaderOptions options{.group = group, .history = path};
        others.read(options);
        // They join when they have read the first step, and would wait for a rank that had left by then.
        const base::Deadline deadline(base::Seconds(30));
        while (group.size > 1 && !is_awaited_by_one_of(group.size) && !deadline.passed()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return Reader("s", options);
    }

    TemporaryDirectory directory;
    LiveStream stream{2};
    OtherRanks others;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Live, StepSources, Live);
INSTANTIATE_TYPED_TEST_SUITE_P(Live, StepSourcesOfRanks, Live);
INSTANTIATE_TYPED_TEST_SUITE_P(Recorded, StepSources, RecordedIn<InAMap>);
INSTANTIATE_TYPED_TEST_SUITE_P(Recorded, StepSourcesOfRanks, RecordedIn<InAMap>);
INSTANTIATE_TYPED_TEST_SUITE_P(EncodedElsewhere, StepSources, RecordedIn<EncodedAndPiped>);
INSTANTIATE_TYPED_TEST_SUITE_P(EncodedElsewhere, StepSourcesOfRanks, RecordedIn<EncodedAndPiped>);
INSTANTIATE_TYPED_TEST_SUITE_P(Npy, StepSources, Npy);
INSTANTIATE_TYPED_TEST_SUITE_P(Continued, StepSources, Continued);
INSTANTIATE_TYPED_TEST_SUITE_P(FiledInZarr, StepSources, Filed<Zarr>);
INSTANTIATE_TYPED_TEST_SUITE_P(FiledInHdf5, StepSources, Filed<Hdf5>);

TEST(StepSource, ThatIsNotLiveRefusesWhatOnlyLiveOnesCan) {
    Reader in = stream::reader_of(std::make_shared<RecordedSource>(Recording{"melt", 1, {}, {}}));
    EXPECT_THROW(in.pause(), InvalidArgument);
    EXPECT_THROW(in.resume(), InvalidArgument);
    EXPECT_THROW(in.follow_latest(), InvalidArgument);
    EXPECT_TRUE(in.can_hold_a_step());
    EXPECT_EQ(in.name(), "melt");
}

}  // namespace
}  // namespace staithe::testing
