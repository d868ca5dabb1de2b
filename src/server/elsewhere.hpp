// Blocks of versions that this server knows of, and that lie with other servers: by the numbers of their stores, which
// no two servers share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "store/block_ref.hpp"
#include "store/space/catalog.hpp"
#include "transport/link.hpp"

namespace staithe::server {

class Elsewhere {
  public:
    void add(const store::BlockRef& ref, const std::shared_ptr<transport::Link>& server, const std::string& title);
    /// It was not taken.
    void forget(const store::space::BlockPlace& place);
    /// Another one, a copy of one that lies there already; false if that server has no such store.
    bool add_beside(const store::space::BlockPlace& copy, const store::space::BlockPlace& before,
                    const transport::Link& server);
    /// Whether it lies elsewhere; if so, its server is told that nobody has any use for it.
    bool free(const store::space::BlockPlace& place);
    static void tell_free(transport::Link& server, const store::space::BlockPlace& place);
    /// That server is gone, and what lay there.
    void lose(const transport::Link* server);
    /// Whose the block was, if it is lost.
    [[nodiscard]] std::optional<std::string> loss_of(const store::BlockRef& ref) const;

  private:
    struct Store {
        std::shared_ptr<transport::Link> server;  // nullptr: it is gone
        std::string title;
        std::int64_t blocks = 0;
    };
    std::map<std::uint32_t, Store> stores_;  // as long as there is a block in it
};

}  // namespace staithe::server
