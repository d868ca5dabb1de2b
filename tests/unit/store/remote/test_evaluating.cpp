#include "store/remote/evaluating.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "store/remote/block_server.hpp"
#include "support/stream_sockets.hpp"
#include "support/watchdog.hpp"
#include "unit/store/remote/raw_connection.hpp"
#include "unit/store/remote/some_runs.hpp"

namespace staithe::store::remote {
namespace {

/// A server of doubles 0, 1, 2… as store 3, in memory, and store 4, in a file; and whoever connects.
class EvaluatedBlocksTest : public ::testing::Test {
  protected:
    static constexpr std::int64_t count = 3 << 20;
    static constexpr std::int64_t bytes = count * 8;

    EvaluatedBlocksTest() {
        std::vector<double> numbers(count);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = static_cast<double>(i);
        }
        auto file = os::create_memory_file("pool").value();
        EXPECT_EQ(::ftruncate(file.get(), bytes), 0);
        EXPECT_EQ(::pwrite(file.get(), numbers.data(), bytes, 0), bytes);
        auto stores = std::make_shared<Stores>();
        stores->emplace(4, std::make_shared<transport::PoolFile>(file.duplicate().value()));
        stores->emplace(3, std::make_shared<transport::MappedPool>(std::move(file)));
        const auto ends = testing::connected_by_tcp();
        server_->serve(os::FileDescriptor(ends.second), stores, nullptr);
        client_ = RawConnection(os::FileDescriptor(ends.first));
    }

    static Offer offer(std::string formula, std::size_t operands, Dtype dtype = Dtype::f64) {
        return {.variable = "made",
                .dtype = dtype,
                .computed = Computed{std::move(formula), std::vector<Dtype>(operands, Dtype::f64)},
                .as_is = true};
    }
    static Wanted of(std::uint32_t store, const Runs& runs, std::vector<Wanted> others = {}) {
        return {{.store = store, .offset = 0, .bytes = bytes}, runs, std::move(others)};
    }
    ReplyHeader ask(const Wanted& wanted, const Offer& offer) {
        client_.send(encode_requests(std::span(&wanted, 1), 1, &offer).bytes);
        return client_.receive_object<ReplyHeader>();
    }
    template <class T = double>
    std::vector<T> given(const Wanted& wanted, const Offer& offer) {
        const ReplyHeader reply = ask(wanted, offer);
        EXPECT_EQ(reply.status, Status::given);
        const auto came = client_.receive(static_cast<std::size_t>(reply.bytes));
        std::vector<T> values(came.size() / sizeof(T));
        std::memcpy(values.data(), came.data(), came.size());
        return values;
    }
    void expect_refusal(const Wanted& wanted, const Offer& offer, const std::string& why) {
        const ReplyHeader reply = ask(wanted, offer);
        ASSERT_EQ(reply.status, Status::refused);
        const std::string text = client_.receive_text(reply);
        EXPECT_NE(text.find(why), std::string::npos) << text;
    }

    RawConnection client_;

  private:
    testing::Watchdog watchdog_;
    std::shared_ptr<BlockServer> server_ = BlockServer::start().value();
};

TEST_F(EvaluatedBlocksTest, AreComputedOfOperandsThatLieInAnyOrder) {
    const Runs forwards = runs(800, 8, {{3, 8000}, {5, 16}});
    const Runs backwards = runs(80000, 8, {{3, -8}, {5, -800}});
    const Runs one = runs(24, 8, {{3, 0}, {5, 0}});
    for (const auto& stores : {std::array{3U, 3U, 3U}, std::array{4U, 4U, 4U}, std::array{3U, 4U, 3U}}) {
        const auto values = given(of(stores[0], forwards, {of(stores[1], backwards), of(stores[2], one)}),
                                  offer("((x0 * 2.0) + (x1 / x2))", 3));
        ASSERT_EQ(values.size(), 15U);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t k = 0; k < 5; ++k) {
                const double a = 100.0 + 1000.0 * static_cast<double>(i) + 2.0 * static_cast<double>(k);
                const double b = 10000.0 - static_cast<double>(i) - 100.0 * static_cast<double>(k);
                EXPECT_DOUBLE_EQ(values[i * 5 + k], a * 2.0 + b / 3.0) << stores[1];
            }
        }
    }
}

TEST_F(EvaluatedBlocksTest, HaveTheDtypeThatIsMadeAndNoDimensionsIfTheyAreOne) {
    EXPECT_EQ(given<std::uint8_t>(of(3, runs(0, 8, {{4, 8}})), offer("(x0 > 1)", 1, Dtype::boolean)),
              (std::vector<std::uint8_t>{0, 0, 1, 1}));
    EXPECT_EQ(given(of(3, runs(8, 8, {})), offer("(x0 + 1)", 1)), std::vector<double>{2.0});
}

TEST_F(EvaluatedBlocksTest, AreReduced) {
    Offer sum = offer("(x0 * x0)", 1);
    sum.as_is = false;
    sum.reduced = Reduced{{.kind = reducing::Kind::sum}, 0b10};
    for (const std::uint32_t store : {3U, 4U}) {
        const ReplyHeader reply = ask(of(store, runs(0, 8, {{2, 80}, {10, 8}})), sum);
        ASSERT_EQ(reply.status, Status::coded);
        ASSERT_EQ(reply.bytes, 16);
        EXPECT_EQ(client_.receive_object<double>(), 285.0);
        EXPECT_EQ(client_.receive_object<double>(), 2185.0);
    }
}

TEST_F(EvaluatedBlocksTest, AreEncodedWhereThatIsTaken) {
    Offer coded = offer("(x0 * 0)", 1);
    coded.as_is = false;
    coded.codec = "shuffle+lz4";
    const ReplyHeader reply = ask(of(3, runs(0, 8, {{1 << 17, 8}})), coded);
    ASSERT_EQ(reply.status, Status::coded);
    EXPECT_LT(reply.bytes, 1 << 17);
}

TEST_F(EvaluatedBlocksTest, ThatCannotBeAreRefusedAndAllElseIsGiven) {
    const Runs ten = runs(0, 8, {{10, 8}});
    expect_refusal(of(3, ten), offer("(x0 + ", 1), "it ends where something should follow");
    expect_refusal(of(3, ten), offer("(x0 + x1)", 1), "not of that many operands");
    expect_refusal(of(3, ten), offer("stack(x0, x0)", 1), "not of that many operands");
    expect_refusal(of(3, ten), offer("nothing(x0)", 1), "there is no function 'nothing'");
    expect_refusal(of(3, ten), offer("(x0 > 1)", 1), "makes something else");
    expect_refusal(of(3, runs(3, 8, {{10, 8}})), offer("(x0 + 1)", 1), "lie wrong");
    expect_refusal(of(3, runs(0, 8, {{10, 12}})), offer("(x0 + 1)", 1), "lie wrong");
    expect_refusal(of(4, runs(0, 8, {{10, 12}})), offer("(x0 + 1)", 1), "lie wrong");
    expect_refusal(of(5, ten), offer("(x0 + 1)", 1), "holds no such store");
    expect_refusal(of(3, ten, {of(3, runs(80, 8, {{10, -16}}))}), offer("(x0 + x1)", 2), "not in the block");
    expect_refusal(of(3, runs(bytes - 8, 8, {{10, 8}})), offer("(x0 + 1)", 1), "not in the block");
    expect_refusal(of(3, runs(0, 8, {{0, 8}})), offer("(x0 + 1)", 1), "not in the block");
    expect_refusal(of(3, runs(0, 8, {{1 << 30, 0}})), offer("(x0 + 1)", 1), "more was asked for");
    expect_refusal(of(3, runs(0, 8, {{std::int64_t{1} << 62, 0}, {std::int64_t{1} << 62, 0}})), offer("(x0 + 1)", 1),
                   "more was asked for");
    expect_refusal(of(3, runs(0, 8, {{count, 8}})), offer("(x0 + 1)", 1), "more was asked for");
    std::string long_one = "x0";
    for (int i = 1; i < 60; ++i) {
        long_one = "(" + long_one + " + sin((x0 + " + std::to_string(i) + ")))";
    }
    expect_refusal(of(3, runs(0, 8, {{1 << 20, 0}})), offer(long_one, 1), "more than is computed at once");
    const Runs ends = runs(0, 8, {{2, bytes - 8}});
    expect_refusal(of(4, ends, {of(4, ends), of(4, ends)}), offer("((x0 + x1) + x2)", 3), "more of files");
    EXPECT_EQ(given(of(4, ends, {of(4, ends)}), offer("(x0 + x1)", 2)).back(), 2.0 * (count - 1));
    EXPECT_EQ(given(of(3, ten), offer("(x0 + 1)", 1)).size(), 10U);
}

}  // namespace
}  // namespace staithe::store::remote
