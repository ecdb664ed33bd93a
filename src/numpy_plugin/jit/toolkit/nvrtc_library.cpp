// Searches for libnvrtc: the bindings' candidates, the dynamic linker's search path, toolkits.
#include "numpy_plugin/jit/nvrtc/nvrtc_library.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <deque>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/file_identity.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

struct NvrtcState {
  base::Mutex mutex;
  std::vector<std::string> candidates;
  std::deque<NvrtcLibrary> all;  // references stay valid when the candidates change
  const NvrtcLibrary* opened = nullptr;
};

// Leaked on purpose: threads may compile while the process exits.
NvrtcState& nvrtc_state() {
  static NvrtcState* const state = new NvrtcState;
  return *state;
}

bool is_directory(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string& path) { return file_identity(path).has_value(); }

void add_directory(std::vector<std::string>& files, const std::string& directory) {
  for (const char* name : kNames) {
    if (is_file(directory + '/' + name)) files.push_back(directory + '/' + name);
  }
}

// Candidates for dlopen, in order: existing files, interleaved with bare names.
std::vector<std::string> files_to_try(const std::vector<std::string>& candidates) {
  std::vector<std::string> files;
  for (const std::string& candidate : candidates) {
    if (is_directory(candidate)) {
      add_directory(files, candidate);
    } else if (is_file(candidate)) {
      files.push_back(candidate);
    }
  }
  files.insert(files.end(), std::begin(kNames), std::end(kNames));
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable))
      add_directory(files, std::string(home) + "/lib64");
  }
  add_directory(files, "/usr/local/cuda/lib64");
  return files;
}

bool fill_table(const base::DynamicLibrary& opened, NvrtcLibrary& library) {
  bool is_complete = opened.find("nvrtcGetErrorString", library.nvrtcGetErrorString);
#define NPP_NVRTC(name, parameters) is_complete &= opened.find(#name, library.name);
#include "numpy_plugin/jit/nvrtc/nvrtc.def"
  return is_complete;
}

// NVRTC opens its built-in functions by bare name, which succeeds once they are loaded.
void open_builtins(const NvrtcLibrary& library) {
  const std::string directory = library.path.substr(0, library.path.rfind('/') + 1);
  const std::string name =
      "libnvrtc-builtins.so." + std::to_string(library.major) + '.' + std::to_string(library.minor);
  const base::DynamicLibrary opened(directory + name);
}

// An opened library; nullopt, with a line appended to the reasons, when the file can't be used.
std::optional<NvrtcLibrary> open_file(const std::string& file, std::string& reasons) {
  base::DynamicLibrary opened(file);
  if (!opened.is_open()) {
    reasons += opened.error() + '\n';
    return std::nullopt;
  }
  NvrtcLibrary library;
  library.path = opened.path();
  int count = 0;
  if (!fill_table(opened, library) || library.nvrtcVersion(&library.major, &library.minor) != 0 ||
      library.nvrtcGetNumSupportedArchs(&count) != 0 || count < 0) {
    reasons += library.path + ": lacks functions of NVRTC 12 and later\n";
    opened.close();
    return std::nullopt;
  }
  library.architectures.resize(static_cast<std::size_t>(count));
  library.nvrtcGetSupportedArchs(library.architectures.data());
  open_builtins(library);
  return library;
}

const NvrtcLibrary& open(NvrtcState& current) {
  if (current.opened != nullptr) return *current.opened;
  const base::ForkHold hold;
  std::string reasons;
  for (const std::string& file : files_to_try(current.candidates)) {
    if (std::optional<NvrtcLibrary> library = open_file(file, reasons)) {
      current.opened = &current.all.emplace_back(std::move(*library));
      return *current.opened;
    }
  }
  throw base::Error(base::ErrorKind::kCompiler,
                    "no NVRTC, the compiler of CUDA kernels: looked for libnvrtc.so.13 and "
                    "libnvrtc.so.12; install it with pip install \"numpy_plugin[cuda]\", or "
                    "set CUDA_HOME to a CUDA toolkit",
                    reasons);
}

}  // namespace

void set_nvrtc_candidates(std::vector<std::string> paths) {
  NvrtcState& current = nvrtc_state();
  const std::lock_guard lock(current.mutex);
  current.candidates = std::move(paths);
  current.opened = nullptr;
}

const NvrtcLibrary& nvrtc_library() {
  NvrtcState& current = nvrtc_state();
  const std::lock_guard lock(current.mutex);
  return open(current);
}

std::string nvrtc_identity() {
  NvrtcState& current = nvrtc_state();
  const std::lock_guard lock(current.mutex);
  if (current.opened == nullptr) {
    const std::string first = files_to_try(current.candidates).front();
    if (first.starts_with('/')) return file_identity(first).value_or(first);
  }
  const std::string& path = open(current).path;
  return file_identity(path).value_or(path);
}

NvrtcVersion nvrtc_version() {
  const NvrtcLibrary& library = nvrtc_library();
  return {library.major, library.minor, library.path};
}

std::vector<std::string> nvrtc_architectures() {
  std::vector<std::string> names;
  for (const int architecture : nvrtc_library().architectures) {
    names.push_back("sm_" + std::to_string(architecture));
  }
  return names;
}

}  // namespace numpy_plugin::jit
