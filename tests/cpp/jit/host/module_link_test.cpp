#include "numpy_plugin/jit/host/host_compiler.hpp"

#include <gtest/gtest.h>

#include "jit/host/host_environment.hpp"

namespace numpy_plugin::jit {
namespace {

using ModuleLinkTest = HostEnvironment;

TEST_F(ModuleLinkTest, a_failed_link_shows_the_log) {
  try {
    link_module({directory() + "/absent.o"}, directory() + "/linked.so");
    FAIL() << "it was linked";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
    EXPECT_NE(std::string(error.what()).find("while it linked"), std::string::npos);
    EXPECT_NE(error.log().find("absent.o"), std::string::npos);
  }
}

}  // namespace
}  // namespace numpy_plugin::jit
