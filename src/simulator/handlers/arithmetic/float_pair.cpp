// add, sub, mul and fma of f32x2 (two floats in 64 bits), and of f32 with narrower operands, which
// are widened exactly.
#include "simulator/handlers/arithmetic/float_functions.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/common/rounding.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class Function, bool kFlush>
struct BothFloats {
  template <class... Words>
  static std::uint64_t apply(Words... words) {
    const std::uint64_t low = one(static_cast<std::uint32_t>(words)...);
    const std::uint64_t high = one(static_cast<std::uint32_t>(words >> 32)...);
    return low | high << 32;
  }

 private:
  template <class... Words>
  static std::uint32_t one(Words... words) {
    const float result = Settled<Function>::apply(flush_if<kFlush>(bit_cast<float>(words))...);
    return bits_of(flush_if<kFlush>(result));
  }
};

inline float widened(float value) { return value; }
inline float widened(Half value) { return widen(value); }
inline float widened(BFloat16 value) { return widen(value); }

template <class Function, bool kSaturate>
struct WidenedFirst {
  template <class... Operands>
  static float apply(Operands... operands) {
    const float result = Settled<Function>::apply(widened(operands)...);
    if constexpr (kSaturate) return saturate(result);
    return result;
  }
};

template <class Function, int kSources>
Handler find_both(const Operation& operation) {
  const Rounding rounding = operation.rounding;
  using Word = std::uint64_t;
  if (operation.flush) {
    return choose_rounding<same_type_handler<BothFloats<Function, true>, Word, kSources>()>(
        rounding);
  }
  return choose_rounding<same_type_handler<BothFloats<Function, false>, Word, kSources>()>(
      rounding);
}

// The last operand is an f32, those before it are narrow.
template <class Function, class Narrow, int kSources>
constexpr Handler mixed_handler() {
  if constexpr (kSources == 2) return apply<Function, float, Narrow, float>;
  if constexpr (kSources == 3) return apply<Function, float, Narrow, Narrow, float>;
}

template <class Function, class Narrow, int kSources>
Handler find_mixed(const Operation& operation) {
  if (operation.saturate) {
    return choose_rounding<mixed_handler<WidenedFirst<Function, true>, Narrow, kSources>()>(
        operation.rounding);
  }
  return choose_rounding<mixed_handler<WidenedFirst<Function, false>, Narrow, kSources>()>(
      operation.rounding);
}

template <class Function, int kSources>
Handler find(const Operation& operation) {
  if (operation.type == Type::kF32x2) return find_both<Function, kSources>(operation);
  if (operation.source == Type::kF16) return find_mixed<Function, Half, kSources>(operation);
  return find_mixed<Function, BFloat16, kSources>(operation);
}

}  // namespace

Handler find_float_pair(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const bool is_mixed = operation.type == Type::kF32 &&
                        (operation.source == Type::kF16 || operation.source == Type::kBf16);
  if (operation.type != Type::kF32x2 && !is_mixed) return nullptr;
  switch (operation.opcode) {
    case Opcode::kAdd:
      return find<ieee::Add, 2>(operation);
    case Opcode::kSub:
      return find<ieee::Subtract, 2>(operation);
    case Opcode::kMul:
      return find<ieee::Multiply, 2>(operation);
    case Opcode::kFma:
      return find<ieee::MultiplyAdd, 3>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
