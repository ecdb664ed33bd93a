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

#define NPP_CCCL_HEADER(name) "#include <cuda/std/" name ">\n"
// NVRTC declares what it has.
constexpr std::string_view kBuiltIn = "\n";
constexpr std::string_view kNames = NPP_HEADER("body/names");
constexpr std::string_view kIntegers = NPP_HEADER("headers/integer_limits");

constexpr NamedHeader kHeaders[] = {
    {"algorithm", NPP_HEADER("headers/algorithm"), ""},
    {"assert.h", kNames, "", kBuiltIn},
    {"cassert", kNames, "", kBuiltIn},
    {"cfloat", kNames, ""},
    {"climits", kIntegers, "", NPP_CCCL_HEADER("climits")},
    {"cmath", kNames, NPP_MATH_HEADER("cmath"), kBuiltIn},
    {"complex", kNames, NPP_HOST_HEADER("complex", NPP_HEADER("body/names"))},
    {"cstddef", kIntegers, "", NPP_CCCL_HEADER("cstddef")},
    {"cstdint", kIntegers, "", NPP_CCCL_HEADER("cstdint")},
    {"cstdio", kNames, "", kBuiltIn},
    {"cstdlib", kNames, "", kBuiltIn},
    {"cstring", kNames, "", kBuiltIn},
    {"cuComplex.h", NPP_HEADER("headers/cuda_complex"), NPP_HEADER("headers/cuda_complex")},
    {"cuda_bf16.h", NPP_HEADER("headers/cuda_half"), NPP_HEADER("headers/cuda_half")},
    {"cuda_fp16.h", NPP_HEADER("headers/cuda_half"), NPP_HEADER("headers/cuda_half")},
    {"cuda_runtime.h", kNames, kNames, kBuiltIn},
    {"cupy/complex.cuh", kNames, kNames},
    {"float.h", kNames, ""},
    {"limits", NPP_HEADER("headers/limits"), ""},
    {"limits.h", kIntegers, "", NPP_CCCL_HEADER("climits")},
    {"math.h", kNames, NPP_MATH_HEADER("math.h"), kBuiltIn},
    {"math_constants.h", kNames, kNames},
    {"pycuda-complex.hpp", kNames, kNames},
    {"stddef.h", kIntegers, "", NPP_CCCL_HEADER("cstddef")},
    {"stdint.h", kIntegers, "", NPP_CCCL_HEADER("cstdint")},
    {"stdio.h", kNames, "", kBuiltIn},
    {"stdlib.h", kNames, "", kBuiltIn},
    {"string.h", kNames, "", kBuiltIn},
    {"thrust/complex.h", kNames, kNames},
    {"type_traits", NPP_HEADER("headers/type_traits"), ""},
    {"utility", NPP_HEADER("headers/utility"), ""},
    {"vector_types.h", kNames, kNames, kBuiltIn},
};

}  // namespace

std::span<const NamedHeader> named_headers() { return kHeaders; }

}  // namespace numpy_plugin::emit
