#include "store/space/name_list.hpp"

#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

std::multiset<std::string> names_in(const NameList& list) {
    std::multiset<std::string> names;
    list.visit([&](std::string_view name) { names.emplace(name); });
    return names;
}

TEST(NameList, HasWhatWasAddedAndNotRemoved) {
    NameList list;
    EXPECT_TRUE(names_in(list).empty());
    const std::string long_one(5000, 'x');
    std::map<std::string, NameList::Place> places;
    for (const std::string& name : {std::string("T"), std::string("run/ü"), long_one, std::string("a\nb")}) {
        places[name] = list.add(name);
    }
    EXPECT_EQ(names_in(list), (std::multiset<std::string>{"T", "a\nb", "run/ü", long_one}));
    const auto moved = [&](std::string_view name, NameList::Place place) { places[std::string(name)] = place; };
    list.remove(places[long_one], moved);
    EXPECT_EQ(names_in(list), (std::multiset<std::string>{"T", "a\nb", "run/ü"}));
    EXPECT_LT(list.bytes(), 100U) << "the others have moved together";
    list.remove(places["T"], moved);
    list.remove(places["a\nb"], moved);
    EXPECT_EQ(names_in(list), (std::multiset<std::string>{"run/ü"}));
    list.remove(places["run/ü"], moved);
    EXPECT_EQ(list.bytes(), 0U);
}

TEST(NameList, IsThatOfAModelAndDoesNotGrowWithWhatIsRemoved) {
    std::mt19937 random(1);
    NameList list;
    std::map<std::string, NameList::Place> places;
    for (int i = 0; i < 20'000; ++i) {
        const std::string name = "run" + std::to_string(random() % 500);
        if (const auto found = places.find(name); found != places.end()) {
            const NameList::Place place = found->second;
            places.erase(found);
            list.remove(place, [&](std::string_view each, NameList::Place at) { places.at(std::string(each)) = at; });
        } else {
            places[name] = list.add(name);
        }
    }
    std::multiset<std::string> expected;
    for (const auto& [name, place] : places) {
        expected.insert(name);
    }
    EXPECT_EQ(names_in(list), expected);
    EXPECT_LT(list.bytes(), 3 * 500 * std::string("....run123").size());
}

}  // namespace
}  // namespace staithe::store::space
