// Who goes along with a writer rank, step by step: analyses in its thread, a thread that writes a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <staithe/group.hpp>

#include "base/result.hpp"

namespace staithe::stream {

class StepSource;

class Follower {
  public:
    Follower() = default;
    virtual ~Follower() = default;
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    /// This rank has ended all steps up to `number`, or abandoned them. What it raises, here and below, reaches the
    /// program.
    virtual void follow(std::int64_t number) = 0;
    /// There will be no more. It returns when it is through with all that this rank alone can wait for.
    virtual void finish() = 0;
    /// All ranks have ended the stream: it returns when it is through with the rest.
    virtual void leave() {}
    /// The program has failed, or forgot to close: nobody else is waited for, and what is lost goes to the log.
    virtual void stop() {}
};

/// What a follower reads the steps from, of the stream that it follows: as they were put, each of them. `kind` is the
/// name that its reader group is shown under; `group` are the ranks that follow, and has the writers' id.
base::Result<std::shared_ptr<StepSource>> open_for_follower(const std::string& stream, const std::string& kind,
                                                            const std::string& placement, Group group,
                                                            const std::optional<double>& timeout);

}  // namespace staithe::stream
