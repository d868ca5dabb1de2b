// An analysis: code that runs on complete steps, wherever it is placed.
//
// Written once, it runs as a program of its own (`analyse`) or in the simulation's thread (`Writer::attach`).
// Its calls come from one thread, in order: start, step for every step, finish. What it throws goes to the caller of
// `analyse` or `WriteStep::end`.
#pragma once

#include <memory>
#include <string>

#include <staithe/export.hpp>
#include <staithe/options.hpp>

namespace staithe {

class ReadStep;

/// Derive from it, and override `step`; the others as needed.
class STAITHE_API Analysis {
  public:
    virtual ~Analysis() = default;
    /// `group` is the group that analyses together; `attributes` are the stream's.
    virtual void start(const Group& group, const Attributes& attributes);
    virtual void step(const ReadStep& step) = 0;
    virtual void finish();
};

/// Runs the analysis as a reader of the stream, until the stream ends.
STAITHE_API void analyse(Analysis& analysis, const std::string& stream, const ReaderOptions& options = {});

}  // namespace staithe
