// Which sections of templates/ a program does without.
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace numpy_plugin::emit {
namespace {

const std::string kBody = "#include \"npp/body/names.hpp\"\n";

bool leaves_out(const std::string& text, const std::string& section) {
  return print_absent_names(text).find("#define NPP_WITHOUT_" + section + " 1\n") !=
         std::string::npos;
}

TEST(AbsentNames, of_kernels_in_python_are_types_alone) {
  EXPECT_EQ(print_absent_names("double x;"),
            "#define NPP_WITHOUT_FLOAT16 1\n#define NPP_WITHOUT_COMPLEX 1\n");
}

TEST(AbsentNames, of_bodies_are_functions_too) {
  EXPECT_TRUE(leaves_out(kBody + "return sinf(x);", "SPECIAL_NAMES"));
  EXPECT_TRUE(leaves_out(kBody + "return sinf(x);", "ROUNDING_NAMES"));
}

TEST(AbsentNames, are_none_of_those_in_the_text) {
  EXPECT_FALSE(leaves_out(kBody + "return j0f(x);", "SPECIAL_NAMES"));
  EXPECT_FALSE(leaves_out(kBody + "return normcdfinv(x);", "SPECIAL_NAMES"));
  EXPECT_FALSE(leaves_out(kBody + "return __fadd_rz(x, y);", "ROUNDING_NAMES"));
  EXPECT_FALSE(leaves_out(kBody + "return __float_as_int(x);", "ROUNDING_NAMES"));
  EXPECT_FALSE(leaves_out(kBody + "return thrust::abs(x);", "COMPLEX"));
  EXPECT_FALSE(leaves_out("npp::bfloat16 x;", "FLOAT16"));
  EXPECT_TRUE(leaves_out("double polar;", "COMPLEX"));
  EXPECT_FALSE(leaves_out(kBody + "return polar(x, y).real;", "COMPLEX"));
}

TEST(AbsentNames, are_unknown_beside_other_files_and_joined_words) {
  EXPECT_EQ(print_absent_names(kBody + "#include <thrust/complex.h>\n"), "");
  EXPECT_EQ(print_absent_names(kBody + "#  include \"mine.h\"\n"), "");
  EXPECT_EQ(print_absent_names(kBody + "#define BESSEL(n) j##n\n"), "");
}

TEST(Formulas, are_those_of_included_headers) {
  EXPECT_TRUE(includes_formulas("#include \"npp/special/gamma.hpp\"\n"));
  EXPECT_TRUE(includes_formulas("#if NPP_LANES\n#include \"npp/vector_math/power.hpp\"\n#endif\n"));
  EXPECT_FALSE(includes_formulas("#include \"npp/cpu/elementwise.hpp\"\n"));
  EXPECT_TRUE(includes_formulas(kBody + "return j0f(x);"));
  const std::string body = kBody + "return sinf(x);";
  EXPECT_FALSE(includes_formulas(print_absent_names(body) + body));
}

}  // namespace
}  // namespace numpy_plugin::emit
