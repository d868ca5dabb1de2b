// What another server leads, as this one follows it, until it goes on with it in that one's place.
//
// Of large blocks it knows where they lie; of small ones it has the bytes. It lets nothing go of itself but those.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "server/answers.hpp"
#include "store/space/catalog.hpp"

namespace staithe::server {

class Following {
  public:
    using Spaces = std::map<std::string, std::unique_ptr<store::space::Catalog>>;
    /// Room for bytes of a small block, filled with them.
    using Keep = std::function<base::Result<store::BlockRef>(std::span<const std::byte> bytes)>;
    Following(Keep keep, store::space::GiveBack give_back) : keep_(std::move(keep)), give_back_(std::move(give_back)) {}

    /// `limit_reached` if there was no room for the bytes: the block is lost here, and all else goes on.
    base::Result<> take(const Attributes& change, std::span<const std::byte> bytes);

    /// Whose names these are.
    [[nodiscard]] const std::set<int>& homes() const { return homes_; }
    /// Whether it was told of everything.
    [[nodiscard]] bool has_all() const { return has_all_; }
    [[nodiscard]] Spaces& spaces() { return spaces_; }
    [[nodiscard]] Answers& answers() { return answers_; }
    /// It is this server's from now on: blocks go when nobody has any use for them.
    void lead() { *leads_ = true; }

  private:
    store::space::Catalog& catalog(const std::string& space);
    base::Result<> take_put(const std::string& space, const Attributes& change, std::span<const std::byte> bytes);
    base::Result<> take_removal(const std::string& space, const Attributes& change);
    base::Result<> take_attributes(const std::string& space, const Attributes& change);
    base::Result<> begin(const Attributes& change);
    base::Result<> take_completions(const Attributes& change);

    const Keep keep_;
    const store::space::GiveBack give_back_;
    std::shared_ptr<bool> leads_ = std::make_shared<bool>(false);
    std::set<int> homes_;
    bool has_all_ = false;
    Spaces spaces_;
    Answers answers_;
};

}  // namespace staithe::server
