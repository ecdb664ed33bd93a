// cvt from integers to floating-point types.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/common/rounding.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// A double that holds 64 bits "rounded to odd": the excess bits become one sticky bit.
inline double to_odd_double(std::uint64_t magnitude) {
  constexpr std::uint64_t kBelow = 0x7ff;
  const std::uint64_t sticky = (magnitude & kBelow) != 0 ? kBelow + 1 : 0;
  const std::uint64_t cut = (magnitude & ~kBelow) | sticky;
  return static_cast<double>(magnitude >> 53 != 0 ? cut : magnitude);
}

template <class Integer>
inline float to_odd_float(Integer value) {
  if constexpr (sizeof(Integer) == 2) return static_cast<float>(value);
  if constexpr (sizeof(Integer) == 4) return narrow_to_odd(static_cast<double>(value));
  if constexpr (sizeof(Integer) == 8) {
    const bool is_negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    const double magnitude = to_odd_double(is_negative ? 0 - bits : bits);
    return narrow_to_odd(is_negative ? -magnitude : magnitude);
  }
}

template <class Narrow, Rounding kRounding>
struct ConvertNarrow {
  template <class Integer>
  static Narrow apply(Integer value) {
    return narrow<Narrow, kRounding>(to_odd_float(value));
  }
};

template <class Float, class Integer>
struct ConvertWide {
  static Float apply(Integer value) { return static_cast<Float>(value); }
};

template <class Float, class Integer>
Handler find_wide(Rounding rounding) {
  constexpr Handler kNearest = apply<ConvertWide<Float, Integer>, Float, Integer>;
  constexpr bool kIsExact =
      std::numeric_limits<Float>::digits >= std::numeric_limits<Integer>::digits;
  if constexpr (kIsExact) return kNearest;
  return choose_rounding<kNearest>(rounding);
}

template <class Narrow, class Integer>
Handler find_narrow(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNone:
    case Rounding::kNearest:
      return apply<ConvertNarrow<Narrow, Rounding::kNearest>, Narrow, Integer>;
    case Rounding::kZero:
      return apply<ConvertNarrow<Narrow, Rounding::kZero>, Narrow, Integer>;
    case Rounding::kDown:
      return apply<ConvertNarrow<Narrow, Rounding::kDown>, Narrow, Integer>;
    case Rounding::kUp:
      return apply<ConvertNarrow<Narrow, Rounding::kUp>, Narrow, Integer>;
    default:
      return nullptr;
  }
}

template <class Integer>
Handler find_from(const Operation& operation) {
  switch (operation.type) {
    case Type::kF32:
      return find_wide<float, Integer>(operation.rounding);
    case Type::kF64:
      return find_wide<double, Integer>(operation.rounding);
    case Type::kF16:
      return find_narrow<Half, Integer>(operation.rounding);
    case Type::kBf16:
      return find_narrow<BFloat16, Integer>(operation.rounding);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_integer_to_float(const Operation& operation) {
  if (operation.saturate || operation.flush || operation.relu) return nullptr;
  switch (operation.source) {
    case Type::kU16:
      return find_from<std::uint16_t>(operation);
    case Type::kS16:
      return find_from<std::int16_t>(operation);
    case Type::kU32:
      return find_from<std::uint32_t>(operation);
    case Type::kS32:
      return find_from<std::int32_t>(operation);
    case Type::kU64:
      return find_from<std::uint64_t>(operation);
    case Type::kS64:
      return find_from<std::int64_t>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
