#define NPP_VECTOR_MATH 1
#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/elementwise.hpp"

namespace {

// uint8(uint8, uint8)
struct Kernel0 {
  using Inputs = npp::Types<npp::uint8, npp::uint8>;
  using Outputs = npp::Types<npp::uint8>;
  static constexpr bool kHasVectorMath = false;
  static constexpr bool kHasBranches = false;

  NPP_FUNCTION static npp::uint8 call(npp::uint8 x, npp::uint8 y) {
    return npp::bitwise_xor(npp::subtract(npp::bitwise_or(npp::add(x, npp::uint8(200u)), npp::invert(y)), npp::bitwise_and(x, npp::add(x, npp::uint8(200u)))), y);
  }
};

}  // namespace

NPP_ELEMENTWISE_LOOP(npp_loop_0, Kernel0)
