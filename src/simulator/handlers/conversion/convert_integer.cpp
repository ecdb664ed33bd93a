// cvt between integers: the low bits of one register, extended to another.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// T: the significant part of the source, with the signedness that extends it.
template <class T, class Result>
struct Extend {
  template <class Register>
  static Result apply(Register value) {
    return static_cast<Result>(static_cast<T>(value));
  }
};

template <class T, class Register>
Handler find_result(std::uint32_t result_bytes) {
  switch (result_bytes) {
    case 2:
      return apply<Extend<T, std::uint16_t>, std::uint16_t, Register>;
    case 4:
      return apply<Extend<T, std::uint32_t>, std::uint32_t, Register>;
    case 8:
      return apply<Extend<T, std::uint64_t>, std::uint64_t, Register>;
    default:
      return nullptr;
  }
}

template <class T>
Handler find_register(std::uint32_t source_bytes, std::uint32_t result_bytes) {
  switch (source_bytes) {
    case 2:
      if constexpr (sizeof(T) <= 2) return find_result<T, std::uint16_t>(result_bytes);
      return nullptr;
    case 4:
      if constexpr (sizeof(T) <= 4) return find_result<T, std::uint32_t>(result_bytes);
      return nullptr;
    case 8:
      return find_result<T, std::uint64_t>(result_bytes);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_integer_to_integer(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.saturate) return nullptr;
  const std::uint32_t n_bytes = size_bytes(operation.type);
  const bool is_widening = n_bytes > size_bytes(operation.source);
  if (is_widening && n_bytes < instruction.result_bytes) return nullptr;
  const std::uint32_t source_bytes = instruction.source_bytes;
  const std::uint32_t result_bytes = instruction.result_bytes;
  switch (is_widening ? operation.source : operation.type) {
    case Type::kU8:
      return find_register<std::uint8_t>(source_bytes, result_bytes);
    case Type::kS8:
      return find_register<std::int8_t>(source_bytes, result_bytes);
    case Type::kU16:
      return find_register<std::uint16_t>(source_bytes, result_bytes);
    case Type::kS16:
      return find_register<std::int16_t>(source_bytes, result_bytes);
    case Type::kU32:
      return find_register<std::uint32_t>(source_bytes, result_bytes);
    case Type::kS32:
      return find_register<std::int32_t>(source_bytes, result_bytes);
    case Type::kU64:
    case Type::kS64:
      return find_register<std::uint64_t>(source_bytes, result_bytes);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
