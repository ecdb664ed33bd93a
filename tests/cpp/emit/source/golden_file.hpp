// A text against a file of golden/. NPP_UPDATE_GOLDEN=1 in the environment writes the files anew;
// look at the difference then.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::emit::test {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string file = std::string(NPP_SOURCE_DIR) + "/tests/cpp/emit/source/golden/" + name;
  if (std::getenv("NPP_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(system::write_file_atomically(file, text));
    std::filesystem::permissions(file, std::filesystem::perms(0644));
  }
  const auto expected = system::read_file(file);
  ASSERT_TRUE(expected.has_value()) << file;
  EXPECT_EQ(text, *expected);
}

}  // namespace numpy_plugin::emit::test
