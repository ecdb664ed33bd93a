// Headers that preambles include by the names of the C++ library, CUDA and CuPy, and that
// templates/ answers: NVRTC has none at all, and most hosts none of CUDA.
#pragma once

#include <span>
#include <string_view>

namespace numpy_plugin::emit {

struct NamedHeader {
  std::string_view name;      // as in #include
  std::string_view for_cuda;  // its text
  std::string_view for_cpu;   // likewise; empty where the host's own header is used
};
std::span<const NamedHeader> named_headers();

}  // namespace numpy_plugin::emit
