#include "numpy_plugin/system/dynamic_library.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::base {
namespace {

TEST(DynamicLibraryTest, FindsFunctionsOfANameThatTheLinkerLooksFor) {
  DynamicLibrary library("libm.so.6");
  ASSERT_TRUE(library.is_open()) << library.error();
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(library.find("cos", cosine));
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_TRUE(library.path().starts_with('/')) << library.path();
  EXPECT_TRUE(library.path().ends_with("libm.so.6")) << library.path();
  library.close();
  EXPECT_FALSE(library.is_open());
}

TEST(DynamicLibraryTest, HasNoFunctionOfAnotherName) {
  const DynamicLibrary library("libm.so.6");
  double (*function)(double) = nullptr;
  EXPECT_FALSE(library.find("cosine_of_nobody", function));
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(library.address("cosine_of_nobody"), nullptr);
}

TEST(DynamicLibraryTest, SaysWhyItIsNotOpen) {
  const DynamicLibrary library("/nowhere/libnothing.so");
  EXPECT_FALSE(library.is_open());
  EXPECT_NE(library.error().find("/nowhere/libnothing.so"), std::string::npos) << library.error();
}

}  // namespace
}  // namespace numpy_plugin::base
