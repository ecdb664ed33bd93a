// Shared objects built by the host compiler: loading, functions, errors.
#include "numpy_plugin/load/shared_object.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::load {
namespace {

class SharedObjectTest : public testing::Test {
 protected:
  // Compiles C++ text; nullopt without a compiler.
  std::optional<std::string> compile(const std::string& text) {
    const std::string source = directory_.path() + "/source.cpp";
    const std::string object = directory_.path() + "/object.so";
    if (!system::write_file_atomically(source, text)) return std::nullopt;
    for (const char* compiler : {"c++", "g++", "clang++"}) {
      const system::ProcessResult result =
          system::run_process({compiler, "-shared", "-fPIC", "-nostdlib", source, "-o", object},
                              std::chrono::seconds(60));
      if (result.end == system::ProcessResult::End::kNotStarted) continue;
      EXPECT_EQ(result.code, 0) << result.output;
      return object;
    }
    return std::nullopt;
  }

  system::TemporaryDirectory directory_;
};

#define COMPILE_OR_SKIP(variable, text)                      \
  const std::optional<std::string> variable = compile(text); \
  if (!variable) GTEST_SKIP() << "there is no C++ compiler (c++, g++, clang++)"

constexpr char kThreeTimes[] = "extern \"C\" int three_times(int x) { return 3 * x; }";

std::string message_of(const std::string& path) {
  try {
    const SharedObject object(path);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kRuntime);
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(SharedObjectTest, RunsAFunctionOfTheFile) {
  COMPILE_OR_SKIP(path, kThreeTimes);
  const SharedObject object(*path);
  auto* const three_times = reinterpret_cast<int (*)(int)>(object.function("three_times"));
  EXPECT_EQ(three_times(14), 42);
  EXPECT_EQ(object.find_function("three_times"), object.function("three_times"));
  EXPECT_TRUE(std::filesystem::exists(*path));
}

TEST_F(SharedObjectTest, RunsCodeThatIsInNoFile) {
  COMPILE_OR_SKIP(path, kThreeTimes);
  const jit::SharedObjectCode code{system::read_file(*path).value()};
  std::filesystem::remove(*path);
  const SharedObject object(code, "three");
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(object.function("three_times"))(2), 6);
}

TEST_F(SharedObjectTest, TellsObjectsInMemoryApart) {
  COMPILE_OR_SKIP(three, kThreeTimes);
  const jit::SharedObjectCode first{system::read_file(*three).value()};
  COMPILE_OR_SKIP(other, "extern \"C\" int three_times(int x) { return 30 * x; }");
  const jit::SharedObjectCode second{system::read_file(*other).value()};
  const SharedObject one(first, "one"), two(second, "two");
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(one.function("three_times"))(2), 6);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(two.function("three_times"))(2), 60);
}

TEST_F(SharedObjectTest, NamesAFunctionThatIsNotThere) {
  COMPILE_OR_SKIP(path, kThreeTimes);
  const SharedObject object(*path);
  EXPECT_EQ(object.find_function("four_times"), nullptr);
  try {
    object.function("four_times");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kRuntime);
    EXPECT_NE(std::string(error.what()).find("has no function 'four_times'"), std::string::npos)
        << error.what();
  }
}

TEST_F(SharedObjectTest, RefusesAFileThatMissesASymbol) {
  COMPILE_OR_SKIP(path,
                  "extern \"C\" int npp_absent_function(int);"
                  "extern \"C\" int call(int x) { return npp_absent_function(x); }");
  const std::string message = message_of(*path);
  EXPECT_NE(message.find("npp_absent_function"), std::string::npos) << message;
}

TEST_F(SharedObjectTest, RefusesBytesThatAreNoSharedObject) {
  try {
    const SharedObject object(jit::SharedObjectCode{"this is text"}, "f");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kRuntime);
    EXPECT_EQ(std::string(error.what()).find("the compiled code of 'f' can't be loaded: "), 0u)
        << error.what();
  }
}

TEST_F(SharedObjectTest, RefusesAFileThatIsNoSharedObject) {
  const std::string path = directory_.path() + "/text.so";
  ASSERT_TRUE(system::write_file_atomically(path, "this is text"));
  EXPECT_NE(message_of(path).find("can't be loaded: " + path), std::string::npos)
      << message_of(path);
  EXPECT_NE(message_of("/absent/object.so").find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace numpy_plugin::load
