// Many small blocks put, or got, together: see <staithe/space.hpp>.
//
//     staithe::SpaceBatch batch = space.batch();
//     for (int i = 0; i < 10000; ++i) {
//         batch.put("T", samples[i], {.version = i});    // is copied, and sent when there is enough
//     }
//     batch.send();                                      // what is left; all are there now
//
//     staithe::SpaceBatchGet sample = batch.get("T");    // is asked for together with others
//     use(sample.get());                                 // and there now, or when the batch is sent
//
// A server is asked for many of them at once, where `Space::put` asks it for each, while the next ones are gathered.
// They are put in the order in which they came, each for itself: if one of them is refused, the others are put all the
// same, and `send`, or the `put` that sends the next ones, throws, the error of the first one, with a message that
// names those that were refused. What was not sent when the batch goes is not put.
//
// Locks: each block is put under the locks of the thread that puts it, which have to be held until it is sent.
// What is got is as of the blocks that the batch was given before. Each get has its own error, which is thrown by who
// looks at it; those that wait for their versions keep the call that has sent them until these are there.
// Blocking: `put` and `get` where they send, `send`, `SpaceBatchGet::get`; for the space's timeout at most. Threads:
// one at a time uses a batch. Errors: as of `Space::put`; InvalidArgument at once, what the space has against a block
// when it is sent.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/error.hpp>
#include <staithe/export.hpp>
#include <staithe/value.hpp>

namespace staithe {

namespace space {
struct Gathered;
struct Awaited;
}  // namespace space

struct SpaceGet;
struct SpaceArray;

/// What is said of a block beside its data.
struct SpacePut {
    std::optional<Extents> offset{};        // of the block in the variable, per dimension
    std::optional<Extents> shape{};         // of the whole variable; nothing: the block is all of it
    std::optional<std::int64_t> version{};  // nothing: a new one after the newest; not for a group's part of it
    std::string unit{};
    Attributes attributes{};  // of the version
    bool complete = false;    // nothing comes after this from this rank
    /// Whether the block may lie over others of the version. Nothing: not where a group puts, since ranks that write
    /// the same elements are mostly a mistake.
    std::optional<bool> overlap{};
    /// It is put once it is on the disk of the server, which serves it again after a crash: a version all of whose
    /// blocks were put so. InvalidArgument if whoever keeps the space was given no folder (`staithe serve --spill`).
    bool persist = false;
};

/// A block of a batch that was not put.
struct SpacePutFailure {
    std::size_t place = 0;  // among all blocks that the batch was given
    std::string variable;
    std::optional<std::int64_t> version;  // as it was asked for
    ErrorCode code = ErrorCode::system;
    std::string message;
};

/// What a batch is to get. Copies share it; threads do not.
class STAITHE_API SpaceBatchGet {
  public:
    /// As `Space::get`. Has the batch sent, if that was not done yet; Closed if it has gone.
    [[nodiscard]] SpaceArray get() const;

  private:
    friend class SpaceBatch;
    explicit SpaceBatchGet(std::shared_ptr<space::Awaited> awaited) : awaited_(std::move(awaited)) {}
    std::shared_ptr<space::Awaited> awaited_;
};

class STAITHE_API SpaceBatch {
  public:
    SpaceBatch(SpaceBatch&&) noexcept;
    SpaceBatch& operator=(SpaceBatch&&) noexcept;
    SpaceBatch(const SpaceBatch&) = delete;
    SpaceBatch& operator=(const SpaceBatch&) = delete;
    ~SpaceBatch();

    /// Copies the block. Sends what was gathered once it is 1024 blocks or 1 MiB; a block of more than 64 KiB is put
    /// at once, after them.
    void put(const std::string& variable, const ArrayView& block, const SpacePut& options = {});
    /// The same of what `view_of` takes.
    template <class A>
        requires(!std::convertible_to<const A&, ArrayView>)
    void put(const std::string& variable, const A& block, const SpacePut& options = {}) {
        put(variable, ArrayView(view_of(block)), options);
    }

    /// A variable, or a part of it. InvalidArgument if a timeout is given: the batch has the space's for all.
    SpaceBatchGet get(const std::string& variable, const SpaceGet& options);
    SpaceBatchGet get(const std::string& variable);

    /// Sends what is left. When it returns everything is put, and got.
    void send();
    /// Of what was sent last.
    [[nodiscard]] const std::vector<SpacePutFailure>& failures() const;
    /// Blocks, and gets, that are not sent yet.
    [[nodiscard]] std::size_t pending() const;

  private:
    friend class Space;
    explicit SpaceBatch(std::shared_ptr<space::Gathered> gathered);
    std::shared_ptr<space::Gathered> gathered_;
};

}  // namespace staithe
