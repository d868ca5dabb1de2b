// Whatever comes in at the socket of a process, it goes on serving others.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <staithe/staithe.hpp>

#include "base/value_codec.hpp"
#include "os/pipe.hpp"
#include "os/socket.hpp"
#include "stream/directing/protocol.hpp"
#include "support/child_process.hpp"
#include "support/stream_test.hpp"
#include "transport/endpoint.hpp"
#include "transport/frame.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using transport::encode_frame;

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// A frame with any body, and a header that tells what it is told to.
Bytes raw_frame(const Bytes& body, std::uint32_t announced_bytes, std::uint32_t announced_descriptors = 0) {
    Bytes frame = encode_frame({}, announced_descriptors).value();
    frame.resize(transport::frame_header_bytes);
    std::memcpy(frame.data() + 4, &announced_bytes, sizeof(announced_bytes));
    frame.insert(frame.end(), body.begin(), body.end());
    return frame;
}
Bytes raw_frame(const Bytes& body) { return raw_frame(body, static_cast<std::uint32_t>(body.size())); }

/// A connection that keeps to no protocol.
class Stranger {
  public:
    Stranger(const std::string& directory, const std::string& socket)
        : socket_(os::connect_to(directory, socket).value()) {
        const timeval patience{20, 0};
        EXPECT_EQ(::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    }
    void say(const Bytes& bytes, const std::vector<int>& descriptors = {}) const {
        static_cast<void>(os::send_some(socket_, bytes, descriptors));  // the other side may be through with us
    }
    void say(const Attributes& body) const { say(encode_frame(body, 0).value()); }
    /// Whether the other side ends the connection.
    [[nodiscard]] bool is_sent_away() const {
        std::array<char, 4096> buffer{};
        ssize_t count = 0;
        while ((count = ::read(socket_.get(), buffer.data(), buffer.size())) > 0) {
        }
        return count == 0 || errno == ECONNRESET;
    }
    /// The failure that comes as the answer to a request; nothing if it was a success.
    [[nodiscard]] std::optional<ErrorCode> ask(Attributes request, const std::vector<int>& descriptors = {}) const {
        request["id"] = 77;
        say(encode_frame(request, descriptors.size()).value(), descriptors);
        transport::FrameDecoder decoder;
        for (;;) {
            if (const auto packet = decoder.next().value()) {
                if (find(packet->body, "reply")->as_int() != 77) {
                    continue;
                }
                const Value* code = find(packet->body, "error");
                return code != nullptr ? std::optional(static_cast<ErrorCode>(*code->as_int())) : std::nullopt;
            }
            Bytes buffer(4096);
            pollfd readable{socket_.get(), POLLIN, 0};
            static_cast<void>(::poll(&readable, 1, 20'000));
            auto received = os::receive_some(socket_, buffer).value();
            if (received.bytes == 0) {
                ADD_FAILURE() << "no answer to " << base::to_json(request);
                return ErrorCode::peer_lost;
            }
            decoder.feed(std::span(buffer).first(received.bytes), std::move(received.descriptors));
        }
    }

  private:
    os::FileDescriptor socket_;
};

class HostilePeersTest : public StreamTest {
  protected:
    HostilePeersTest() { opened_.await(); }

    /// Whatever happened before, the writer writes, and its reader reads. Call at the end.
    void expect_good_service(Reader& in) {
        for (std::int64_t step = 0; step < steps; ++step) {
            go_on_.give();
            const auto read = in.next();
            ASSERT_TRUE(read);
            EXPECT_EQ(read->index(), step);
            expect_intact(*read);
        }
        EXPECT_FALSE(in.next());
        EXPECT_EQ(writing_.wait(), 0);
    }
    [[nodiscard]] Stranger stranger() const {
        return {run_directory(), transport::Endpoint::name_of_socket(writing_.pid()).value()};
    }

    static constexpr std::int64_t steps = 5;

  private:
    Signal opened_, go_on_;
    ChildProcess writing_{[this] {
        Writer out("s");
        opened_.give();
        for (std::int64_t step = 0; step < steps; ++step) {
            go_on_.await();
            write_step(out);
        }
        out.close();
        return 0;
    }};
};

TEST_F(HostilePeersTest, BytesThatAreNoMessageEndTheirConnectionAlone) {
    Reader in("s");
    const Bytes map = base::to_cbor(Attributes{{"id", 1}, {"service", "s"}});
    std::string nested;
    for (int depth = 0; depth < 100'000; ++depth) {
        nested += '\x81';  // a list of one list of one list …
    }
    for (const Bytes& nonsense : {
             bytes_of("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), bytes_of(std::string(1000, '\0')),
             bytes_of(std::string(1000, '\xff')), raw_frame(map, transport::max_body + 1), raw_frame(map, UINT32_MAX),
             raw_frame(map, 0),                                             // the body is the next header
             raw_frame(map, static_cast<std::uint32_t>(map.size()), 3),     // descriptors that do not come
             raw_frame(map, static_cast<std::uint32_t>(map.size()), 1000),  // more than there may be
             raw_frame(base::to_cbor(List{1, 2})), raw_frame(base::to_cbor(Value("text"))), raw_frame({}),
             raw_frame(bytes_of(nested)),
             raw_frame(bytes_of("\x9b\xff\xff\xff\xff\xff\xff\xff\xff")),  // a list of 2^64 - 1 elements
             raw_frame(bytes_of("\x7b\x7f\xff\xff\xff\xff\xff\xff\xff"
                                "abc")),  // a text of 2^63 bytes
             raw_frame(bytes_of("\xbf\x61"
                                "a\x01")),  // a map without an end
             raw_frame(bytes_of("\xa1\x61"
                                "a\x41x")),            // bytes instead of text
             raw_frame(bytes_of("\xa1\x61\xff\x01")),  // text that is not UTF-8
             raw_frame(bytes_of("\xa1\x01\x01")),      // a key that is no text
         }) {
        const Stranger other = stranger();
        other.say(nonsense);
        EXPECT_TRUE(other.is_sent_away());
    }
    expect_good_service(in);
}

TEST_F(HostilePeersTest, MessagesThatAreCutShortAreForgottenWithTheirConnection) {
    Reader in("s");
    const Bytes frame = encode_frame({{"id", 1}, {"service", "s"}, {"type", "describe"}}, 0).value();
    for (std::size_t length = 0; length < frame.size(); length += 3) {
        stranger().say(Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(length)));
    }
    expect_good_service(in);
}

TEST_F(HostilePeersTest, DescriptorsThatNobodyAskedForAreClosed) {
    Reader in("s");
    const std::vector<int> many(64, STDERR_FILENO);
    {
        const Stranger other = stranger();
        for (int i = 0; i < 50; ++i) {
            other.say(bytes_of("S"), many);
        }
        EXPECT_TRUE(other.is_sent_away());
    }
    {
        const Stranger other = stranger();
        other.say(encode_frame({{"service", "s"}}, 0).value(), many);
        EXPECT_TRUE(other.is_sent_away());
    }
    expect_good_service(in);
}

TEST_F(HostilePeersTest, FieldsOfTheWrongKindAreAnsweredByAFailure) {
    Reader in("s");
    const Stranger other = stranger();
    const std::vector<Value> values{nullptr,
                                    true,
                                    -1,
                                    1,
                                    std::int64_t{1} << 30,
                                    INT64_MAX,
                                    INT64_MIN,
                                    0.5,
                                    "",
                                    "x",
                                    List{1, "x"},
                                    Attributes{},
                                    std::string(1000, 'x')};
    for (const char* type :
         {"join-writer", "join-reader", "stores", "ready", "detach", "pause", "resume", "follow", "nonsense", ""}) {
        EXPECT_TRUE(other.ask({{"service", "s"}, {"type", type}})) << type;
        for (const char* field :
             {"rank", "size", "group", "program", "ticket", "member", "first", "overflow", "start", "type"}) {
            for (const Value& value : values) {
                Attributes request{{"service", "s"}, {"type", type}};
                request.insert_or_assign(field, value);
                EXPECT_TRUE(other.ask(request)) << base::to_json(request);
            }
        }
    }
    EXPECT_EQ(other.ask({{"service", "t"}}), ErrorCode::not_found);
    EXPECT_EQ(other.ask({{"service", 5}, {"protocol", "x"}}), ErrorCode::protocol);
    other.say({{"reply", 1}});
    other.say({{"reply", "x"}, {"error", 0.5}, {"message", 1}});
    other.say({{"id", "x"}, {"service", "s"}, {"type", "leave"}, {"member", "x"}});
    other.say({{"service", "s"}, {"type", "give-up"}, {"ticket", "x"}});
    EXPECT_EQ(other.ask({{"service", "s"}, {"type", "describe"}}), std::nullopt) << "it is still listened to";
    expect_good_service(in);
}

// Reading from it could take for ever.
TEST_F(HostilePeersTest, WhatIsNoFileIsNoPool) {
    Reader in("s");
    const auto pipe = os::create_pipe().value();
    const Stranger other = stranger();
    EXPECT_EQ(other.ask({{"service", "s"}, {"type", "join-writer"}, {"rank", 1}, {"size", 2}, {"group", "x"}},
                        {pipe.read_end.get()}),
              ErrorCode::protocol);
    expect_good_service(in);
}

TEST_F(HostilePeersTest, NobodySpeaksForAnotherMember) {
    Reader in("s");
    const Stranger other = stranger();
    for (int member = 0; member < 20; ++member) {
        other.say({{"service", "s"}, {"type", "leave"}, {"member", member}});
        for (const char* type : {"detach", "ready", "stores"}) {
            const auto refused = other.ask({{"service", "s"}, {"type", type}, {"member", member}, {"first", 0}});
            EXPECT_TRUE(refused == ErrorCode::protocol || refused == ErrorCode::peer_lost);  // if nobody is it
        }
    }
    expect_good_service(in);
}

TEST_F(HostilePeersTest, RanksThatJoinAndVanishAreForgotten) {
    Reader in("s");
    for (int i = 0; i < 50; ++i) {
        const Stranger other = stranger();
        EXPECT_EQ(other.ask({{"service", "s"},
                             {"type", "join-reader"},
                             {"rank", i % 3},
                             {"size", 3},
                             {"program", "vanishing"},
                             {"group", ""},
                             {"overflow", ""},
                             {"start", start_oldest}}),
                  std::nullopt);
    }
    expect_good_service(in);
}

TEST_F(HostilePeersTest, FramesWithFlippedBytesHarmNobody) {
    Reader in("s");
    std::mt19937 random(5);
    for (int turn = 0; turn < 300; ++turn) {
        Bytes frame = encode_frame({{"id", turn},
                                    {"service", "s"},
                                    {"type", "join-reader"},
                                    {"rank", 0},
                                    {"size", 1},
                                    {"program", "flipped"},
                                    {"group", ""},
                                    {"overflow", "latest"},
                                    {"start", -1}},
                                   0)
                          .value();
        for (unsigned flips = random() % 4; flips > 0; --flips) {
            frame[random() % frame.size()] = static_cast<std::byte>(random());
        }
        stranger().say(frame);
    }
    expect_good_service(in);
}

}  // namespace
}  // namespace staithe
