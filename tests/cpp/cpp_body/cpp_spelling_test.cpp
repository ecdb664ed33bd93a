// Spellings that are written out for the compilers.
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::declare {
namespace {

TEST(WithLastSemicolon, CompletesTheLastStatement) {
  EXPECT_EQ(with_last_semicolon("z = x * y"), "z = x * y;");
  EXPECT_EQ(with_last_semicolon("z = x;\nw = y  // last"), "z = x;\nw = y;  // last");
  EXPECT_EQ(with_last_semicolon("z = x \\\n  * y\n"), "z = x \\\n  * y;\n");
}

TEST(WithLastSemicolon, LeavesCompleteBodies) {
  for (const char* body :
       {"z = x;", "if (x > 0) { z = x; }  // ;", "", "// nothing", "z = x;\n#undef A"}) {
    EXPECT_EQ(with_last_semicolon(body), body);
  }
}

TEST(WithPlainParts, KeepsColumns) {
  EXPECT_EQ(with_plain_parts("z.real() + p->imag( )"), "z.real   + p->imag   ");
  EXPECT_EQ(with_plain_parts("real(z) + z.real + z.real(1)"), "real(z) + z.real + z.real(1)");
  EXPECT_EQ(with_plain_parts("\"z.real()\" // z.imag()"), "\"z.real()\" // z.imag()");
}

TEST(WithPlainParts, LeavesFunctionsOfTheSameName) {
  const char* const text = "struct C { float real() const { return 1; } }; C c; c.real();";
  EXPECT_EQ(with_plain_parts(text), text);
}

}  // namespace
}  // namespace numpy_plugin::declare
