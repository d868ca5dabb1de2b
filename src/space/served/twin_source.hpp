// Blocks of which some lie with two servers: where one of them is gone, they are had from the other.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "store/block_source.hpp"
#include "store/space/version_blocks.hpp"

namespace staithe::space {

class TwinSource final : public store::BlockSource {
  public:
    /// Where those blocks are to be read.
    using Reach = std::function<base::Result<std::shared_ptr<store::BlockSource>>(
        std::span<const store::space::VersionBlock> blocks)>;
    TwinSource(std::shared_ptr<store::BlockSource> source, std::span<const store::space::VersionBlock> blocks,
               int servers, Reach reach);

    void expect(std::span<const store::BlockRef> refs) override { source_->expect(refs); }
    base::Result<std::optional<ArrayView>> view(const store::BlockRef& ref,
                                                const store::BlockDescription& block) override {
        return source_->view(ref, block);
    }
    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override { return source_->delay(); }
    void stop() override { source_->stop(); }

  private:
    base::Result<> fetch_of_one(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                                const MutableArrayView& destination);

    const std::shared_ptr<store::BlockSource> source_;
    std::map<store::space::BlockPlace, store::space::BlockPlace> twins_;
    const int servers_;
    const Reach reach_;
};

}  // namespace staithe::space
