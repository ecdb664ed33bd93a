// cvt: which conversion it is, and registers that are wider than the types.
#include "numpy_plugin/sim/handlers/conversion.hpp"

#include "numpy_plugin/sim/handlers/elements.hpp"
#include "numpy_plugin/sim/handlers/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

bool is_float(Type type) { return kind(type) == TypeKind::kFloat; }

Handler find_exact_width(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.type == Type::kF16x2 || operation.type == Type::kBf16x2) {
    return find_float_pair(operation);
  }
  if (is_float(operation.type)) {
    return is_float(operation.source) ? find_float_to_float(operation)
                                      : find_integer_to_float(operation);
  }
  return is_float(operation.source) ? find_float_to_integer(operation)
                                    : find_integer_to_integer(instruction);
}

Instruction with_exact_registers(const Instruction& instruction) {
  Instruction exact = instruction;
  exact.source_bytes = static_cast<std::uint8_t>(size_bytes(instruction.operation.source));
  exact.result_bytes = static_cast<std::uint8_t>(size_bytes(instruction.operation.type));
  return exact;
}

// The low bytes of each element.
void copy_low_bytes(std::byte* to, std::uint32_t to_bytes, const std::byte* from,
                    std::uint32_t from_bytes) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    __builtin_memcpy(to + static_cast<std::uint32_t>(lane) * to_bytes,
                     from + static_cast<std::uint32_t>(lane) * from_bytes, to_bytes);
  }
}

std::uint64_t read_element(const std::byte* elements, std::uint32_t n_bytes, bool is_signed,
                           int lane) {
  std::uint64_t value = 0;
  __builtin_memcpy(&value, elements + static_cast<std::uint32_t>(lane) * n_bytes, n_bytes);
  const std::uint32_t unused = 64 - 8 * n_bytes;
  const std::uint64_t top = value << unused;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> unused) : value;
}

template <class T>
void write_extended(Warp& warp, const Instruction& instruction, const std::byte* results) {
  const Type type = instruction.operation.type;
  const std::uint32_t n_bytes = size_bytes(type);
  const bool is_signed = kind(type) == TypeKind::kSigned;
  write_lanes<T>(warp, instruction.result, [=](int lane) {
    return static_cast<T>(read_element(results, n_bytes, is_signed, lane));
  });
}

// Registers wider than the types, which hardly any PTX has: the source is cut to its type,
// converted as usual, and the result extended by its own.
void convert_wide_registers(Warp& warp, const Instruction& instruction) {
  alignas(64) std::byte sources[kWarpSize * 8];
  alignas(64) std::byte results[kWarpSize * 8];
  copy_low_bytes(sources, size_bytes(instruction.operation.source),
                 source<std::byte>(warp, instruction.a), instruction.source_bytes);
  Warp view = warp;
  view.constants = sources;
  view.registers = results;
  view.active = kAllLanes;
  Instruction exact = with_exact_registers(instruction);
  exact.a = ~Slot{0};
  exact.result = 0;
  find_exact_width(exact)(view, exact);
  switch (instruction.result_bytes) {
    case 2:
      return write_extended<std::uint16_t>(warp, instruction, results);
    case 4:
      return write_extended<std::uint32_t>(warp, instruction, results);
    default:
      return write_extended<std::uint64_t>(warp, instruction, results);
  }
}

bool has_wide_registers(const Instruction& instruction) {
  return instruction.source_bytes != size_bytes(instruction.operation.source) ||
         instruction.result_bytes != size_bytes(instruction.operation.type);
}

}  // namespace

Handler find_conversion(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode != Opcode::kCvt) return nullptr;
  if (!is_float(operation.type) && !is_float(operation.source)) {
    if (const Handler handler = find_integer_to_integer(instruction)) return handler;
  }
  const Handler handler = find_exact_width(with_exact_registers(instruction));
  return handler != nullptr && has_wide_registers(instruction) ? convert_wide_registers : handler;
}

}  // namespace numpy_plugin::sim::NPP_ISA
