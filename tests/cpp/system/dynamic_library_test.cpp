#include "numpy_plugin/system/dynamic_library.hpp"

#include <gtest/gtest.h>

#include <string>

#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::system {
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

std::string bytes_of_the_c_library() {
  return read_file(DynamicLibrary("libm.so.6").path()).value_or("");
}

TEST(OpenCodeTest, LoadsBytesAnewEachTime) {
  const std::string bytes = bytes_of_the_c_library();
  DynamicLibrary first = open_code("first", bytes);
  DynamicLibrary second = open_code("second", bytes);
  ASSERT_TRUE(first.is_open()) << first.error();
  ASSERT_TRUE(second.is_open()) << second.error();
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(first.find("cos", cosine));
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_NE(first.address("cos"), second.address("cos"));
  first.close();
  second.close();
}

TEST(OpenCodeTest, SaysWhyBytesAreNoLibrary) {
  const DynamicLibrary library = open_code("garbage", "garbage");
  EXPECT_FALSE(library.is_open());
  EXPECT_NE(library.error().find("file too short"), std::string::npos) << library.error();
}

}  // namespace
}  // namespace numpy_plugin::system
