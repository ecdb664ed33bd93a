// Video instructions: on numbers of 33 bits with results of 34 (vadd ... vset), vmad, and on two or
// four parts of a word (vadd2 ... vset4). Decoding has selected the parts of their operands. (PTX
// ISA 9.0, "Video Instructions".) GPUs compute them in several steps, and compilers emit few of
// them.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

bool is_signed(Type type) { return kind(type) == TypeKind::kSigned; }

// The lowest n_bits of a word, extended.
inline std::int64_t extended(std::uint32_t word, bool has_sign, int n_bits) {
  const auto high = static_cast<std::int64_t>(std::uint64_t{word} << (64 - n_bits));
  if (has_sign) return high >> (64 - n_bits);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(high) >> (64 - n_bits));
}

inline std::int64_t bounded(std::int64_t value, bool has_sign, int n_bits) {
  const std::int64_t highest = (std::int64_t{1} << (has_sign ? n_bits - 1 : n_bits)) - 1;
  const std::int64_t lowest = has_sign ? -highest - 1 : 0;
  const std::int64_t above = value > lowest ? value : lowest;
  return above < highest ? above : highest;
}

bool holds(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return a != b;
    case Comparison::kLt:
      return a < b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

// An unsigned amount; what is beyond the width has the effect of the width.
int shift_amount(Mode mode, std::int64_t amount) {
  if (mode == Mode::kWrap) return static_cast<int>(amount & 31);
  return amount < 32 ? static_cast<int>(amount) : 32;
}

std::int64_t computed(const Operation& operation, std::int64_t a, std::int64_t b) {
  switch (operation.opcode) {
    case Opcode::kVadd:
    case Opcode::kVadd2:
    case Opcode::kVadd4:
      return a + b;
    case Opcode::kVsub:
    case Opcode::kVsub2:
    case Opcode::kVsub4:
      return a - b;
    case Opcode::kVabsdiff:
    case Opcode::kVabsdiff2:
    case Opcode::kVabsdiff4:
      return a < b ? b - a : a - b;
    case Opcode::kVmin:
    case Opcode::kVmin2:
    case Opcode::kVmin4:
      return a < b ? a : b;
    case Opcode::kVmax:
    case Opcode::kVmax2:
    case Opcode::kVmax4:
      return a < b ? b : a;
    case Opcode::kVavrg2:
    case Opcode::kVavrg4:
      // Halves are rounded away from zero.
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Opcode::kVshl:
      return (a << shift_amount(operation.mode, b)) << 30 >> 30;
    case Opcode::kVshr:
      return a >> shift_amount(operation.mode, b);
    default:
      return holds(operation.comparison, a, b) ? 1 : 0;
  }
}

// .add, .min and .max with c, which has the result's type: vset's is that of a.
std::uint32_t combined(const Operation& operation, std::uint32_t result, std::uint32_t c) {
  const Type type = operation.opcode == Opcode::kVset ? operation.source : operation.type;
  const std::uint32_t flip = is_signed(type) ? 0x8000'0000 : 0;
  const bool is_less = (result ^ flip) < (c ^ flip);
  switch (operation.secondary) {
    case Mode::kAdd:
      return result + c;
    case Mode::kMin:
      return is_less ? result : c;
    case Mode::kMax:
      return is_less ? c : result;
    default:
      return result;
  }
}

// The result's type has the width of the part that it goes to, to which .sat bounds it.
void run_scalar(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const auto* a = source<std::uint32_t>(warp, instruction.a);
  const auto* b = source<std::uint32_t>(warp, instruction.b);
  const Slot third = instruction.c == kNoSlot ? instruction.a : instruction.c;
  const auto* c = source<std::uint32_t>(warp, third);
  const bool is_a_signed = is_signed(operation.source);
  const bool is_b_signed = is_signed(operation.third);
  const int n_bits = static_cast<int>(8 * size_bytes(operation.type));
  write_lanes<std::uint32_t>(warp, instruction.result, [&](int lane) {
    std::int64_t value =
        computed(operation, extended(a[lane], is_a_signed, 32), extended(b[lane], is_b_signed, 32));
    if (operation.saturate) value = bounded(value, is_signed(operation.type), n_bits);
    return combined(operation, static_cast<std::uint32_t>(value), c[lane]);
  });
}

// vmad: a minus is a complement here, and one more added. CUDA's assembler makes a product of
// signed words of it whatever their types, and sums of 64 bits.
void run_product(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const auto* a = source<std::int32_t>(warp, instruction.a);
  const auto* b = source<std::int32_t>(warp, instruction.b);
  const auto* c = source<std::int32_t>(warp, instruction.c);
  const Mode mode = operation.mode;
  const bool has_minus = mode == Mode::kNegatedProduct || mode == Mode::kNegatedAddend;
  const bool has_sign = is_signed(operation.source) || is_signed(operation.third) || has_minus;
  write_lanes<std::uint32_t>(warp, instruction.result, [&](int lane) {
    std::int64_t product = std::int64_t{a[lane]} * b[lane];
    if (mode == Mode::kNegatedProduct) product = ~product;
    const std::int32_t addend = mode == Mode::kNegatedAddend ? ~c[lane] : c[lane];
    std::int64_t value = product + addend + (mode == Mode::kNone ? 0 : 1);
    value =
        has_sign
            ? value >> operation.right_shift
            : static_cast<std::int64_t>(static_cast<std::uint64_t>(value) >> operation.right_shift);
    if (operation.saturate) value = bounded(value, has_sign, 32);
    return static_cast<std::uint32_t>(value);
  });
}

int width_of_parts(Opcode opcode) {
  switch (opcode) {
    case Opcode::kVadd4:
    case Opcode::kVsub4:
    case Opcode::kVavrg4:
    case Opcode::kVabsdiff4:
    case Opcode::kVmin4:
    case Opcode::kVmax4:
    case Opcode::kVset4:
      return 8;
    default:
      return 16;
  }
}

// Parts outside the mask are those of c; with .add, the others are added to c instead.
void run_parts(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const auto* a = source<std::uint32_t>(warp, instruction.a);
  const auto* b = source<std::uint32_t>(warp, instruction.b);
  const auto* c = source<std::uint32_t>(warp, instruction.c);
  const bool is_all = instruction.d == kNoSlot;
  const std::uint32_t mask = is_all ? ~0u : *source<std::uint32_t>(warp, instruction.d);
  const bool is_a_signed = is_signed(operation.source);
  const bool is_b_signed = is_signed(operation.third);
  const bool is_sum = operation.secondary == Mode::kAdd;
  const int width = width_of_parts(operation.opcode);
  const std::uint32_t part = (1u << width) - 1;
  write_lanes<std::uint32_t>(warp, instruction.result, [&](int lane) {
    std::uint32_t result = c[lane];
    for (int shift = 0; shift < 32; shift += width) {
      if ((mask >> shift & 1) == 0) continue;
      std::int64_t value = computed(operation, extended(a[lane] >> shift, is_a_signed, width),
                                    extended(b[lane] >> shift, is_b_signed, width));
      if (operation.saturate) value = bounded(value, is_signed(operation.type), width);
      const auto bits = static_cast<std::uint32_t>(value);
      result = is_sum ? result + bits : (result & ~(part << shift)) | (bits & part) << shift;
    }
    return result;
  });
}

template <class T>
inline std::uint32_t difference(std::uint32_t a, std::uint32_t b, int index) {
  const auto shift = static_cast<int>(8 * sizeof(T)) * index;
  const std::uint32_t left = static_cast<T>(a >> shift);
  const std::uint32_t right = static_cast<T>(b >> shift);
  return left < right ? right - left : left - right;
}

// vabsdiff4.u32.u32.u32 and vabsdiff2, which CUDA's __vabsdiffu4, __vsadu4 and their like are. T:
// an unsigned part.
template <class T>
struct DifferenceSum {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int index = 0; index < static_cast<int>(4 / sizeof(T)); ++index) {
      c += difference<T>(a, b, index);
    }
    return c;
  }
};

template <class T>
struct Differences {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result = 0;
    for (int index = 0; index < static_cast<int>(4 / sizeof(T)); ++index) {
      result |= difference<T>(a, b, index) << (8 * static_cast<int>(sizeof(T)) * index);
    }
    return result;
  }
};

template <class T>
Handler find_differences(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const bool has_sign =
      is_signed(operation.type) || is_signed(operation.source) || is_signed(operation.third);
  if (has_sign || operation.saturate || instruction.d != kNoSlot) return run_parts;
  if (operation.secondary == Mode::kAdd)
    return choose<DifferenceSum<T>, 3, Type::kU32>(operation.type);
  return choose<Differences<T>, 2, Type::kU32>(operation.type);
}

}  // namespace

Handler find_video(const Instruction& instruction) {
  switch (instruction.operation.opcode) {
    case Opcode::kVadd:
    case Opcode::kVsub:
    case Opcode::kVabsdiff:
    case Opcode::kVmin:
    case Opcode::kVmax:
    case Opcode::kVshl:
    case Opcode::kVshr:
    case Opcode::kVset:
      return run_scalar;
    case Opcode::kVmad:
      return run_product;
    case Opcode::kVabsdiff2:
      return find_differences<std::uint16_t>(instruction);
    case Opcode::kVabsdiff4:
      return find_differences<std::uint8_t>(instruction);
    case Opcode::kVadd2:
    case Opcode::kVadd4:
    case Opcode::kVsub2:
    case Opcode::kVsub4:
    case Opcode::kVavrg2:
    case Opcode::kVavrg4:
    case Opcode::kVmin2:
    case Opcode::kVmin4:
    case Opcode::kVmax2:
    case Opcode::kVmax4:
    case Opcode::kVset2:
    case Opcode::kVset4:
      return run_parts;
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
