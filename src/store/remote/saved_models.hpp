// What is known of ways of coding when a program ends, for the next one: in the file that STAITHE_MODELS names.
//
// Models hold for processors of one kind; the file has those of several, side by side. Where it is damaged nothing is
// taken, which is told in the log, and it is written anew; a file that is no such one stays as it is. Programs that end
// at the same time may lose what one of them has learnt.
#pragma once

#include <mutex>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "store/remote/messages.hpp"
#include "transform/choosing/chooser.hpp"

namespace staithe::store::remote {

class SavedModels {
  public:
    /// Of that file; an empty path: none. `machine` says what kind of processor this is.
    SavedModels(const std::string& path, std::string machine);
    /// Those of this process.
    static SavedModels& of_process();

    /// Has the chooser begin with what is known of such offers, if anything is.
    void recall(const Offer& offer, transform::Chooser& chooser) const;
    void keep(const Offer& offer, const transform::Chooser& chooser);
    /// Writes what was kept since, beside what others have written meanwhile.
    base::Result<> save();

  private:
    const std::string path_;
    const std::string machine_;
    mutable std::mutex mutex_;
    Attributes known_;  // of this machine, by kind of offer
    Attributes kept_;   // since the file was written
};

}  // namespace staithe::store::remote
