// Variants of functions for vectors under the names by which g++'s vectorizer calls them ("Vector
// Function Application Binary Interface Specification for x86"): for the native vectors, and for
// shorter ones by way of these.
#pragma once

#include "npp/vector/operations.hpp"

#if NPP_HAS_VARIANTS

namespace npp::variants {

template <class T, int n_bytes>
using VectorOf = vector::Vector<T, n_bytes / int(sizeof(T))>;
template <class T>
using Native = VectorOf<T, NPP_NATIVE_VECTOR_BYTES>;

// The elements several times over: those that are computed anyway are harmless.
template <class V>
NPP_FUNCTION Native<vector::Element<V>> widened(V value) {
  Native<vector::Element<V>> wide;
  for (int at = 0; at < NPP_NATIVE_VECTOR_BYTES; at += sizeof(V))
    __builtin_memcpy(reinterpret_cast<char*>(&wide) + at, &value, sizeof value);
  return wide;
}
template <class V>
NPP_FUNCTION V narrowed(Native<vector::Element<V>> wide) {
  V value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
}

}  // namespace npp::variants

// The variant for native vectors; `letters` are the instruction set and the number of elements, "N"
// for one without a mask.
#define NPP_NATIVE_OF_ONE(letters, type, symbol, function)                          \
  npp::variants::Native<type> native_##symbol(npp::variants::Native<type>) __asm__( \
      "_ZGV" #letters "v_npp_" #symbol);                                            \
  npp::variants::Native<type> native_##symbol(npp::variants::Native<type> x) { return function(x); }
#define NPP_NATIVE_OF_TWO(letters, type, symbol, function)                     \
  npp::variants::Native<type> native_##symbol(                                 \
      npp::variants::Native<type>,                                             \
      npp::variants::Native<type>) __asm__("_ZGV" #letters "vv_npp_" #symbol); \
  npp::variants::Native<type> native_##symbol(npp::variants::Native<type> x,   \
                                              npp::variants::Native<type> y) { \
    return function(x, y);                                                     \
  }
// A variant for shorter vectors.
#define NPP_NARROW_OF_ONE(letters, n_bytes, type, symbol)                                \
  npp::variants::VectorOf<type, n_bytes> letters##_##symbol(                             \
      npp::variants::VectorOf<type, n_bytes>) __asm__("_ZGV" #letters "v_npp_" #symbol); \
  npp::variants::VectorOf<type, n_bytes> letters##_##symbol(                             \
      npp::variants::VectorOf<type, n_bytes> x) {                                        \
    using V = npp::variants::VectorOf<type, n_bytes>;                                    \
    return npp::variants::narrowed<V>(native_##symbol(npp::variants::widened(x)));       \
  }
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
#define NPP_SINGLE_OF_ONE(type, symbol)                                          \
  type single_##symbol(type) __asm__("npp_" #symbol);                            \
  type single_##symbol(type x) {                                                 \
    return native_##symbol(npp::vector::all<npp::variants::Native<type>>(x))[0]; \
  }
#define NPP_SINGLE_OF_TWO(type, symbol, flagged)                       \
  type single_##symbol(type, type) __asm__("npp_" #symbol);            \
  type single_##symbol(type x, type y) {                               \
    using V = npp::variants::Native<type>;                             \
    return flagged(npp::vector::all<V>(x), npp::vector::all<V>(y))[0]; \
  }

// All variants of a function; `flagged` computes the same with the flags of the result.
#define NPP_VARIANTS_OF_ONE(type, symbol, function) \
  NPP_VARIANTS_OF_ONE_##type(symbol, function) NPP_SINGLE_OF_ONE(type, symbol)
#define NPP_VARIANTS_OF_TWO(type, symbol, function, flagged) \
  NPP_VARIANTS_OF_TWO_##type(symbol, function) NPP_SINGLE_OF_TWO(type, symbol, flagged)
#if NPP_NATIVE_VECTOR_BYTES == 64
#define NPP_VARIANTS_OF_ONE_float(symbol, function) \
  NPP_NATIVE_OF_ONE(eN16, float, symbol, function)  \
  NPP_NARROW_OF_ONE(dN8, 32, float, symbol)         \
  NPP_NARROW_OF_ONE(bN4, 16, float, symbol)
#define NPP_VARIANTS_OF_ONE_double(symbol, function) \
  NPP_NATIVE_OF_ONE(eN8, double, symbol, function)   \
  NPP_NARROW_OF_ONE(dN4, 32, double, symbol)         \
  NPP_NARROW_OF_ONE(bN2, 16, double, symbol)
#define NPP_VARIANTS_OF_TWO_float(symbol, function) \
  NPP_NATIVE_OF_TWO(eN16, float, symbol, function)  \
  NPP_NARROW_OF_TWO(dN8, 32, float, symbol)         \
  NPP_NARROW_OF_TWO(bN4, 16, float, symbol)
#define NPP_VARIANTS_OF_TWO_double(symbol, function) \
  NPP_NATIVE_OF_TWO(eN8, double, symbol, function)   \
  NPP_NARROW_OF_TWO(dN4, 32, double, symbol)         \
  NPP_NARROW_OF_TWO(bN2, 16, double, symbol)
#else
#define NPP_VARIANTS_OF_ONE_float(symbol, function) \
  NPP_NATIVE_OF_ONE(dN8, float, symbol, function)   \
  NPP_NARROW_OF_ONE(bN4, 16, float, symbol)
#define NPP_VARIANTS_OF_ONE_double(symbol, function) \
  NPP_NATIVE_OF_ONE(dN4, double, symbol, function)   \
  NPP_NARROW_OF_ONE(bN2, 16, double, symbol)
#define NPP_VARIANTS_OF_TWO_float(symbol, function) \
  NPP_NATIVE_OF_TWO(dN8, float, symbol, function)   \
  NPP_NARROW_OF_TWO(bN4, 16, float, symbol)
#define NPP_VARIANTS_OF_TWO_double(symbol, function) \
  NPP_NATIVE_OF_TWO(dN4, double, symbol, function)   \
  NPP_NARROW_OF_TWO(bN2, 16, double, symbol)
#endif

#endif
