// What a writer rank above 0 holds, as its director and readers learn of it: the files of its pools, and the offer of
// what is in them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <staithe/group.hpp>
#include <staithe/value.hpp>

#include "base/result.hpp"
#include "memory/pool.hpp"
#include "os/file_descriptor.hpp"
#include "stream/holding/block_offer.hpp"
#include "stream/holding/fetchers.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {

class Holdings {
  public:
    /// The pool in memory, and that on disk or null. `listen` is where the user has said that this rank listens.
    static base::Result<std::unique_ptr<Holdings>> of(std::shared_ptr<transport::Endpoint> endpoint, std::string stream,
                                                      Group group, const memory::Pool& pool,
                                                      const memory::Pool* spill_pool,
                                                      std::optional<std::string> listen);

    /// Adds to the rank's request to join what that director is to know, and returns the files that go with it: one of
    /// this host is passed them. From one elsewhere readers learn whom to ask.
    base::Result<std::vector<int>> introduce(const transport::Link& director, Attributes& request);

    /// Makes a link to each of these servers, by their contacts, which are to fetch the blocks and may have no other
    /// way to this process; and to those that the director tells of later.
    base::Result<> reach_those_who_fetch(const std::vector<std::string>& contacts, const base::Deadline& deadline);

    /// What goes to those who have asked for blocks, as reports have it: over which links, and what of it encoded.
    [[nodiscard]] List report_sent() const;

    /// Whether others ask this process for the blocks: then they are gone with it.
    [[nodiscard]] bool are_asked_for() const { return offer_ != nullptr; }
    [[nodiscard]] const Group& group() const { return group_; }

  private:
    Holdings(std::shared_ptr<transport::Endpoint> endpoint, std::string stream, Group group,
             std::optional<std::string> listen)
        : endpoint_(std::move(endpoint)),
          stream_(std::move(stream)),
          group_(std::move(group)),
          listen_(std::move(listen)) {}
    base::Result<> offer(const std::optional<std::string>& listen);

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::string stream_;
    const Group group_;
    const std::optional<std::string> listen_;
    // Shared with the offer, which may be answering somebody while this goes.
    const std::shared_ptr<std::vector<os::FileDescriptor>> files_ = std::make_shared<std::vector<os::FileDescriptor>>();
    std::shared_ptr<Fetchers> fetchers_;  // none: it is not written at servers
    std::shared_ptr<BlockOffer> offer_;   // none: the director passes the files on
};

}  // namespace staithe::stream
