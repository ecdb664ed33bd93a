// cvt from floating-point types to integers.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/whole_number.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class Integer, Rounding kRounding>
struct ToInteger {
  static Integer apply(double value) {
    return to_integer<Integer, true>(round_whole<kRounding>(value));
  }
  static Integer apply(float value) {
    return to_integer<Integer, false>(round_whole<kRounding>(value));
  }
  static Integer apply(Half value) { return apply(widen(value)); }
  static Integer apply(BFloat16 value) { return apply(widen(value)); }
};

template <class Integer, class Float>
Handler find_by_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestInteger:
      return apply<ToInteger<Integer, Rounding::kNearestInteger>, Integer, Float>;
    case Rounding::kZeroInteger:
      return apply<ToInteger<Integer, Rounding::kZeroInteger>, Integer, Float>;
    case Rounding::kDownInteger:
      return apply<ToInteger<Integer, Rounding::kDownInteger>, Integer, Float>;
    case Rounding::kUpInteger:
      return apply<ToInteger<Integer, Rounding::kUpInteger>, Integer, Float>;
    default:
      return nullptr;
  }
}

template <class Integer>
Handler find_to(const Operation& operation) {
  switch (operation.source) {
    case Type::kF16:
      return find_by_rounding<Integer, Half>(operation.rounding);
    case Type::kBf16:
      return find_by_rounding<Integer, BFloat16>(operation.rounding);
    case Type::kF32:
      return operation.flush ? nullptr : find_by_rounding<Integer, float>(operation.rounding);
    case Type::kF64:
      return find_by_rounding<Integer, double>(operation.rounding);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_float_to_integer(const Operation& operation) {
  const bool is_double = operation.source == Type::kF64;
  switch (operation.type) {
    case Type::kU8:
      return is_double ? find_by_rounding<std::uint8_t, double>(operation.rounding) : nullptr;
    case Type::kS8:
      return is_double ? find_by_rounding<std::int8_t, double>(operation.rounding) : nullptr;
    case Type::kU16:
      return find_to<std::uint16_t>(operation);
    case Type::kS16:
      return find_to<std::int16_t>(operation);
    case Type::kU32:
      return find_to<std::uint32_t>(operation);
    case Type::kS32:
      return find_to<std::int32_t>(operation);
    case Type::kU64:
      return find_to<std::uint64_t>(operation);
    case Type::kS64:
      return find_to<std::int64_t>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
