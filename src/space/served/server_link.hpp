// A server, as this process reaches it: the link to it, the memory that it has given this process to write to, and that
// of others to read from.
//
// All spaces of a process share it. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"
#include "os/fork.hpp"
#include "space/served/far_memory.hpp"
#include "store/block_source.hpp"
#include "store/space/catalog.hpp"
#include "transport/directory/entry.hpp"
#include "transport/endpoint.hpp"
#include "transport/mapped_pool.hpp"

namespace staithe::space {

/// The pools of a server, by their numbers.
class ServerStores final : public store::BlockSource {
  public:
    /// The one there is stays: views lie in it.
    void add(std::uint32_t store, std::shared_ptr<store::BlockSource> source);
    [[nodiscard]] bool has(std::uint32_t store);
    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override;
    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override;

  private:
    /// It stays: nothing takes one out.
    base::Result<store::BlockSource*> store_of(const store::BlockRef& ref, const store::BlockDescription& block);

    std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<store::BlockSource>> stores_;
};

class ServerLink {
  public:
    /// The one there is, or a new one.
    static base::Result<std::shared_ptr<ServerLink>> to(const transport::Entry& entry, const base::Deadline& deadline);

    /// "server 'staithe', python3 (pid 7 on node3)".
    [[nodiscard]] const std::string& title() const { return title_; }
    [[nodiscard]] bool is_open() const { return link_->is_open(); }
    /// `peer_lost`, with its name, once it is gone. While it waits it calls `go_on` about once a second, if there is
    /// one, and fails with what that says.
    base::Result<transport::Packet> call(Attributes request, const base::Deadline& deadline,
                                         const std::function<base::Result<>()>& go_on = nullptr,
                                         std::span<const std::byte> enclosed = {});
    void notify(Attributes message);
    /// As of a link: called once it is gone, as long as what this returns is kept.
    [[nodiscard]] std::shared_ptr<transport::Link::CloseHandler> on_close(transport::Link::CloseHandler handler) {
        return link_->on_close(std::move(handler));
    }

    /// Where this process may write, as the server has reserved it.
    base::Result<std::byte*> writable(const store::BlockRef& ref, const base::Deadline& deadline);
    /// Its memory, if it is on another host; else nullptr, and it is mapped.
    [[nodiscard]] FarMemory* far() const { return far_.get(); }
    /// Where these blocks are to be read: what is not mapped yet of their pools is asked for.
    base::Result<std::shared_ptr<store::BlockSource>> source_of(std::span<const store::space::VersionBlock> blocks,
                                                                const base::Deadline& deadline);

    /// Says it again every so often, as long as what this returns lives.
    std::shared_ptr<void> repeat(const Attributes& message, base::Seconds interval);

    /// Names something in this process's messages.
    std::int64_t next_ticket() { return ++last_ticket_; }

  private:
    ServerLink(std::shared_ptr<transport::Endpoint> endpoint, std::shared_ptr<transport::Link> link,
               const transport::Entry& entry);

    const os::Home home_;
    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::shared_ptr<transport::Link> link_;
    const std::string title_;
    const std::unique_ptr<FarMemory> far_;
    const std::shared_ptr<ServerStores> stores_ = std::make_shared<ServerStores>();
    std::atomic<std::int64_t> last_ticket_{0};
    std::mutex mutex_;
    std::map<std::uint32_t, std::unique_ptr<transport::MappedPool>> own_;  // to write to, by the number of the store
};

}  // namespace staithe::space
