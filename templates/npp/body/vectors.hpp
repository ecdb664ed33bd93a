// CUDA's vector types, such as float4, with its alignments, for the host: NVRTC provides them. As
// in CUDA they have no operators.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp::cmath {

using uint = unsigned int;
using ushort = unsigned short;
using uchar = unsigned char;

#if !NPP_DEVICE
#define NPP_VECTOR_TYPES(name, Element, align_2, align_4)                                     \
  struct name##1 {                                                                            \
    Element x;                                                                                \
  };                                                                                          \
  struct alignas(align_2) name##2 {                                                           \
    Element x, y;                                                                             \
  };                                                                                          \
  struct name##3 {                                                                            \
    Element x, y, z;                                                                          \
  };                                                                                          \
  struct alignas(align_4) name##4 {                                                           \
    Element x, y, z, w;                                                                       \
  };                                                                                          \
  NPP_FUNCTION constexpr name##1 make_##name##1(Element x) { return {x}; }                    \
  NPP_FUNCTION constexpr name##2 make_##name##2(Element x, Element y) { return {x, y}; }      \
  NPP_FUNCTION constexpr name##3 make_##name##3(Element x, Element y, Element z) {            \
    return {x, y, z};                                                                         \
  }                                                                                           \
  NPP_FUNCTION constexpr name##4 make_##name##4(Element x, Element y, Element z, Element w) { \
    return {x, y, z, w};                                                                      \
  }
NPP_VECTOR_TYPES(char, signed char, 2, 4)
NPP_VECTOR_TYPES(uchar, unsigned char, 2, 4)
NPP_VECTOR_TYPES(short, short, 4, 8)
NPP_VECTOR_TYPES(ushort, unsigned short, 4, 8)
NPP_VECTOR_TYPES(int, int, 8, 16)
NPP_VECTOR_TYPES(uint, unsigned, 8, 16)
NPP_VECTOR_TYPES(long, long, 16, 16)
NPP_VECTOR_TYPES(ulong, unsigned long, 16, 16)
NPP_VECTOR_TYPES(longlong, long long, 16, 16)
NPP_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
NPP_VECTOR_TYPES(float, float, 8, 16)
NPP_VECTOR_TYPES(double, double, 16, 16)
#undef NPP_VECTOR_TYPES
#endif

}  // namespace npp::cmath
