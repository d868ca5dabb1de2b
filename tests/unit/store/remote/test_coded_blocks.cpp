// Blocks that are encoded on their way.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "os/event.hpp"
#include "os/shared_memory.hpp"
#include "store/remote/block_server.hpp"
#include "store/remote/remote_source.hpp"
#include "store/remote/serving.hpp"
#include "support/noise.hpp"
#include "support/stream_sockets.hpp"
#include "support/watchdog.hpp"
#include "transform/coding.hpp"
#include "unit/store/remote/raw_connection.hpp"
#include "unit/store/remote/some_runs.hpp"

namespace staithe::store::remote {
namespace {

using codecs::Bound;

/// A smooth field, with what has no bound strewn in.
template <class T>
std::vector<T> field(std::int64_t values) {
    std::vector<T> field(static_cast<std::size_t>(values));
    for (std::size_t i = 0; i < field.size(); ++i) {
        field[i] = static_cast<T>(std::sin(1e-3 * static_cast<double>(i)) * 100.0);
    }
    field[5] = std::numeric_limits<T>::quiet_NaN();
    field[77] = std::numeric_limits<T>::infinity();
    return field;
}

/// Blocks of one variable in a pool, got over TCP.
class CodedBlocksTest : public ::testing::Test {
  protected:
    template <class T>
    void keep(const std::vector<T>& values, const Extents& shape) {
        auto file = os::create_memory_file("pool").value();
        memory_ = file.duplicate().value();
        change(values);
        auto stores = std::make_shared<Stores>();
        stores->emplace(0, std::make_shared<transport::MappedPool>(std::move(file)));
        stores_ = stores;
        block_.variable = "T";
        block_.dtype = dtype_of<T>();
        block_.shape = block_.box.count = shape;
        block_.box.offset = Extents::filled(shape.size(), 0);
    }
    /// What lies there.
    template <class T>
    void change(const std::vector<T>& values) {
        const auto bytes = values.size() * sizeof(T);
        ASSERT_EQ(::pwrite(memory_.get(), values.data(), bytes, 0), static_cast<ssize_t>(bytes));
    }
    std::unique_ptr<RemoteSource> source(const Bound& bound, const std::string& codec) {
        return source_of(traffic_, bound, codec);
    }
    /// Of a peer of its own.
    std::unique_ptr<RemoteSource> source_of(const std::shared_ptr<Traffic>& traffic, const Bound& bound,
                                            const std::string& codec) {
        return std::make_unique<RemoteSource>(
            std::vector<Owner>{{"melt on a",
                                {0},
                                [this, traffic](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                                    const auto ends = testing::connected_by_tcp();
                                    server_->serve(os::FileDescriptor(ends.second), stores_, nullptr, traffic);
                                    return os::FileDescriptor(ends.first);
                                }}},
            RemoteOptions{.timeout = base::Seconds(20),
                          .allowed = [=](const BlockDescription&) { return std::optional(Allowed{bound, codec}); }});
    }
    base::Result<> fetch(RemoteSource& source, const Selection& selection, const MutableArrayView& to) {
        const BlockRef ref{.bytes = block_.data_bytes()};
        const Piece piece{0, &block_, {Box::whole(to.shape), selection}};
        return source.fetch(std::span(&ref, 1), std::span(&piece, 1), to);
    }
    /// Before anything is fetched.
    void encode_on(const devices::Device& device) {
        server_ = BlockServer::start(std::make_shared<devices::Devices>(std::vector{device})).value();
    }
    /// What has come.
    Traffic::Coded coded() const {
        const auto figures = traffic_->figures();
        EXPECT_EQ(std::ranges::distance(figures.coded), 1);
        return figures.coded.begin()->second.known;
    }

    BlockDescription block_;
    const std::shared_ptr<Traffic> traffic_ = std::make_shared<Traffic>();
    std::shared_ptr<const Stores> stores_;

  private:
    testing::Watchdog watchdog_;
    os::FileDescriptor memory_;
    std::shared_ptr<BlockServer> server_ = BlockServer::start().value();
};

template <class T>
void expect_within(const std::vector<T>& got, const std::vector<T>& values, double bound) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            ASSERT_EQ(std::isnan(got[i]), std::isnan(values[i])) << i;
            ASSERT_TRUE(std::isnan(got[i]) || got[i] == values[i]) << i;
        } else {
            ASSERT_LE(std::abs(double(got[i]) - double(values[i])), bound) << i;
        }
    }
}

TEST_F(CodedBlocksTest, KeepTheirBoundAndTakeFewerBytes) {
    const auto values = field<float>(64 * 256 * 256);
    keep(values, {64, 256, 256});
    for (const auto& [bound, most] : {std::pair(Bound::absolute(0.01), 0.01), std::pair(Bound::relative(1e-3), 0.2),
                                      std::pair(Bound::exact(), 0.0)}) {
        const auto before = traffic_->figures().bytes;
        const auto from = source(bound, "dq");
        std::vector<float> got(values.size());
        const auto to = MutableArrayView::row_major(got.data(), Dtype::f32, block_.shape);
        ASSERT_TRUE(fetch(*from, Selection::all(block_.shape), to));
        expect_within(got, values, most);
        if (most > 0.0) {
            EXPECT_LT(traffic_->figures().bytes - before, block_.data_bytes() / 4);
        }
    }
}

TEST_F(CodedBlocksTest, GoWhereTheirDestinationHasThem) {
    const auto values = field<double>(48 * 100 * 50);
    keep(values, {48, 100, 50});
    const auto from = source(Bound::exact(), "dq");
    const Selection selection{Slice{1, 2, 20}, Slice{99, -1, 100}, Slice{3, 3, 15}};
    // In the order of Fortran, as longer numbers, with gaps.
    std::vector<std::complex<double>> got(2 * 20 * 100 * 15);
    const MutableArrayView to{got.data(), Dtype::c128, {20, 100, 15}, {32, 32 * 20, 32 * 20 * 100}};
    ASSERT_TRUE(fetch(*from, selection, to));
    for (std::size_t i = 0; i < 20; ++i) {
        for (std::size_t j = 0; j < 100; ++j) {
            for (std::size_t k = 0; k < 15; ++k) {
                const double expected = values[((1 + 2 * i) * 100 + 99 - j) * 50 + 3 + 3 * k];
                ASSERT_EQ(got[2 * (i + 20 * (j + 100 * k))].real(), expected) << i << " " << j << " " << k;
            }
        }
    }
    EXPECT_GT(coded().chooser.ways().front().tries, 0);
}

/// Gives back what it is told to, in no time.
class ToldDevice final : public transform::Device {
  public:
    using Answer = std::function<base::Result<std::vector<std::byte>>(const ArrayView&, codecs::EncodeOptions)>;
    explicit ToldDevice(Answer answer) : answer_(std::move(answer)) {}
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] bool is_there() const override { return true; }
    [[nodiscard]] bool suits(const transform::Task& /*task*/) const override { return true; }
    base::Result<std::vector<std::byte>> encode(const ArrayView& elements, const codecs::EncodeOptions& options,
                                                base::Seconds longest) override {
        EXPECT_GE(longest, base::Seconds(1));
        return answer_(elements, options);
    }

  private:
    const std::string name_ = "told";
    const Answer answer_;
};

TEST_F(CodedBlocksTest, AreEncodedHereWhereADeviceFailsOrGivesSomethingElseBack) {
    const auto values = field<float>(16 * 64 * 64);
    keep(values, {16, 64, 64});
    const ToldDevice::Answer answers[]{
        [](const auto&, const auto&) { return base::fail(ErrorCode::peer_lost, "device 'told' is gone"); },
        [](const auto&, const auto&) { return std::vector<std::byte>(1000); },
        [](const auto& elements, auto options) {
            options.bound = Bound::absolute(10.0);  // than which the values were to be nearer
            return transform::encode(elements, options);
        },
        [](const auto& elements, const auto& options) {
            auto payload = transform::encode(elements, options).value();
            payload.back() ^= std::byte{1};
            return payload;
        },
    };
    for (const auto& answer : answers) {
        encode_on(std::make_shared<ToldDevice>(answer));
        const auto traffic = std::make_shared<Traffic>();
        const auto from = source_of(traffic, Bound::absolute(0.01), "dq");
        const auto failures = [&] {
            const auto figures = traffic->figures();
            const auto known = figures.coded.begin();
            const auto ways = known == figures.coded.end() ? std::span<const transform::Chooser::Known>()
                                                           : known->second.known.chooser.ways();
            return ways.size() < 2 ? 0 : ways[1].failures;
        };
        do {  // until it was tried
            std::vector<float> got(values.size());
            const auto to = MutableArrayView::row_major(got.data(), Dtype::f32, block_.shape);
            ASSERT_TRUE(fetch(*from, Selection::all(block_.shape), to));
            expect_within(got, values, 0.01);
        } while (failures() == 0);
        EXPECT_EQ(failures(), 1) << "it is left alone";
    }
}

TEST_F(CodedBlocksTest, AreEncodedByADeviceThatHasThemSooner) {
    const auto values = field<float>(16 * 64 * 64);
    keep(values, {16, 64, 64});
    encode_on(std::make_shared<ToldDevice>(transform::encode));
    const auto from = source(Bound::absolute(0.01), "dq");
    do {
        std::vector<float> got(values.size());
        const auto to = MutableArrayView::row_major(got.data(), Dtype::f32, block_.shape);
        ASSERT_TRUE(fetch(*from, Selection::all(block_.shape), to));
        expect_within(got, values, 0.01);
    } while (coded().chooser.ways().back().tries == 0);
    EXPECT_EQ(transform::to_string(coded().chooser.ways().back().way), "dq on told");
}

TEST_F(CodedBlocksTest, AreEncodedOnceForSeveralPeers) {
    auto values = field<float>(64 * 256 * 256);
    keep(values, {64, 256, 256});
    const auto other = std::make_shared<Traffic>();
    const auto one = source(Bound::relative(1e-3), "dq"), two = source_of(other, Bound::relative(1e-3), "dq");
    std::vector<float> got(values.size());
    const auto to = MutableArrayView::row_major(got.data(), Dtype::f32, block_.shape);
    const auto fetch_all = [&](RemoteSource& from) {
        ASSERT_TRUE(fetch(from, Selection::all(block_.shape), to));
        expect_within(got, values, 0.2);
    };
    const auto reused = [&](Traffic& by) { return by.figures().coded.begin()->second.known.chooser.ways()[0].reused; };
    fetch_all(*one);
    fetch_all(*two);  // the first of which it is known that two take it
    EXPECT_EQ(reused(*traffic_) + reused(*other), 0);
    for (int step = 0; step < 3; ++step) {  // in the same memory
        for (float& value : values) {
            value += 1.0F;
        }
        change(values);
        fetch_all(*one);
        EXPECT_EQ(reused(*traffic_), 0) << "of " << step;
        fetch_all(*two);
        EXPECT_EQ(reused(*other), (step + 1) * block_.data_bytes());
    }
    EXPECT_EQ(other->figures().coded.begin()->second.known.chooser.ways()[0].bytes, 4 * block_.data_bytes());
    const auto finer = source_of(other, Bound::absolute(1e-3), "dq");
    ASSERT_TRUE(fetch(*finer, Selection::all(block_.shape), to));
    expect_within(got, values, 1e-3);
}

TEST_F(CodedBlocksTest, FillCountsForNoRange) {
    auto values = field<float>(1 << 20);
    for (std::size_t i = 0; i < values.size(); i += 3) {
        values[i] = 1e20F;
    }
    keep(values, {1 << 20});
    block_.attributes.emplace("_FillValue", static_cast<double>(1e20F));
    std::vector<float> got(values.size());
    ASSERT_TRUE(fetch(*source(Bound::relative(1e-3), "dq"), Selection::all(block_.shape), view_of(got)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) {
            ASSERT_LE(std::abs(got[i] - values[i]), i % 3 == 0 ? 0.0F : 0.2F) << i;
        }
    }
}

TEST_F(CodedBlocksTest, AQuietPartOfABlockMayBeOffAsMuchAsTheRest) {
    auto values = field<float>(8 << 20);
    for (std::size_t i = 0; i < values.size() / 2; ++i) {
        values[i] = static_cast<float>(i % 100) * 1e-4F;
    }
    keep(values, {8 << 20});
    std::vector<float> got(values.size());
    ASSERT_TRUE(fetch(*source(Bound::relative(1e-3), "dq"), Selection::all(block_.shape), view_of(got)));
    double largest = 0.0;
    for (std::size_t i = 0; i < values.size() / 2; ++i) {
        largest = std::max<double>(largest, std::abs(got[i] - values[i]));
    }
    EXPECT_GT(largest, 1e-3);
    EXPECT_LE(largest, 0.2);
}

TEST_F(CodedBlocksTest, APartWithTheExtremesMayBeOffAsMuchAsItsOwnValuesAreApart) {
    auto values = field<float>(8 << 20);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 100) * 1e-4F;
    }
    const auto peak = std::span(values).subspan(1371'000, 80'000);  // where no sample of the block is taken
    std::ranges::fill(peak, 100.0F);
    keep(values, {8 << 20});
    std::vector<float> got(values.size());
    ASSERT_TRUE(fetch(*source(Bound::relative(1e-3), "dq"), Selection::all(block_.shape), view_of(got)));
    const auto most_off = [&](std::size_t first, std::size_t count) {
        double off = 0.0;
        for (std::size_t i = first; i < first + count; ++i) {
            off = std::max<double>(off, std::abs(got[i] - values[i]));
        }
        return off;
    };
    EXPECT_GT(most_off(1371'000 - 5'000, 5'000), 1e-3) << "beside the peak";
    EXPECT_LE(most_off(0, values.size()), 0.1);
    EXPECT_LE(most_off(6 << 20, 1 << 20), 1e-5) << "in a part without it";
}

TEST_F(CodedBlocksTest, WhatWasEncodedGoesOutBeforeOtherConnectionsHaveTheirTurn) {
    const std::int64_t turn = 1 << 20, bytes = 4 * turn;
    const auto values = field<float>(bytes / 4);
    keep(values, {bytes / 4});
    const Wanted wanted{.ref = {.bytes = bytes}, .runs = runs(0, 4, {{bytes / 4, 4}})};
    const Offer offer{.variable = "T", .dtype = Dtype::f32, .bound = Bound::absolute(0.01), .codec = "dq"};
    const auto ends = testing::connected_by_tcp();
    RawConnection client(os::FileDescriptor(ends.first));
    {
        Serving serving(os::FileDescriptor(ends.second), find_in(stores_), traffic_, std::make_shared<EncodedParts>(),
                        std::make_shared<devices::Devices>());
        client.send(encode_requests(std::span(&wanted, 1), 1, &offer).bytes);
        std::array asked{os::Polled{.descriptor = serving.descriptor()}};
        os::poll(asked, base::Deadline(base::Seconds(20)));
        ASSERT_TRUE(serving.take_turn(turn));
    }
    const auto reply = client.receive_object<ReplyHeader>();
    ASSERT_EQ(reply.status, Status::coded);
    EXPECT_EQ(client.receive(16 << 10).size(), 16U << 10) << "as much as fits any socket";
}

TEST_F(CodedBlocksTest, ACodecThatIsNotThereIsNamed) {
    keep(field<float>(1 << 20), {1 << 20});
    std::vector<float> got(1 << 20);
    const auto fetched = fetch(*source(Bound::exact(), "zpf"), Selection::all(block_.shape), view_of(got));
    ASSERT_FALSE(fetched);
    EXPECT_NE(fetched.error().message.find("'T'"), std::string::npos) << fetched.error().message;
    EXPECT_NE(fetched.error().message.find("zpf"), std::string::npos) << fetched.error().message;
}

enum class Asking { as_it_is, with_an_offer, for_a_sum };

/// What is said of a MiB that is asked for, if it is answered so.
base::Result<> answered(const ReplyHeader& header, const std::vector<std::byte>& content, Asking asking) {
    const testing::Watchdog watchdog;
    std::vector<RawConnection> ends;
    RemoteOptions options{.timeout = base::Seconds(20)};
    if (asking == Asking::with_an_offer) {
        options.allowed = [](const BlockDescription&) { return std::optional(Allowed{}); };
    }
    RemoteSource source({{"melt on a",
                          {0},
                          [&](const base::Deadline&) -> base::Result<os::FileDescriptor> {
                              const auto both = testing::connected_by_unix_sockets();
                              RawConnection& end = ends.emplace_back(os::FileDescriptor(both.second));
                              end.send_object(header);
                              end.send(content);
                              end.end();
                              return os::FileDescriptor(both.first);
                          }}},
                        options);
    const BlockDescription block{
        .variable = "T", .shape = {1 << 20}, .box = {{0}, {1 << 20}}, .unit = {}, .attributes = {}};
    const BlockRef ref{.bytes = 1 << 20};
    const Piece piece{0, &block, {block.box, Selection::all(block.shape)}};
    if (asking == Asking::for_a_sum) {
        auto sum = reducing::Reduction::make("sum", Dtype::u8, block.box, std::nullopt).value();
        return source.reduce(std::span(&ref, 1), std::span(&piece, 1), sum);
    }
    std::vector<std::uint8_t> got(1 << 20);
    return source.fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got));
}

ReplyHeader coded_reply(std::int64_t bytes) { return {.status = Status::coded, .id = 1, .bytes = bytes}; }

TEST(CodedReplies, AreRefusedWhereTheyWereNotOffered) {
    EXPECT_EQ(answered(coded_reply(100), std::vector<std::byte>(100), Asking::as_it_is).error().code,
              ErrorCode::protocol);
}

TEST(CodedReplies, ThatCannotBeOfTheBlockAreRefused) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
        EXPECT_EQ(answered(coded_reply(bytes), {}, Asking::with_an_offer).error().code, ErrorCode::protocol) << bytes;
    }
}

TEST(ReducedReplies, ThatAreNotWhatWasAskedForAreRefused) {
    const auto fetched = [](const ReplyHeader& header, std::size_t bytes) {
        return answered(header, std::vector<std::byte>(bytes), Asking::for_a_sum);
    };
    EXPECT_TRUE(fetched(coded_reply(8), 8));
    EXPECT_EQ(fetched(coded_reply(16), 16).error().code, ErrorCode::protocol);
    EXPECT_EQ(fetched(coded_reply(0), 0).error().code, ErrorCode::protocol);
    EXPECT_EQ(fetched({.id = 1, .bytes = 1 << 20}, 100).error().code, ErrorCode::protocol) << "all elements";
}

TEST(CodedReplies, DamagedOnesNameTheBlock) {
    const std::vector<std::uint8_t> values(1 << 20);
    auto payload = codecs::encode(view_of(values));
    const std::vector<std::uint8_t> fewer(1 << 19);
    const auto other = codecs::encode(view_of(fewer));
    payload.back() ^= std::byte{1};
    for (const auto& content : {payload, other, std::vector<std::byte>(100)}) {
        const auto fetched =
            answered(coded_reply(static_cast<std::int64_t>(content.size())), content, Asking::with_an_offer);
        ASSERT_FALSE(fetched);
        EXPECT_EQ(fetched.error().code, ErrorCode::protocol);
        EXPECT_NE(fetched.error().message.find("'T'"), std::string::npos) << fetched.error().message;
        EXPECT_NE(fetched.error().message.find("melt on a"), std::string::npos) << fetched.error().message;
    }
}

/// All that was sent of a block, which lies at its place.
void expect_sent(const std::vector<Sent>& sent, const std::vector<double>& values, const std::byte* place,
                 double bound) {
    std::vector<double> got(values.size(), -7.0);
    for (const Sent& part : sent) {
        EXPECT_EQ(part.block, 0U);
        const auto elements = static_cast<std::size_t>(part.first) / sizeof(double);
        if (!part.is_payload) {
            EXPECT_EQ(part.bytes, part.data_bytes);
            std::memcpy(got.data() + elements, place + part.first, static_cast<std::size_t>(part.bytes));
            continue;
        }
        const std::span payload(place + part.first, static_cast<std::size_t>(part.bytes));
        const auto holds = codecs::inspect(payload);
        ASSERT_EQ(*size_in_bytes(holds.shape, holds.dtype), part.data_bytes);
        codecs::decode(payload, MutableArrayView::row_major(got.data() + elements, Dtype::f64, holds.shape));
    }
    expect_within(got, values, bound);
}

TEST_F(CodedBlocksTest, AreKeptAsTheyWereSent) {
    const auto values = field<double>(20 * 1000 * 100);
    keep(values, {20, 1000, 100});
    std::vector<std::byte> memory(values.size() * sizeof(double));
    const BlockRef ref{.bytes = block_.data_bytes()};
    std::byte* const place = memory.data();
    std::vector<Sent> sent{{.block = 7}};
    for (const bool column_major : {false, true}) {
        block_.column_major = column_major;
        const auto fetched = source(Bound::absolute(0.01), "dq")
                                 ->fetch_as_sent(std::span(&ref, 1), std::span(&block_, 1), std::span(&place, 1), sent);
        ASSERT_TRUE(fetched) << fetched.error().message;
        EXPECT_GT(sent.size(), 3U) << "of units";
        EXPECT_TRUE(std::ranges::all_of(sent, &Sent::is_payload));
        expect_sent(sent, values, place, 0.01);
        std::int64_t bytes = 0;
        for (const Sent& part : sent) {
            bytes += part.bytes;
        }
        EXPECT_LT(bytes, block_.data_bytes() / 4);
    }
}

TEST_F(CodedBlocksTest, ThatAreKeptAsTheyWereSentAreTimedAllTheSame) {
    const auto values = field<double>(10 * 1000 * 100);
    keep(values, {10, 1000, 100});
    std::vector<std::byte> memory(values.size() * sizeof(double));
    const BlockRef ref{.bytes = block_.data_bytes()};
    std::byte* const place = memory.data();
    std::vector<Sent> sent;
    const auto from = source(Bound::absolute(0.01), "dq");
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(from->fetch_as_sent(std::span(&ref, 1), std::span(&block_, 1), std::span(&place, 1), sent));
        expect_sent(sent, values, place, 0.01);
    }
    EXPECT_GT(coded().decode, 0.0) << "their owner is told with the second request";
}

TEST_F(CodedBlocksTest, ComeAsTheyAreWhereNothingPays) {
    std::vector<double> values(300'000);
    const auto noise = testing::noise(static_cast<std::int64_t>(values.size() * sizeof(double)));
    std::memcpy(values.data(), noise.data(), noise.size());  // a codec gains nothing by a byte of it
    std::ranges::replace_if(values, [](double value) { return !std::isfinite(value); }, 0.0);
    keep(values, {300'000});
    std::vector<std::byte> memory(values.size() * sizeof(double));
    const BlockRef ref{.bytes = block_.data_bytes()};
    std::byte* const place = memory.data();
    std::vector<Sent> sent;
    const auto from = source(Bound::exact(), "");
    ASSERT_TRUE(from->fetch_as_sent(std::span(&ref, 1), std::span(&block_, 1), std::span(&place, 1), sent));
    expect_sent(sent, values, place, 0.0);
    EXPECT_EQ(std::memcmp(memory.data(), values.data(), memory.size()), 0);
    block_.dtype = Dtype::f32;
    EXPECT_EQ(from->fetch_as_sent(std::span(&ref, 1), std::span(&block_, 1), std::span(&place, 1), sent).error().code,
              ErrorCode::protocol)
        << "no ref of such a block";
}

}  // namespace
}  // namespace staithe::store::remote
