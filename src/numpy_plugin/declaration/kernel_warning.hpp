// A warning of the front end at the user's file and line.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/infer/statements/infer_kernel.hpp"

namespace numpy_plugin::declare {

struct KernelWarning {
  std::string text;
  std::string file;
  int line = 0;
  bool operator==(const KernelWarning&) const = default;
};

inline KernelWarning make_warning(const Diagnostic& diagnostic,
                                  const std::vector<SourceText>& sources) {
  return {render({diagnostic}, sources),
          sources[static_cast<std::size_t>(diagnostic.place.source)].file, diagnostic.place.line};
}

}  // namespace numpy_plugin::declare
