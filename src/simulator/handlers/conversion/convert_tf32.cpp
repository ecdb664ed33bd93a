// cvt to tf32: a float whose last 13 bits are zero.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr std::uint32_t kCutBits = 0x1fff;

template <Rounding kRounding>
inline std::uint32_t addend(std::uint32_t magnitude) {
  if constexpr (kRounding == Rounding::kNearestAway) return (kCutBits + 1) / 2;
  return rounding_addend<kRounding>(kCutBits, magnitude >> 13 & 1, false);
}

// The NaN is the canonical one, cut like every result. (For .rna ptxas's code cuts any NaN.)
template <Rounding kRounding, bool kRelu, bool kIsFinite>
struct ToTf32 {
  static std::uint32_t apply(float value) {
    const std::uint32_t bits = bits_of(kRelu && value <= 0 ? 0.0f : value);
    const std::uint32_t magnitude = bits & kMagnitudeBits<float>;
    constexpr std::uint32_t kBound = kIsFinite ? kFloatInfinity - kCutBits - 1 : kFloatInfinity;
    const std::uint32_t rounded = (magnitude + addend<kRounding>(magnitude)) & ~kCutBits;
    const std::uint32_t bounded = rounded < kBound ? rounded : kBound;
    return magnitude > kFloatInfinity ? kCanonicalNan<float> & ~kCutBits
                                      : bounded | (bits & kSignBit<float>);
  }
};

template <Rounding kRounding, bool kRelu>
Handler find(bool is_finite) {
  return is_finite ? apply<ToTf32<kRounding, kRelu, true>, std::uint32_t, float>
                   : apply<ToTf32<kRounding, kRelu, false>, std::uint32_t, float>;
}

template <Rounding kRounding>
Handler find(const Operation& operation) {
  return operation.relu ? find<kRounding, true>(operation.saturate_finite)
                        : find<kRounding, false>(operation.saturate_finite);
}

}  // namespace

Handler find_tf32(const Operation& operation) {
  if (operation.source != Type::kF32) return nullptr;
  switch (operation.rounding) {
    case Rounding::kNearestAway:
      return find<Rounding::kNearestAway>(operation);
    case Rounding::kNearest:
      return find<Rounding::kNearest>(operation);
    case Rounding::kZero:
      return find<Rounding::kZero>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
