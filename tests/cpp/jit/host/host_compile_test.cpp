// Host compilation with the real compiler, the cache, and broken compilers.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "jit/host/host_environment.hpp"
#include "jit/host/host_test_sources.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::jit {
namespace {

namespace fs = std::filesystem;

using Loop = void (*)(char**, const long*, const long*, void*);

class HostCompileTest : public HostEnvironment {
 protected:
  // The error for a compiler that is this script.
  base::Error error_of_script(const std::string& text, std::chrono::milliseconds limit) {
    set("NUMPY_PLUGIN_CXX", script("cxx", "[ \"$1\" = --version ] && echo clang && exit\n" + text));
    HostOptions options;
    options.time_limit = limit;
    try {
      compile_for_host(exp_source("script"), options);
    } catch (const base::Error& error) {
      return error;
    }
    return {base::ErrorKind::kInternal, "it compiled"};
  }
};

// Writes an object to a file, for tools that read files.
std::string write_object(const std::string& directory, const SharedObjectCode& code) {
  static int number = 0;
  std::string path = directory + "/object" + std::to_string(++number) + ".so";
  EXPECT_TRUE(system::write_file_atomically(path, code.bytes));
  return path;
}

// Loads an object as strictly as the package does and calls its loop on (0, 1, 2, 3).
std::array<double, 4> run_loop(const std::string& path) {
  std::array<double, 4> in = {0, 1, 2, 3};
  std::array<double, 4> out = {};
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << ::dlerror();
  if (library == nullptr) return out;
  const auto loop = reinterpret_cast<Loop>(::dlsym(library, "npp_loop_0"));
  char* operands[] = {reinterpret_cast<char*>(in.data()), reinterpret_cast<char*>(out.data())};
  const long n_items = 4, steps[] = {8, 8};
  loop(operands, &n_items, steps, nullptr);
  ::dlclose(library);
  return out;
}

void expect_exponentials(const std::array<double, 4>& values) {
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(values[static_cast<std::size_t>(i)], std::exp(i));
}

// Symbols that an object may import: functions of libm and libmvec, nothing else.
bool is_allowed(std::string symbol) {
  static const std::set<std::string> kAllowed = {
      "exp",   "exp2",      "expm1", "log",  "log2",  "log10", "log1p", "sin",       "cos",
      "tan",   "asin",      "acos",  "atan", "atan2", "sinh",  "cosh",  "tanh",      "asinh",
      "acosh", "atanh",     "pow",   "cbrt", "hypot", "erf",   "erfc",  "tgamma",    "lgamma",
      "fmod",  "nextafter", "floor", "ceil", "trunc", "rint",  "sqrt",  "nearbyint", "sincos"};
  if (symbol.starts_with("_ZGV")) symbol.erase(0, symbol.find('_', 4) + 1);  // _ZGVdN4v_exp
  if (kAllowed.contains(symbol)) return true;
  return symbol.ends_with('f') && kAllowed.contains(symbol.substr(0, symbol.size() - 1));
}

TEST_F(HostCompileTest, gives_an_object_that_loads_and_runs) {
  const SharedObjectCode code = compile_for_host(exp_source("one"), {});
  EXPECT_FALSE(code.from_cache);
  expect_exponentials(run_loop(write_object(directory(), code)));
}

TEST_F(HostCompileTest, object_needs_nothing_but_mathematics) {
  if (!find_program("nm")) GTEST_SKIP() << "no nm in PATH";
  const std::string path = write_object(directory(), compile_for_host(exp_source("symbols"), {}));
  const system::ProcessResult result =
      system::run_process({"nm", "-uD", "--format=posix", path}, std::chrono::seconds(20));
  std::size_t n_symbols = 0;
  for (const std::string& line : base::split_lines(result.output)) {
    const std::string symbol = line.substr(0, line.find_first_of("@ "));
    EXPECT_TRUE(is_allowed(symbol)) << line;
    ++n_symbols;
  }
  EXPECT_GT(n_symbols, 0u) << result.output;
}

TEST_F(HostCompileTest, uses_the_vector_library_where_there_is_one) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "kernels do without libmvec on this processor";
#endif
  if (glibc_minor_version() < 22) GTEST_SKIP() << "no libmvec in this C library";
  emit::Source source = exp_source("vector");
  if (find_host_compiler().family == HostCompilerFamily::kGcc) {
    source.text =
        "extern \"C\" __attribute__((simd(\"notinbranch\"))) double exp(double) noexcept;\n" +
        source.text;
  }
  EXPECT_NE(assembly_for_host(source, {}).find("_ZGV"), std::string::npos);
  expect_exponentials(run_loop(write_object(directory(), compile_for_host(source, {}))));
}

TEST_F(HostCompileTest, second_time_comes_from_the_cache) {
  const SharedObjectCode first = compile_for_host(exp_source("cache"), {});
  const SharedObjectCode second = compile_for_host(exp_source("cache"), {});
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.bytes, first.bytes);
  expect_exponentials(run_loop(write_object(directory(), second)));
}

TEST_F(HostCompileTest, entry_is_replaced_where_that_is_asked_for) {
  compile_for_host(exp_source("replaced"), {});
  HostOptions options;
  options.replaces_entry = true;
  EXPECT_FALSE(compile_for_host(exp_source("replaced"), options).from_cache);
  EXPECT_TRUE(compile_for_host(exp_source("replaced"), {}).from_cache);
}

TEST_F(HostCompileTest, cache_entry_spares_every_process) {
  const std::string log = directory() + "/log";
  const std::string real = find_host_compiler().command.front();
  set("NUMPY_PLUGIN_CXX", script("cxx", "echo asked >> " + log + "; exec " + real + " \"$@\""));
  compile_for_host(exp_source("warm"), {});
  const auto n_starts = fs::file_size(log);
  EXPECT_TRUE(compile_for_host(exp_source("warm"), {}).from_cache);
  EXPECT_EQ(fs::file_size(log), n_starts);
}

TEST_F(HostCompileTest, cache_entry_needs_no_compiler) {
  const SharedObjectCode first = compile_for_host(exp_source("kept"), {});
  set("PATH", directory());
  const SharedObjectCode second = compile_for_host(exp_source("kept"), {});
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.bytes, first.bytes);
  HostOptions fast;
  fast.fast_math = base::all_fast_math();
  EXPECT_THROW(compile_for_host(exp_source("kept"), fast), base::Error);
  EXPECT_THROW(compile_for_host(exp_source("not kept"), {}), base::Error);
  set("NUMPY_PLUGIN_CXX", "/no/such/compiler");
  EXPECT_THROW(compile_for_host(exp_source("kept"), {}), base::Error);
}

TEST_F(HostCompileTest, entry_that_cannot_be_loaded_is_not_taken_without_a_compiler) {
  compile_for_host(exp_source("replaced"), {});
  set("PATH", directory());
  HostOptions options;
  options.replaces_entry = true;
  EXPECT_THROW(compile_for_host(exp_source("replaced"), options), base::Error);
}

TEST_F(HostCompileTest, another_source_option_or_compiler_is_another_entry) {
  compile_for_host(exp_source("a"), {});
  EXPECT_FALSE(compile_for_host(exp_source("b"), {}).from_cache);
  HostOptions fast;
  fast.fast_math = base::all_fast_math();
  EXPECT_FALSE(compile_for_host(exp_source("a"), fast).from_cache);
  const std::string real = find_host_compiler().command.front();
  set("NUMPY_PLUGIN_CXX", script("cxx", "exec " + real + " \"$@\""));
  EXPECT_FALSE(compile_for_host(exp_source("a"), {}).from_cache);
}

TEST_F(HostCompileTest, damaged_entry_is_compiled_again) {
  compile_for_host(exp_source("damaged"), {});
  for (const auto& file : fs::directory_iterator(Cache::user_cache().directory())) {
    fs::resize_file(file.path(), fs::file_size(file.path()) / 2);
  }
  const SharedObjectCode again = compile_for_host(exp_source("damaged"), {});
  EXPECT_FALSE(again.from_cache);
  expect_exponentials(run_loop(write_object(directory(), again)));
}

TEST_F(HostCompileTest, without_a_cache_no_file_stays) {
  const fs::path temporary = fs::path(directory()) / "temporary";
  fs::create_directory(temporary);
  set("TMPDIR", temporary.string());
  HostOptions options;
  options.use_cache = false;
  const SharedObjectCode unwanted = compile_for_host(exp_source("temporary"), options);
  set("NUMPY_PLUGIN_CACHE_DIR", "/dev/null/nowhere");
  const SharedObjectCode unusable = compile_for_host(exp_source("temporary"), {});
  for (const SharedObjectCode& code : {unwanted, unusable}) {
    EXPECT_FALSE(code.from_cache);
    expect_exponentials(run_loop(write_object(directory(), code)));
  }
  EXPECT_TRUE(fs::is_empty(temporary)) << "the directories of the compilations are gone";
}

bool is_for_devices(std::string_view header) {
  for (const std::string_view directory : {"npp/cuda/", "npp/reduce/", "npp/select/", "npp/sort/"})
    if (header.starts_with(directory)) return true;
  return header.find("cuda") != std::string_view::npos;
}

TEST_F(HostCompileTest, templates_are_there_to_include) {
  emit::Source source = exp_source("includes");
  for (const emit::TemplateFile& file : emit::template_files()) {
    if (is_for_devices(file.name)) continue;
    source.text = "#include \"" + std::string(file.name) + "\"\n" + source.text;
  }
  expect_exponentials(run_loop(write_object(directory(), compile_for_host(source, {}))));
}

TEST_F(HostCompileTest, fast_math_may_fuse_and_keeps_nan) {
  const emit::Source source = make_source(
      emit::Target::kCpu,
      "extern \"C\" __attribute__((visibility(\"default\"))) double npp_loop_0(double x) {\n"
      "  double sum = 0; for (int i = 0; i < 1000; ++i) sum = sum * x + 1;\n"
      "  return x != x ? -1.0 : sum; }\n",
      "npp_loop_0", "");
  HostOptions fast;
  fast.fast_math = base::all_fast_math();
  EXPECT_NE(assembly_for_host(source, fast), assembly_for_host(source, {}));
  const std::string path = write_object(directory(), compile_for_host(source, fast));
  void* const library = ::dlopen(path.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto function = reinterpret_cast<double (*)(double)>(::dlsym(library, "npp_loop_0"));
  EXPECT_EQ(function(std::nan("")), -1.0);
  ::dlclose(library);
}

TEST_F(HostCompileTest, fast_math_reassociates_unless_the_source_keeps_its_order) {
  emit::Source source = make_source(
      emit::Target::kCpu,
      "extern \"C\" __attribute__((visibility(\"default\"))) double npp_loop_0(const double* x) {\n"
      "  double sum = 0; for (int i = 0; i < 1000; ++i) sum += x[i];\n  return sum; }\n",
      "npp_loop_0", "");
  HostOptions fast;
  fast.fast_math = base::all_fast_math();
  const std::string as_written = assembly_for_host(source, {});
  EXPECT_NE(assembly_for_host(source, fast), as_written);
  source.keeps_order = true;
  EXPECT_EQ(assembly_for_host(source, fast), as_written);
}

TEST_F(HostCompileTest, silent_failure_names_the_compiler) {
  const base::Error error = error_of_script("exit 1", std::chrono::seconds(20));
  EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
  EXPECT_NE(std::string(error.what()).find("/cxx' exited with status 1"), std::string::npos)
      << error.what();
  EXPECT_NE(error.log().find("-std=c++20"), std::string::npos) << "the command line is in the log";
}

TEST_F(HostCompileTest, killed_compiler_is_reported) {
  const base::Error error = error_of_script("kill -SEGV $$", std::chrono::seconds(20));
  EXPECT_NE(std::string(error.what()).find("was killed by signal 11"), std::string::npos)
      << error.what();
}

TEST_F(HostCompileTest, hanging_compiler_is_ended_at_the_limit) {
  const base::Error error =
      error_of_script("echo so far; sleep 60", std::chrono::milliseconds(200));
  EXPECT_NE(std::string(error.what()).find("did not end within 200 ms"), std::string::npos)
      << error.what();
  EXPECT_NE(error.log().find("so far"), std::string::npos);
}

TEST_F(HostCompileTest, compiler_that_writes_nothing_is_reported) {
  const base::Error error = error_of_script("exit 0", std::chrono::seconds(20));
  EXPECT_NE(std::string(error.what()).find("produced no output"), std::string::npos)
      << error.what();
}

TEST_F(HostCompileTest, compiler_that_is_gone_is_reported) {
  const base::Error error = error_of_script("exec /no/such/program", std::chrono::seconds(20));
  EXPECT_NE(std::string(error.what()).find("exited with status 12"), std::string::npos)
      << error.what();
}

TEST_F(HostCompileTest, error_outside_a_body_keeps_the_compiler_s_words_and_place) {
  emit::Source source = exp_source("broken");
  source.text += "int f() { return nowhere; }\n";
  try {
    compile_for_host(source, {});
    FAIL() << "it compiled";
  } catch (const explain::CompileError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
    EXPECT_TRUE(error.diagnostics().empty());
    const std::string text = error.what();
    EXPECT_NE(text.find("nowhere"), std::string::npos) << text;
    EXPECT_NE(text.find("npp-generated.cpp, line 9"), std::string::npos) << text;
    EXPECT_NE(error.log().find("error:"), std::string::npos);
  }
}

TEST_F(HostCompileTest, function_without_a_definition_is_named) {
  emit::Source source = exp_source("undefined");
  source.text +=
      "extern \"C\" double made_up(double);\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) double g(double x) { return "
      "made_up(x); }\n";
  try {
    compile_for_host(source, {});
    FAIL() << "it compiled";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("'made_up' is called but not defined"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(HostCompileTest, assembly_is_text_with_the_loop) {
  const std::string text = assembly_for_host(exp_source("assembly"), {});
  EXPECT_NE(text.find("npp_loop_0:"), std::string::npos);
}

TEST(HostFlagsTest, processor_is_described_the_same_each_time) {
  EXPECT_EQ(cpu_identity(), cpu_identity());
  EXPECT_GT(cpu_identity().size(), 10u);
}

}  // namespace
}  // namespace numpy_plugin::jit
