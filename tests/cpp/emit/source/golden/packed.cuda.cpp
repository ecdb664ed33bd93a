#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/contiguous.hpp"
#include "npp/cuda/packed.hpp"

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

// All elements of a word at once.
struct PackedKernel0 : Kernel0 {
  NPP_FUNCTION static npp::uint32 call_packed(npp::uint32 x, npp::uint32 y) {
    return (npp::subtract_packed<8>((npp::add_packed<8>(x, npp::in_each_element<8>(200u)) | ~y), (x & npp::add_packed<8>(x, npp::in_each_element<8>(200u)))) ^ y);
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, PackedKernel0, npp::Narrow, npp::Mask::kNone, 16, 2)
