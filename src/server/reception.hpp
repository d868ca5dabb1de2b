// What programs ask of a server, and what they are answered.
//
// Runs in the endpoint's thread, one request at a time, under one mutex; memory is made in a thread of its own. That
// thread moves no bytes of blocks: programs of this host write to memory that the server has given them, and read where
// others have written; threads of `FarBlocks` do so for those of other hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "os/process.hpp"
#include "server/answers.hpp"
#include "server/client.hpp"
#include "server/elsewhere.hpp"
#include "server/far_blocks.hpp"
#include "server/followers.hpp"
#include "server/following.hpp"
#include "server/merging.hpp"
#include "server/others.hpp"
#include "server/own_time.hpp"
#include "server/persisted.hpp"
#include "server/safekeeping.hpp"
#include "server/stores.hpp"
#include "space/keeper.hpp"
#include "space/member_name.hpp"
#include "store/space/catalog.hpp"
#include "store/space/home.hpp"
#include "store/space/lock_manager.hpp"
#include "transport/endpoint.hpp"
#include "transport/errands.hpp"
#include "transport/link.hpp"

namespace staithe::server {

class Reception : public std::enable_shared_from_this<Reception> {
  public:
    /// So many cores move bytes for programs of other hosts, and reduce blocks.
    explicit Reception(const space::Member& member, int cores = 1)
        : server_(space::member_name(member.servers, member.rank, member.size)),
          member_(member),
          reductions_(static_cast<std::size_t>(cores)),
          far_([this](std::uint32_t store) { return far_store(store); }, cores) {}
    /// Where it is asked; before it is.
    void take_far_connections_at(const std::shared_ptr<transport::Endpoint>& endpoint) { endpoint_ = endpoint; }
    /// Another one of its group goes on for it when it is gone, and it for others. Before it is asked.
    void keep_replicas();
    ~Reception();
    Reception(const Reception&) = delete;
    Reception& operator=(const Reception&) = delete;

    /// What programs want to outlive the server is kept in that folder, and what memory has no room for, of that many
    /// bytes at most if it is said; what there is already, it has from now on. Before it is asked.
    base::Result<> keep_in(const std::string& folder, std::optional<std::int64_t> most_spilled);
    /// Nothing more outlives it. Before it goes.
    void end();

    void handle(const std::shared_ptr<transport::Link>& link, const transport::Packet& packet);
    [[nodiscard]] Attributes describe();
    /// To be called every `tick`: locks end whose lease has run out.
    void look_at_clock();
    static constexpr base::Seconds tick{0.25};

  private:
    struct Request {
        Client& client;
        const Attributes& body;
        std::span<const std::byte> enclosed;
        std::int64_t id = 0;  // 0: no answer is expected
    };
    /// With descriptors to be passed, which stay open until it is sent.
    struct Reply {
        Attributes body{};
        std::vector<os::FileDescriptor> descriptors{};
        std::vector<std::byte> enclosed{};
    };
    /// Nothing: it is answered later, or not at all.
    using Answer = base::Result<std::optional<Reply>>;
    using Handler = Answer (Reception::*)(const Request&);
    [[nodiscard]] static Handler handler_of(std::string_view type);
    static void reply(transport::Link& link, std::int64_t id, base::Result<Reply> answer);

    Answer open(const Request& request);
    Answer describe(const Request& request);
    Answer load(const Request& request);
    Answer reserve(const Request& request);
    Answer give_back(const Request& request);
    Answer put(const Request& request);
    Answer put_enclosed(const Request& request, store::space::Put put);
    Answer put_into(const Request& request, const store::space::Put& put, const std::function<void()>& then);
    Answer reserve_many(const Request& request);
    Answer put_many(const Request& request);
    Answer find(const Request& request);
    Answer find_many(const Request& request);
    Answer pass_stores(const Request& request);
    Answer pass_own(const Request& request);
    Answer cancel(const Request& request);
    Answer release(const Request& request);
    Answer list(const Request& request);
    [[nodiscard]] Reply names(std::vector<std::string> names) const;
    Answer list_containers(const Request& request);
    Answer attributes(const Request& request);
    Answer set_attributes(const Request& request);
    Answer versions(const Request& request);
    Answer remove(const Request& request);
    base::Result<> remove(store::space::Catalog& catalog, const std::string& space, const store::space::Wanted& wanted,
                          const store::space::PutId& id);
    Answer remove_container(const Request& request);
    Answer retain(const Request& request);
    Answer lock(const Request& request);
    Answer cancel_lock(const Request& request);
    Answer unlock(const Request& request);
    Answer waited_for(const Request& request);
    Answer renew(const Request& request);
    Answer connect(const Request& request);
    Answer reduce(const Request& request);

    /// A block that lies here, on its way to be put by the server that knows of its variable.
    struct Sent {
        std::shared_ptr<transport::Link> link;  // of who puts it
        std::int64_t id = 0;
        transport::Link* home = nullptr;
        store::BlockRef ref;
        std::string space{}, variable{};
        std::int64_t room = 0;  // its ticket
        bool is_free = false;   // the home has no use for it any more, though it was put
        bool is_kept = false;   // the home has it, though it may not say so
    };
    Answer put_for_home(const Request& request, store::space::Put put, std::int64_t room, int home);
    void send_home(const base::Result<std::shared_ptr<transport::Link>>& home, std::int64_t ticket,
                   const Attributes& message);
    void settle(std::map<std::int64_t, Sent>::iterator sent, const base::Result<std::int64_t>& version);
    Answer put_elsewhere(const Request& request);
    base::Result<store::space::Put> put_from_elsewhere(const Request& request) const;
    base::Result<std::int64_t> take_from_elsewhere(const Request& request);
    Answer was_put(const Request& request);
    Answer free_elsewhere(const Request& request);
    Answer take_copied(const Request& request);

    // Servers that go on for each other: reception_replicas.cpp.
    Answer meet(const Request& request);
    Answer homes(const Request& request);
    /// Another server of the group.
    struct Fellow {
        std::shared_ptr<transport::Link> link;
        std::string incarnation{};  // of its process; empty: none is known
        std::uint32_t stores = 0;   // where that one's begin
        std::set<int> homes{};      // whose names it leads
        bool is_looked_for = false;
        bool is_going = false;  // it is gone, but not all that it has said has come
        bool is_known = false;  // whether it is there
    };
    void look_for_fellows();
    void look_for(int rank);
    void has_met(int rank, const std::shared_ptr<transport::Link>& link, const Attributes& answer);
    bool has_gone(int rank);
    /// From a server of the group as it is now.
    [[nodiscard]] bool is_of_fellow(const Client& client) const {
        return client.fellow && fellows_.at(*client.fellow).incarnation == client.incarnation;
    }
    void lead_own();
    void lead_nothing(const std::string& why);
    void go_on_for(int rank);
    void choose_follower();
    [[nodiscard]] List homes_led() const { return {leads_.begin(), leads_.end()}; }
    base::Result<> check_lead(std::string_view asked, const Attributes& body) const;
    [[nodiscard]] Attributes describe_replicas() const;

    // What they tell each other: reception_following.cpp.
    Answer follow(const Request& request);
    Answer followed(const Request& request);
    void answer(const std::shared_ptr<transport::Link>& link, std::int64_t id, base::Result<Reply> now);
    /// What has become safe is answered when the mutex is free.
    void tell_due(std::unique_lock<std::mutex>& lock);

    // Large blocks, which lie with two of them: reception_twins.cpp.
    /// What became of a block that was put: as which version, whether it had been put before, elsewhere, and whether
    /// who follows knows.
    struct Outcome {
        std::int64_t version = 0;
        bool again = false;
        base::Result<> safe{};
    };
    using Told = std::function<void(const base::Result<Outcome>& outcome)>;
    void put_with_twin(const std::string& space, store::space::Put put, const transport::Link* by, Told told);
    void put_both(const std::string& space, store::space::Put put, const transport::Link* by, const Told& told);
    Answer put_room_with_twin(const Request& request, store::space::Put put, std::int64_t room);
    void put_elsewhere_with_twin(const Request& request, std::int64_t ticket);
    Answer claim(const Request& request);
    Answer claimed(const Request& request);
    bool take_claimed(const store::space::BlockPlace& place, std::int64_t bytes);
    [[nodiscard]] bool is_far_store(std::uint32_t store) const {
        return followers_ != nullptr && rank_of(store) != member_.rank;
    }
    [[nodiscard]] int rank_of(std::uint32_t store) const { return store::space::holder_of(store, member_.size); }

    // Those that lie with one alone: reception_singles.cpp.
    struct Single {
        std::string space, variable;
        std::int64_t version = 0, serial = 0;
        store::BlockRef ref;
    };
    struct Doubling {
        int rank = 0;  // who copies it
        Single block;
    };
    Answer copy(const Request& request);
    Answer was_copied(const Request& request);
    void look_for_singles();
    void double_singles();
    void copy_here(const store::BlockRef& ref, const std::function<void(const base::Result<store::BlockRef>&)>& then);
    void has_doubled(std::int64_t ticket, const base::Result<store::BlockRef>& copied);

    // Those that programs hold whose finder is gone: reception_held.cpp.
    struct Pinned {
        int holders = 0;
        std::optional<store::BlockRef> freed{};  // once nobody else has any use for it
    };
    Answer hold(const Request& request);
    void let_go(const store::space::BlockPlace& place);
    /// Large blocks, since a server is gone.
    void free_later();
    /// Whether it is not freed yet, since programs may hold it.
    bool is_freed_later(const store::BlockRef& ref);
    void free_late();

    void forget_server(Client& server);
    void begin_new_store(Client& client);

    void take_connection(transport::Link* link, const std::string& purpose, bool reads, os::FileDescriptor socket);
    std::shared_ptr<FarRoom::Memory> far_room(transport::Link* link, std::int64_t ticket);
    std::optional<transport::PeerPool> far_store(std::uint32_t store);
    [[nodiscard]] static bool is_filled(const Client& client, std::int64_t ticket);
    /// Somebody who waits until there is what it wants.
    struct Waiting {
        std::shared_ptr<transport::Link> link;
        std::int64_t id = 0;
        std::int64_t ticket = 0;
        std::string space;
        store::space::Wanted wanted;
        std::int64_t enclose = 0;
        base::Clock::time_point since = base::Clock::now();
    };
    /// Somebody who waits for room.
    struct Wish {
        std::shared_ptr<transport::Link> link;
        std::int64_t id = 0;
        std::int64_t ticket = 0;
        std::string variable;
        std::int64_t bytes = 0;
        bool now = false;  // or it does not wait
        base::Clock::time_point since = base::Clock::now();
    };
    Client& client_of(const std::shared_ptr<transport::Link>& link);
    void forget(transport::Link* link);
    [[nodiscard]] store::space::Catalog& catalog(const std::string& space);
    /// Its name was only looked at, or mistyped.
    void forget_if_untouched(const std::string& space);
    base::Result<store::space::Catalog*> catalog_of(const Request& request);
    /// The store that it alone writes to.
    base::Result<std::shared_ptr<space::PoolBlocks>> own_store(Client& client);
    /// What became of a wish.
    base::Result<Reply> granted(Client& client, const Wish& wish, const base::Result<store::BlockRef>& room);
    void grant_later();
    void grant_rooms();
    base::Result<store::BlockRef> make_room(std::int64_t number, std::unique_lock<std::mutex>& lock);

    /// Of a block in memory, on disk.
    struct Copy {
        store::BlockRef from;
        const std::byte* bytes = nullptr;
        std::optional<store::BlockRef> to{};  // once it is copied
    };
    /// A version that goes to disk.
    struct Leaving {
        std::string space, variable;
        std::int64_t version = 0, serial = 0;
        std::vector<Copy> blocks{};
    };
    Copy begin_copying(const store::BlockRef& ref);
    void end_copying(const store::BlockRef& ref);
    base::Result<> copy_to_disk(std::span<Copy> copies);
    std::vector<Leaving> coldest(std::int64_t bytes);
    bool spill(std::int64_t bytes, std::unique_lock<std::mutex>& lock);
    bool settle(const Leaving& leaving);
    void grant_if_spilled();
    void offer_copies(std::int64_t bytes, std::unique_lock<std::mutex>& lock);
    void offer(transport::Link* home, const store::BlockRef& from, const store::BlockRef& to);
    /// It may be what somebody waits for.
    void free(const store::BlockRef& ref);
    void give_back(const store::BlockRef& ref);
    /// Of a version that has gone: once who follows knows that.
    void free_when_safe(const store::BlockRef& ref);
    [[nodiscard]] std::string why_no_room(std::int64_t bytes, const std::string& variable) const;
    [[nodiscard]] std::string what_it_holds() const;
    /// By blocks, in memory and on disk.
    [[nodiscard]] std::int64_t held_bytes() const { return stores_.used() + stores_.spilled(); }
    using Pins = std::vector<std::shared_ptr<const store::space::Version>>;
    class Restored;
    [[nodiscard]] base::Result<> can_persist(const store::space::Put& put) const;
    /// One that was put; `done` holds the version.
    void persist(const Client& client, const std::string& space, const store::space::Put& put,
                 const store::space::Version& version, Safekeeping::Done done);
    Safekeeping::Done when_safe(const Request& request, std::function<Reply()> reply_then, Pins pins);
    Safekeeping::Done when_safe(const Request& request);
    [[nodiscard]] base::Failure not_safe(const base::Failure& why) const;
    base::Result<store::space::Put> put_of(const Request& request) const;
    static std::string name_of(const store::space::Putter& by, const std::string& process);
    /// Under the locks that it names; nullptr: whoever has them.
    base::Result<std::int64_t> put_one(const transport::Link* by, const std::string& space,
                                       const store::space::Put& put);
    /// With bytes of its blocks if these are so many at most; else it is held under that ticket.
    base::Result<Reply> found(Client& client, std::int64_t ticket,
                              const std::shared_ptr<const store::space::Version>& version,
                              const store::space::Wanted& wanted, std::int64_t most_enclosed) const;
    /// Adds the bytes of blocks: false if they are more, or not in memory here.
    [[nodiscard]] bool enclose(std::span<const store::space::VersionBlock> blocks, std::int64_t most,
                               std::vector<std::byte>& bytes) const;
    [[nodiscard]] base::Result<space::Found> found_of(const std::shared_ptr<const store::space::Version>& version,
                                                      const store::space::Wanted& wanted) const;
    void answer_waiting(const std::string& space, const std::string& variable);
    std::list<Waiting>::iterator stop_waiting(std::list<Waiting>::iterator waiting);
    [[nodiscard]] Attributes description();
    /// Who waits, for what and why: those who have done so the longest.
    [[nodiscard]] List waits();

    const std::string server_;
    const space::Member member_;
    mutable std::mutex mutex_;
    Stores stores_{member_};
    Elsewhere elsewhere_;
    std::map<std::int64_t, Sent> sent_;  // by ticket
    std::int64_t last_sent_ = 0;
    std::map<std::int64_t, Wish> wishes_;  // by arrival
    std::int64_t last_wish_ = 0;
    bool is_granting_ = false;
    bool grants_again_ = false;                         // something was freed meanwhile
    std::map<store::space::BlockPlace, bool> copying_;  // to disk; whether nobody has any use for them any more
    std::string why_not_spilled_;                       // where it was tried last; empty: it was
    bool is_ending_ = false;
    // Of servers that go on for each other; longer than spaces, and what programs hold.
    std::unique_ptr<Followers> followers_;  // null: nobody goes on for it
    std::map<int, Following> following_;    // by the rank of who leads
    std::set<int> leads_;                   // homes whose names this server leads
    std::map<int, Fellow> fellows_;         // by rank
    bool has_begun_ = false;                // it is known whether it leads the names of its own home
    bool is_past_ = false;                  // others lead what it did
    std::string incarnation_;
    std::set<std::string> gone_;  // of those that others have gone on for
    Answers answers_;
    std::map<store::space::BlockPlace, store::BlockRef> kept_;  // blocks here that others know of
    std::set<store::space::BlockPlace> in_doubt_;               // whether they do
    struct Claiming {
        int rank = 0;
        std::function<void(bool has_twin)> then;
    };
    std::map<std::int64_t, Claiming> claims_;  // by ticket
    std::int64_t last_claim_ = 0;
    std::map<store::space::BlockPlace, Pinned> pinned_;
    base::Clock::time_point frees_from_;  // large blocks; until then programs ask to hold them
    std::vector<store::BlockRef> late_;   // to be freed then
    bool looks_for_singles_ = false;      // there may be some that are not in the list
    std::deque<Single> singles_;
    std::map<std::int64_t, Doubling> doubling_;  // by ticket
    std::int64_t last_doubling_ = 0;
    base::Clock::time_point double_again_;
    std::shared_ptr<space::PoolBlocks> own_twins_;  // what was copied here; once there is some
    std::map<std::string, std::unique_ptr<store::space::Catalog>> spaces_;
    std::map<transport::Link*, Client> clients_;
    std::list<Waiting> waiting_;
    // Of all spaces, so that circles over several of them are found; no token is one of another server's before it.
    store::space::LockManager locks_{os::wall_clock_microseconds()};
    OwnTime time_{tick * 2};
    std::unique_ptr<Persisted> persisted_;  // null: nothing is on disk to outlive it
    Safekeeping* safe_ = nullptr;           // null: nothing outlives it
    transport::Errands errands_;            // making memory takes long
    std::deque<transport::Errands> reductions_;
    std::size_t next_reduction_ = 0;  // among these, which have them in turn
    std::weak_ptr<transport::Endpoint> endpoint_;
    Others others_{member_};
    Merging merging_{mutex_, spaces_, stores_, copying_, [this] { grant_later(); }};
    transport::Errands copies_;
    FarBlocks far_;  // goes first: its threads use the rest
};

}  // namespace staithe::server
