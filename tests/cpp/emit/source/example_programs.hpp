// Programs of the golden files, by name.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit::test {

struct Example {
  std::string name;  // of its golden files
  Program program;
};

std::vector<Example> examples();

}  // namespace numpy_plugin::emit::test
