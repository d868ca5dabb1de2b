#include "stream/reading/npy/step_files.hpp"

#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::stream::npy {
namespace {

class StepFilesTest : public ::testing::Test {
  protected:
    void make(std::initializer_list<const char*> names) const {
        for (const std::string name : names) {
            const std::filesystem::path path = directory_ / name;
            std::filesystem::create_directories(path.parent_path());
            if (!name.ends_with('/')) {
                std::ofstream(path) << "x";
            }
        }
    }
    /// As "0: T u", the names of its variables.
    [[nodiscard]] std::vector<std::string> found() const {
        std::vector<std::string> lines;
        const auto steps = find_steps(directory_.path()).value();
        for (const StepFiles& step : steps) {
            std::string line = std::to_string(step.number) + ":";
            for (const auto& [variable, path] : step.files) {
                line += " " + variable;
            }
            lines.push_back(line);
        }
        return lines;
    }
    [[nodiscard]] base::Failure refused() const { return find_steps(directory_.path()).error(); }

    testing::TemporaryDirectory directory_;
};

TEST_F(StepFilesTest, AreOrderedByNumberAndNotByName) {
    make({"10.npy", "9.npy", "0100.npy"});
    EXPECT_EQ(found(), (std::vector<std::string>{"9: data", "10: data", "100: data"}));
}

TEST_F(StepFilesTest, OfSeveralVariablesLieBesideEachOtherOrInFolders) {
    make({"T_1.npy", "u10-1.npy", "T_2.npy", "step 3/T.npy", "step 3/u10.npy", "2/p.npy"});
    EXPECT_EQ(found(), (std::vector<std::string>{"1: T u10", "2: T p", "3: T u10"}));
}

TEST_F(StepFilesTest, PassByWhatIsNoneOfThem) {
    make({"1.npy", "README", "plot2.png", "plots3/T.png", "notes/T.npy", ".4.npy", ".5/T.npy", "6/.T.npy", "7/"});
    EXPECT_EQ(found(), std::vector<std::string>{"1: data"});
}

TEST_F(StepFilesTest, AreRefusedWhereNamesAreInDoubt) {
    make({"1.npy", "mask.npy"});
    EXPECT_EQ(refused().code, ErrorCode::invalid_argument);
    EXPECT_NE(refused().message.find("mask.npy'? Its name is to end in a number"), std::string::npos);
}

TEST_F(StepFilesTest, AreRefusedWhereTwoAreTheSame) {
    make({"T_1.npy", "T_01.npy"});
    EXPECT_EQ(refused().code, ErrorCode::invalid_argument);
    EXPECT_NE(refused().message.find("are both 'T' in step 1"), std::string::npos) << refused().message;
}

TEST_F(StepFilesTest, AreMissedWhereThereAreNone) {
    make({"README"});
    EXPECT_EQ(refused().code, ErrorCode::not_found);
    EXPECT_EQ(find_steps(directory_ / "README").error().code, ErrorCode::not_found);
    EXPECT_EQ(find_steps(directory_ / "nowhere").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace staithe::stream::npy
