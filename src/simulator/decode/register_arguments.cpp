// Registers and literals as arguments, parameters and results of functions. They pass through local
// memory like .param variables: a caller stores its arguments before the call, the function loads
// its parameters at its beginning and stores its results before it returns.
#include <string>

#include "simulator/decode/function_decoder.hpp"

namespace numpy_plugin::sim {
namespace {

Operand register_at(std::uint32_t index) {
  Operand operand;
  operand.kind = Operand::Kind::kRegister;
  operand.index = index;
  return operand;
}

Type bits_of(Type type) {
  switch (size_bytes(type)) {
    case 1:
      return Type::kB8;
    case 2:
      return Type::kB16;
    case 4:
      return Type::kB32;
    case 8:
      return Type::kB64;
    default:
      return Type::kB128;
  }
}

Instruction frame_access(Opcode opcode, Type type, std::uint32_t offset) {
  Instruction access;
  access.operation = {.opcode = opcode, .type = bits_of(type), .space = Space::kLocal};
  access.result_bytes = static_cast<std::uint8_t>(size_bytes(type));
  access.source_bytes = access.result_bytes;
  access.is_absolute = true;
  access.is_in_frame = true;
  access.offset = offset;
  return access;
}

}  // namespace

void Operands::store_before(const Operand& value, Type type, std::uint32_t offset) {
  Instruction store = frame_access(Opcode::kSt, type, offset);
  store.b = source(value, wanted(type)).slot;
  store.line = statement_->line;
  before_.push_back(store);
}

void Operands::load_after(const Operand& result, Type type, std::uint32_t offset) {
  Instruction load = frame_access(Opcode::kLd, type, offset);
  load.result = this->result(result, wanted(type)).slot;
  load.line = statement_->line;
  after_.push_back(load);
}

bool FunctionDecoder::is_argument_variable(const Operand& argument) const {
  const bool is_name = argument.kind == Operand::Kind::kSymbol && argument.bits == 0;
  if (!is_name || !argument.parts.empty()) return false;
  const FramePlace* place = operands_.variables().find(argument.name);
  return place != nullptr && place->variable->space == Space::kParam;
}

std::uint32_t FunctionDecoder::decode_variable_argument(const Operand& argument,
                                                        const Variable& wanted) {
  const Place place = operands_.place(argument);
  if (!place.is_in_frame) operands_.fail(argument, "a .param variable of this function");
  if (place.variable->n_bytes != wanted.n_bytes)
    operands_.fail(format("'{}' has {} bytes; the function has {} there", argument.name,
                          place.variable->n_bytes, wanted.n_bytes));
  return static_cast<std::uint32_t>(place.address);
}

// A register, literal or vector; for results also `_`.
std::uint32_t FunctionDecoder::decode_value_argument(const Operand& argument,
                                                     const Variable& wanted, bool is_result) {
  if (wanted.is_array)
    operands_.fail(argument, format("a .param variable of {} bytes", wanted.n_bytes));
  const std::uint32_t offset = operands_.variables().place_argument(wanted);
  if (argument.kind == Operand::Kind::kSink && is_result) return offset;
  const bool is_vector = wanted.n_elements > 1;
  if (is_vector &&
      (argument.kind != Operand::Kind::kVector || argument.parts.size() != wanted.n_elements))
    operands_.fail(argument, format("a vector of {}", wanted.n_elements));
  const std::uint32_t step = size_bytes(wanted.type);
  for (std::uint32_t element = 0; element < wanted.n_elements; ++element) {
    const Operand& part = is_vector ? argument.parts[element] : argument;
    if (is_result)
      operands_.load_after(part, wanted.type, offset + element * step);
    else
      operands_.store_before(part, wanted.type, offset + element * step);
  }
  return offset;
}

void FunctionDecoder::load_parameters() {
  Statement head;
  head.mnemonic = ".func";
  head.line = function_.line;
  operands_.begin(head);
  for (const Variable& parameter : function_.parameters) {
    if (!parameter.is_register) continue;
    const std::uint32_t offset = operands_.variables().find(parameter.name)->offset;
    const std::uint32_t step = size_bytes(parameter.type);
    for (std::uint32_t element = 0; element < parameter.n_elements; ++element)
      operands_.load_after(register_at(parameter.first_register + element), parameter.type,
                           offset + element * step);
  }
  emit_helpers(operands_.take_after(), head);
}

void FunctionDecoder::store_results() {
  for (const Variable& result : function_.results) {
    if (!result.is_register) continue;
    const std::uint32_t offset = operands_.variables().find(result.name)->offset;
    const std::uint32_t step = size_bytes(result.type);
    for (std::uint32_t element = 0; element < result.n_elements; ++element)
      operands_.store_before(register_at(result.first_register + element), result.type,
                             offset + element * step);
  }
}

}  // namespace numpy_plugin::sim
