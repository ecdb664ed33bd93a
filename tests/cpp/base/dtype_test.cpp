// The dtype table: consistency, and NumPy's spellings.
#include "numpy_plugin/base/dtype.hpp"

#include <gtest/gtest.h>

#include <set>

namespace numpy_plugin::base {
namespace {

TEST(DTypeTest, HasOneRowForEachInOrder) {
  std::set<std::string_view> names;
  std::set<char> characters;
  for (std::size_t row = 0; row < std::size(kDTypes); ++row) {
    EXPECT_EQ(static_cast<std::size_t>(kDTypes[row].dtype), row);
    names.insert(kDTypes[row].name);
    characters.insert(kDTypes[row].numpy_character);
  }
  EXPECT_EQ(names.size(), std::size(kDTypes));
  EXPECT_EQ(characters.size(), std::size(kDTypes));
}

TEST(DTypeTest, IsFoundByNameAndCharacter) {
  for (const DTypeInfo& row : kDTypes) {
    EXPECT_EQ(find_dtype(row.name), row.dtype) << row.name;
    EXPECT_EQ(find_dtype(row.numpy_character), row.dtype) << row.name;
  }
}

TEST(DTypeTest, IsFoundByAlias) {
  EXPECT_EQ(find_dtype("f4"), DType::kFloat32);
  EXPECT_EQ(find_dtype("double"), DType::kFloat64);
  EXPECT_EQ(find_dtype("intc"), DType::kInt32);
  EXPECT_EQ(find_dtype("complex"), DType::kComplex128);
  EXPECT_EQ(find_dtype('q'), DType::kInt64);
  EXPECT_EQ(find_dtype('P'), DType::kUInt64);
}

TEST(DTypeTest, IsNotFoundByAnotherWord) {
  for (const char* word : {"", "flaot64", "Float64", "float64 ", "object", "longdouble"}) {
    EXPECT_EQ(find_dtype(word), std::nullopt) << word;
  }
  for (char character : {'O', 'g', 'U', '\0'}) EXPECT_EQ(find_dtype(character), std::nullopt);
}

TEST(DTypeTest, KnowsItsKind) {
  EXPECT_TRUE(is_integer(DType::kInt8) && is_integer(DType::kUInt64));
  EXPECT_FALSE(is_integer(DType::kBool) || is_integer(DType::kFloat16));
  EXPECT_TRUE(is_floating(DType::kBFloat16) && is_floating(DType::kFloat64));
  EXPECT_FALSE(is_floating(DType::kComplex64));
  EXPECT_TRUE(is_complex(DType::kComplex64) && !is_complex(DType::kFloat32));
}

}  // namespace
}  // namespace numpy_plugin::base
