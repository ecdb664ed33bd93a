// The functions of kernels with math="reproducible": those of this directory, where a kernel calls
// them. The emitter lists them by NPP_REPRODUCIBLE_OF_ONE and NPP_REPRODUCIBLE_OF_TWO, whose rows
// are row(type, name in npp::library, name in npp::vector_math). Loops in blocks call variants for
// vectors, whose elements have the bits of single numbers.
#pragma once

#include "npp/vector_math/variants.hpp"

#define NPP_FUNCTIONS reproducible

#ifndef NPP_REPRODUCIBLE_OF_ONE
#define NPP_REPRODUCIBLE_OF_ONE(row)
#define NPP_REPRODUCIBLE_OF_TWO(row)
#endif

#if defined(NPP_HAS_BLOCKS) && NPP_HAS_VARIANTS
#define NPP_SIMD __attribute__((simd("notinbranch"), const, nothrow, leaf))
#define NPP_ROW_OF_ONE(type, name, own) type name(type) __asm__("npp_" #own "_" #type) NPP_SIMD;
#define NPP_ROW_OF_TWO(type, name, own) \
  type name(type, type) __asm__("npp_" #own "_" #type) NPP_SIMD;
#else
#define NPP_ROW_OF_ONE(type, name, own) \
  NPP_FUNCTION type name(type x) { return vector_math::own(x); }
#define NPP_ROW_OF_TWO(type, name, own) \
  NPP_FUNCTION type name(type x, type y) { return vector_math::own(x, y); }
#endif

namespace npp::library {}

namespace npp::reproducible {
using namespace library;
NPP_REPRODUCIBLE_OF_ONE(NPP_ROW_OF_ONE)
NPP_REPRODUCIBLE_OF_TWO(NPP_ROW_OF_TWO)
}  // namespace npp::reproducible

#if defined(NPP_HAS_BLOCKS) && NPP_HAS_VARIANTS
namespace npp::variants {
#define NPP_VARIANTS_ROW_OF_ONE(type, name, own) \
  NPP_VARIANTS_OF_ONE(type, own##_##type, vector_math::own)
#define NPP_VARIANTS_ROW_OF_TWO(type, name, own) \
  NPP_VARIANTS_OF_TWO(type, own##_##type, vector_math::own, vector_math::flagged_##own)
NPP_REPRODUCIBLE_OF_ONE(NPP_VARIANTS_ROW_OF_ONE)
NPP_REPRODUCIBLE_OF_TWO(NPP_VARIANTS_ROW_OF_TWO)
}  // namespace npp::variants
#endif
