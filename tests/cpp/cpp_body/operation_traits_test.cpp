// Which operations are functions of an element's inputs.
#include "numpy_plugin/cpp_body/indexed_body.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::declare {
namespace {

TEST(operation_traits_test, uses_of_the_index) {
  for (const char* text : {"z = x + i", "z = n", "z = x[_ind.size() - 1]", "return i;"}) {
    EXPECT_TRUE(uses_index(text, {"x"})) << text;
  }
  for (const char* text : {"for (int i = 0; i < 3; ++i) z += i;", "T n = x; z = n;", "// i\nz = x",
                           "z = index", "const char* s = \"i\";"}) {
    EXPECT_FALSE(uses_index(text, {"x"})) << text;
  }
  EXPECT_FALSE(uses_index("z = n", {"n"}));
  EXPECT_TRUE(uses_index("z = n + i", {"n"}));
}

TEST(operation_traits_test, outputs_that_keep_their_values) {
  for (const char* text : {"z += x", "z = z + x", "++z", "if (x > 0) z = x;", "y = z; z = x",
                           "if (x > 0) { z = x; } else if (x < 0) { z = -x; }", "y = x",
                           "for (int j = 0; j < x; ++j) { z = j; }"}) {
    EXPECT_EQ(kept_output(text, {"z"}), "z") << text;
  }
  for (const char* text : {"z = x", "T t = x; z = t; z += 1;", "sincos(x, &y, &z);",
                           "if (x > 0) { z = x; } else { z = 0; }",
                           "switch (x) { case 1: z = 2; break; default: z = 3; }"}) {
    EXPECT_EQ(kept_output(text, {"z"}), "") << text;
  }
}

}  // namespace
}  // namespace numpy_plugin::declare
