#include "space/spread/put_numbers.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::space {
namespace {

TEST(PutNumbersTest, NoTwoPutsAreKnownByTheSame) {
    PutNumbers numbers, others;
    const auto one = numbers.begin(), next = numbers.begin(), other = others.begin();
    EXPECT_FALSE(one.program.empty());
    EXPECT_EQ(one.program, next.program);
    EXPECT_NE(one.number, next.number);
    EXPECT_NE(one.program, other.program) << "of another space, or program";
}

TEST(PutNumbersTest, ManyHaveNumbersThatFollowEachOther) {
    PutNumbers numbers;
    const auto many = numbers.begin(10), next = numbers.begin();
    EXPECT_EQ(next.number, many.number + 10);
}

TEST(PutNumbersTest, SettledIsAllBeforeTheFirstThatIsUnderWay) {
    PutNumbers numbers;
    const auto one = numbers.begin(), many = numbers.begin(5), last = numbers.begin();
    EXPECT_EQ(one.settled, one.number) << "its own answer has not come";
    EXPECT_EQ(last.settled, one.number);
    numbers.end(many);
    EXPECT_EQ(numbers.begin().settled, one.number) << "those after it do not count";
    numbers.end(one);
    EXPECT_EQ(numbers.begin().settled, last.number);
    numbers.end(last);
}

TEST(PutNumbersTest, ThreadsHaveNumbersOfTheirOwn) {
    PutNumbers numbers;
    std::mutex mutex;
    std::set<std::int64_t> all;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int put = 0; put < 1000; ++put) {
                const auto id = numbers.begin();
                {
                    const std::lock_guard lock(mutex);
                    EXPECT_TRUE(all.insert(id.number).second);
                    EXPECT_LE(id.settled, id.number);
                }
                numbers.end(id);
            }
        });
    }
    std::ranges::for_each(threads, &std::thread::join);
    const auto last = numbers.begin();
    EXPECT_EQ(last.settled, last.number) << "all others have been answered";
}

}  // namespace
}  // namespace staithe::space
