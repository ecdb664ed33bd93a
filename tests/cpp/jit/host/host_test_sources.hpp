// Handwritten sources for tests of compilers: like emitted ones, without templates.
#pragma once

#include <string>
#include <utility>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::jit {

inline emit::Source make_source(emit::Target target, std::string text, std::string entry_point,
                                std::string body_label) {
  emit::Source source;
  source.target = target;
  source.text = std::move(text);
  source.entry_points = {std::move(entry_point)};
  source.user_text = {std::move(body_label), true};
  return source;
}

// A loop over exp; `mark` makes its text, and so its cache entry, unique.
inline emit::Source exp_source(const std::string& mark) {
  return make_source(emit::Target::kCpu, "// " + mark + R"(
extern "C" double exp(double) noexcept;
extern "C" __attribute__((visibility("default"))) void npp_loop_0(char** args, const long* dimensions,
                                                                  const long*, void*) {
  const double* in = reinterpret_cast<const double*>(args[0]);
  double* out = reinterpret_cast<double*>(args[1]);
  for (long i = 0; i < dimensions[0]; ++i) out[i] = exp(in[i]);
}
)",
                     "npp_loop_0", "");
}

// A function of two doubles around a user's body, for the host or for NVRTC.
inline emit::Source body_source(const std::string& body, emit::Target target) {
  const bool is_cuda = target == emit::Target::kCuda;
  std::string text = is_cuda ? "#define NPP_FUNCTION __device__ __forceinline__\n"
                             : "#define NPP_FUNCTION __attribute__((always_inline)) inline\n"
                               "extern \"C\" double sqrt(double) noexcept;\n"
                               "extern \"C\" double pow(double, double) noexcept;\n"
                               "extern \"C\" double atan2(double, double) noexcept;\n"
                               "extern \"C++\" float atan2(float, float) noexcept;\n";
  text +=
      "namespace {\n"
      "template <class T> NPP_FUNCTION T twice(T x) { return x.missing + x; }\n"
      "struct Kernel0 {\n"
      "  NPP_FUNCTION static double call(const double x, const double y) {\n"
      "#line 1 \"<body of 'hypot'>\"\n" +
      body +
      "\n#line 1 \"npp-generated\"\n"
      "  }\n};\n}\n" +
      (is_cuda ? "extern \"C\" __global__ void npp_contiguous_0" : "extern \"C\" void npp_loop_0") +
      "(double* a) { a[0] = Kernel0::call(a[0], a[1]); }\n";
  return make_source(target, text, is_cuda ? "npp_contiguous_0" : "npp_loop_0",
                     "<body of 'hypot'>");
}

}  // namespace numpy_plugin::jit
