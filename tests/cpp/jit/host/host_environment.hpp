// Fixture with its own directory, cache and environment variables.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {

class HostEnvironment : public testing::Test {
 protected:
  HostEnvironment() {
    set("NUMPY_PLUGIN_CACHE_DIR", directory() + "/cache");
    set("NUMPY_PLUGIN_CXX", "");
  }
  ~HostEnvironment() override {
    for (const auto& [name, value] : old_values_) {
      if (value.has_value()) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }

  const std::string& directory() const { return temporary_.path(); }

  void set(const std::string& name, const std::string& value) {
    const char* const old = std::getenv(name.c_str());
    old_values_.try_emplace(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    ::setenv(name.c_str(), value.c_str(), 1);
  }

  // Writes a shell script and returns its path.
  std::string script(const std::string& name, const std::string& text) const {
    std::string path = directory() + '/' + name;
    std::ofstream(path, std::ios::trunc) << "#!/bin/sh\n" << text << '\n';
    ::chmod(path.c_str(), 0700);
    return path;
  }

  static std::string error_text() {
    try {
      return "found " + find_host_compiler().command.front();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
      return error.what();
    }
  }

 private:
  system::TemporaryDirectory temporary_;
  std::map<std::string, std::optional<std::string>> old_values_;
};

}  // namespace numpy_plugin::jit
