// Names are compared in users' spelling: "cuda.zeros", "print".
#include "numpy_plugin/syntax/functions.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

struct Hint {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kOutside = "call it before the launch and pass its result";
constexpr std::string_view kOwnArrays =
    "cuda.local.array(shape, dtype) is the thread's, cuda.shared.array(shape, dtype) the block's";

constexpr Hint kHints[] = {
    {"cuda.arange", kOutside},
    {"cuda.device_array", kOwnArrays},
    {"cuda.empty", kOwnArrays},
    {"cuda.full", kOwnArrays},
    {"cuda.libdevice", "the functions of math and numpy"},
    {"cuda.ones", kOwnArrays},
    {"cuda.random", "numpy_plugin.random.uniform(seed, i), or normal"},
    {"cuda.synchronize", "cuda.syncthreads() waits for the block; the grid ends with the launch"},
    {"cuda.to_device", kOutside},
    {"cuda.zeros", kOwnArrays},
    {"numpy.empty", kOwnArrays},
    {"numpy.full", kOwnArrays},
    {"numpy.ones", kOwnArrays},
    {"numpy.zeros", kOwnArrays},
};

constexpr std::string_view kThreadNames[] = {
    "grid",
    "gridsize",
#define NPP_THREAD_FUNCTION(enumerator, python_name, ...) python_name,
#include "numpy_plugin/kernel/thread_functions.def"
};

constexpr std::string_view kAtomicNames[] = {
#define NPP_ATOMIC(enumerator, python_name, ...) python_name,
#include "numpy_plugin/kernel/atomics.def"
};

}  // namespace

std::string_view device_hint(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kHints), std::end(kHints), [name](const Hint& row) {
        const bool is_module = name.size() > row.name.size() && name[row.name.size()] == '.';
        return name.starts_with(row.name) && (is_module || name.size() == row.name.size());
      });
  return found == std::end(kHints) ? std::string_view() : found->hint;
}

std::vector<std::string> device_names(std::string_view owner) {
  std::vector<std::string> names;
  if (owner == "cuda.atomic") {
    for (const std::string_view name : kAtomicNames) {
      if (!name.starts_with("numbas.")) names.emplace_back(name);
    }
  }
  if (owner != "cuda") return names;
  for (const std::string_view name : kThreadNames)
    names.emplace_back(name.substr(0, name.find('.')));
  return names;
}

}  // namespace numpy_plugin::declare
