// Variants of functions for vectors under the names by which g++'s vectorizer calls them ("Vector
// Function Application Binary Interface Specification for x86"): for the native vectors, and for
// shorter ones by way of these.
#pragma once

#include "npp/vector_math/lanes.hpp"

#if NPP_HAS_VARIANTS

namespace npp::variants {

template <class T, int n_bytes>
using VectorOf = lanes::Vector<T, n_bytes / int(sizeof(T))>;
template <class T>
using Native = VectorOf<T, NPP_NATIVE_VECTOR_BYTES>;

// The elements several times over: those that are computed anyway are harmless.
template <class V>
NPP_FUNCTION Native<lanes::Element<V>> widened(V value) {
  Native<lanes::Element<V>> wide;
  for (int at = 0; at < NPP_NATIVE_VECTOR_BYTES; at += sizeof(V))
    __builtin_memcpy(reinterpret_cast<char*>(&wide) + at, &value, sizeof value);
  return wide;
}
template <class V>
NPP_FUNCTION V narrowed(Native<lanes::Element<V>> wide) {
  V value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
}

}  // namespace npp::variants

// The variant for native vectors; `letters` are the instruction set and the number of elements, "N"
// for one without a mask.
#define NPP_NATIVE_OF_TWO(letters, type, symbol, function)                     \
  npp::variants::Native<type> native_##symbol(                                 \
      npp::variants::Native<type>,                                             \
      npp::variants::Native<type>) __asm__("_ZGV" #letters "vv_npp_" #symbol); \
  npp::variants::Native<type> native_##symbol(npp::variants::Native<type> x,   \
                                              npp::variants::Native<type> y) { \
    return function(x, y);                                                     \
  }
// A variant for shorter vectors.
#define NPP_NARROW_OF_TWO(letters, n_bytes, type, symbol)                                   \
  npp::variants::VectorOf<type, n_bytes> letters##_##symbol(                                \
      npp::variants::VectorOf<type, n_bytes>,                                               \
      npp::variants::VectorOf<type, n_bytes>) __asm__("_ZGV" #letters "vv_npp_" #symbol);   \
  npp::variants::VectorOf<type, n_bytes> letters##_##symbol(                                \
      npp::variants::VectorOf<type, n_bytes> x, npp::variants::VectorOf<type, n_bytes> y) { \
    using npp::variants::widened;                                                           \
    using V = npp::variants::VectorOf<type, n_bytes>;                                       \
    return npp::variants::narrowed<V>(native_##symbol(widened(x), widened(y)));             \
  }
// The function of single numbers, with the flags of their result.
#define NPP_SINGLE_OF_TWO(type, symbol, exact)                     \
  type single_##symbol(type, type) __asm__("npp_" #symbol);        \
  type single_##symbol(type x, type y) {                           \
    using V = npp::variants::Native<type>;                         \
    return exact(npp::lanes::all<V>(x), npp::lanes::all<V>(y))[0]; \
  }

// All variants of a function; `exact` computes the same with the flags of the result.
#if NPP_NATIVE_VECTOR_BYTES == 64
#define NPP_FLOAT_VARIANTS_OF_TWO(symbol, function, exact) \
  NPP_NATIVE_OF_TWO(eN16, float, symbol, function)         \
  NPP_NARROW_OF_TWO(dN8, 32, float, symbol)                \
  NPP_NARROW_OF_TWO(bN4, 16, float, symbol)                \
  NPP_SINGLE_OF_TWO(float, symbol, exact)
#define NPP_DOUBLE_VARIANTS_OF_TWO(symbol, function, exact) \
  NPP_NATIVE_OF_TWO(eN8, double, symbol, function)          \
  NPP_NARROW_OF_TWO(dN4, 32, double, symbol)                \
  NPP_NARROW_OF_TWO(bN2, 16, double, symbol)                \
  NPP_SINGLE_OF_TWO(double, symbol, exact)
#else
#define NPP_FLOAT_VARIANTS_OF_TWO(symbol, function, exact) \
  NPP_NATIVE_OF_TWO(dN8, float, symbol, function)          \
  NPP_NARROW_OF_TWO(bN4, 16, float, symbol)                \
  NPP_SINGLE_OF_TWO(float, symbol, exact)
#define NPP_DOUBLE_VARIANTS_OF_TWO(symbol, function, exact) \
  NPP_NATIVE_OF_TWO(dN4, double, symbol, function)          \
  NPP_NARROW_OF_TWO(bN2, 16, double, symbol)                \
  NPP_SINGLE_OF_TWO(double, symbol, exact)
#endif

#endif
