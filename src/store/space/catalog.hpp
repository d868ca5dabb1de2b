// What a space holds: its variables, their versions, and of each version the blocks that were put.
//
// A version takes blocks until it is complete: when they cover its shape, or when everybody who had to has said so.
// From then on nobody changes it. It stays as long as it is in the catalog or somebody holds it; with the last of them
// its blocks are given back. Knows neither memory nor messages; times are handed in. Not thread-safe; versions may be
// let go of by any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/value.hpp>

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "store/block.hpp"
#include "store/block_ref.hpp"
#include "store/space/containers.hpp"
#include "store/space/name_list.hpp"
#include "store/space/retention.hpp"
#include "store/space/version_blocks.hpp"

namespace staithe::store::space {

/// The group on whose behalf somebody puts: all its ranks together complete a version.
struct Putter {
    std::string name;  // for messages: program, host, pid
    int rank = 0;
    int ranks = 1;
};

/// By which a put is known that is asked for again, since its answer may not have come.
struct PutId {
    std::string program{};     // unlike that of any other; empty: it is not asked for again
    std::int64_t number = 0;   // of this put, among those of the program
    std::int64_t settled = 0;  // answers to those before it have come
};

struct Put {
    BlockDescription block;                 // the attributes are the version's
    std::optional<std::int64_t> version{};  // nothing: the one after the newest
    Putter by;
    bool completes = false;            // this rank has nothing to add
    bool may_cover = true;             // elements that were put before
    bool persist = false;              // it outlives who keeps it
    BlockRef ref{};                    // where its bytes lie
    std::optional<BlockPlace> twin{};  // and where they do, too
    // Not the catalog's business:
    std::vector<std::int64_t> locks{};  // tokens of those under which it is put
    PutId id{};
    const std::byte* dense = nullptr;  // where its bytes lie already as they would be put, if they do
};

/// Called with each block that nobody has any use for.
using GiveBack = std::function<void(const BlockRef&)>;

using BlockMoves = std::map<BlockPlace, BlockPlace>;

class Version;
/// Called with each version that the catalog no longer has, whoever holds it still.
using Dropped = std::function<void(const Version&)>;

/// Called with each version that has become complete.
using Completed = std::function<void(const Version&)>;

/// What is known of a version but its blocks, for another catalog that follows its own.
struct VersionState {
    std::int64_t completion = 0;
    bool is_complete = false;
    std::vector<int> done{};  // ranks that have nothing to add
    std::string unit{};
    Attributes attributes{};
};

/// What versions of a catalog have in common.
struct CatalogCommons {
    GiveBack give_back;
    std::vector<std::string> putters{};                    // names of all who have ever put
    std::map<std::string, std::uint32_t> putter_places{};  // among these
};

class Version {
  public:
    Version(std::int64_t number, std::int64_t serial, const Put& first, std::shared_ptr<CatalogCommons> commons);
    ~Version();
    Version(const Version&) = delete;
    Version& operator=(const Version&) = delete;

    [[nodiscard]] const std::string& variable() const { return variable_; }
    [[nodiscard]] std::int64_t number() const { return number_; }
    /// Of all versions that processes have ever had it alone has this: another one may get its number later.
    [[nodiscard]] std::int64_t serial() const { return serial_; }
    [[nodiscard]] const Extents& shape() const { return blocks_.shape(); }
    [[nodiscard]] Dtype dtype() const { return dtype_; }
    [[nodiscard]] BlockDescription whole() const;
    [[nodiscard]] bool is_complete() const { return is_complete_; }
    /// Its place among all that its catalog has seen become complete, from 1 on, and when; 0 as long as it has no
    /// place.
    [[nodiscard]] std::int64_t completion() const { return completion_; }
    [[nodiscard]] base::Clock::time_point completed() const { return completed_; }
    void set_completion(std::int64_t place, base::Clock::time_point now) {
        completion_ = place;
        completed_ = now;
    }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }
    /// Where the bytes of its blocks lie, in the order in which they were put.
    [[nodiscard]] const BlockRef& ref(std::size_t place) const { return blocks_.ref(place); }
    [[nodiscard]] const std::string& putter(std::size_t place) const { return commons_->putters[blocks_[place].by]; }
    [[nodiscard]] VersionState state() const { return {completion_, is_complete_, done_, unit_, attributes_}; }
    /// It has these blocks already.
    void take(const VersionState& state);
    /// When somebody last put to it or asked for it.
    [[nodiscard]] base::Clock::time_point last_use() const { return last_use_; }
    void use(base::Clock::time_point now) const { last_use_ = now; }
    /// Of its elements, how many were put.
    [[nodiscard]] double covered() const;

    /// Those that have an element in common with the box, or with any of them, in the order in which they were put.
    [[nodiscard]] std::vector<VersionBlock> meeting(const Box& box) const { return blocks_at(blocks_.meeting(box)); }
    [[nodiscard]] std::vector<VersionBlock> meeting(std::span<const Box> boxes) const;
    [[nodiscard]] std::vector<std::size_t> places_meeting(const Box& box) const { return blocks_.meeting(box); }
    [[nodiscard]] VersionBlock block(std::size_t place) const { return blocks_[place]; }

    /// The same elements in other blocks: without those at the places, which are sorted, and with these over all
    /// others. Their bytes are not its own before it has taken the place of this one.
    [[nodiscard]] std::shared_ptr<Version> rearranged(std::span<const std::size_t> gone,
                                                      std::span<const VersionBlock> over) const;
    /// It is taken by that one, which was made so: to whoever holds this one all of its blocks stay.
    void give_way_to(const std::shared_ptr<Version>& other, std::vector<std::size_t> gone);

    /// Why the block cannot be added: the version is complete, or another one has its elements or another shape.
    [[nodiscard]] base::Result<> check(const Put& put) const;
    /// One that has passed the check.
    void add(const Put& put);
    /// The bytes of those that lie at the keys lie where the values say from now on. How many there were.
    std::size_t move(const BlockMoves& moves);
    /// Whether the bytes of a block lie elsewhere, too; and that they do from now on: false if no block lies at `of`,
    /// or that has one. Of one whose twin lay at `of` the bytes are lost where they lay besides: who says so knows.
    [[nodiscard]] bool has_twin(std::size_t place) const { return blocks_.twin(place).has_value(); }
    bool add_twin(const BlockPlace& of, const BlockPlace& twin);
    /// Those stores are lost: bytes that lay there are where their twins are, or lost.
    void lose(base::FunctionRef<bool(std::uint32_t store)> is_lost);

  private:
    /// In place of this one.
    struct Successor {
        std::shared_ptr<const Version> version;
        std::vector<std::size_t> gone;  // which alone are this one's own
    };
    Version(const Version& before, VersionBlocks blocks);
    void give_back(std::size_t place) const;
    [[nodiscard]] std::vector<VersionBlock> blocks_at(const std::vector<std::size_t>& places) const;

    const std::int64_t number_;
    const std::int64_t serial_;
    const std::shared_ptr<CatalogCommons> commons_;
    const std::string variable_;
    const Dtype dtype_;
    bool is_complete_ = false;
    bool owns_ = true;  // its blocks
    std::unique_ptr<const Successor> successor_;
    std::string unit_;
    Attributes attributes_;
    VersionBlocks blocks_;
    std::vector<int> done_;  // ranks that have nothing to add, sorted
    std::int64_t covered_ = 0;
    std::int64_t bytes_ = 0;
    std::int64_t completion_ = 0;
    base::Clock::time_point completed_;
    mutable base::Clock::time_point last_use_;  // who asks changes nothing else
};

/// Whether a block lies in its shape, and can be counted: `invalid_argument` if not.
base::Result<> check_box(const BlockDescription& block);

/// `not_found`: the space has these.
[[nodiscard]] base::Failure no_such_variable(const std::string& space, const std::string& name,
                                             const std::vector<std::string>& names);

/// What somebody asks for.
struct Wanted {
    std::string variable;
    std::optional<std::int64_t> version{};  // nothing: the newest that is complete
    std::optional<Box> box{};               // nothing: all
    /// In place of a version: the one that became complete next after that place.
    std::optional<std::int64_t> after{};
    /// In place of a box: some, of which there are no more than `most_boxes`.
    std::vector<Box> boxes{};

    static constexpr std::size_t most_boxes = 1024;
};

class Catalog {
  public:
    Catalog(std::string space, GiveBack give_back, Dropped dropped = {}, Completed completed = {})
        : space_(std::move(space)),
          commons_(std::make_shared<CatalogCommons>(std::move(give_back))),
          dropped_(std::move(dropped)),
          completed_(std::move(completed)) {}

    /// Whether it could be put now, and as which version: `invalid_argument` for a box that does not lie in the shape,
    /// or another shape than the version's, `already_exists` if the version is complete, or has the elements that may
    /// not be covered.
    base::Result<std::int64_t> check(const Put& put) const;
    /// The same, and the block is the catalog's.
    base::Result<std::int64_t> put(const Put& put, base::Clock::time_point now) {
        return place(put, now).map(&Placed::number);
    }
    /// Of a version.
    struct Placed {
        std::int64_t number = 0;
        std::int64_t serial = 0;
    };
    /// The same: the version to which it belongs now.
    base::Result<Placed> place(const Put& put, base::Clock::time_point now);

    /// The version that has all that is wanted; null if there is none yet. `invalid_argument` for a box that does not
    /// lie in the variable.
    [[nodiscard]] base::Result<std::shared_ptr<const Version>> find(const Wanted& wanted) const;
    /// Complete or not; nullptr if there is none.
    [[nodiscard]] std::shared_ptr<const Version> at(const std::string& variable, std::int64_t number) const;
    /// What there is instead, for messages.
    [[nodiscard]] std::string why_not(const Wanted& wanted) const;

    /// Names that match a pattern, in which * stands for any text and ? for a letter.
    [[nodiscard]] std::vector<std::string> list(const std::string& pattern) const;
    struct Usage {
        std::string_view variable;
        std::int64_t versions = 0;
        std::int64_t blocks = 0;
        std::int64_t bytes = 0;
    };
    /// Calls visit(Usage) for each variable.
    template <class Visit>
    void visit_usage(const Visit& visit) const {
        for (const auto& [name, variable] : variables_) {
            Usage usage{.variable = name, .versions = std::ssize(variable.versions)};
            for (const auto& [number, version] : variable.versions) {
                usage.blocks += static_cast<std::int64_t>(version->block_count());
                usage.bytes += version->bytes();
            }
            visit(usage);
        }
    }
    /// Calls visit(variable, version) for each version that nobody holds.
    template <class Visit>
    void visit_unheld(const Visit& visit) const {
        for (const auto& [name, variable] : variables_) {
            for (const auto& [number, version] : variable.versions) {
                if (version.use_count() == 1) {
                    visit(name, std::as_const(*version));
                }
            }
        }
    }
    /// The bytes of blocks of the version with that serial number lie elsewhere from now on: how many did. None if
    /// there is no such version any more, or somebody holds it, who may be reading.
    std::size_t move(const std::string& variable, std::int64_t number, std::optional<std::int64_t> serial,
                     const BlockMoves& moves);
    /// One that was made of it by `rearranged`, without those at the places, is there in its place. False if it is not
    /// the catalog's any more.
    bool replace(const std::shared_ptr<const Version>& version, const std::shared_ptr<Version>& other,
                 std::vector<std::size_t> gone);

    /// It follows another one, from which it is told of every put, and of every version that goes: of itself it lets
    /// none go.
    void follow() { follows_ = true; }
    /// It follows no more.
    void lead() { follows_ = false; }
    /// What that one knows of a version, all of whose blocks were put here.
    void take(const std::string& name, std::int64_t number, const VersionState& state, base::Clock::time_point now);
    /// The bytes of the block that lies there lie at the other place, too. False if there is no such block any more.
    bool add_twin(const std::string& variable, std::int64_t number, const BlockPlace& of, const BlockPlace& twin);
    /// How many versions have become complete.
    [[nodiscard]] std::int64_t completions() const { return last_completion_; }
    void set_completions(std::int64_t completions) { last_completion_ = completions; }
    [[nodiscard]] const std::map<std::string, RetentionRules>& rules() const { return rules_; }
    /// Calls visit(version) for each of them.
    template <class Visit>
    void visit_versions(const Visit& visit) const {
        for (const auto& [name, variable] : variables_) {
            for (const auto& [number, version] : variable.versions) {
                visit(std::as_const(*version));
            }
        }
    }
    /// All that another one has of other variables and containers is this one's.
    void absorb(Catalog&& other);
    /// Those stores are lost: see Version. Nobody but the owner of the catalog looks at a version meanwhile.
    void lose(base::FunctionRef<bool(std::uint32_t store)> is_lost);

    /// Oldest first. `not_found` if there is no such variable.
    [[nodiscard]] base::Result<std::vector<std::shared_ptr<const Version>>> versions(const std::string& name) const;
    /// Of a variable, or one of them; `not_found` if there is none.
    base::Result<> remove(const std::string& name, std::optional<std::int64_t> version);
    /// All variables in a container; of the empty path, all. How many these are.
    std::int64_t remove_variables_in(const std::string& container);
    [[nodiscard]] Containers& containers() { return containers_; }
    /// Nothing was ever put to it, said of it, or waited for.
    [[nodiscard]] bool is_untouched() const {
        return variables_.empty() && rules_.empty() && containers_.is_empty() && last_completion_ == 0;
    }
    /// Which of its complete versions stay, from now on: others go as new ones are completed.
    base::Result<> retain(const std::string& variable, const RetentionRules& rules, base::Clock::time_point now);
    /// Somebody waits for it, or does so no more: as long as there are any it does not go.
    void await(const Wanted& wanted);
    void await_no_more(const Wanted& wanted);

  private:
    using Versions = std::map<std::int64_t, std::shared_ptr<Version>>;
    struct Variable {
        Versions versions;                                   // at least one
        std::map<std::int64_t, std::int64_t> by_completion;  // their numbers
        NameList::Place place = 0;                           // of its name
    };
    using Variables = std::map<std::string, Variable>;
    [[nodiscard]] const Variable* find_variable(const std::string& name) const;
    /// Of a variable, nullptr if there is none, that was looked for.
    base::Result<std::int64_t> check(const Put& put, const Variable* variable) const;
    [[nodiscard]] base::Failure no_such_variable(const std::string& name) const {
        return space::no_such_variable(space_, name, list("*"));
    }
    Versions::const_iterator drop(Variable& variable, Versions::const_iterator version);
    void drop_all(Variable& variable);
    Variables::iterator erase(Variables::iterator variable);
    void drop_old(const std::string& name, Variable& variable, base::Clock::time_point now);
    Variable& variable_of(const std::string& name);
    /// In front of the next one, in their order.
    Variable& add_variable(Variables::iterator next, const std::string& name);

    const std::string space_;
    const std::shared_ptr<CatalogCommons> commons_;
    const Dropped dropped_;
    const Completed completed_;
    Variables variables_;
    NameList names_;  // of these
    // Of variables that may not be there yet:
    std::map<std::string, RetentionRules> rules_;
    std::map<std::pair<std::string, std::int64_t>, int> awaited_;  // versions, by how many
    Containers containers_;
    std::int64_t last_completion_ = 0;
    bool follows_ = false;
    static std::int64_t next_serial();
};

}  // namespace staithe::store::space
