#include "numpy_plugin/system/dynamic_library.hpp"

#include <algorithm>
#include <iterator>

#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::system {
namespace {

struct Packages {
  Mutex mutex;
  std::vector<std::string> directories;
};

// Leaked on purpose: threads may compile while the process exits.
Packages& packages() { return the_only<Packages>(); }

}  // namespace

void set_package_directories(std::vector<std::string> directories) {
  const std::lock_guard lock(packages().mutex);
  packages().directories = std::move(directories);
}

std::vector<std::string> package_directories() {
  const std::lock_guard lock(packages().mutex);
  std::vector<std::string> absolute;
  std::ranges::copy_if(packages().directories, std::back_inserter(absolute),
                       [](const std::string& directory) { return directory.starts_with('/'); });
  return absolute;
}

}  // namespace numpy_plugin::system
