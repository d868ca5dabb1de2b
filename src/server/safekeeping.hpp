// Where what a server is told goes, too, before it says that it was done: to disk, or to another server.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "server/persisted_records.hpp"
#include "store/log/record_log.hpp"
#include "store/space/catalog.hpp"

namespace staithe::server {

/// Under the reception's mutex, but for `Done`, which is called without it.
class Safekeeping {
  public:
    /// Called once it is safe, or with the reason why it is not.
    using Done = store::log::RecordLog::Done;
    Safekeeping() = default;
    virtual ~Safekeeping() = default;
    Safekeeping(const Safekeeping&) = delete;
    Safekeeping& operator=(const Safekeeping&) = delete;

    [[nodiscard]] virtual bool keeps(const store::space::Put& put) const = 0;
    /// A block of that version; its bytes, if they lie here, stay as they are until `done` is called.
    virtual void put(const std::string& space, store::space::Put put, const store::space::Version& version,
                     std::span<const std::byte> bytes, Done done) = 0;
    virtual void drop(const std::string& space, const store::space::Version& version) = 0;
    virtual void retain(const PersistedRules& rules, Done done) = 0;
    virtual void set_attributes(const PersistedAttributes& attributes, Done done) = 0;
    /// Of those that have been dropped, how many it has kept.
    [[nodiscard]] virtual std::size_t drops() const = 0;
    /// When all that was said before is safe.
    virtual void flush(Done done) = 0;
};

}  // namespace staithe::server
