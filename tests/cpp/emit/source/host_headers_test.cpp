// Which headers are written for the host compiler.
#include "numpy_plugin/emit/source/emit.hpp"

#include <gtest/gtest.h>

#include <string>

namespace numpy_plugin::emit {
namespace {

TEST(HostHeadersTest, text_without_includes_needs_none) {
  EXPECT_TRUE(host_headers("int x;  // would include \"npp/core/ops.hpp\"\n").empty());
}

TEST(HostHeadersTest, headers_of_headers_are_found) {
  const auto names = host_headers("int x;\n#include \"npp/cpu/generalized.hpp\"\n");
  EXPECT_TRUE(names.contains("npp/cpu/generalized.hpp"));
  EXPECT_TRUE(names.contains("npp/core/prelude.hpp"));
  EXPECT_LT(names.size(), all_host_headers().size() / 3);
}

TEST(HostHeadersTest, named_headers_are_found) {
  const auto names = host_headers("#include <cuComplex.h>\n");
  EXPECT_TRUE(names.contains("cuComplex.h"));
  EXPECT_TRUE(names.contains("npp/headers/cuda_complex.hpp"));
  EXPECT_FALSE(names.contains("cmath"));
}

TEST(HostHeadersTest, every_template_needs_itself_and_no_file_but_these) {
  for (const TemplateFile& file : template_files()) {
    const auto names = host_headers("#include \"" + std::string(file.name) + "\"\n");
    EXPECT_TRUE(names.contains(file.name));
    EXPECT_NE(names, all_host_headers()) << file.name;
  }
}

TEST(HostHeadersTest, other_files_may_need_any) {
  for (const char* const text :
       {"#include <random>\n", "#include \"mine.hpp\"\n", "#include NAME\n", "#include <cmath>\n",
        "# \\\n include <random>\n", "%:include <random>\n", "#include_next <cuComplex.h>\n",
        "#if __has_include(<random>)\n#endif\n", "#include \"npp/core/ops.hpp\n", "#include"}) {
    EXPECT_EQ(host_headers(text), all_host_headers()) << text;
  }
}

}  // namespace
}  // namespace numpy_plugin::emit
