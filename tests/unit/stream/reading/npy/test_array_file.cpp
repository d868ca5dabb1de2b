#include "stream/reading/npy/array_file.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "os/files.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::stream::npy {
namespace {

std::string dictionary(const std::string& descr, const std::string& shape = "(3, 4)",
                       const std::string& order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

TEST(ArrayFile, HasTheDtypesThatStaitheHas) {
    for (unsigned code = 0; code < dtype_count; ++code) {
        const auto dtype = static_cast<Dtype>(code);
        const std::string name = dtype == Dtype::boolean ? "b1" : name_of(dtype);
        const auto array = parse_dictionary(dictionary((size_of(dtype) == 1 ? "'|" : "'<") + name + "'"));
        ASSERT_TRUE(array) << name << ": " << array.error().message;
        EXPECT_EQ(array->dtype, dtype);
        EXPECT_EQ(array->bytes, 12 * size_of(dtype));
    }
    EXPECT_TRUE(parse_dictionary(dictionary("'>i1'"))) << "a byte has no order";
}

TEST(ArrayFile, UnderstandsWhatWritersWrite) {
    const auto array = parse_dictionary("{\"shape\":(2,3L) ,'fortran_order':True,\n'descr':'<f8'}");
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(array->shape, (Extents{2, 3}));
    EXPECT_TRUE(array->column_major);
    EXPECT_EQ(parse_dictionary(dictionary("'<f8'", "()"))->shape, Extents{});
    EXPECT_EQ(parse_dictionary(dictionary("'<f8'", "(7,)"))->shape, Extents{7});
    EXPECT_EQ(parse_dictionary(dictionary("'<f8'", "(7, 0)"))->bytes, 0);
}

TEST(ArrayFile, SaysWhatCannotBeRead) {
    for (const auto& [text, why] : std::vector<std::pair<std::string, const char*>>{
             {dictionary("'>f8'"), "big-endian ('>f8')"},
             {dictionary("'|O'"), "'|O', which Staithe has no dtype for"},
             {dictionary("'<U5'"), "'<U5'"},
             {dictionary("'<M8[ns]'"), "no dtype"},
             {dictionary("'|bool'"), "no dtype"},
             {dictionary("''"), "no dtype"},
             {dictionary("[('a', '<f8')]"), "structured"},
             {dictionary("'<f8'", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "9 dimensions"},
             {dictionary("'<f8'", "(3, -4)"), "cannot be understood"},
             {dictionary("'<f8'", "(4611686018427387904, 4)"), "cannot be understood"},
             {dictionary("'<f8'", "(99999999999999999999,)"), "cannot be understood"},
             {dictionary("'<f8'", "(3 4)"), "cannot be understood"},
             {dictionary("'<f8'", "(3, 4"), "cannot be understood"},
             {dictionary("'<f8'", "3"), "cannot be understood"},
             {dictionary("'<f8'", "(3,)", "Maybe"), "cannot be understood"},
             {dictionary("'<f8'") + "x", "cannot be understood"},
             {"{'descr': '<f8', 'shape': (3,)}", "cannot be understood"},
             {"{'colour': 'red'}", "cannot be understood"},
             {"{'descr': '<f8", "cannot be understood"},
             {"{'descr'", "cannot be understood"},
             {"{", "cannot be understood"},
             {"", "cannot be understood"},
         }) {
        const auto array = parse_dictionary(text);
        ASSERT_FALSE(array) << text;
        EXPECT_EQ(array.error().code, ErrorCode::protocol);
        EXPECT_NE(array.error().message.find(why), std::string::npos) << text << ": " << array.error().message;
    }
}

class ArrayFileTest : public ::testing::Test {
  protected:
    base::Result<ArrayFile> read(const std::string& content) {
        std::ofstream(path_, std::ios::binary) << content;
        return read_header(os::open_for_reading(path_).value(), path_);
    }
    /// `length` is as wide as the version has it.
    static std::string file_of(char version, const std::string& length, const std::string& rest) {
        return std::string("\x93NUMPY") + version + '\0' + length + rest;
    }

    const std::string header_ = dictionary("'<f4'");
    const std::string short_length_ = {static_cast<char>(header_.size()), 0};
    const std::string elements_ = std::string(48, 'x');

  private:
    testing::TemporaryDirectory directory_;
    const std::string path_ = directory_ / "x.npy";
};

TEST_F(ArrayFileTest, HasThreeVersions) {
    const std::string long_length = short_length_ + std::string(2, '\0');
    EXPECT_EQ(read(file_of(1, short_length_, header_ + elements_))->offset,
              static_cast<std::int64_t>(10 + header_.size()));
    EXPECT_EQ(read(file_of(2, long_length, header_ + elements_))->offset,
              static_cast<std::int64_t>(12 + header_.size()));
    EXPECT_TRUE(read(file_of(3, long_length, header_ + elements_ + "and more")));
}

TEST_F(ArrayFileTest, IsReadOnlyIfItIsOneAndWhole) {
    const std::string endless(4, '\xff');
    for (const auto& [content, why] : std::vector<std::pair<std::string, const char*>>{
             {"", "does not begin"},
             {"PK\x03\x04 a file of np.savez", "does not begin"},
             {file_of(4, short_length_, header_ + elements_), "version 4.0"},
             {file_of(0, short_length_, header_ + elements_), "version 0.0"},
             {file_of(2, endless, header_ + elements_), "too long"},
             {file_of(1, short_length_, header_.substr(0, 20)), "ends within its header"},
             {file_of(1, short_length_, header_ + elements_.substr(1)), "47 B of the 48 B"},
         }) {
        const auto array = read(content);
        ASSERT_FALSE(array) << why;
        EXPECT_EQ(array.error().code, ErrorCode::protocol);
        EXPECT_NE(array.error().message.find(why), std::string::npos) << array.error().message;
        EXPECT_NE(array.error().message.find("x.npy'"), std::string::npos) << array.error().message;
    }
}

}  // namespace
}  // namespace staithe::stream::npy
