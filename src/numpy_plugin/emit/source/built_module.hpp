// Source of a built module: an extension module of Python with ufuncs compiled ahead of time.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit {

// A ufunc of the module. Its kernels' loops are in an object for each level, whose symbols end with
// built_suffix().
struct BuiltUfunc {
  std::vector<declare::TypedKernel> kernels;
  std::vector<std::string> entry_points;  // of the kernels, without the suffix
  std::string name;
  std::string doc;
  std::string identity;  // a Python expression; empty without one
  bool is_reorderable = false;
};

struct BuiltModule {
  std::string name;
  std::string doc;
  std::vector<std::string> levels;
  std::vector<BuiltUfunc> ufuncs;
  std::string raising;      // as npp::BuiltModule's; empty where no kernel raises
  std::string exceptions;   // likewise
  std::string device_file;  // path of a file with the data for devices; empty without
};

std::string built_suffix(std::size_t ufunc, std::size_t level);

// The translation unit of the module's table, for the host compiler.
Source emit_built_module(const BuiltModule& module);

}  // namespace numpy_plugin::emit
