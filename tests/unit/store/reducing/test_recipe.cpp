#include "store/reducing/recipe.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace staithe::store::reducing {
namespace {

TEST(Recipes, AreReadAsTheyAreWritten) {
    for (const Recipe& recipe : {Recipe{}, Recipe{.kind = Kind::mean}, Recipe{.kind = Kind::min},
                                 Recipe{.kind = Kind::max}, Recipe{.kind = Kind::var}, Recipe{.kind = Kind::std},
                                 Recipe{Kind::histogram, 10, -0.1, 1.0 / 3}, Recipe{Kind::histogram, 1, 0, 1e-300},
                                 Recipe{Kind::histogram, most_bins, -8.9e307, std::numeric_limits<double>::min()}}) {
        const std::string text = to_string(recipe);
        EXPECT_LE(text.size(), longest_recipe);
        EXPECT_EQ(parse_recipe(text).value(), recipe) << text;
    }
    EXPECT_EQ(parse_recipe(" histogram ( 7,-1 , +2.5)\n").value(), (Recipe{Kind::histogram, 7, -1, 2.5}));
}

TEST(Recipes, WhatIsNoneIsSaid) {
    const auto said = [](const std::string& text) {
        const auto recipe = parse_recipe(text);
        return recipe ? "" : recipe.error().message;
    };
    EXPECT_NE(said("maximum").find("no reduction 'maximum'"), std::string::npos) << said("maximum");
    EXPECT_NE(said("variance").find("var"), std::string::npos) << said("variance");
    for (const char* text : {"", " ", "sum()", "max(1)", "histogra", "(", "Sum"}) {
        EXPECT_NE(said(text).find("there is no reduction"), std::string::npos) << text << ": " << said(text);
    }
    for (const char* text : {"histogram", "histogram(", "histogram()", "histogram(10)", "histogram(10, 0, 1",
                             "histogram(10, 0, 1) ?", "histogram(10, 0, 1, 2)", "histogram(1e1, 0, 1)",
                             "histogram(10 0 1)", "histogram(10, zero, 1)", "histogram(10, 0x1, 2)"}) {
        EXPECT_NE(said(text).find("as in \"histogram(10, 0, 1)\""), std::string::npos) << text << ": " << said(text);
    }
    for (const char* text : {"histogram(0, 0, 1)", "histogram(-1, 0, 1)", "histogram(65537, 0, 1)"}) {
        EXPECT_NE(said(text).find("1 to 65536 bins"), std::string::npos) << text << ": " << said(text);
    }
    for (const char* text : {"histogram(1, 1, 1)", "histogram(1, 2, 1)", "histogram(1, nan, 1)", "histogram(1, 0, inf)",
                             "histogram(1, -1e308, 1e308)", "histogram(65536, 0, 1e-305)"}) {
        EXPECT_NE(said(text).find("two finite values"), std::string::npos) << text << ": " << said(text);
    }
    EXPECT_NE(said("histogram(65536, 1, 1.0000000000000002)").find("cannot tell 65536 bins"), std::string::npos);
    EXPECT_LE(said("histogram(" + std::string(100000, '9')).size(), 300U);
}

}  // namespace
}  // namespace staithe::store::reducing
