#include "store/space/kernels.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

// Those of this processor are held against each element by itself, in the tests of statistics and predicates. Here:
// that the others do the same, for any bytes and any count.
TEST(Kernels, OfAllWidthsAgree) {
    std::mt19937 random(13);
    for (int i = 0; i < 200; ++i) {
        const auto count = static_cast<std::int64_t>(random() % 150);
        std::vector<std::byte> bytes(static_cast<std::size_t>(count) * 32);
        for (std::byte& byte : bytes) {
            byte = random() % 3 == 0 ? std::byte{0xff} : static_cast<std::byte>(random() % 4);
        }
        for (std::size_t dtype = 0; dtype < dtype_count; ++dtype) {
            const auto named = static_cast<Dtype>(dtype);
            if (named == Dtype::f128 || named == Dtype::c256) {
                continue;  // which not any bytes are
            }
            for (std::size_t relation = 0; relation < relation_count; ++relation) {
                Compare* const plain = plain_kernels.compare[dtype][relation];
                Compare* const chosen = kernels().compare[dtype][relation];
                ASSERT_EQ(plain == nullptr, chosen == nullptr);
                if (plain != nullptr) {
                    std::vector<std::uint8_t> expected(static_cast<std::size_t>(count), 7);
                    std::vector<std::uint8_t> mask(static_cast<std::size_t>(count), 8);
                    plain(bytes.data(), count, 2, expected.data());
                    chosen(bytes.data(), count, 2, mask.data());
                    ASSERT_EQ(mask, expected) << dtype << ' ' << relation;
                    ASSERT_EQ(plain_kernels.count_hits(mask.data(), count), kernels().count_hits(mask.data(), count));
                }
            }
            if (plain_kernels.summarize[dtype] != nullptr) {
                ASSERT_EQ(plain_kernels.summarize[dtype](bytes.data(), count),
                          kernels().summarize[dtype](bytes.data(), count))
                    << dtype;
            }
        }
    }
}

}  // namespace
}  // namespace staithe::store::space
