// The table of PTX's types.
#include <gtest/gtest.h>

#include "simulator/assembly/types.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(AssemblyTypesTest, FindsATypeBySpelling) {
  EXPECT_EQ(find_type("pred"), Type::kPred);
  EXPECT_EQ(find_type("b128"), Type::kB128);
  EXPECT_EQ(find_type("bf16x2"), Type::kBf16x2);
  EXPECT_EQ(find_type("f64"), Type::kF64);
}

TEST(AssemblyTypesTest, FindsNoneForAnotherWord) {
  EXPECT_EQ(find_type(""), Type::kNone);
  EXPECT_EQ(find_type(".f32"), Type::kNone);
  EXPECT_EQ(find_type("f3"), Type::kNone);
  EXPECT_EQ(find_type("f321"), Type::kNone);
}

TEST(AssemblyTypesTest, SpellsWhatItFinds) {
  for (const Type type : {Type::kPred, Type::kU8, Type::kS16x2, Type::kF16, Type::kF64}) {
    EXPECT_EQ(find_type(spelling(type)), type);
  }
  EXPECT_EQ(spelling(Type::kS16x2), "s16x2");
  EXPECT_EQ(spelling(Type::kNone), "");
}

TEST(AssemblyTypesTest, KnowsSizesAndMeanings) {
  EXPECT_EQ(size_bytes(Type::kPred), 0u);
  EXPECT_EQ(size_bytes(Type::kS8), 1u);
  EXPECT_EQ(size_bytes(Type::kBf16x2), 4u);
  EXPECT_EQ(size_bytes(Type::kB128), 16u);
  EXPECT_EQ(kind(Type::kNone), TypeKind::kNone);
  EXPECT_EQ(kind(Type::kPred), TypeKind::kPredicate);
  EXPECT_EQ(kind(Type::kB16), TypeKind::kBits);
  EXPECT_EQ(kind(Type::kU64), TypeKind::kUnsigned);
  EXPECT_EQ(kind(Type::kS16x2), TypeKind::kSigned);
  EXPECT_EQ(kind(Type::kBf16), TypeKind::kFloat);
}

}  // namespace
}  // namespace numpy_plugin::sim
