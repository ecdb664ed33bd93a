// Errors and failed assertions as callers see them.
#include "numpy_plugin/base/error.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::base {
namespace {

TEST(ErrorTest, CarriesKindTextAndLog) {
  const Error error(ErrorKind::kCompiler, "text", "log");
  EXPECT_EQ(error.kind(), ErrorKind::kCompiler);
  EXPECT_STREQ(error.what(), "text");
  EXPECT_EQ(error.log(), "log");
  EXPECT_EQ(Error(ErrorKind::kValue, "text").log(), "");
}

TEST(ErrorTest, NamesTheBrokenRule) {
  const int n_items = 3;
  EXPECT_NO_THROW(NPP_ASSERT(n_items == 3, "unused"));
  try {
    NPP_ASSERT(n_items > 5, std::to_string(n_items) + " items");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
    const std::string text = error.what();
    EXPECT_NE(text.find("n_items > 5 does not hold"), std::string::npos) << text;
    EXPECT_NE(text.find("error_test.cpp"), std::string::npos) << text;
    EXPECT_NE(text.find("(3 items)"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace numpy_plugin::base
