// A director, in writer rank 0, that lies to its readers: they get errors, and nothing worse.
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include <staithe/staithe.hpp>

#include "memory/sources.hpp"
#include "os/pipe.hpp"
#include "os/shared_memory.hpp"
#include "stream/describing/record.hpp"
#include "stream/describing/schema.hpp"
#include "stream/describing/step_table.hpp"
#include "stream/directing/protocol.hpp"
#include "support/stream_test.hpp"
#include "transport/channel/switchboard.hpp"
#include "transport/directory/directory.hpp"
#include "transport/endpoint.hpp"

namespace staithe::stream {
namespace {

using namespace staithe::testing;

/// Answers one reader as a director does, but for what a test wants otherwise; then says whatever a test wants.
class LyingDirector {
  public:
    static constexpr std::int64_t bytes = 1 << 20;
    static constexpr std::int64_t layout_at = 0;
    static constexpr std::int64_t table_at = 1 << 16;
    static constexpr std::int64_t data_at = 1 << 17;
    static constexpr int queue_steps = 4;

    explicit LyingDirector(const std::string& run_directory)
        : endpoint_(transport::Endpoint::shared(run_directory).value()),
          switchboard_(transport::Switchboard::create(endpoint_->loop(), [] { return false; }).value()) {
        const auto slots = transport::ring_slots(2 * queue_steps + 4);
        auto connection = switchboard_->connect_member(slots, slots).value();
        channel = connection.channel;
        joined.member = 1;
        joined.channel = std::move(connection.description);
        joined.writers = 2;
        joined.queue = {queue_steps, 1 << 30, 0};
        joined.writer_of = {endpoint_->self(), endpoint_->self()};
        descriptors = std::move(connection.descriptors);
        for (os::FileDescriptor* file : {&segment, &pools[0], &pools[1]}) {
            *file = os::create_memory_file("lie").value();
            EXPECT_TRUE(os::allocate_range(*file, 0, bytes));
        }
        memory = os::Mapping::map(segment, 0, bytes, os::Access::read_write, os::Populate::no).value();
        for (int rank = 0; rank < 2; ++rank) {
            layout.push_back(encode_schema(std::array{part_of(rank)}).value());
            table.push_back({.store = static_cast<std::uint32_t>(rank), .offset = data_at, .bytes = 128});
        }
    }
    ~LyingDirector() {
        if (is_open_) {
            transport::Directory(endpoint_->run_directory()).withdraw(transport::Kind::stream, "s");
            endpoint_->withdraw("s");
        }
    }
    LyingDirector(const LyingDirector&) = delete;
    LyingDirector& operator=(const LyingDirector&) = delete;

    void open() {
        is_open_ = true;
        ASSERT_TRUE(endpoint_->offer("s", [this](const auto& link, auto packet) { answer(*link, packet.body); }));
        ASSERT_TRUE(transport::Directory(endpoint_->run_directory())
                        .publish(transport::own_entry(transport::Kind::stream, "s", endpoint_->addresses(),
                                                      endpoint_->self())));
    }

    /// Half of "x", as write_step writes it.
    static store::BlockDescription part_of(int rank) {
        store::BlockDescription block;
        block.variable = "x";
        block.dtype = Dtype::f64;
        block.shape = {32};
        block.box = {{rank * 16}, {16}};
        return block;
    }
    void put(std::int64_t offset, std::span<const std::byte> content) const {
        std::memcpy(memory.data() + offset, content.data(), content.size());
    }
    /// With what it names, as far as that is there, where the reader does not see it.
    bool send(const transport::Message& message) const {
        const bool is_there = message.offset >= 0 && message.bytes >= 0 && message.offset <= bytes - message.bytes;
        const std::span<const std::byte> all(memory.data(), bytes);
        return channel->send(message, is_there ? all.subspan(static_cast<std::size_t>(message.offset),
                                                             static_cast<std::size_t>(message.bytes))
                                               : std::span<const std::byte>());
    }
    transport::Message say_layout(std::uint64_t number) {
        const std::vector<std::span<const std::byte>> schemas(layout.begin(), layout.end());
        const auto encoded = encode_layout(number, schemas);
        put(layout_at, encoded);
        transport::Message message = hot_message(Hot::layout, static_cast<std::int64_t>(number));
        message.offset = layout_at;
        message.bytes = static_cast<std::int64_t>(encoded.size());
        return message;
    }
    transport::Message say_step(std::int64_t step, std::uint64_t number) {
        const StepTableHeader header{step_table_magic, step_table_version, static_cast<std::uint64_t>(step),
                                     number,           table.size(),       0};
        put(table_at, std::as_bytes(std::span(&header, 1)));
        put(table_at + static_cast<std::int64_t>(sizeof(header)), std::as_bytes(std::span(table)));
        return announcement(step, {number, std::nullopt, {{table_at, step_table_bytes(table.size(), 0)}}});
    }

    Joined joined;
    std::vector<os::FileDescriptor> descriptors;  // of the channel
    os::FileDescriptor segment;
    std::array<os::FileDescriptor, 2> pools;
    os::Mapping memory;  // of the segment
    std::shared_ptr<transport::Channel> channel;
    std::vector<std::vector<std::byte>> layout;  // schemas, by rank
    std::vector<store::BlockRef> table;
    List further;                   // holders that are named behind the ranks
    std::size_t further_pools = 0;  // that go with them

  private:
    void answer(transport::Link& link, const Attributes& request) const {
        const auto type = text_field(request, "type").value();
        const auto id = integer_field(request, "id", 0, INT64_MAX).value_or(0);
        std::vector<int> files;
        if (type == message_type::join_reader) {
            for (const os::FileDescriptor& file : descriptors) {
                files.push_back(file.get());
            }
            if (transport::sees_memory(joined.channel)) {
                files.push_back(segment.get());
            }
            static_cast<void>(link.reply(id, encode(joined), files));
        } else if (type == message_type::stores && integer_field(request, "first", 0, INT64_MAX) != 0) {
            static_cast<void>(
                link.reply(id, Attributes{{"holders", further}}, std::vector(further_pools, pools[0].get())));
        } else if (type == message_type::stores) {
            static_cast<void>(
                link.reply(id, Attributes{{"holders", List{"", ""}}}, std::vector{pools[0].get(), pools[1].get()}));
        } else if (type != message_type::leave) {
            static_cast<void>(link.reply(id, Attributes{}));
        }
    }

    const std::shared_ptr<transport::Endpoint> endpoint_;
    const std::shared_ptr<transport::Switchboard> switchboard_;
    bool is_open_ = false;
};

class HostileDirectors : public StreamTest {
  protected:
    /// A director may say that a variable is larger than all memory: whoever reads that asks for it.
    static void read_unless_huge(const Variable& variable) {
        constexpr std::int64_t most_elements = 1 << 20;
        if (volume(variable.shape()).value_or(INT64_MAX) <= most_elements) {
            static_cast<void>(variable.read<double>());
        }
    }
    /// Reads all that there is, as a program does that goes on after errors; the codes of these.
    static std::vector<ErrorCode> read_all(Reader& in) {
        std::vector<ErrorCode> codes;
        for (;;) {
            try {
                const auto step = in.next(0.02);
                if (!step) {
                    return codes;
                }
                static_cast<void>(step->attributes());
                for (const std::string& name : step->variables()) {
                    const Variable variable = step->variable(name);
                    read_unless_huge(variable);
                    for (std::size_t i = 0; i < variable.blocks().size(); ++i) {
                        static_cast<void>(variable.block(i));
                    }
                }
            } catch (const Timeout&) {
                return codes;
            } catch (const Error& error) {
                codes.push_back(error.code());
                if (error.code() == ErrorCode::peer_lost || error.code() == ErrorCode::writer_failed) {
                    return codes;
                }
            }
        }
    }
    /// What a reader makes of a director that prepares everything honestly, and then says what `lie` says.
    std::vector<ErrorCode> read_from(const std::function<void(LyingDirector&)>& lie) const {
        LyingDirector director(run_directory());
        director.open();
        Reader in("s", {.timeout = 20.0});
        lie(director);
        return read_all(in);
    }
    void expect_refused(const std::function<void(LyingDirector&)>& lie, const std::string& what) const {
        const auto codes = read_from(lie);
        EXPECT_FALSE(codes.empty()) << what;
        for (const ErrorCode code : codes) {
            EXPECT_TRUE(code == ErrorCode::protocol || code == ErrorCode::invalid_argument)
                << what << ": " << static_cast<int>(code);
        }
    }
};

TEST_F(HostileDirectors, ThatTellTheTruthAreBelieved) {
    EXPECT_TRUE(read_from([](LyingDirector& director) {
                    director.send(director.say_layout(1));
                    director.send(director.say_step(0, 1));
                }).empty());
}

TEST_F(HostileDirectors, ThatAnnounceAStepWithoutALayoutAreRefused) {
    for (const bool has_table : {true, false}) {
        expect_refused(
            [&](LyingDirector& director) {
                director.send(has_table ? director.say_step(0, 1) : announcement(0, {1, store::BlockRef{}, {}}));
            },
            has_table ? "a table" : "a block");
    }
}

TEST_F(HostileDirectors, ThatSayWrongThingsOfAStepAreRefused) {
    using Lie = std::function<void(LyingDirector&, transport::Message&)>;
    std::vector<Lie> lies;
    for (const std::int64_t number : {std::int64_t{-1}, INT64_MIN, INT64_MAX, LyingDirector::bytes,
                                      LyingDirector::bytes - 8, std::int64_t{1} << 40, std::int64_t{41}}) {
        lies.push_back([=](auto&, auto& message) { message.offset = number; });
        lies.push_back([=](auto&, auto& message) { message.bytes = number; });
        if (number >= 0 && number < INT64_MAX) {
            lies.push_back([=](auto&, auto& message) { message.step = static_cast<std::uint64_t>(number); });
        }
        for (const auto field : {&StepTableHeader::step, &StepTableHeader::layout, &StepTableHeader::blocks,
                                 &StepTableHeader::attribute_bytes}) {
            lies.push_back([=](LyingDirector& director, auto&) {
                reinterpret_cast<StepTableHeader*>(director.memory.data() + LyingDirector::table_at)->*field =
                    static_cast<std::uint64_t>(number);
            });
        }
        for (const auto field : {&store::BlockRef::offset, &store::BlockRef::bytes}) {
            lies.push_back([=](LyingDirector& director, auto& message) {
                director.table[1].*field = number;
                message = director.say_step(0, 1);
            });
        }
    }
    for (const std::uint32_t store : {2U, 4U, UINT32_MAX}) {
        lies.push_back([=](LyingDirector& director, auto& message) {
            director.table[0].store = store;
            message = director.say_step(0, 1);
        });
    }
    for (const std::size_t blocks : {0, 1, 3, 100}) {
        lies.push_back([=](LyingDirector& director, auto& message) {
            director.table.resize(blocks);
            message = director.say_step(0, 1);
        });
    }
    lies.push_back([](auto&, auto& message) { message = announcement(0, {1, store::BlockRef{}, {}}); });
    for (std::size_t i = 0; i < lies.size(); ++i) {
        expect_refused(
            [&](LyingDirector& director) {
                director.send(director.say_layout(1));
                transport::Message step = director.say_step(0, 1);
                lies[i](director, step);
                director.send(step);
            },
            numbered("lie ", static_cast<std::int64_t>(i)));
    }
}

/// Of a stream that servers keep. Its reader knows of one of them when it joins.
class DirectorOfServers : public HostileDirectors {
  protected:
    std::vector<ErrorCode> read_blocks_of(std::uint32_t store, const List& further, std::size_t pools) const {
        LyingDirector director(run_directory());
        director.joined.server = "harbour";
        director.joined.depot_service = "depot of s";
        director.joined.depots = {""};
        director.further = {""};
        director.further_pools = 1;
        director.table[1].store = 4;
        director.open();
        Reader in("s", {.timeout = 20.0});
        director.further = further;
        director.further_pools = pools;
        director.send(director.say_layout(1));
        director.send(director.say_step(0, 1));
        auto codes = read_all(in);
        EXPECT_EQ(codes.size(), 0) << "what it knows";
        director.table[0].store = store;
        director.send(director.say_step(1, 1));
        codes = read_all(in);
        director.table[0].store = 0;
        director.send(director.say_step(2, 1));
        EXPECT_EQ(read_all(in).size(), 0) << "it goes on";
        return codes;
    }
};

TEST_F(DirectorOfServers, ThatTellOfFurtherOnesAreBelieved) {
    EXPECT_TRUE(read_blocks_of(4, {}, 0).empty());
    EXPECT_TRUE(read_blocks_of(5, {""}, 1).empty());
    EXPECT_TRUE(read_blocks_of(8, {"", ""}, 2).empty()) << "it asks twice";
    EXPECT_TRUE(read_blocks_of(5, {"", "", ""}, 3).empty()) << "there are more already";
}

TEST_F(DirectorOfServers, ThatSayWrongThingsOfFurtherOnesAreRefused) {
    const List too_many(most_depots, "");
    for (const std::uint32_t store : {5U, 6U, 4U + 4096U, 1U << 20, UINT32_MAX}) {
        for (const List& further : {List{}, List{7}, List{"no contact"}, List{Value()}, too_many}) {
            const auto codes = read_blocks_of(store, further, 0);
            ASSERT_FALSE(codes.empty());
            for (const ErrorCode code : codes) {
                EXPECT_TRUE(code == ErrorCode::protocol || code == ErrorCode::peer_lost) << static_cast<int>(code);
            }
        }
    }
}

TEST_F(HostileDirectors, ThatSayWrongThingsOfALayoutAreRefused) {
    using Lie = std::function<void(LyingDirector&, transport::Message&)>;
    std::vector<Lie> lies;
    for (const std::int64_t number : {std::int64_t{-1}, INT64_MIN, INT64_MAX, LyingDirector::bytes,
                                      LyingDirector::bytes - 8, std::int64_t{1} << 40, std::int64_t{9}}) {
        lies.push_back([=](auto&, auto& message) { message.offset = number; });
        lies.push_back([=](auto&, auto& message) { message.bytes = number; });
        lies.push_back([=](auto&, auto& message) { message.step = static_cast<std::uint64_t>(number); });
    }
    for (const std::size_t ranks : {0, 1, 3, 1000}) {
        lies.push_back([=](LyingDirector& director, auto& message) {
            director.layout.resize(ranks, director.layout[0]);
            message = director.say_layout(1);
        });
    }
    for (std::size_t at = 0; at < 120; ++at) {
        lies.push_back([=](LyingDirector& director, auto&) {
            director.memory.data()[LyingDirector::layout_at + static_cast<std::int64_t>(at)] ^= std::byte{0xff};
        });
    }
    int refused = 0;
    for (std::size_t i = 0; i < lies.size(); ++i) {
        refused += read_from([&](LyingDirector& director) {
                       transport::Message layout = director.say_layout(1);
                       lies[i](director, layout);
                       director.send(layout);
                       director.send(director.say_step(0, 1));
                   }).empty()
                       ? 0
                       : 1;
    }
    EXPECT_GT(refused, static_cast<int>(lies.size()) * 3 / 4) << "but for names that may be anything";
}

TEST_F(HostileDirectors, ThatAnnounceStepsOfNumbersThatCannotBeAreNotHeard) {
    for (const std::int64_t number : {std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
        EXPECT_TRUE(read_from([&](LyingDirector& director) {
                        director.send(director.say_layout(1));
                        director.send(director.say_step(number, 1));
                        director.send(announcement(number, {1, store::BlockRef{}, {}}));
                    }).empty())
            << number;
    }
}

TEST_F(HostileDirectors, ThatSendRandomMessagesDoNoHarm) {
    std::mt19937_64 random(17);
    const auto number = [&] { return static_cast<std::int64_t>(random() >> (random() % 64)); };
    for (int turn = 0; turn < 20; ++turn) {
        read_from([&](LyingDirector& director) {
            director.send(director.say_layout(1));
            static_cast<void>(director.say_step(0, 1));
            for (int i = 0; i < 14; ++i) {
                transport::Message message;
                message.kind = static_cast<std::uint32_t>(random() % 16);
                message.rank = static_cast<std::uint32_t>(number());
                message.step = static_cast<std::uint64_t>(number());
                message.offset = random() % 2 == 0 ? LyingDirector::table_at : number();
                message.bytes = random() % 2 == 0 ? 88 : number();
                director.send(message);
            }
        });
    }
}

// Double fetch: what was checked is what is used.
TEST_F(HostileDirectors, ThatChangeWhatTheySayWhileItIsReadDoNoHarm) {
    LyingDirector director(run_directory());
    if (!transport::sees_memory(director.joined.channel)) {
        GTEST_SKIP() << "what a message encloses does not change any more";
    }
    director.open();
    Reader in("s", {.timeout = 20.0});
    static_cast<void>(director.say_step(0, 1));
    const transport::Message layout = director.say_layout(1);
    std::atomic<bool> ended{false};
    std::thread changing([&] {
        std::mt19937_64 random(3);
        while (!ended) {
            const auto start = random() % 2 == 0 ? LyingDirector::layout_at : LyingDirector::table_at;
            std::byte& byte = director.memory.data()[start + static_cast<std::int64_t>(random() % 128)];
            const std::byte was = byte;
            byte = static_cast<std::byte>(random());
            std::this_thread::yield();
            byte = was;
        }
    });
    for (std::int64_t turn = 0; turn < 5000; ++turn) {
        director.send(layout);
        transport::Message step = hot_message(Hot::announce, 0);
        step.offset = LyingDirector::table_at;
        step.bytes = step_table_bytes(2, 0);
        director.send(step);
        try {
            if (const auto read = in.next(20.0); read && read->has("x")) {
                read_unless_huge(read->variable("x"));
            }
        } catch (const Error&) {
        }
        director.channel->drain(100, [](const transport::Message&) {});
    }
    ended = true;
    changing.join();
}

TEST_F(HostileDirectors, WhosePoolsAreNoFilesOrWhoseSegmentMayGoAwayAreRefused) {
    LyingDirector director(run_directory());
    director.pools[1] = std::move(os::create_pipe().value().read_end);
    director.open();
    EXPECT_EQ(code_thrown_by([] { Reader("s", {.timeout = 5.0}); }), ErrorCode::protocol);
    director.pools[1] = os::create_memory_file("small").value();
    EXPECT_NO_THROW(Reader("s", {.timeout = 5.0}));
    if (transport::sees_memory(director.joined.channel)) {
        director.segment = os::create_disk_file(run_directory()).value();
        EXPECT_EQ(code_thrown_by([] { Reader("s", {.timeout = 5.0}); }), ErrorCode::protocol);
    }
}

TEST_F(HostileDirectors, WhosePoolIsCutShortMakeAnErrorOfTheRead) {
    LyingDirector director(run_directory());
    director.pools[1] = os::create_disk_file("/dev/shm").value();
    ASSERT_TRUE(os::allocate_range(director.pools[1], 0, LyingDirector::bytes));
    director.open();
    Reader in("s", {.timeout = 5.0});
    director.send(director.say_layout(1));
    director.send(director.say_step(0, 1));
    const Variable x = in.next().value().variable("x");
    EXPECT_EQ(x.read<double>(), std::vector<double>(32));
    const View part = *x.view(Selection{Slice{20, 1, 2}});  // a copy
    ASSERT_EQ(::ftruncate(director.pools[1].get(), 0), 0);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(x.read<double>()); }), ErrorCode::protocol);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(x.view(Selection{Slice{20, 1, 2}})); }), ErrorCode::protocol);
    EXPECT_EQ(part.array.span<double>()[1], 0.0);
}

TEST_F(HostileDirectors, WhoNameNoWriterRanksAreRefused) {
    LyingDirector director(run_directory());
    director.joined.writer_of.clear();
    director.open();
    EXPECT_EQ(code_thrown_by([] { Reader("s", {.timeout = 5.0}); }), ErrorCode::protocol);
}

TEST_F(HostileDirectors, ThatNeverStopTalkingKeepNobodyBeyondATimeout) {
    LyingDirector director(run_directory());
    director.open();
    std::atomic<bool> ended{false};
    std::optional<Reader> in(std::in_place, "s", ReaderOptions{.timeout = 20.0});
    // It takes longer to take them in than to say them.
    const std::vector<store::BlockDescription> blocks(500, LyingDirector::part_of(0));
    director.layout[0] = encode_schema(blocks).value();
    const transport::Message layout = director.say_layout(1);
    std::atomic<bool> steps{false};
    std::thread talking([&] {
        while (!ended) {
            director.send(steps ? announcement(0, {1, store::BlockRef{}, {}}) : layout);
        }
    });
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(in->next(0.2)); }), ErrorCode::timeout);
    steps = true;
    in.reset();
    ended = true;
    talking.join();
}

}  // namespace
}  // namespace staithe::stream
