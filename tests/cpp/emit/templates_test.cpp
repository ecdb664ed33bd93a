// Each template header compiles alone, with every compiler that is meant to read it, and needs no
// header but ours.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "numpy_plugin/base/file.hpp"
#include "numpy_plugin/base/process.hpp"

namespace {

using numpy_plugin::base::ProcessResult;
using numpy_plugin::base::read_file;
using numpy_plugin::base::run_process;
using numpy_plugin::base::TemporaryDirectory;

const std::string kTemplates = std::string(NPP_SOURCE_DIR) + "/templates";

std::vector<std::string> headers() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kTemplates + "/numpy_plugin"))
    names.push_back(entry.path().filename().string());
  return names;
}

std::string source_of(const std::string& header) {
  return "#include \"numpy_plugin/" + header + "\"\n";
}

// Every row of the table of operations must have a function of its name and number of arguments.
std::string every_operation() {
  std::string text = source_of("functions.hpp") + source_of("special_elementary.hpp") +
                     source_of("special_erf.hpp") + source_of("special_gamma.hpp") +
                     source_of("special_bessel.hpp");
#define NPP_OPERATION(enumerator, name, count, result, evaluation) \
  text += "static_assert(requires(double a) { npp::" name "(" +    \
          std::string("a, a, a, a", 3 * count - 2) + "); });\n";
#include "numpy_plugin/declare/operations.def"
  return text;
}

// ---- compilers

bool runs(const std::string& compiler) {
  return run_process({compiler, "--version"}, std::chrono::seconds(20)).end ==
         ProcessResult::End::kExited;
}

// What the compiler has to say; empty when it is content.
std::string complaints(const std::string& compiler, const std::string& source,
                       const std::vector<std::string>& options = {}) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() + "/header.cpp";
  std::ofstream(file) << source;
  std::vector<std::string> command = {
      compiler,          "-std=c++20", "-fsyntax-only", "-nostdinc", "-DNPP_GLIBC_MINOR=36",
      "-I" + kTemplates, "-Wall",      "-Wextra",       "-Werror"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(file);
  const ProcessResult result = run_process(command, std::chrono::seconds(60));
  return result.end == ProcessResult::End::kExited && result.code == 0 ? "" : result.output + "?";
}

void expect_host_headers_compile(const std::string& compiler) {
  if (!runs(compiler)) GTEST_SKIP() << compiler << " is not installed";
  for (const std::string& header : headers()) {
    if (header.starts_with("cuda_")) continue;
    EXPECT_EQ(complaints(compiler, source_of(header)), "") << header;
  }
  EXPECT_EQ(complaints(compiler, "#define NPP_VECTOR_MATH 1\n" + every_operation()), "");
}

// NVRTC by hand, of which only the layer jit knows: $NUMPY_PLUGIN_TEST_NVRTC, or what the system
// finds.
class Nvrtc {
 public:
  Nvrtc() {
    const char* const variable = std::getenv("NUMPY_PLUGIN_TEST_NVRTC");
    const std::string paths = variable == nullptr ? "" : variable;
    const std::string first = paths.substr(0, paths.find(':'));
    for (const std::string& name :
         {first, std::string("libnvrtc.so.13"), std::string("libnvrtc.so.12")})
      if (handle_ == nullptr && !name.empty()) handle_ = dlopen(name.c_str(), RTLD_NOW);
  }

  bool is_loaded() const { return handle_ != nullptr; }

  std::string complaints(const std::string& source) const {
    void* program = nullptr;
    call<int (*)(void**, const char*, const char*, int, const char* const*, const char* const*)>(
        "nvrtcCreateProgram")(&program, source.c_str(), "header.cu", 0, nullptr, nullptr);
    const std::string include = "-I" + kTemplates;
    const char* const options[] = {"-std=c++20", "-arch=compute_75", "-minimal", include.c_str()};
    call<int (*)(void*, int, const char* const*)>("nvrtcCompileProgram")(program, 4, options);
    std::size_t size = 0;
    call<int (*)(void*, std::size_t*)>("nvrtcGetProgramLogSize")(program, &size);
    std::string log(size, ' ');
    call<int (*)(void*, char*)>("nvrtcGetProgramLog")(program, log.data());
    call<int (*)(void**)>("nvrtcDestroyProgram")(&program);
    return log.substr(0, log.find('\0'));
  }

 private:
  template <class Function>
  Function call(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

  void* handle_ = nullptr;
};

// ---- tests

TEST(templates_test, g_plus_plus_reads_each_header_alone) { expect_host_headers_compile("g++"); }

TEST(templates_test, clang_reads_each_header_alone) { expect_host_headers_compile("clang++"); }

TEST(templates_test, nvrtc_reads_each_header_alone) {
  const Nvrtc nvrtc;
  if (!nvrtc.is_loaded()) GTEST_SKIP() << "no NVRTC: set NUMPY_PLUGIN_TEST_NVRTC to its library";
  for (const std::string& header : headers()) {
    if (header.starts_with("cpu_")) continue;
    EXPECT_EQ(nvrtc.complaints(source_of(header)), "") << header;
  }
  EXPECT_EQ(nvrtc.complaints(every_operation()), "");
}

TEST(templates_test, an_older_processor_and_an_older_glibc_suffice) {
  if (!runs("g++")) GTEST_SKIP() << "g++ is not installed";
  const std::string text = "#define NPP_VECTOR_MATH 1\n" + source_of("cmath.hpp");
  EXPECT_EQ(complaints("g++", text, {"-march=x86-64"}), "");
  for (const std::string minor : {"0", "22", "35"})
    EXPECT_EQ(complaints("g++", text, {"-UNPP_GLIBC_MINOR", "-DNPP_GLIBC_MINOR=" + minor}), "");
}

TEST(templates_test, no_header_of_others_is_included) {
  for (const std::string& header : headers()) {
    std::istringstream lines(read_file(kTemplates + "/numpy_plugin/" + header).value());
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#include")) continue;
      EXPECT_TRUE(line.starts_with("#include \"numpy_plugin/")) << header << ": " << line;
    }
  }
}

}  // namespace
