// Instructions with special rules: mov, including packing, and call.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "simulator/decode/function_decoder.hpp"

namespace numpy_plugin::sim {
namespace {

using Kind = Operand::Kind;

// Limit of results and parameters together: n_list counts both.
constexpr std::size_t kMostArguments = std::numeric_limits<std::uint8_t>::max() / 2;

Operand elements_of_special(const Operand& special) {
  Operand vector;
  vector.kind = Kind::kVector;
  for (const char* element : {".x", ".y", ".z"}) {
    vector.parts.push_back(special);
    vector.parts.back().name += element;
  }
  vector.parts.emplace_back().kind = Kind::kInteger;
  return vector;
}

// A table of functions in place of .calltargets.
std::vector<Operand> functions_in(const Variable& table) {
  std::vector<Operand> functions;
  for (const Initializer& initializer : table.initializers) {
    Operand& function = functions.emplace_back();
    function.kind = initializer.symbol.empty() ? Kind::kInteger : Kind::kSymbol;
    function.name = initializer.symbol;
  }
  return functions;
}

bool have_same_sizes(const std::vector<Variable>& first, const std::vector<Variable>& second) {
  return std::ranges::equal(first, second, {}, &Variable::n_bytes, &Variable::n_bytes);
}

}  // namespace

// mov.v2 and mov.v4: all sources are read before the first result is written. %tid and similar
// vectors have a fourth element, zero.
void FunctionDecoder::decode_vector_mov(const Statement& statement, Instruction& instruction) {
  Operation& operation = instruction.operation;
  const std::uint32_t n_elements = std::exchange(operation.n_elements, 1);
  const Wanted element = wanted(operation.type);
  Operand source = statement.operands.back();
  if (source.kind == Kind::kSpecial) source = elements_of_special(source);
  const std::vector<Value> from = operands_.sources(source, n_elements, element);
  const std::vector<Value> to = operands_.results(statement.operands.front(), n_elements, element);
  for (std::uint32_t index = 0; index < n_elements; ++index) {
    if (to[index].slot == kNoSlot) continue;
    Instruction copy;
    copy.a = from[index].slot;
    copy.a = operands_.before(operation, element.n_bytes, copy);
    if (instruction.result == kNoSlot) {
      instruction.result = to[index].slot;
      instruction.a = copy.a;
    } else {
      copy.result = to[index].slot;
      operands_.after(operation, copy);
    }
  }
}

void FunctionDecoder::decode_mov(const Statement& statement, Instruction& instruction) {
  if (statement.operands.size() != 2)
    operands_.fail(format("found {} operands; expected 2 operands", statement.operands.size()));
  if (instruction.operation.n_elements > 1) return decode_vector_mov(statement, instruction);
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
  const Wanted element{whole.n_bytes / n_elements, Literals::kBits};
  if (vector == &result) {
    set_list(operands_.results(result, n_elements, element), instruction);
    instruction.n_list_results = instruction.n_list;
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
  operands_.variables().begin_call();
  decode_arguments(results, *signature.results, "results", instruction);
  decode_arguments(parameters, *signature.parameters, "parameters", instruction);
}

FunctionDecoder::Signature FunctionDecoder::decode_callee(const Operand& callee,
                                                          const Operand* prototype,
                                                          Instruction& instruction) {
  if (callee.kind == Kind::kSymbol) {
    if (prototype != nullptr) operands_.fail("a call by name has no prototype");
    const Place place = operands_.place(callee);
    if (place.function == nullptr || place.function->function->is_entry)
      operands_.fail(format("'{}' can't be called; expected a function", callee.name));
    instruction.target = place.function->index;
    return {&place.function->function->results, &place.function->function->parameters};
  }
  instruction.flow = Flow::kCallIndirect;
  instruction.a = operands_.source(callee, {8}).slot;
  if (prototype != nullptr) {
    const auto found = prototypes_.find(prototype->name);
    if (found != prototypes_.end()) return {&found->second->results, &found->second->parameters};
    if (const Statement* targets = find_targets(*prototype, ".calltargets"))
      return decode_target_list(targets->operands);
    const Variable* table = operands_.place(*prototype).variable;
    if (table != nullptr && !table->initializers.empty())
      return decode_target_list(functions_in(*table));
  }
  operands_.fail(
      "a call by a register has no prototype; expected a .callprototype or .calltargets");
}

// All targets have the signature of the first.
FunctionDecoder::Signature FunctionDecoder::decode_target_list(
    const std::vector<Operand>& targets) {
  const Function* first = nullptr;
  for (const Operand& target : targets) {
    const Symbol* symbol =
        target.kind == Kind::kSymbol ? operands_.place(target).function : nullptr;
    if (symbol == nullptr || symbol->function->is_entry)
      operands_.fail(target, "a function among the targets of a call");
    const Function& function = *symbol->function;
    if (first == nullptr) first = &function;
    if (!have_same_sizes(first->results, function.results) ||
        !have_same_sizes(first->parameters, function.parameters))
      operands_.fail(format("'{}', a target of the call, has other parameters than '{}'",
                            function.name, first->name));
  }
  return {&first->results, &first->parameters};
}

void FunctionDecoder::decode_arguments(const Operand* list, const std::vector<Variable>& wanted,
                                       const std::string& what, Instruction& instruction) {
  const std::vector<Operand> none;
  const std::vector<Operand>& arguments = list == nullptr ? none : list->parts;
  if (arguments.size() != wanted.size() || arguments.size() > kMostArguments)
    operands_.fail(
        format("found {} {}; the function has {}", arguments.size(), what, wanted.size()));
  std::vector<Value> places;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const Operand& argument = arguments[index];
    const std::uint32_t offset =
        is_argument_variable(argument)
            ? decode_variable_argument(argument, wanted[index])
            : decode_value_argument(argument, wanted[index], what == "results");
    places.push_back({static_cast<Slot>(offset), 0});
  }
  set_list(places, instruction);
}

}  // namespace numpy_plugin::sim
