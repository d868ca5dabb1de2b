// An analysis: code that runs on complete steps, wherever it is placed.
//
// Written once, it runs as a program of its own (`analyse`) or in the simulation's thread (`Writer::attach`).
// Its calls come from one thread, in order: start, step for every step, finish. What it throws goes to the caller of
// `analyse` or `WriteStep::end`.
//
// A function of a few variables, whose results are a stream of their own, is one, too:
//
//     staithe::FunctionAnalysis extent("extent", {"T"}, {"least", "greatest"}, [](staithe::AnalysisCall& call) {
//         const auto [least, greatest] = std::ranges::minmax(call.input("T").span<double>());
//         call.put("least", least);
//         call.put("greatest", greatest);
//     });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/export.hpp>
#include <staithe/options.hpp>

namespace staithe {

class ReadStep;
enum class Share : std::uint8_t;  // <staithe/reader.hpp>
namespace stream {
class FunctionRun;
}

/// Derive from it, and override `step`; the others as needed.
class STAITHE_API Analysis {
  public:
    virtual ~Analysis() = default;
    /// `group` is the group that analyses together; `attributes` are the stream's.
    virtual void start(const Group& group, const Attributes& attributes);
    virtual void step(const ReadStep& step) = 0;
    virtual void finish();
};

/// What a function is given of a step, or of a block of it, and what it gives.
class STAITHE_API AnalysisCall {
  public:
    /// An array of an input, good until the function returns. NotFound for what is none.
    [[nodiscard]] const ArrayView& input(const std::string& variable) const;
    /// All of the step.
    [[nodiscard]] const ReadStep& step() const;

    /// Copies an output, of any strides. InvalidArgument for what is none; of one that lies where a block does, for
    /// another shape than that has.
    void put(const std::string& variable, const ArrayView& array);
    /// The same of what `view_of` takes: a number, a container, a std::span, an array, a view like std::mdspan.
    template <class A>
    void put(const std::string& variable, const A& array) {
        put(variable, ArrayView(view_of(array)));
    }

  private:
    friend class stream::FunctionRun;
    explicit AnalysisCall(stream::FunctionRun& run) : run_(run) {}
    stream::FunctionRun& run_;
};

struct FunctionOptions {
    /// What the results are called as a stream, or the path of a recording; the analysis's name.
    std::optional<std::string> stream{};
    /// What ranks that analyse together do. None: rank 0 calls the function, with whole arrays. `block`, `count`,
    /// `round`: each rank with its part of each input, and its outputs are local arrays. `process`: each rank for each
    /// of its blocks, as the writer ranks handed them over; its outputs lie where that lies, in arrays of the shape of
    /// the first input that is no number, and other inputs have a block there, too, or are numbers. Of local arrays,
    /// they are local arrays.
    std::optional<Share> share{};
    /// Of the writer of the results; its group and attributes are those of the analysis.
    WriterOptions results{};
};

/// A function of variables, which gives others: all of its outputs in a call, or, without a share, none, and then there
/// is no step. A step of the results has the attributes of the one that they are made of, and its number as "step".
/// What the function throws ends them as failed. An object runs once at a time.
class STAITHE_API FunctionAnalysis final : public Analysis {
  public:
    using Function = std::function<void(AnalysisCall& call)>;
    /// InvalidArgument if there is no input or no output, or one is named twice.
    FunctionAnalysis(std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs,
                     Function function, FunctionOptions options = {});
    FunctionAnalysis(FunctionAnalysis&&) noexcept;
    FunctionAnalysis& operator=(FunctionAnalysis&&) noexcept;
    ~FunctionAnalysis() override;

    void start(const Group& group, const Attributes& attributes) override;
    void step(const ReadStep& step) override;
    void finish() override;

  private:
    std::unique_ptr<stream::FunctionRun> run_;
};

/// Runs the analysis as a reader of the stream, until the stream ends.
STAITHE_API void analyse(Analysis& analysis, const std::string& stream, const ReaderOptions& options = {});

}  // namespace staithe
