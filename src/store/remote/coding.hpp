// What goes to a peer coded: where that has it there sooner than sending it as it is.
//
// What is known of codecs and of the link is shared by all connections to the peer (Traffic).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "store/devices/devices.hpp"
#include "store/remote/encoded_parts.hpp"
#include "store/remote/messages.hpp"
#include "store/remote/traffic.hpp"
#include "transform/choosing/region.hpp"
#include "transform/scratch.hpp"

namespace staithe::store::remote {

/// A part of a block, in the memory of this process.
struct PartToCode {
    Runs runs;  // of elements, from `memory` on
    const std::byte* memory = nullptr;
    std::span<const std::byte> block;  // all of it, or nothing where that is not in memory
    BlockRef ref;
    std::int64_t first = 0;     // byte of the block at which it begins
    std::uint64_t request = 0;  // whose blocks stay as they are until it was answered
};

[[nodiscard]] ArrayView elements_of(const PartToCode& part, Dtype dtype);

class Coding {
  public:
    /// For one peer; `encoded` is what others may have, too, and `devices` encode besides the cores of this process.
    Coding(std::shared_ptr<Traffic> traffic, std::shared_ptr<EncodedParts> encoded,
           std::shared_ptr<devices::Devices> devices);

    ~Coding();
    Coding(const Coding&) = delete;
    Coding& operator=(const Coding&) = delete;

    /// The connection has carried so many bytes in all, while it had some for so much time, and was handed these since
    /// this was called last.
    void watch(std::int64_t bytes, base::Seconds busy, const Traffic::Passed& passed);
    /// The payload of the part, which keeps the offered bound; nothing where it is better sent as it is. Fails if the
    /// codec that is wanted is not there.
    using Payload = std::vector<std::byte>;
    base::Result<std::optional<Payload>> code(const Offer& offer, const PartToCode& part);

  private:
    /// A part that is being coded.
    struct Work {
        const Offer& offer;
        const PartToCode& part;
        ArrayView elements;
        std::shared_ptr<EncodedParts::Kind> kind;
        bool is_shared = false;  // with other peers
        // Once they are wanted:
        std::optional<codecs::Bound> bound{};
        std::optional<EncodedParts::Key> key{};  // of what is shared
        std::vector<devices::Device> busy{};     // with other parts
    };
    struct Choice {
        std::size_t number = 0;  // of the chooser's
        transform::Way way;
        devices::Device device;
        base::Seconds expected{};
    };
    base::Result<> with_chooser(const Offer& offer,
                                base::FunctionRef<void(Traffic::Coded& coded, const transform::Pace& pace)> use);
    base::Result<transform::Region> region_of(const Offer& offer, const PartToCode& part);
    base::Result<> resolve(Work& work);
    base::Result<std::optional<Payload>> had_by_another(Work& work);
    base::Result<std::optional<Payload>> code_anew(Work& work, const transform::Region& region);
    base::Result<Choice> choose(const Work& work, const transform::Region& region);
    base::Result<> leave(Work& work, const Choice& choice, const transform::Region& region, base::Seconds lost,
                         const base::Failure& why);
    base::Result<std::optional<Payload>> encode(Work& work, const Choice& choice);
    void hand(std::int64_t bytes);
    void went(const Work& work, const transform::Way& way, const Payload& payload);
    void share(const Work& work, const transform::Way& way, const Payload& payload);
    base::Result<double> bound_of_block(const Offer& offer, const PartToCode& part);
    base::Result<transform::Region> look_at(const Offer& offer, const PartToCode& part);
    base::Result<codecs::Bound> bound_of(const Offer& offer, const PartToCode& part, const ArrayView& elements);

    const std::shared_ptr<Traffic> traffic_;
    const std::shared_ptr<EncodedParts> encoded_;
    const std::shared_ptr<devices::Devices> devices_;
    const std::uint64_t connection_;
    // The values of the block that was looked at last, for a request.
    struct Looked {
        std::uint64_t request = 0;
        BlockRef ref;
        bool operator==(const Looked&) const = default;
    };
    std::optional<Looked> looked_at_;
    double bound_of_looked_ = 0.0;
    transform::Scratch scratch_;  // to look at parts
};

}  // namespace staithe::store::remote
