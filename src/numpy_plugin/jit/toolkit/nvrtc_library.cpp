// Chooses a libnvrtc among those of this machine and opens it.
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::jit {
namespace {

struct NvrtcState {
  system::Mutex mutex;
  std::string searched_with;  // directories and environment variables of the last search
  std::vector<CudaLibraryFile> files;
  std::map<std::string, NvrtcLibrary> opened;             // by the path that was tried
  std::map<std::string, std::vector<int>> architectures;  // by the library's identity
};

// Leaked on purpose: threads may compile while the process exits.
NvrtcState& nvrtc_state() { return system::the_only<NvrtcState>(); }

// The oldest architecture of each major version.
int oldest_architecture(int major) { return major >= 13 ? 75 : 50; }

// Candidates for dlopen, in order. The caller holds the lock.
std::vector<CudaLibraryFile> files_to_try(NvrtcState& current, const NvrtcNeeds& needs) {
  std::string asked = base::join(system::package_directories(), ":");
  for (const char* variable : {"LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
    asked += '\n' + base::environment_variable(variable);
  }
  if (current.files.empty() || asked != current.searched_with) {
    std::vector<CudaLibraryFile> files = find_cuda_libraries("nvrtc");
    const system::ForkHold hold;
    current.files = std::move(files);
    current.searched_with = asked;
  }
  std::vector<CudaLibraryFile> files = current.files;
  put_usable_first(files, needs.driver_version, needs.form);
  std::ranges::stable_partition(files, [&](const CudaLibraryFile& file) {
    return needs.architecture == 0 || oldest_architecture(file.major) <= needs.architecture;
  });
  return files;
}

bool fill_table(const system::DynamicLibrary& opened, NvrtcLibrary& library) {
  bool is_complete = opened.find("nvrtcGetErrorString", library.nvrtcGetErrorString);
#define NPP_NVRTC(name, parameters) is_complete &= opened.find(#name, library.name);
#include "numpy_plugin/jit/toolkit/nvrtc.def"
  return is_complete;
}

// NVRTC opens its built-in functions by bare name, which succeeds once they are loaded.
void open_builtins(const NvrtcLibrary& library) {
  const std::string directory = library.path.substr(0, library.path.rfind('/') + 1);
  const std::string name = format("libnvrtc-builtins.so.{}.{}", library.major, library.minor);
  const system::DynamicLibrary opened(directory + name);
}

// An opened library; nullopt, with a line appended to the reasons, when the file can't be used.
std::optional<NvrtcLibrary> open_file(const std::string& file, std::string& reasons) {
  system::DynamicLibrary opened(file);
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

// The library of a file, opened at most once; nullptr where it can't be used.
const NvrtcLibrary* open_once(NvrtcState& current, const std::string& file, std::string& reasons) {
  if (const auto known = current.opened.find(file); known != current.opened.end()) {
    return &known->second;
  }
  std::optional<NvrtcLibrary> library = open_file(file, reasons);
  if (!library) return nullptr;
  return &current.opened.emplace(file, std::move(*library)).first->second;
}

const NvrtcLibrary& open(NvrtcState& current, const NvrtcNeeds& needs) {
  const std::vector<CudaLibraryFile> files = files_to_try(current, needs);
  const system::ForkHold hold;
  std::string reasons;
  for (const CudaLibraryFile& file : files) {
    if (const NvrtcLibrary* const library = open_once(current, file.path, reasons)) return *library;
  }
  const std::string home = base::environment_variable("CUDA_HOME");
  throw base::Error(base::ErrorKind::kCompiler,
                    format("no NVRTC, the compiler of CUDA kernels: looked for libnvrtc.so.13 and "
                           "libnvrtc.so.12; install it with pip install \"numpy_plugin[cuda]\", or "
                           "set CUDA_HOME{} to a CUDA toolkit",
                           home.empty() ? "" : format(", which is '{}',", home)),
                    reasons);
}

std::string identity(NvrtcState& current, const NvrtcNeeds& needs) {
  const std::string first = files_to_try(current, needs).front().path;
  if (first.starts_with('/')) return file_identity(first).value_or(first);
  const std::string& path = open(current, needs).path;
  return file_identity(path).value_or(path);
}

// An answer of the cache: "75 80 86".
std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  const char* next = text.data();
  for (char* end = nullptr; *next != '\0'; next = end) {
    numbers.push_back(static_cast<int>(std::strtol(next, &end, 10)));
    if (end == next) return {};
  }
  return numbers;
}

std::string text_of(const std::vector<int>& numbers) {
  std::vector<std::string> words;
  for (const int number : numbers) words.push_back(std::to_string(number));
  return base::join(words, " ");
}

}  // namespace

const NvrtcLibrary& nvrtc_library(const NvrtcNeeds& needs) {
  NvrtcState& current = nvrtc_state();
  const std::lock_guard lock(current.mutex);
  return open(current, needs);
}

std::string nvrtc_identity(const NvrtcNeeds& needs) {
  NvrtcState& current = nvrtc_state();
  const std::lock_guard lock(current.mutex);
  return identity(current, needs);
}

std::vector<int> known_architectures(const NvrtcNeeds& needs) {
  NvrtcState& current = nvrtc_state();
  const std::lock_guard lock(current.mutex);
  const std::string library = identity(current, needs);
  if (const auto known = current.architectures.find(library);
      known != current.architectures.end()) {
    return known->second;
  }
  const Cache cache = Cache::user_cache();
  const std::string digest =
      CacheKey().add("cache format", kCacheFormat).add("architectures of", library).digest();
  std::vector<int> numbers = numbers_in(cache.load(digest, ".answer").value_or(""));
  if (numbers.empty()) {
    numbers = open(current, needs).architectures;
    cache.store(digest, ".answer", text_of(numbers));
  }
  const system::ForkHold hold;
  return current.architectures.emplace(library, std::move(numbers)).first->second;
}

std::string compiler_name(const NvrtcLibrary& library) {
  return format("NVRTC {}.{}", library.major, library.minor);
}

std::string names_of(const std::vector<int>& architectures) {
  std::vector<std::string> names;
  for (const int architecture : architectures) names.push_back(format("sm_{}", architecture));
  return base::join(names, ", ");
}

}  // namespace numpy_plugin::jit
