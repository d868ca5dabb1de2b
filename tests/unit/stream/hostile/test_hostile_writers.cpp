// A process that joined as a writer rank, and lies about its steps: the data of the other ranks stays what it is.
#include <atomic>
#include <functional>
#include <thread>

#include <staithe/staithe.hpp>

#include "stream/describing/record.hpp"
#include "stream/describing/schema.hpp"
#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/stream_test.hpp"
#include "unit/stream/hostile/intruder.hpp"

namespace staithe::stream {
namespace {

using namespace staithe::testing;

/// A pool that no Staithe made: bytes that its owner puts there.
class LyingPool {
  public:
    static constexpr std::int64_t bytes = 1 << 20;

    explicit LyingPool(os::FileDescriptor file) : file_(std::move(file)) {}

    template <class T>
    void put(std::int64_t offset, std::span<const T> values) const {
        const auto bytes = std::as_bytes(values);
        std::copy(bytes.begin(), bytes.end(), memory_.data() + offset);
    }
    [[nodiscard]] std::byte* data() const { return memory_.data(); }
    [[nodiscard]] const os::FileDescriptor& file() const { return file_; }

  private:
    os::FileDescriptor file_;
    os::Mapping memory_ = (static_cast<void>(os::allocate_range(file_, 0, bytes)),
                           os::Mapping::map(file_, 0, bytes, os::Access::read_write, os::Populate::no).value());
};

/// What the intruder says of one step, before it is made worse.
struct Claim {
    RecordHeader header{};
    std::vector<store::BlockRef> blocks;
    std::vector<std::byte> schema;
    std::vector<std::byte> attributes;
    transport::Message message;
};

store::BlockDescription block_of(const std::string& name, Dtype dtype, const Extents& shape, const Box& box) {
    store::BlockDescription block;
    block.variable = name;
    block.dtype = dtype;
    block.shape = shape;
    block.box = box;
    return block;
}

/// The intruder is rank 2 of 3: it may say what it likes of its blocks, in any way it likes.
class LyingRank {
  public:
    // The director may look at the steps before a little later.
    static constexpr std::int64_t record_at(std::int64_t step) { return step % 16 * 4096; }
    static constexpr std::int64_t schema_at(std::int64_t step) { return record_at(step) + 2048; }
    static constexpr std::int64_t data_at = 1 << 17;

    explicit LyingRank(Intruder& process, os::FileDescriptor file = os::create_memory_file("liar").value())
        : process_(process), pool_(std::move(file)) {
        const auto read_only = os::duplicate_read_only(pool_.file()).value();
        place_ = process_
                     .join(message_type::join_writer, {{"rank", 2}, {"size", 3}, {"group", ""}, {"pools", 1}},
                           {read_only.get()})
                     .value();
    }

    /// An honest record of a step with a block of its own.
    [[nodiscard]] Claim claim(std::int64_t step) {
        Claim claim;
        claim.schema = encode_schema(std::array{block_of("h", Dtype::f64, {4}, {{0}, {4}})}).value();
        claim.blocks = {{.store = 2, .offset = data_at, .bytes = 32}};
        claim.header = {.magic = record_magic,
                        .version = record_version,
                        .step = static_cast<std::uint64_t>(step),
                        .blocks = 1,
                        .schema = static_cast<std::uint64_t>(step) + 1,
                        .schema_offset = schema_at(step),
                        .schema_bytes = static_cast<std::int64_t>(claim.schema.size()),
                        .attribute_bytes = 0,
                        .reserved = 0};
        claim.message = hot_message(Hot::record, step);
        claim.message.offset = record_at(step);
        claim.message.bytes = record_bytes(1, 0);
        claim.message.data_bytes = 32;
        return claim;
    }
    /// Writes it down as it is now, and sends the message.
    void make(std::int64_t step, const Claim& claim) {
        const std::int64_t blocks = record_at(step) + static_cast<std::int64_t>(sizeof(RecordHeader));
        pool_.put<RecordHeader>(record_at(step), std::span(&claim.header, 1));
        pool_.put<store::BlockRef>(blocks, claim.blocks);
        pool_.put<std::byte>(blocks + static_cast<std::int64_t>(claim.blocks.size() * sizeof(store::BlockRef)),
                             claim.attributes);
        pool_.put<std::byte>(schema_at(step), claim.schema);
        EXPECT_TRUE(say(claim.message));
    }
    bool say(const transport::Message& message) {
        // Others may have to write their part before there is room.
        for (int turn = 0; turn < 1000; ++turn) {
            if (Intruder::say(place_, message)) {
                return true;
            }
        }
        return false;
    }
    /// The step must not wait for this rank, whether it was believed or not.
    void done_with(std::int64_t step) {
        say(hot_message(Hot::abandoned, step));
        transport::Message told;
        const auto room = [&] {
            while (place_.channel->receive(told)) {
                freed_ += static_cast<Hot>(told.kind) == Hot::freed ? 1 : 0;
            }
            return step - freed_ < 2;
        };
        transport::Patience patience;
        EXPECT_TRUE(place_.channel->wait(Intruder::patience(), patience, room)) << "after step " << step;
    }

    [[nodiscard]] const LyingPool& pool() const { return pool_; }
    [[nodiscard]] const Intruder::Place& place() const { return place_; }
    Intruder& process() { return process_; }

  private:
    Intruder& process_;
    LyingPool pool_;
    Intruder::Place place_;
    std::int64_t freed_ = 0;
};

class HostileWriters : public StreamTest {
  protected:
    void SetUp() override {
        if (!forked_children_may_start_threads) {
            GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
        }
    }
    /// The reader of two honest ranks gets what they wrote, or an error; never anything else. Another stream of rank
    /// 0's process goes on as if nothing had happened. Returns how many steps were read whole.
    int read_beside(const std::function<void(LyingRank&)>& attack, bool on_disk = false) {
        const Signal done;
        ChildProcess zero([&] {
            Writer other("other", {.queue_steps = 8});
            write_steps(other, 5);
            write(0);
            done.await();
            write_steps(other, 2);
            other.close();
            return 0;
        });
        ChildProcess one([&] {
            write(1);
            return 0;
        });
        Reader other("other");
        for (std::int64_t step = 0; step < 5; ++step) {
            expect_intact(other.next(30.0).value());
        }
        ChildProcess intruder([&] {
            Intruder process(run_directory(), "s", 11);
            LyingRank rank(process,
                           on_disk ? os::create_disk_file("/dev/shm").value() : os::create_memory_file("liar").value());
            attack(rank);
            return 0;
        });
        const int whole = read_what_can_be_read();
        EXPECT_EQ(intruder.wait(), 0);
        EXPECT_EQ(one.wait(), 0);
        done.give();
        EXPECT_EQ(read_to_end(other), (std::vector<std::int64_t>{5, 6}));
        EXPECT_EQ(zero.wait(), 0);
        return whole;
    }

  private:
    /// Until the intruder is gone.
    static void write(int rank) {
        try {
            Writer out("s", {.group = {.rank = rank, .size = 3}, .queue_steps = 4});
            for (;;) {
                write_step(out);
            }
        } catch (const PeerLost&) {
        }
    }

    static int read_what_can_be_read() {
        constexpr std::int64_t most_elements = 1 << 20;  // that memory is made for here
        Reader in("s");
        for (int whole = 0;;) {
            try {
                const auto step = in.next(30.0);
                EXPECT_TRUE(step) << "the stream ended as if nothing had happened";
                if (!step) {
                    return whole;
                }
                for (const std::string& name : step->variables()) {
                    try {
                        const Variable variable = step->variable(name);
                        if (name == "x") {
                            EXPECT_EQ(variable.read<double>(Selection(Box{{0}, {32}})), values_of(step->index(), 0, 32))
                                << step->index();
                            ++whole;
                        } else if (variable.dtype() == Dtype::f64 && variable.shape()[0] < most_elements) {
                            static_cast<void>(variable.read<double>());
                        }
                    } catch (const Error& error) {
                        EXPECT_TRUE(error.code() == ErrorCode::protocol ||
                                    error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::not_found)
                            << error.what();
                    }
                }
                try {
                    static_cast<void>(step->attributes());
                } catch (const ProtocolError&) {
                }
            } catch (const PeerLost&) {
                return whole;
            } catch (const Error& error) {
                EXPECT_TRUE(error.code() == ErrorCode::protocol || error.code() == ErrorCode::invalid_argument)
                    << error.what();
            }
        }
    }
};

using Lie = std::function<void(Claim&)>;

/// One field after the other is not what it should be.
std::vector<Lie> lies() {
    std::vector<Lie> lies{[](Claim& /*honest*/) {}};
    for (const std::int64_t number :
         {std::int64_t{-1}, INT64_MIN, INT64_MAX, std::int64_t{1} << 40, std::int64_t{1} << 29, LyingPool::bytes,
          LyingPool::bytes - 8, std::int64_t{33}, std::int64_t{0}}) {
        for (const auto field :
             {&RecordHeader::step, &RecordHeader::blocks, &RecordHeader::schema, &RecordHeader::attribute_bytes}) {
            lies.push_back([=](Claim& claim) { claim.header.*field = static_cast<std::uint64_t>(number); });
        }
        for (const auto field : {&RecordHeader::schema_offset, &RecordHeader::schema_bytes}) {
            lies.push_back([=](Claim& claim) { claim.header.*field = number; });
        }
        for (const auto field : {&store::BlockRef::offset, &store::BlockRef::bytes}) {
            lies.push_back([=](Claim& claim) { claim.blocks[0].*field = number; });
        }
        for (const auto field : {&transport::Message::offset, &transport::Message::bytes,
                                 &transport::Message::data_bytes, &transport::Message::spilled_bytes}) {
            lies.push_back([=](Claim& claim) { claim.message.*field = number; });
        }
        lies.push_back([=](Claim& claim) { claim.message.step = static_cast<std::uint64_t>(number); });
    }
    for (const std::uint32_t store : {0U, 1U, 3U, 4U, 5U, 8U, UINT32_MAX}) {
        lies.push_back([=](Claim& claim) { claim.blocks[0].store = store; });
    }
    for (const unsigned number : {1U, 2U, 0xffffU}) {
        lies.push_back([=](Claim& claim) { claim.blocks[0].encoding = static_cast<store::Encoding>(number); });
        lies.push_back([=](Claim& claim) { claim.blocks[0].version = static_cast<std::uint16_t>(number); });
    }
    const std::vector<store::BlockDescription> descriptions{
        block_of("x", Dtype::f32, {48}, {{32}, {16}}),          block_of("x", Dtype::f64, {47}, {{32}, {15}}),
        block_of("x", Dtype::f64, {48}, {{0}, {48}}),           block_of("x", Dtype::f64, {48}, {{16}, {16}}),
        block_of("h", Dtype::f64, {1 << 20}, {{0}, {1 << 20}}), block_of("h", Dtype::i8, {32}, {{0}, {32}}),
        block_of("h", Dtype::f64, {INT64_MAX / 8}, {{0}, {4}}),
    };
    for (const store::BlockDescription& description : descriptions) {
        lies.push_back([=](Claim& claim) {
            claim.schema = encode_schema(std::array{description}).value();
            claim.header.schema_bytes = static_cast<std::int64_t>(claim.schema.size());
        });
    }
    for (const std::size_t at : {0, 1, 3, 4, 8, 9, 10, 12, 20, 30}) {
        lies.push_back([=](Claim& claim) { claim.schema.at(at) = std::byte{0xff}; });
    }
    lies.push_back([](Claim& claim) {  // attributes that are none
        claim.attributes.assign(100, std::byte{0x9f});
        claim.header.attribute_bytes = claim.attributes.size();
        claim.message.bytes += 100;
    });
    return lies;
}

TEST_F(HostileWriters, ThatLieAboutTheirBlocksSpoilNoOtherRanks) {
    const int whole = read_beside([](LyingRank& rank) {
        std::int64_t step = 0;
        for (const Lie& lie : lies()) {
            Claim claim = rank.claim(step);
            lie(claim);
            rank.make(step, claim);
            rank.done_with(step++);
        }
    });
    EXPECT_GT(whole, 1);
}

// Mapped, it would end the director and the reader by SIGBUS.
TEST_F(HostileWriters, WhosePoolIsCutShortSpoilNoOtherRanks) {
    constexpr std::int64_t honest = 20;
    const auto attack = [](LyingRank& rank) {
        for (std::int64_t step = 0; step < 2 * honest; ++step) {
            Claim claim = rank.claim(step);
            if (step < honest) {
                rank.make(step, claim);
            } else {
                EXPECT_EQ(::ftruncate(rank.pool().file().get(), step % 3 * 2048), 0);
                EXPECT_TRUE(rank.say(claim.message));
            }
            rank.done_with(step);
        }
    };
    constexpr std::int64_t unread = 4;  // that the queue may have held when the file was first cut
    EXPECT_GE(read_beside(attack, true), honest - unread);
}

TEST_F(HostileWriters, ThatSendRandomMessages) {
    read_beside([](LyingRank& rank) {
        for (std::int64_t step = 0; step < 200; ++step) {
            for (int i = 0; i < 50; ++i) {
                auto message = rank.process().message();
                if (static_cast<Hot>(message.kind) != Hot::finished) {
                    rank.say(message);
                }
            }
            rank.done_with(step);
        }
    });
}

// Double fetch: what was checked is what is used.
TEST_F(HostileWriters, ThatChangeTheirRecordsWhileTheyAreReadSpoilNoOtherRanks) {
    const int whole = read_beside([](LyingRank& rank) {
        std::atomic<bool> ended{false};
        std::thread changing([&] {
            std::mt19937_64 random(3);
            while (!ended) {
                const auto step = static_cast<std::int64_t>(random() % 16);
                const auto start = random() % 2 == 0 ? LyingRank::record_at(step) : LyingRank::schema_at(step);
                const auto at = static_cast<std::size_t>(start) + random() % 96;
                const std::byte was = rank.pool().data()[at];
                rank.pool().data()[at] = static_cast<std::byte>(random());
                std::this_thread::yield();
                rank.pool().data()[at] = was;
            }
        });
        for (std::int64_t step = 0; step < 500; ++step) {
            rank.make(step, rank.claim(step));
            rank.done_with(step);
        }
        ended = true;
        changing.join();
    });
    EXPECT_GT(whole, 1);
}

}  // namespace
}  // namespace staithe::stream
