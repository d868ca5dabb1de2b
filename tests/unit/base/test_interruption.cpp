#include "base/interruption.hpp"

#include <staithe/waiting.hpp>

#include <gtest/gtest.h>

namespace staithe::base {
namespace {

bool answer = false;
int questions = 0;
bool is_interrupted() {
    ++questions;
    return answer;
}

class InterruptionTest : public ::testing::Test {
  protected:
    InterruptionTest() {
        answer = false;
        questions = 0;
    }
    ~InterruptionTest() override { set_interruption_check(nullptr); }
};

TEST_F(InterruptionTest, NobodyInterruptsUnlessACheckIsSet) {
    EXPECT_FALSE(can_be_interrupted());
    EXPECT_FALSE(interrupted());
    EXPECT_GT(next_question(Deadline(Seconds(100))).left(), std::chrono::seconds(90));
}

TEST_F(InterruptionTest, CheckIsAskedAboutFiveTimesASecond) {
    set_interruption_check(is_interrupted);
    EXPECT_TRUE(can_be_interrupted());
    EXPECT_LE(next_question(Deadline(Seconds(100))).left(), std::chrono::milliseconds(200));
    EXPECT_LE(next_question(Deadline(Seconds(0.01))).left(), std::chrono::milliseconds(10));
    EXPECT_FALSE(interrupted());
    answer = true;
    EXPECT_TRUE(interrupted());
    EXPECT_EQ(questions, 2);
}

}  // namespace
}  // namespace staithe::base
