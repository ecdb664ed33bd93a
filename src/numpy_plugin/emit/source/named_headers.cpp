// The table of headers.
#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit {
namespace {

#define NPP_HEADER(name) "#include \"npp/" name ".hpp\"\n"
// glibc's header, or that of the C++ library around it.
#define NPP_MATH_HEADER(name) \
  NPP_HEADER("headers/hide_names") "#include_next <" name ">\n" NPP_HEADER("headers/show_names")
// Only for the preamble itself: headers of the C++ library mean the C++ library's.
#define NPP_HOST_HEADER(name, own) \
  "#if __INCLUDE_LEVEL__ > 1\n#include_next <" name ">\n#else\n" own "#endif\n"

constexpr std::string_view kNames = NPP_HEADER("body/names");
constexpr std::string_view kIntegers = NPP_HEADER("headers/integer_limits");

constexpr NamedHeader kHeaders[] = {
    {"algorithm", NPP_HEADER("headers/algorithm"), ""},
    {"assert.h", kNames, ""},
    {"cassert", kNames, ""},
    {"cfloat", kNames, ""},
    {"climits", kIntegers, ""},
    {"cmath", kNames, NPP_MATH_HEADER("cmath")},
    {"complex", kNames, NPP_HOST_HEADER("complex", NPP_HEADER("body/names"))},
    {"cstddef", kIntegers, ""},
    {"cstdint", kIntegers, ""},
    {"cstdio", kNames, ""},
    {"cstdlib", kNames, ""},
    {"cstring", kNames, ""},
    {"cuComplex.h", NPP_HEADER("headers/cuda_complex"), NPP_HEADER("headers/cuda_complex")},
    {"cuda_bf16.h", NPP_HEADER("headers/cuda_half"), NPP_HEADER("headers/cuda_half")},
    {"cuda_fp16.h", NPP_HEADER("headers/cuda_half"), NPP_HEADER("headers/cuda_half")},
    {"cuda_runtime.h", kNames, kNames},
    {"cupy/complex.cuh", kNames, kNames},
    {"float.h", kNames, ""},
    {"limits", NPP_HEADER("headers/limits"), ""},
    {"limits.h", kIntegers, ""},
    {"math.h", kNames, NPP_MATH_HEADER("math.h")},
    {"math_constants.h", kNames, kNames},
    {"pycuda-complex.hpp", kNames, kNames},
    {"stddef.h", kIntegers, ""},
    {"stdint.h", kIntegers, ""},
    {"stdio.h", kNames, ""},
    {"stdlib.h", kNames, ""},
    {"string.h", kNames, ""},
    {"thrust/complex.h", kNames, kNames},
    {"type_traits", NPP_HEADER("headers/type_traits"), ""},
    {"utility", NPP_HEADER("headers/utility"), ""},
    {"vector_types.h", kNames, kNames},
};

}  // namespace

std::span<const NamedHeader> named_headers() { return kHeaders; }

}  // namespace numpy_plugin::emit
