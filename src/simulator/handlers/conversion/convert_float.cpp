// cvt between floating-point types.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/common/rounding.hpp"
#include "simulator/handlers/common/whole_number.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// A float that rounds to a narrower type like the source.
inline float to_float(float value) { return value; }
inline float to_float(double value) { return narrow_to_odd(value); }
inline float to_float(Half value) { return widen(value); }
inline float to_float(BFloat16 value) { return widen(value); }

template <class Narrow, Rounding kRounding>
struct ToNarrow {
  template <class T>
  static Narrow apply(T value) {
    return narrow<Narrow, kRounding>(to_float(value));
  }
};

template <class Narrow, Rounding kRounding, bool kRelu, bool kIsFinite>
struct ToPair {
  static std::uint32_t apply(float upper, float lower) { return one(upper) << 16 | one(lower); }

 private:
  static std::uint32_t one(float value) {
    constexpr std::uint32_t kInfinity = FloatLayout<Narrow>::kInfinity;
    const std::uint32_t bits = narrow<Narrow, kRounding>(kRelu && value <= 0 ? 0.0f : value).bits;
    return kIsFinite && (bits & 0x7fff) == kInfinity ? bits - 1 : bits;
  }
};

template <bool kFlush, bool kSaturate>
struct ToFloat {
  template <class T>
  static float apply(T value) {
    const float result = settle_nan(flush_if<kFlush>(static_cast<float>(value)));
    if constexpr (kSaturate) return saturate(result);
    return result;
  }
  static float apply(Half value) { return apply(widen(value)); }
  static float apply(BFloat16 value) { return apply(widen(value)); }
};

// cvt.f32.bf16 is a shift on GPUs, which keeps a NaN.
struct WidenBFloat16 {
  static float apply(BFloat16 value) { return widen(value); }
};

template <bool kFlush>
struct ToDouble {
  static double apply(float value) { return flush_if<kFlush>(value); }
  static double apply(Half value) { return widen(value); }
  static double apply(BFloat16 value) { return widen(value); }
};

template <Rounding kRounding>
struct ToWhole {
  static double apply(double value) { return settle_nan(round_whole<kRounding>(value), value); }
  static float apply(float value) { return settle_nan(round_whole<kRounding>(value)); }
  template <class Narrow>
  static Narrow apply(Narrow value) {
    return narrow<Narrow>(round_whole<kRounding>(widen(value)));
  }
};

struct Same {
  template <class T>
  static T apply(T value) {
    return value;
  }
  // GPUs add zero to narrow numbers.
  static Half apply(Half value) { return settle_narrow_nan(value); }
  static BFloat16 apply(BFloat16 value) { return settle_narrow_nan(value); }
};

bool is_to_whole(Rounding rounding) {
  return rounding == Rounding::kNearestInteger || rounding == Rounding::kZeroInteger ||
         rounding == Rounding::kDownInteger || rounding == Rounding::kUpInteger;
}

template <class T>
Handler find_whole(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestInteger:
      return apply<ToWhole<Rounding::kNearestInteger>, T, T>;
    case Rounding::kZeroInteger:
      return apply<ToWhole<Rounding::kZeroInteger>, T, T>;
    case Rounding::kDownInteger:
      return apply<ToWhole<Rounding::kDownInteger>, T, T>;
    case Rounding::kUpInteger:
      return apply<ToWhole<Rounding::kUpInteger>, T, T>;
    default:
      return nullptr;
  }
}

Handler find_whole(const Operation& operation) {
  if (operation.source != operation.type || operation.saturate || operation.relu) return nullptr;
  switch (operation.type) {
    case Type::kF16:
      return find_whole<Half>(operation.rounding);
    case Type::kBf16:
      return find_whole<BFloat16>(operation.rounding);
    case Type::kF32:
      return operation.flush ? nullptr : find_whole<float>(operation.rounding);
    case Type::kF64:
      return find_whole<double>(operation.rounding);
    default:
      return nullptr;
  }
}

template <bool kFlush, bool kSaturate>
Handler find_to_float(const Operation& operation) {
  switch (operation.source) {
    case Type::kF16:
      return apply<ToFloat<kFlush, kSaturate>, float, Half>;
    case Type::kBf16:
      if constexpr (!kFlush && !kSaturate) return apply<WidenBFloat16, float, BFloat16>;
      return apply<ToFloat<kFlush, kSaturate>, float, BFloat16>;
    case Type::kF32:
      return apply<ToFloat<kFlush, kSaturate>, float, float>;
    case Type::kF64:
      return choose_rounding<apply<ToFloat<kFlush, kSaturate>, float, double>>(operation.rounding);
    default:
      return nullptr;
  }
}

Handler find_to_float(const Operation& operation) {
  if (operation.relu) return nullptr;
  if (operation.saturate) {
    return operation.flush ? nullptr : find_to_float<false, true>(operation);
  }
  return operation.flush ? find_to_float<true, false>(operation)
                         : find_to_float<false, false>(operation);
}

Handler find_to_double(const Operation& operation) {
  if (operation.saturate || operation.relu) return nullptr;
  switch (operation.source) {
    case Type::kF16:
      return apply<ToDouble<false>, double, Half>;
    case Type::kBf16:
      return apply<ToDouble<false>, double, BFloat16>;
    case Type::kF32:
      return operation.flush ? apply<ToDouble<true>, double, float>
                             : apply<ToDouble<false>, double, float>;
    default:
      return nullptr;
  }
}

// kFind<rounding, relu>() for the operation's modifiers.
template <class Choice>
Handler find_by_rounding(const Operation& operation) {
  switch (operation.rounding) {
    case Rounding::kNearest:
      return operation.relu ? Choice::template find<Rounding::kNearest, true>(operation.source)
                            : Choice::template find<Rounding::kNearest, false>(operation.source);
    case Rounding::kZero:
      return operation.relu ? Choice::template find<Rounding::kZero, true>(operation.source)
                            : Choice::template find<Rounding::kZero, false>(operation.source);
    case Rounding::kDown:
      return operation.relu ? nullptr
                            : Choice::template find<Rounding::kDown, false>(operation.source);
    case Rounding::kUp:
      return operation.relu ? nullptr
                            : Choice::template find<Rounding::kUp, false>(operation.source);
    default:
      return nullptr;
  }
}

template <class Narrow>
struct NarrowChoice {
  template <Rounding kRounding, bool kRelu>
  static Handler find(Type source) {
    if constexpr (kRelu) return nullptr;
    switch (source) {
      case Type::kF16:
        return apply<ToNarrow<Narrow, kRounding>, Narrow, Half>;
      case Type::kBf16:
        return apply<ToNarrow<Narrow, kRounding>, Narrow, BFloat16>;
      case Type::kF32:
        return apply<ToNarrow<Narrow, kRounding>, Narrow, float>;
      case Type::kF64:
        return apply<ToNarrow<Narrow, kRounding>, Narrow, double>;
      default:
        return nullptr;
    }
  }
};

template <class Narrow, bool kIsFinite>
struct PairChoice {
  template <Rounding kRounding, bool kRelu>
  static Handler find(Type) {
    return apply<ToPair<Narrow, kRounding, kRelu, kIsFinite>, std::uint32_t, float, float>;
  }
};

template <class Narrow>
Handler find_pair(const Operation& operation) {
  return operation.saturate_finite ? find_by_rounding<PairChoice<Narrow, true>>(operation)
                                   : find_by_rounding<PairChoice<Narrow, false>>(operation);
}

}  // namespace

Handler find_float_to_float(const Operation& operation) {
  if (is_to_whole(operation.rounding)) return find_whole(operation);
  if (operation.type == operation.source && !operation.saturate && !operation.flush) {
    return choose<Same, 1, Type::kF16, Type::kBf16, Type::kF32, Type::kF64>(operation.type);
  }
  switch (operation.type) {
    case Type::kF16:
      return operation.saturate || operation.saturate_finite || operation.flush
                 ? nullptr
                 : find_by_rounding<NarrowChoice<Half>>(operation);
    case Type::kBf16:
      return operation.saturate || operation.saturate_finite || operation.flush
                 ? nullptr
                 : find_by_rounding<NarrowChoice<BFloat16>>(operation);
    case Type::kF32:
      return find_to_float(operation);
    case Type::kF64:
      return find_to_double(operation);
    default:
      return nullptr;
  }
}

Handler find_narrow_pair(const Operation& operation) {
  if (operation.saturate || operation.flush || operation.source != Type::kF32) return nullptr;
  return operation.type == Type::kF16x2 ? find_pair<Half>(operation)
                                        : find_pair<BFloat16>(operation);
}

}  // namespace numpy_plugin::sim::NPP_ISA
