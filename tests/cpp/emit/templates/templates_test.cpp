// Each template header compiles alone, with every intended compiler, and includes only headers of
// this package.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "emit/source/compilers.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::emit::test {
namespace {

using system::read_file;

std::vector<std::string> headers() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTemplates)) {
    if (entry.is_regular_file())
      names.push_back(std::filesystem::relative(entry.path(), kTemplates).string());
  }
  return names;
}

std::string source_of(const std::string& header) { return "#include \"" + header + "\"\n"; }

// Every row of the table of operations must have a function with its name and number of arguments.
std::string every_operation() {
  std::string text = source_of("npp/math/functions.hpp");
#define NPP_OPERATION(enumerator, name, count, result, evaluation) \
  text += "static_assert(requires(double a) { npp::" name "(" +    \
          std::string("a, a, a, a", 3 * count - 2) + "); });\n";
#define NPP_OPERATION_OF(header, ...)      \
  text += source_of("npp/" header ".hpp"); \
  NPP_OPERATION(__VA_ARGS__)
#include "numpy_plugin/kernel/operations.def"
  return text;
}

// Directories of device code, from which the host includes the structs of launch arguments.
bool is_for_hosts(const std::string& header) {
  for (const char* const directory : {"npp/cuda/", "npp/reduce/", "npp/select/", "npp/sort/"})
    if (header.starts_with(directory)) return header.ends_with("/arguments.hpp");
  return true;
}

#if defined(__x86_64__)
constexpr bool kIsX86 = true;
#else
constexpr bool kIsX86 = false;
#endif

// Sets of flags; lanes are for processors with AVX2, AVX-512 and NEON.
std::vector<std::vector<std::string>> targets_of(const std::string& header) {
  if (!kIsX86 || !header.starts_with("npp/cpu/lanes/")) return {{}};
  return {{"-march=x86-64-v3"}, {"-march=x86-64-v4"}};
}

bool depends_on_target(const std::string& header) {
  for (const char* const directory : {"npp/cpu/", "npp/vector/", "npp/vector_math/"})
    if (header.starts_with(directory)) return true;
  return false;
}

void expect_headers_compile_for_aarch64(const std::string& compiler,
                                        const std::vector<std::string>& flags) {
  if (!kIsX86) GTEST_SKIP() << "this machine's own compilers read them";
  if (!runs(compiler)) GTEST_SKIP() << compiler << " is not installed";
  for (const std::string& header : headers()) {
    if (!depends_on_target(header)) continue;
    EXPECT_EQ(complaints(compiler, source_of(header), flags), "") << header;
  }
}

void expect_host_headers_compile(const std::string& compiler) {
  if (!runs(compiler)) GTEST_SKIP() << compiler << " is not installed";
  for (const std::string& header : headers()) {
    if (!is_for_hosts(header)) continue;
    for (const std::vector<std::string>& flags : targets_of(header))
      EXPECT_EQ(complaints(compiler, source_of(header), flags), "") << header;
  }
  EXPECT_EQ(complaints(compiler, "#define NPP_VECTOR_MATH 1\n" + every_operation()), "");
}

// ---- tests

TEST(templates_test, g_plus_plus_reads_each_header_alone) { expect_host_headers_compile("g++"); }

TEST(templates_test, clang_reads_each_header_alone) { expect_host_headers_compile("clang++"); }

TEST(templates_test, clang_reads_each_header_alone_for_aarch64) {
  expect_headers_compile_for_aarch64("clang++", {"--target=aarch64-linux-gnu"});
}

TEST(templates_test, g_plus_plus_reads_each_header_alone_for_aarch64) {
  expect_headers_compile_for_aarch64("aarch64-linux-gnu-g++", {});
}

TEST(templates_test, nvrtc_reads_each_header_alone) {
  const Nvrtc nvrtc;
  if (!nvrtc.is_loaded()) GTEST_SKIP() << "no NVRTC: set NUMPY_PLUGIN_TEST_NVRTC to its library";
  for (const std::string& header : headers()) {
    if (header.starts_with("npp/cpu/")) continue;
    EXPECT_EQ(nvrtc.complaints(source_of(header)), "") << header;
  }
  EXPECT_EQ(nvrtc.complaints(every_operation()), "");
}

TEST(templates_test, an_older_processor_and_an_older_glibc_suffice) {
  if (!runs("g++")) GTEST_SKIP() << "g++ is not installed";
  const std::string text = "#define NPP_VECTOR_MATH 1\n" + source_of("npp/math/cmath.hpp");
  if (kIsX86) {
    EXPECT_EQ(complaints("g++", text, {"-march=x86-64"}), "");
  }
  for (const std::string minor : {"0", "22", "35"})
    EXPECT_EQ(complaints("g++", text, {"-UNPP_GLIBC_MINOR", "-DNPP_GLIBC_MINOR=" + minor}), "");
}

TEST(templates_test, no_header_of_others_is_included) {
  for (const std::string& header : headers()) {
    std::istringstream lines(read_file(kTemplates + "/" + header).value());
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#include")) continue;
      EXPECT_TRUE(line.starts_with("#include \"npp/")) << header << ": " << line;
    }
  }
}

}  // namespace
}  // namespace numpy_plugin::emit::test
