// A server that leads and one that follows it, of which there are but their catalogs and memory, and the link between
// them, over which as many changes come as the test says.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/value_codec.hpp"
#include "memory/pool.hpp"
#include "os/socket.hpp"
#include "server/followers.hpp"
#include "server/following.hpp"
#include "store/space/catalog.hpp"
#include "support/watchdog.hpp"
#include "transport/event_loop.hpp"
#include "transport/link.hpp"

namespace staithe::server {

/// Blocks of one server, and what they hold; of large ones there is but the place.
class BlockMemory {
  public:
    explicit BlockMemory(std::uint32_t store) : store_(store) {}
    store::BlockRef add(std::span<const std::byte> bytes, std::int64_t size) {
        const store::BlockRef ref{.store = store_, .offset = next_++, .bytes = size};
        blocks_.emplace(ref.offset, std::vector(bytes.begin(), bytes.end()));
        return ref;
    }
    void free(const store::BlockRef& ref) {
        EXPECT_EQ(ref.store, store_);
        EXPECT_EQ(blocks_.erase(ref.offset), 1U) << "freed once";
    }
    [[nodiscard]] std::span<const std::byte> at(const store::BlockRef& ref) const {
        const auto found = blocks_.find(ref.offset);
        return ref.store != store_ || found == blocks_.end() ? std::span<const std::byte>() : std::span(found->second);
    }
    [[nodiscard]] std::size_t count() const { return blocks_.size(); }
    [[nodiscard]] std::uint32_t store() const { return store_; }

  private:
    const std::uint32_t store_;
    std::int64_t next_ = 0;
    std::map<std::int64_t, std::vector<std::byte>> blocks_;
};

class ReplicaPair {
  public:
    using Spaces = std::map<std::string, std::unique_ptr<store::space::Catalog>>;
    using Put = store::space::Put;
    static constexpr std::uint32_t leader_store = 6, follower_store = 7, third_store = 8;

    ReplicaPair() = default;
    ~ReplicaPair() {
        following_.reset();  // before its memory
        spaces_.clear();
    }
    ReplicaPair(const ReplicaPair&) = delete;
    ReplicaPair& operator=(const ReplicaPair&) = delete;

    /// Another server follows from now on, of which nothing is known yet.
    void begin_following() {
        auto [one, other] = os::create_socket_pair().value();
        arrived_ = std::make_shared<Arrived>();
        leaders_end_ = transport::Link::start(*loop_, std::move(one), 42, [](const auto&, auto) {}).value();
        followers_end_ = transport::Link::start(*loop_, std::move(other), 43,
                                                [arrived = arrived_](const auto&, transport::Packet packet) {
                                                    const std::lock_guard lock(arrived->mutex);
                                                    arrived->packets.push_back(std::move(packet));
                                                    arrived->changed.notify_all();
                                                })
                             .value();
        follow_anew();
        followers_.begin(1, leaders_end_, {0, 2});
        call_due();
    }
    /// The same one, over the link that there is.
    void begin_again() {
        followers_.begin(1, leaders_end_, {0, 2});
        call_due();
    }
    void end_following() {
        followers_.end();
        call_due();
    }

    // What the leader does, as its reception would.
    store::space::Catalog& led(const std::string& space) {
        auto& catalog = spaces_[space];
        if (catalog == nullptr) {
            catalog = std::make_unique<store::space::Catalog>(
                space, [this](const store::BlockRef& ref) { memory_of(ref.store).free(ref); },
                [this, space](const store::space::Version& version) { followers_.drop(space, version); });
        }
        return *catalog;
    }
    /// Its bytes, if it is small; a large one may lie at the third server, or there, too.
    enum class Lies : std::uint8_t { here, there, with_both };
    base::Result<std::int64_t> put(const std::string& space, Put put, std::span<const std::byte> bytes,
                                   Lies lies = Lies::here, Safekeeping::Done done = {}) {
        put.ref = (lies == Lies::there ? third_ : leader_).add(bytes, put.block.data_bytes());
        if (lies == Lies::with_both) {
            put.twin = store::space::place_of(third_.add(bytes, put.ref.bytes));
        }
        const auto version = led(space).put(put, now);
        if (!version) {
            memory_of(put.ref.store).free(put.ref);
            if (put.twin) {
                third_.free({.store = put.twin->first, .offset = put.twin->second});
            }
            return version;
        }
        answers_.add(put.id, {*version, store::space::place_of(put.ref)});
        if (const auto kept = led(space).at(put.block.variable, *version)) {
            followers_.put(space, put, *kept, bytes, std::move(done));
        }
        call_due();
        return version;
    }
    base::Result<> remove(const std::string& space, const store::space::Wanted& wanted,
                          const store::space::PutId& id = {}) {
        const Followers::Removal removal(followers_, space, wanted, id);
        return led(space).remove(wanted.variable, wanted.version);
    }
    base::Result<> retain(const std::string& space, const std::string& variable,
                          const store::space::RetentionRules& rules) {
        auto retained = led(space).retain(variable, rules, now);
        if (retained) {
            followers_.retain({space, variable, rules}, {});
        }
        return retained;
    }
    void set_attributes(const std::string& space, const std::string& path, const Attributes& attributes) {
        auto& containers = led(space).containers();
        containers.set_attributes(path, attributes);
        followers_.set_attributes({space, path, containers.attributes_of(path)}, {});
    }
    void remove_container(const std::string& space, const std::string& path) {
        led(space).remove_variables_in(path);
        for (const std::string& each : led(space).containers().remove(path)) {
            followers_.set_attributes({space, each, {}}, {});
        }
    }
    /// A copy of a large block that lies alone.
    void add_twin(const std::string& space, const std::string& variable, std::int64_t version,
                  const store::BlockRef& ref) {
        const auto twin = store::space::place_of(third_.add({}, ref.bytes));
        const auto of = store::space::place_of(ref);
        ASSERT_TRUE(led(space).add_twin(variable, version, of, twin));
        followers_.add_twin(space, variable, version, of, twin);
    }

    /// So many changes come, if there are as many; of which the leader has word.
    int deliver(int most = INT32_MAX) {
        collect();
        int delivered = 0;
        for (; delivered < most && !coming_.empty(); ++delivered) {
            const transport::Packet packet = std::move(coming_.front());
            coming_.pop_front();
            const auto taken = following_->take(*packet.body.at("change").as_map(), packet.enclosed);
            EXPECT_TRUE(taken || !expects_room) << taken.error().message;
            followers_.take_word(*packet.body.at("number").as_int());
            call_due();
            collect();
        }
        return delivered;
    }
    void free(const store::BlockRef& ref) { memory_of(ref.store).free(ref); }
    [[nodiscard]] store::BlockRef room_at_follower(std::int64_t bytes) {
        return follower_.add(std::vector<std::byte>(static_cast<std::size_t>(bytes)), bytes);
    }
    /// It is gone, and gives nothing back.
    void forget_leader() {
        for (const auto& [name, catalog] : spaces_) {
            catalog->lose([](std::uint32_t) { return true; });
        }
    }
    [[nodiscard]] Followers& followers() { return followers_; }
    [[nodiscard]] Following& following() { return *following_; }
    [[nodiscard]] Spaces& spaces() { return spaces_; }
    [[nodiscard]] const BlockMemory& leader_memory() const { return leader_; }
    [[nodiscard]] const BlockMemory& follower_memory() const { return follower_; }
    [[nodiscard]] const BlockMemory& third_memory() const { return third_; }
    /// What is known of spaces: of large blocks where they lie, of small ones their bytes.
    [[nodiscard]] Attributes describe(Spaces& spaces) {
        Attributes all;
        for (auto& [name, catalog] : spaces) {
            if (Attributes space = describe(*catalog); !space.empty()) {
                all[name] = std::move(space);
            }
        }
        return all;
    }
    void expect_same() { expect_same(describe(spaces_), describe(following_->spaces())); }
    /// Says but what differs.
    static void expect_same(const Attributes& led, const Attributes& known) {
        const auto lines = [](const Attributes& described) {
            std::set<std::string> all;
            for (const auto& [space, of] : described) {
                for (const auto& [kind, things] : *of.as_map()) {
                    for (const auto& [name, thing] : *things.as_map()) {
                        const List* const versions = kind == "variables" ? thing.as_list() : nullptr;
                        for (const Value& each : versions != nullptr ? *versions : List{thing}) {
                            all.insert(space + ", " + kind + ", " + name + ": " + to_json(each));
                        }
                    }
                }
            }
            return all;
        };
        const auto is = lines(known), should_be = lines(led);
        for (const std::string& line : should_be) {
            EXPECT_TRUE(is.contains(line)) << "it does not know " << line;
        }
        for (const std::string& line : is) {
            EXPECT_TRUE(should_be.contains(line)) << "it knows " << line;
        }
    }

    base::Clock::time_point now{};
    bool has_room = true;  // the follower, for bytes
    bool expects_room = true;

  private:
    struct Arrived {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<transport::Packet> packets;
    };

    void follow_anew() {
        coming_.clear();
        following_.emplace(
            [this](std::span<const std::byte> bytes) -> base::Result<store::BlockRef> {
                return has_room ? base::Result<store::BlockRef>(follower_.add(bytes, std::ssize(bytes)))
                                : base::fail(ErrorCode::limit_reached, "no room");
            },
            [this](const store::BlockRef& ref) { memory_of(ref.store).free(ref); });
        EXPECT_EQ(follower_.count(), 0U) << "what the one before had has gone with it";
    }
    BlockMemory& memory_of(std::uint32_t store) {
        return store == leader_store ? leader_ : store == follower_store ? follower_ : third_;
    }
    void call_due() {
        for (const auto& [done, outcome] : followers_.take_due()) {
            done(outcome);
        }
    }
    /// What was told until now.
    void collect() {
        if (leaders_end_ == nullptr) {
            return;
        }
        ASSERT_TRUE(leaders_end_->notify({{"type", "that is all"}}));
        std::unique_lock lock(arrived_->mutex);
        for (bool is_all = false; !is_all;) {
            arrived_->changed.wait(lock, [this] { return !arrived_->packets.empty(); });
            transport::Packet packet = std::move(arrived_->packets.front());
            arrived_->packets.pop_front();
            is_all = packet.body.at("type") == Value("that is all");
            if (!is_all) {
                coming_.push_back(std::move(packet));
            }
        }
    }
    Attributes describe(store::space::Catalog& catalog) {
        Attributes space, containers, rules, variables;
        for (const auto& [path, attributes] : catalog.containers().all()) {
            containers[path] = attributes;
        }
        for (const auto& [variable, of] : catalog.rules()) {
            rules[variable] = List{of.keep.value_or(-1), of.keep_bytes.value_or(-1)};
        }
        catalog.visit_versions([&](const store::space::Version& version) {
            variables.try_emplace(version.variable(), List());
            variables[version.variable()].as_list()->emplace_back(describe(catalog, version));
        });
        for (auto& [name, what] : std::map<std::string, Attributes*>{
                 {"containers", &containers}, {"rules", &rules}, {"variables", &variables}}) {
            if (!what->empty()) {
                space[name] = std::move(*what);
            }
        }
        return space;
    }
    Attributes describe(const store::space::Catalog& catalog, const store::space::Version& version) {
        const store::space::VersionState state = version.state();
        List blocks;
        for (std::size_t place = 0; place < version.block_count(); ++place) {
            blocks.emplace_back(describe(version.block(place), version.putter(place)));
        }
        // As readers that take one after the other find it.
        const auto next = state.completion == 0
                              ? nullptr
                              : catalog.find({.variable = version.variable(), .after = state.completion - 1}).value();
        return {{"number", version.number()},
                {"whole", to_json(Attributes{{"dtype", static_cast<int>(version.dtype())},
                                             {"shape", List(version.shape().begin(), version.shape().end())},
                                             {"unit", version.whole().unit},
                                             {"attributes", version.whole().attributes}})},
                {"complete", version.is_complete()},
                {"completion", state.completion},
                {"found by it", next == nullptr ? Value() : Value(next->number())},
                {"done", List(state.done.begin(), state.done.end())},
                {"covered", version.covered()},
                {"bytes", version.bytes()},
                {"blocks", std::move(blocks)}};
    }
    Attributes describe(const store::space::VersionBlock& block, const std::string& putter) {
        List bytes;
        for (const std::byte byte : memory_of(block.ref.store).at(block.ref)) {
            bytes.emplace_back(static_cast<int>(byte));
        }
        const bool is_small = block.ref.bytes <= memory::Pool::small_limit;
        return {{"offset", List(block.box.offset.begin(), block.box.offset.end())},
                {"count", List(block.box.count.begin(), block.box.count.end())},
                {"by columns", block.column_major},
                {"by", putter},
                {"place", is_small ? Value(bytes) : Value(List{block.ref.store, block.ref.offset})},
                {"twin", block.twin ? Value(List{block.twin->first, block.twin->second}) : Value()}};
    }

    testing::Watchdog watchdog_;
    BlockMemory leader_{leader_store}, follower_{follower_store}, third_{third_store};
    const std::shared_ptr<transport::EventLoop> loop_ = transport::EventLoop::start().value();
    std::shared_ptr<Arrived> arrived_;
    std::shared_ptr<transport::Link> leaders_end_, followers_end_;
    Spaces spaces_;
    Answers answers_;  // as the leader has given them
    Followers followers_{spaces_, answers_,
                         [this](const store::BlockRef& ref) { return memory_of(ref.store).at(ref); }};
    std::deque<transport::Packet> coming_;  // and have not come
    std::optional<Following> following_;
};

}  // namespace staithe::server
