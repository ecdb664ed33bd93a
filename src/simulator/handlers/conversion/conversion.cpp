// Dispatch of cvt. Conversions that compilers do not emit (registers wider than the types or of one
// byte, rare .sat, .relu and .ftz, bytes to floats and back) are done in steps around a plain one:
// a handler of each would take long to compile.
#include "simulator/handlers/common/families.hpp"

#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/float_bits.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

bool is_float(Type type) { return kind(type) == TypeKind::kFloat; }

Handler find_direct(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.mode != Mode::kNone) return find_pack(operation.mode);
  if (const Handler handler = find_small_float(operation)) return handler;
  if (operation.type == Type::kTf32) return find_tf32(operation);
  if (!is_float(operation.type) && !is_float(operation.source)) {
    return find_integer_to_integer(instruction);
  }
  if (operation.type == Type::kF16x2 || operation.type == Type::kBf16x2) {
    return find_narrow_pair(operation);
  }
  if (!is_float(operation.source)) return find_integer_to_float(operation);
  return is_float(operation.type) ? find_float_to_float(operation)
                                  : find_float_to_integer(operation);
}

// To bytes from floats by way of words. Not from double, of which NaN is 0x80 as a byte.
bool has_byte_in_steps(const Operation& operation) {
  return size_bytes(operation.type) == 1 && operation.source != Type::kF64;
}

// The plain conversion in the middle, on registers of exactly its types' sizes, between integers of
// two bytes at least. Bytes to be converted to floats are half-words at this point, and those
// converted from floats words.
Instruction plain_part(const Instruction& instruction) {
  Instruction plain = instruction;
  Operation& operation = plain.operation;
  const bool is_between_integers = !is_float(operation.type) && !is_float(operation.source);
  operation.flush = false;
  if (is_float(operation.type)) {
    operation.saturate = false;
    operation.saturate_finite = false;
    operation.relu = false;
    if (operation.source == Type::kU8) operation.source = Type::kU16;
    if (operation.source == Type::kS8) operation.source = Type::kS16;
  } else if (is_between_integers && operation.saturate) {
    operation.saturate = false;
    operation.type = kind(operation.source) == TypeKind::kSigned ? Type::kS64 : Type::kU64;
  } else if (!is_between_integers && has_byte_in_steps(operation)) {
    operation.type = Type::kS32;
  }
  const auto register_bytes = [&](Type type) {
    const std::uint32_t n_bytes = size_bytes(type);
    return static_cast<std::uint8_t>(n_bytes == 1 && is_between_integers ? 2 : n_bytes);
  };
  plain.source_bytes = register_bytes(operation.source);
  plain.result_bytes = register_bytes(operation.type);
  return plain;
}

// Elements as 64 bits, extended by their type's signedness.
std::uint64_t read_element(const std::byte* elements, std::uint32_t stride, Type type, int lane) {
  const std::uint32_t n_bytes = size_bytes(type);
  std::uint64_t value = 0;
  __builtin_memcpy(&value, elements + static_cast<std::uint32_t>(lane) * stride, n_bytes);
  const std::uint32_t unused = 64 - 8 * n_bytes;
  const bool is_signed = kind(type) == TypeKind::kSigned;
  const auto top = static_cast<std::int64_t>(value << unused);
  return is_signed ? static_cast<std::uint64_t>(top >> unused) : value;
}

std::uint64_t flush_single(std::uint64_t bits) {
  return bits_of(flush(bit_cast<float>(static_cast<std::uint32_t>(bits))));
}

// .sat, .satfinite and .relu.
template <class T>
std::uint64_t clamp_number(std::uint64_t bits, const Operation& operation) {
  const bool is_negative = (bits & kSignBit<T>) != 0;
  const bool is_nan = (bits & kMagnitudeBits<T>) > FloatLayout<T>::kInfinity;
  if (operation.saturate) {
    if (is_nan || is_negative) return 0;
    return bits < FloatLayout<T>::kOne ? bits : FloatLayout<T>::kOne;
  }
  if (operation.relu && is_negative && !is_nan) return 0;
  const bool is_infinite = (bits & kMagnitudeBits<T>) == FloatLayout<T>::kInfinity;
  return operation.saturate_finite && is_infinite ? bits - 1 : bits;
}

// From a plain result of another type.
std::uint64_t clamp_integer(std::uint64_t bits, Type from, Type to) {
  const std::uint32_t n_bits = 8 * size_bytes(to);
  const bool is_from_signed = kind(from) == TypeKind::kSigned;
  const bool is_to_signed = kind(to) == TypeKind::kSigned;
  const std::uint64_t highest = ~std::uint64_t{0} >> (64 - n_bits + (is_to_signed ? 1 : 0));
  const bool is_negative = is_from_signed && static_cast<std::int64_t>(bits) < 0;
  if (!is_negative) return bits < highest ? bits : highest;
  const std::uint64_t lowest = is_to_signed ? ~highest : 0;
  return is_to_signed && bits > lowest ? bits : lowest;
}

std::uint64_t finish(std::uint64_t bits, const Operation& operation, Type plain_type) {
  switch (operation.type) {
    case Type::kF32:
      return clamp_number<float>(operation.flush ? flush_single(bits) : bits, operation);
    case Type::kF64:
      return clamp_number<double>(bits, operation);
    case Type::kF16:
      return clamp_number<Half>(bits, operation);
    case Type::kBf16:
      return clamp_number<BFloat16>(bits, operation);
    default:
      return plain_type == operation.type ? bits : clamp_integer(bits, plain_type, operation.type);
  }
}

template <class T>
void write_finished(Warp& warp, const Instruction& instruction, const std::byte* results,
                    const Instruction& plain) {
  const Operation& operation = instruction.operation;
  const Type plain_type = plain.operation.type;
  write_lanes<T>(warp, instruction.result, [&](int lane) {
    const std::uint64_t bits = read_element(results, plain.result_bytes, plain_type, lane);
    return static_cast<T>(finish(bits, operation, plain_type));
  });
}

void convert_in_steps(Warp& warp, const Instruction& instruction) {
  alignas(64) std::byte sources[kWarpSize * 8];
  alignas(64) std::byte results[kWarpSize * 8];
  const Operation& operation = instruction.operation;
  Instruction plain = plain_part(instruction);
  const std::byte* elements = source<std::byte>(warp, instruction.a);
  const bool is_flushed = operation.flush && operation.source == Type::kF32;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    std::uint64_t bits = read_element(elements, instruction.source_bytes, operation.source, lane);
    if (is_flushed) bits = flush_single(bits);
    __builtin_memcpy(sources + lane * plain.source_bytes, &bits, plain.source_bytes);
  }
  Warp view = warp;
  view.constants = sources;
  view.registers = results;
  view.active = kAllLanes;
  plain.a = kConstantSlot;
  plain.result = 0;
  find_direct(plain)(view, plain);
  switch (instruction.result_bytes) {
    case 1:
      return write_finished<std::uint8_t>(warp, instruction, results, plain);
    case 2:
      return write_finished<std::uint16_t>(warp, instruction, results, plain);
    case 4:
      return write_finished<std::uint32_t>(warp, instruction, results, plain);
    default:
      return write_finished<std::uint64_t>(warp, instruction, results, plain);
  }
}

bool has_exact_registers(const Instruction& instruction) {
  return instruction.source_bytes == size_bytes(instruction.operation.source) &&
         instruction.result_bytes == size_bytes(instruction.operation.type);
}

}  // namespace

Handler find_conversion(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode != Opcode::kCvt) return nullptr;
  const bool is_between_integers = !is_float(operation.type) && !is_float(operation.source);
  if (is_between_integers || has_exact_registers(instruction)) {
    if (const Handler handler = find_direct(instruction)) return handler;
  }
  return find_direct(plain_part(instruction)) != nullptr ? convert_in_steps : nullptr;
}

}  // namespace numpy_plugin::sim::NPP_ISA
