#include "numpy_plugin/run/library/kernel_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/run/library/inspection.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::run {
namespace {

class KernelLibraryTest : public testing::Test {
 protected:
  // Neither uses nor modifies the user's cache.
  static void SetUpTestSuite() {
    cache_ = std::make_unique<system::TemporaryDirectory>();
    setenv("NUMPY_PLUGIN_CACHE_DIR", cache_->path().c_str(), 1);
  }
  static void TearDownTestSuite() {
    unsetenv("NUMPY_PLUGIN_CACHE_DIR");
    cache_.reset();
  }

  void SetUp() override {
    try {
      jit::find_host_compiler();
    } catch (const base::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static declare::Declaration scale(bool has_signatures) {
    declare::DeclarationText text;
    text.name = "scale";
    if (has_signatures) text.signatures = {"float64(float64)", "int32(int32)"};
    text.body = "return 3 * x;";
    text.input_names = {"x"};
    return declare::make_declaration(text);
  }

  inline static std::unique_ptr<system::TemporaryDirectory> cache_;

  template <class Value>
  static Value call(const Loop& loop, Value x) {
    Value result{};
    char* args[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&result)};
    const std::intptr_t count = 1;
    const std::intptr_t steps[] = {sizeof x, sizeof x};
    loop.parallel.loop(args, &count, steps, nullptr);
    return result;
  }
};

TEST_F(KernelLibraryTest, compiles_declared_signatures_at_once) {
  KernelLibrary library(scale(true));
  ASSERT_EQ(library.declared_loops().size(), 2u);
  EXPECT_EQ(call(library.declared_loops()[0], 7), 21);
  EXPECT_EQ(call(library.declared_loops()[1], 1.5), 4.5);
}

TEST_F(KernelLibraryTest, compiles_for_the_types_of_a_call_once) {
  KernelLibrary library(scale(false));
  EXPECT_TRUE(library.loops().empty());
  const Loop& typed = library.loop_for({base::DType::kFloat32});
  EXPECT_EQ(&library.loop_for({base::DType::kFloat32}), &typed);
  EXPECT_FALSE(typed.is_compiled());
  const Loop& loop = library.compiled(typed);
  EXPECT_EQ(call(loop, 1.5f), 4.5f);
  EXPECT_EQ(&library.compiled(typed), &loop);
  EXPECT_EQ(&library.compiled(loop), &loop);
  EXPECT_TRUE(library.loops().empty());
  library.note_registered(typed);
  EXPECT_EQ(library.loops(), std::vector<const Loop*>{&typed});
}

TEST_F(KernelLibraryTest, gives_many_threads_the_same_loop) {
  KernelLibrary library(scale(false));
  std::vector<const Loop*> seen(8);
  std::vector<std::thread> threads;
  for (const Loop*& place : seen) {
    threads.emplace_back(
        [&] { place = &library.compiled(library.loop_for({base::DType::kInt64})); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Loop* loop : seen) EXPECT_EQ(loop, seen.front());
}

TEST_F(KernelLibraryTest, refuses_a_wrong_body_for_each_call_with_the_same_words) {
  declare::DeclarationText text;
  text.name = "wrong";
  text.body = "return missing(x);";
  text.input_names = {"x"};
  KernelLibrary library(declare::make_declaration(text));
  std::string first;
  for (int i = 0; i < 2; ++i) {
    try {
      library.compiled(library.loop_for({base::DType::kFloat64}));
      FAIL() << "compiled";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
      if (i == 0) first = error.what();
      EXPECT_EQ(error.what(), first);
    }
  }
  EXPECT_NE(first.find("missing"), std::string::npos);
}

TEST_F(KernelLibraryTest, shows_sources_of_all_kernels_or_one) {
  KernelLibrary library(scale(true));
  const std::string all = source_text(library, "cpu", {});
  EXPECT_NE(all.find("Kernel1"), std::string::npos);
  const std::string one = source_text(library, "cuda", "int32(int32)");
  EXPECT_EQ(one.find("Kernel1"), std::string::npos);
  EXPECT_NE(one.find("npp_contiguous_0"), std::string::npos);
  EXPECT_NE(assembly_text(library, "d->d").find("npp_loop_0"), std::string::npos);
}

TEST_F(KernelLibraryTest, names_the_kernels_there_are_when_another_is_asked_for) {
  KernelLibrary library(scale(true));
  try {
    source_text(library, "cpu", "float32(float32)");
    FAIL() << "found";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "'scale' has no kernel for float32(float32); there is int32(int32); "
                 "float64(float64)");
  }
  EXPECT_THROW(source_text(library, "tpu", {}), base::Error);
}

}  // namespace
}  // namespace numpy_plugin::run
