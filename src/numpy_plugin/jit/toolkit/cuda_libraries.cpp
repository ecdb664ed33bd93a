// Versions are read from file names: opening a library takes longer than a warm start may.
// cuda-pathfinder is not asked: it opens what it finds, and returns one library whatever the
// driver.
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/format.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"
#include "numpy_plugin/system/dynamic_library.hpp"

namespace numpy_plugin::jit {
namespace {

namespace fs = std::filesystem;

constexpr int kMajors[] = {13, 12};

// Names of a directory's entries that start with a prefix, sorted. Empty where it can't be read.
std::vector<std::string> entries_of(const fs::path& directory, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

void add_subdirectories(std::vector<std::string>& directories, const std::string& parent,
                        std::string_view prefix, const std::string& last) {
  for (const std::string& name : entries_of(parent, prefix)) {
    directories.push_back(parent + '/' + name + '/' + last);
  }
}

// The entries of a list such as $LD_LIBRARY_PATH.
void add_list(std::vector<std::string>& directories, std::string text) {
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    if (text.starts_with('/')) directories.push_back(text.substr(0, end));
    text.erase(0, end == std::string::npos ? text.size() : end + 1);
  }
}

std::vector<std::string> library_directories() {
  std::vector<std::string> directories;
  for (const std::string& packages : system::package_directories()) {
    add_subdirectories(directories, packages + "/nvidia", "", "lib");
  }
  add_list(directories, base::environment_variable("LD_LIBRARY_PATH"));
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string home = base::environment_variable(variable);
    if (!home.empty()) directories.push_back(home + "/lib64");
  }
  const std::string conda = base::environment_variable("CONDA_PREFIX");
  if (!conda.empty()) directories.push_back(conda + "/lib");
  directories.push_back("/usr/local/cuda/lib64");
  add_subdirectories(directories, "/usr/local", "cuda-", "lib64");
  return directories;
}

// The minor version in the name of NVRTC's second file, "libnvrtc-builtins.so.13.5"; else 0.
int minor_in(const std::string& directory, std::string_view library, int major) {
  const std::string prefix = format("lib{}-builtins.so.{}.", library, major);
  int minor = 0;
  for (const std::string& name : entries_of(directory, prefix)) {
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), minor);
  }
  return minor;
}

auto version_of(const CudaLibraryFile& file) { return std::tuple(file.major, file.minor); }

}  // namespace

std::vector<CudaLibraryFile> find_cuda_libraries(std::string_view name) {
  std::vector<CudaLibraryFile> files;
  const std::vector<std::string> directories = library_directories();
  for (const int major : kMajors) {
    const std::string file = format("lib{}.so.{}", name, major);
    for (const std::string& directory : directories) {
      const std::string path = directory + '/' + file;
      if (file_identity(path)) files.push_back({path, major, minor_in(directory, name, major)});
    }
    files.push_back({file, major, 0});
  }
  std::ranges::stable_sort(files, std::ranges::greater(), version_of);
  return files;
}

std::vector<std::string> find_header_directories() {
  std::vector<std::string> found;
  for (const std::string_view header : {"/cub/version.cuh", "/cooperative_groups.h"}) {
    for (const std::string& libraries : library_directories()) {
      const std::string all = fs::path(libraries).parent_path().string() + "/include";
      // Since CUDA 13 CCCL has a directory of its own.
      const std::string core = all + "/cccl";
      const bool is_core = file_identity(format("{}{}", core, header)).has_value();
      if (!is_core && !file_identity(format("{}{}", all, header))) continue;
      found.push_back(is_core ? core : all);
      break;
    }
  }
  return found;
}

void put_usable_first(std::vector<CudaLibraryFile>& files, int driver_version, CodeForm form) {
  if (driver_version == 0) return;
  const std::tuple loaded(driver_version / 1000, driver_version % 1000 / 10);
  const auto newer = std::ranges::stable_partition(files, [&](const CudaLibraryFile& file) {
    return form == CodeForm::kPtx ? version_of(file) <= loaded : file.major <= std::get<0>(loaded);
  });
  std::ranges::stable_sort(newer, std::ranges::less(), version_of);
}

}  // namespace numpy_plugin::jit
