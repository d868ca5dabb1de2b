// Names in recordings of all formats.
#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "format/conventions.hpp"

namespace staithe::format {
namespace {

TEST(Conventions, RefuseNamesThatCannotBe) {
    ArrayInfo info{.name = "T", .dtype = Dtype::f64, .shape = {4, 6}};
    for (const std::string& name :
         {std::string(), std::string("/"), std::string("a/"), std::string("/a"), std::string("a//b"), std::string("."),
          std::string(".."), std::string("a/.."), std::string("__a"), std::string("zarr.json"), std::string("step"),
          std::string("step_attributes"), std::string("step_3"), std::string("step_3/x"), std::string("a\0b", 3),
          std::string(201, 'a'), std::string("a\xff")}) {
        info.name = name;
        EXPECT_FALSE(check(info)) << name;
    }
    for (const std::string name : {"a", "steps", "step_", "step_x", "a/step", "step_attributes_of", "T 1", "é"}) {
        info.name = name;
        EXPECT_TRUE(check(info)) << name;
    }
}

TEST(Conventions, NamesOfOthersLeadNowhereElse) {
    for (const std::string& name : {std::string(), std::string("/a"), std::string("a//b"), std::string("a/.."),
                                    std::string("a\0b", 3), std::string(201, 'a'), std::string("a\xff")}) {
        EXPECT_FALSE(check_name_of_others(name)) << name;
    }
    for (const std::string name : {"__a", "zarr.json", "step_3/x", "a/..b", "é"}) {
        EXPECT_TRUE(check_name_of_others(name)) << name;
    }
}

TEST(Conventions, TellStepsApartByTheirGroups) {
    EXPECT_EQ(step_of(group_of(0)), 0);
    EXPECT_EQ(step_of(group_of(INT64_MAX)), INT64_MAX);
    for (const char* name : {"step", "step_", "step_-1", "step_1x", "step_99999999999999999999", "xstep_1", ""}) {
        EXPECT_EQ(step_of(name), std::nullopt) << name;
    }
}

}  // namespace
}  // namespace staithe::format
