// Spaces: named stores of variables in versions, which any program puts to and gets from.
//
//     staithe::Space space("campaign");
//     space.put("T", block, {.offset = {{0, 0}}, .shape = {{100, 200}}, .version = 7, .attributes = {{"run", "a12"}}});
//     staithe::SpaceArray T = space.get("T");           // the newest complete version
//     std::vector<double> values = T.copy<double>();
//
// A server keeps a space (`staithe serve`), for all programs that can reach it; where there is none, the process that
// opens the space keeps it, for itself. A version of a variable is put in blocks, by any number of programs, and is
// complete when these cover its shape, or when every rank of the group that puts has said so. From then on it never
// changes. Where blocks overlap, each element is the one that was put last.
//
// Blocking: `get` and `blocks` wait until what is wanted is complete, `put` for the server; each at most `timeout`
// seconds. Ownership: what `get` returns stays as long as somebody holds it, even when its version was removed since.
// Threads: a Space may be used by any number of threads.
// Errors: InvalidArgument, NotFound (no such variable or version, or nobody put what was asked for), AlreadyExists (the
// version is complete), Timeout, PeerLost (the server), LimitReached (no memory left), Closed.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/export.hpp>
#include <staithe/group.hpp>
#include <staithe/reader.hpp>
#include <staithe/space_batch.hpp>
#include <staithe/space_lock.hpp>
#include <staithe/space_watch.hpp>
#include <staithe/value.hpp>

namespace staithe {

namespace space {
class Door;
class Keeper;
class KnownStatistics;
struct Found;
}  // namespace space

/// How a space is opened.
struct SpaceOptions {
    /// Those who put together: a version is complete when all of its ranks have said so.
    Group group{};
    std::optional<double> timeout{};  // seconds; STAITHE_TIMEOUT, or 60
    /// The name of the server that keeps it, or of one on another host its address, "node7:7700" or
    /// "staithe://node7:7700/name"; "" for none: this process does. Nothing: a server of this user's run directory, or
    /// at STAITHE_ADDRESS, if there is one, else this process.
    std::optional<std::string> server{};
};

struct SpaceGet {
    std::optional<std::int64_t> version{};  // nothing: the newest that is complete
    std::optional<Box> box{};               // nothing: all
    std::optional<double> timeout{};        // seconds; nothing: the space's
    /// That of `SpaceVersion`: NotFound if another version has got its number since.
    std::optional<std::int64_t> completion{};
};

/// What was got. Copies share it.
struct SpaceArray {
    std::string variable;
    std::int64_t version = 0;
    Extents shape{};  // of the whole variable
    Box box;          // of this part
    std::string unit;
    Attributes attributes;
    View view;  // read-only; where it lies if one block has it, else a copy

    /// The elements, dense in C order. `T` must have all values of the dtype: InvalidArgument if it does not.
    template <class T>
    [[nodiscard]] std::vector<T> copy() const {
        std::vector<T> values(static_cast<std::size_t>(volume(box.count).value_or(0)));
        copy_to(MutableArrayView::row_major(values.data(), dtype_of<T>(), box.count));
        return values;
    }
    STAITHE_API void copy_to(const MutableArrayView& destination) const;
};

struct SpaceReduce {
    /// The dimensions that go, from 0 on, or from the last one backwards: -1. Nothing: all.
    std::optional<std::vector<std::int64_t>> axes{};
    SpaceGet of{};
};

struct SpaceReduction {
    std::int64_t version = 0;
    View view;  // of the dimensions that stay
};

/// A version of a variable, as it is listed.
struct SpaceVersion {
    std::int64_t version = 0;
    bool complete = false;
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;
    Dtype dtype = Dtype::u8;
    Extents shape{};
    std::string unit;
    Attributes attributes;
    /// Its place among all versions that have become complete in the space, from 1 on; 0 as long as it is not. Its
    /// number may be another's once it is removed, this never is.
    std::int64_t completion = 0;
};

/// Which versions are kept: those that all of these allow. What is not set allows all.
struct SpaceKeep {
    std::optional<std::int64_t> versions{};  // the newest ones: so many
    std::optional<std::int64_t> bytes{};     // of all together
    std::optional<double> seconds{};         // since they were complete
};

struct SpaceQuery {
    std::optional<std::int64_t> version{};  // nothing: the newest that all variables of the condition have complete
    std::optional<std::int64_t> most{};     // so many boxes, the first ones; nothing: all
};

/// Where a condition holds in a version.
struct SpaceQueryResult {
    std::int64_t version = 0;
    std::vector<std::string> variables;       // that the condition names
    std::vector<Box> boxes;                   // of elements that all match; each that matches is in one
    std::int64_t elements = 0;                // how many match, in all
    std::vector<std::int64_t> completions{};  // of the version, for each of the variables
};

/// Is called once, with a future that is ready, in a thread of the library. It must not wait, nor throw.
template <class T>
using SpaceDone = std::function<void(std::future<T>)>;

class STAITHE_API Space {
  public:
    explicit Space(const std::string& name, const SpaceOptions& options = {});

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Who keeps it, for people: "this process", or the server and where it runs.
    [[nodiscard]] std::string kept_by() const;

    /// Copies the block, and returns its version.
    std::int64_t put(const std::string& variable, const ArrayView& block, const SpacePut& options = {});
    /// The same of what `view_of` takes.
    template <class A>
        requires(!std::convertible_to<const A&, ArrayView>)
    std::int64_t put(const std::string& variable, const A& block, const SpacePut& options = {}) {
        return put(variable, ArrayView(view_of(block)), options);
    }

    /// To put many small blocks: see <staithe/space_batch.hpp>.
    [[nodiscard]] SpaceBatch batch();

    [[nodiscard]] SpaceArray get(const std::string& variable, const SpaceGet& options = {}) const;
    /// The same into memory of the caller's, of the box's shape and a dtype that has all values; which version it was.
    /// Who reads step after step touches no new memory. A failure may leave a part of it there.
    std::int64_t read(const std::string& variable, const MutableArrayView& destination,
                      const SpaceGet& options = {}) const;
    /// What `how` says is made of the elements along dimensions, where the blocks lie: servers of other hosts send what
    /// becomes of theirs. As Variable::reduce.
    [[nodiscard]] SpaceReduction reduce(const std::string& variable, const std::string& how,
                                        const SpaceReduce& options = {}) const;
    /// The pieces that `get` would put together: boxes, disjoint, each of which lies in one block, so that to get it is
    /// no copy. What nobody has put is in none.
    [[nodiscard]] std::vector<Box> blocks(const std::string& variable, const SpaceGet& options = {}) const;

    /// The same without waiting. Errors of the call itself come at once, others with the future: Closed if the space
    /// was closed meanwhile. A `get_async` that waits for its version is in nobody's way; 256 may be under way, then it
    /// is LimitReached. Puts are done one after the other, in the order of the calls, of which 1024 may wait; each is
    /// under the locks of the thread that calls. What `block` is a view of must stay as it is until the future is
    /// ready.
    [[nodiscard]] std::future<SpaceArray> get_async(const std::string& variable, const SpaceGet& options = {}) const;
    [[nodiscard]] std::future<std::int64_t> put_async(const std::string& variable, const ArrayView& block,
                                                      const SpacePut& options = {});
    /// The same with a call at the end. Who asks for a stop ends the wait, as by closing.
    void get_async(const std::string& variable, const SpaceGet& options, SpaceDone<SpaceArray> done,
                   std::stop_token stop = {}) const;
    void put_async(const std::string& variable, const ArrayView& block, const SpacePut& options,
                   SpaceDone<std::int64_t> done);

    /// Each version of a variable once it is complete: see <staithe/space_watch.hpp>.
    [[nodiscard]] SpaceWatch watch(const std::string& variable, const SpaceWatchOptions& options = {}) const;

    /// Where a condition holds, such as "T > 300 and not (0 < rho <= 1) and run == 'a12'". Names are variables, all of
    /// one shape, or attributes of their version; `isnan(T)` is understood, too. Comparisons are NumPy's. A condition
    /// is parsed, never run. Parts of a version are summarized when they are first looked at, and are looked at again
    /// only where the summary leaves it open. InvalidArgument says where a condition is wrong, NotFound which name is
    /// unknown.
    [[nodiscard]] SpaceQueryResult query(const std::string& condition, const SpaceQuery& options = {}) const;
    /// A variable's elements in all boxes of a result, box after box, each in C order: an array of one dimension,
    /// copied. NotFound: it does not have that version (any more).
    [[nodiscard]] SpaceArray values(const SpaceQueryResult& hits, const std::string& variable) const;

    /// Waits until nobody else holds, or has asked before for, a lock that excludes it: see <staithe/space_lock.hpp>.
    [[nodiscard]] SpaceLock lock(const std::string& variable, SpaceLockMode mode, const SpaceLockOptions& options = {});
    /// Memory of whoever keeps the space for a block of a version that is not complete, and may be new.
    [[nodiscard]] SpaceLoan loan(const std::string& variable, const SpaceLend& options = {});
    /// Puts it: nothing is copied. Returns its version. The loan is over, whatever happens.
    std::int64_t publish(SpaceLoan&& loan);

    /// The names of variables that match a pattern, in which * stands for any text and ? for one letter.
    [[nodiscard]] std::vector<std::string> names(const std::string& pattern = "*") const;
    /// What names of variables have before a `/`, and what else was given attributes; sorted.
    [[nodiscard]] std::vector<std::string> containers(const std::string& pattern = "*") const;
    /// Of a container, of a variable whatever its versions say, or, for "", of the space. What is null is taken away,
    /// what is not named stays.
    void set_attributes(const std::string& path, const Attributes& attributes);
    [[nodiscard]] Attributes attributes(const std::string& path) const;
    /// Oldest first; incomplete ones, too.
    [[nodiscard]] std::vector<SpaceVersion> versions(const std::string& variable) const;
    /// A version, or the whole variable. What somebody holds of it stays until it is let go.
    void remove(const std::string& variable, std::optional<std::int64_t> version = std::nullopt);
    /// All variables in a container, and the attributes of it and of whatever is in it; of "", all that the space has.
    /// How many variables these were: 0 if there is no such container.
    std::int64_t remove_container(const std::string& path);
    /// Which of the variable's complete versions are kept from now on; others go when new ones come. The newest always
    /// stays, and so does what somebody holds or waits for.
    void keep(const std::string& variable, const SpaceKeep& rules);

    /// Its memory goes as soon as nobody holds it: what a server keeps stays there. Whoever waits in this space or a
    /// copy of it gets Closed.
    void close() noexcept;

  private:
    friend class SpaceBatch;
    friend struct space::Gathered;
    friend class SpaceWatch;
    [[nodiscard]] std::shared_ptr<space::Keeper> keeper() const;
    [[nodiscard]] space::Found find(const std::string& variable, const SpaceGet& options,
                                    std::vector<Box> boxes = {}) const;
    [[nodiscard]] double timeout_of(const std::optional<double>& chosen) const;

    std::string name_;
    Group group_;
    double timeout_;
    std::shared_ptr<space::Door> door_;
    std::shared_ptr<space::KnownStatistics> known_;
};

}  // namespace staithe
