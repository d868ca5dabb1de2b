#include "store/remote/saved_models.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::store::remote {
namespace {

using staithe::testing::TemporaryDirectory;

const Offer offer{.variable = "T", .dtype = Dtype::f32, .bound = codecs::Bound::relative(1e-3)};
constexpr std::int64_t megabyte = 1 << 20;
const transform::Region region{.bytes = megabyte, .share = 0.1};

transform::Chooser new_chooser() {
    return transform::Chooser::for_values(offer.dtype, offer.bound, offer.codec).value();
}

/// That each codec takes two milliseconds.
transform::Chooser taught() {
    transform::Chooser chooser = new_chooser();
    for (int i = 0; i < 20; ++i) {
        for (std::size_t way = 1; way < chooser.ways().size(); ++way) {
            chooser.learn(way, region, megabyte / 20, base::Seconds(2e-3));
        }
    }
    return chooser;
}

std::string content_of(const std::string& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

TEST(SavedModels, StartTheNextRun) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/models.json";
    SavedModels first(path, "this one");
    first.keep(offer, taught());
    ASSERT_TRUE(first.save());
    const SavedModels second(path, "this one");
    transform::Chooser chooser = new_chooser();
    const double guessed = chooser.expected(1, region).count();
    second.recall(offer, chooser);
    EXPECT_NEAR(chooser.expected(1, region).count(), 2e-3, 1e-4);
    EXPECT_LT(guessed, 1e-3);
    Offer other = offer;
    other.bound = codecs::Bound::relative(1e-6);
    transform::Chooser of_others = new_chooser();
    second.recall(other, of_others);
    EXPECT_EQ(of_others.expected(1, region).count(), guessed);
    for (int i = 0; i < 30; ++i) {
        chooser.learn(1, region, megabyte / 20, base::Seconds(4e-3));
    }
    EXPECT_NEAR(chooser.expected(1, region).count(), 4e-3, 4e-4) << "what is newly learnt counts soon";
}

TEST(SavedModels, KeepWhatOthersHaveSaved) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/models.json";
    SavedModels one(path, "this one"), two(path, "this one");
    Offer other = offer;
    other.variable = "p";
    one.keep(offer, taught());
    two.keep(other, taught());
    ASSERT_TRUE(one.save());
    ASSERT_TRUE(two.save());
    const std::string content = content_of(path);
    EXPECT_NE(content.find(" T\""), std::string::npos) << content;
    EXPECT_NE(content.find(" p\""), std::string::npos) << content;
    EXPECT_TRUE(one.save()) << "there is nothing new";
    EXPECT_EQ(content_of(path), content);
}

TEST(SavedModels, OfSeveralMachinesLieSideBySide) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/models.json";
    for (const char* const machine : {"another one", "this one", "another one"}) {
        SavedModels models(path, machine);
        models.keep(offer, taught());
        ASSERT_TRUE(models.save());
    }
    const SavedModels of_a_third(path, "a third one"), of_this(path, "this one");
    transform::Chooser chooser = new_chooser();
    of_a_third.recall(offer, chooser);
    EXPECT_FALSE(chooser.ways()[1].model.was_tried());
    of_this.recall(offer, chooser);
    EXPECT_TRUE(chooser.ways()[1].model.was_tried());
}

TEST(SavedModels, DamagedOnesSayNothingAndAreReplaced) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/models.json";
    SavedModels first(path, "this one");
    first.keep(offer, taught());
    ASSERT_TRUE(first.save());
    const std::string whole = content_of(path);
    for (const std::string& content : {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1),
                                       std::string(R"({"format":1,"machines":3})"),
                                       std::string(R"({"format":1,"machines":{"this one":[]}})"), std::string()}) {
        std::ofstream(path) << content;
        SavedModels models(path, "this one");
        transform::Chooser chooser = new_chooser();
        models.recall(offer, chooser);
        EXPECT_FALSE(chooser.ways()[1].model.was_tried()) << content;
        models.keep(offer, taught());
        ASSERT_TRUE(models.save());
        EXPECT_EQ(content_of(path), whole);
    }
}

TEST(SavedModels, WhatIsNoSuchFileStays) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() + "/results";
    for (const std::string& content : {std::string("[]"), std::string("\xff\0{", 3), std::string(R"({"format":2,)"),
                                       std::string("\x89HDF\r\n\x1a\n")}) {
        std::ofstream(path) << content;
        SavedModels models(path, "this one");
        models.keep(offer, taught());
        const auto saved = models.save();
        ASSERT_FALSE(saved);
        EXPECT_NE(saved.error().message.find("is no file of models"), std::string::npos) << saved.error().message;
        EXPECT_EQ(content_of(path), content);
    }
}

TEST(SavedModels, WhatCannotBeSaysNothing) {
    const auto of_dq = [](const std::string& classes) {
        const TemporaryDirectory directory;
        const std::string path = directory.path() + "/models.json";
        std::ofstream(path) << R"({"format":1,"machines":{"this one": {"f4 0.001 rel any T": {"dq": {"classes": )"
                            << classes << R"(, "variance": -1}, "as it is": 7}}}})";
        const SavedModels models(path, "this one");
        transform::Chooser chooser = new_chooser();
        models.recall(offer, chooser);
        return chooser.ways()[1].model.was_tried();
    };
    EXPECT_TRUE(of_dq("[[3, 1e-9, 1.0, 9223372036854775807]]"));
    for (const char* const classes : {"7", "[7]", "[[3, 1e-9, 1.0]]", "[[28, 1e-9, 1.0, 5]]", "[[-1, 1e-9, 1.0, 5]]",
                                      "[[3, -1e-9, 1.0, 5]]", "[[3, 0, 1.0, 5]]", "[[3, 1e-9, 1e300, 5]]",
                                      "[[3, \"NaN\", 1.0, 5]]", "[[3, 1e-9, 1.0, 0]]", "[[3.5, 1e-9, 1.0, 5]]"}) {
        EXPECT_FALSE(of_dq(classes)) << classes;
    }
}

TEST(SavedModels, NowhereAreNone) {
    SavedModels none("", "this one");
    none.keep(offer, taught());
    EXPECT_TRUE(none.save());
    const TemporaryDirectory directory;
    const std::string file = directory.path() + "/file";
    std::ofstream(file) << "of somebody";
    SavedModels elsewhere(file + "/models.json", "this one");
    elsewhere.keep(offer, taught());
    const auto saved = elsewhere.save();
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().message.find(file), std::string::npos) << saved.error().message;
}

}  // namespace
}  // namespace staithe::store::remote
