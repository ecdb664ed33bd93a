// Compilers of emitted text, run to check that they accept a source.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/process.hpp"

namespace numpy_plugin::emit::test {

using system::ProcessResult;
using system::run_process;
using system::TemporaryDirectory;

inline const std::string kTemplates = std::string(NPP_SOURCE_DIR) + "/templates";

inline bool runs(const std::string& compiler) {
  return run_process({compiler, "--version"}, std::chrono::seconds(20)).end ==
         ProcessResult::End::kExited;
}

// The compiler's output; empty on success.
inline std::string complaints(const std::string& compiler, const std::string& source,
                              const std::vector<std::string>& options = {}) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/header.cpp";
  std::ofstream(file) << source;
  std::vector<std::string> command = {
      compiler,          "-std=c++20", "-fsyntax-only", "-nostdinc", "-DNPP_GLIBC_MINOR=36",
      "-I" + kTemplates, "-Wall",      "-Wextra",       "-Werror"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(file);
  const ProcessResult result = run_process(command, std::chrono::seconds(60));
  return result.end == ProcessResult::End::kExited && result.code == 0 ? "" : result.output + "?";
}

// Minimal NVRTC binding, since only the layer jit has one: $NUMPY_PLUGIN_TEST_NVRTC, or the
// system's.
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

  std::string complaints(const std::string& source,
                         const std::vector<std::string>& more_options = {}) const {
    void* program = nullptr;
    call<int (*)(void**, const char*, const char*, int, const char* const*, const char* const*)>(
        "nvrtcCreateProgram")(&program, source.c_str(), "header.cu", 0, nullptr, nullptr);
    const std::string include = "-I" + kTemplates;
    std::vector<const char*> options = {"-std=c++20", "-arch=compute_75", "-minimal",
                                        include.c_str()};
    for (const std::string& option : more_options) options.push_back(option.c_str());
    call<int (*)(void*, int, const char* const*)>("nvrtcCompileProgram")(
        program, static_cast<int>(options.size()), options.data());
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

}  // namespace numpy_plugin::emit::test
