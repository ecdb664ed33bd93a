// Instructions with special rules: mov, including packing, and call.
#include <algorithm>
#include <limits>
#include <string>

#include "simulator/decode/function_decoder.hpp"

namespace numpy_plugin::sim {
namespace {

using Kind = Operand::Kind;

// Limit of results and parameters together: n_list counts both.
constexpr std::size_t kMostArguments = std::numeric_limits<std::uint8_t>::max() / 2;

}  // namespace

void FunctionDecoder::decode_mov(const Statement& statement, Instruction& instruction) {
  if (statement.operands.size() != 2)
    operands_.fail("found " + std::to_string(statement.operands.size()) +
                   " operands; expected 2 operands");
  const Operand& result = statement.operands.front();
  const Operand& source = statement.operands.back();
  const Wanted whole = wanted(instruction.operation.type);
  const Operand* vector = nullptr;
  if (result.kind == Kind::kVector) vector = &result;
  if (source.kind == Kind::kVector) vector = &source;
  if (vector == nullptr) {
    const Value value = operands_.result(result, whole);
    instruction.result = value.slot;
    decode_plain_mov(source, whole, instruction);
    return;
  }
  const auto n_elements = static_cast<std::uint32_t>(vector->parts.size());
  const bool is_even = n_elements == 2 || n_elements == 4;
  if (!is_even || whole.n_bytes < n_elements)
    operands_.fail(*vector, "a vector of 2 or 4 that together have the bits of the type");
  const Wanted element{whole.n_bytes / n_elements};
  if (vector == &result) {
    set_list(operands_.results(result, n_elements, element), instruction);
    instruction.a = operands_.source(source, whole).slot;
  } else {
    instruction.result = operands_.result(result, whole).slot;
    set_list(operands_.sources(source, n_elements, element), instruction);
  }
}

// Frame addresses and clocks need no instruction before a mov: the mov itself computes them.
void FunctionDecoder::decode_plain_mov(const Operand& source, const Wanted& whole,
                                       Instruction& instruction) {
  instruction.a = operands_.source(source, whole).slot;
  const std::optional<Instruction> same = operands_.take_mov_before();
  if (!same) return;
  instruction.a = same->a;
  instruction.target = same->target;
  instruction.is_in_frame = same->is_in_frame;
}

// call (results), name, (parameters), prototype; everything except the name is optional.
void FunctionDecoder::decode_call(const Statement& statement, Instruction& instruction) {
  const Operand* next = statement.operands.data();
  const Operand* const end = next + statement.operands.size();
  const auto take = [&](std::initializer_list<Kind> kinds) -> const Operand* {
    const bool is_there =
        next != end && std::find(kinds.begin(), kinds.end(), next->kind) != kinds.end();
    return is_there ? next++ : nullptr;
  };
  const Operand* results = take({Kind::kList});
  const Operand* callee = take({Kind::kSymbol, Kind::kRegister});
  const Operand* parameters = take({Kind::kList});
  const Operand* prototype = take({Kind::kSymbol});
  if (callee == nullptr || next != end)
    operands_.fail("expected '(results), function, (parameters), prototype'");
  const Signature signature = decode_callee(*callee, prototype, instruction);
  decode_arguments(results, *signature.results, "results", instruction);
  decode_arguments(parameters, *signature.parameters, "parameters", instruction);
}

FunctionDecoder::Signature FunctionDecoder::decode_callee(const Operand& callee,
                                                          const Operand* prototype,
                                                          Instruction& instruction) {
  if (callee.kind == Kind::kSymbol) {
    const Place place = operands_.place(callee);
    if (place.function == nullptr || place.function->function->is_entry)
      operands_.fail("'" + callee.name + "' can't be called; expected a function");
    instruction.target = place.function->index;
    return {&place.function->function->results, &place.function->function->parameters};
  }
  instruction.flow = Flow::kCallIndirect;
  instruction.a = operands_.source(callee, {8}).slot;
  const auto found = prototype == nullptr ? prototypes_.end() : prototypes_.find(prototype->name);
  if (found == prototypes_.end()) operands_.fail("a call by a register has no prototype");
  return {&found->second->results, &found->second->parameters};
}

void FunctionDecoder::decode_arguments(const Operand* list, const std::vector<Variable>& wanted,
                                       const std::string& what, Instruction& instruction) {
  static const std::vector<Operand> none;
  const std::vector<Operand>& arguments = list == nullptr ? none : list->parts;
  if (arguments.size() != wanted.size() || arguments.size() > kMostArguments)
    operands_.fail("found " + std::to_string(arguments.size()) + " " + what +
                   "; the function has " + std::to_string(wanted.size()));
  std::vector<Value> places;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const Operand& argument = arguments[index];
    if (argument.kind != Kind::kSymbol) operands_.fail(argument, "a .param variable");
    const Place place = operands_.place(argument);
    if (!place.is_in_frame) operands_.fail(argument, "a .param variable of this function");
    if (place.variable->n_bytes != wanted[index].n_bytes)
      operands_.fail("'" + argument.name + "' has " + std::to_string(place.variable->n_bytes) +
                     " bytes; the function has " + std::to_string(wanted[index].n_bytes) +
                     " there");
    places.push_back({static_cast<Slot>(place.address), 0});
  }
  set_list(places, instruction);
}

}  // namespace numpy_plugin::sim
