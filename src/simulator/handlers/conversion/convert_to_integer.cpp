// cvt from floating-point types to integers.
#include "simulator/handlers/common/whole_number.hpp"
#include "simulator/handlers/conversion/conversion.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class Integer, Rounding kRounding, bool kFlush>
struct ToInteger {
  static Integer apply(double value) {
    return to_integer<Integer, true>(round_whole<kRounding>(value));
  }
  static Integer apply(float value) {
    return to_integer<Integer, false>(round_whole<kRounding>(flush_if<kFlush>(value)));
  }
  static Integer apply(Half value) { return apply(widen(value)); }
  static Integer apply(BFloat16 value) { return apply(widen(value)); }
};

template <class Integer, class Float, bool kFlush = false>
Handler find_by_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestInteger:
      return apply<ToInteger<Integer, Rounding::kNearestInteger, kFlush>, Integer, Float>;
    case Rounding::kZeroInteger:
      return apply<ToInteger<Integer, Rounding::kZeroInteger, kFlush>, Integer, Float>;
    case Rounding::kDownInteger:
      return apply<ToInteger<Integer, Rounding::kDownInteger, kFlush>, Integer, Float>;
    case Rounding::kUpInteger:
      return apply<ToInteger<Integer, Rounding::kUpInteger, kFlush>, Integer, Float>;
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
      return operation.flush ? find_by_rounding<Integer, float, true>(operation.rounding)
                             : find_by_rounding<Integer, float>(operation.rounding);
    case Type::kF64:
      return find_by_rounding<Integer, double>(operation.rounding);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_float_to_integer(const Operation& operation) {
  switch (operation.type) {
    case Type::kU8:
      return find_to<std::uint8_t>(operation);
    case Type::kS8:
      return find_to<std::int8_t>(operation);
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
