// Resolves names to memory locations, and operands that are addresses.
#include <algorithm>

#include "simulator/decode/operands.hpp"
#include "simulator/program/spelling.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kAddressBytes = 8;
constexpr std::uint32_t kShortAddressBytes = 4;
constexpr std::uint32_t kIndexBytes = 4;  // of a register

const char* name_of(Space space) {
  switch (space) {
    case Space::kGlobal:
      return ".global";
    case Space::kShared:
      return ".shared";
    case Space::kLocal:
      return ".local";
    case Space::kConst:
      return ".const";
    case Space::kParam:
      return ".param";
    case Space::kGeneric:
      break;
  }
  return "generic memory";
}

// Spaces whose addresses fit in 32 bits.
bool is_short(Space space) {
  return space == Space::kShared || space == Space::kLocal || space == Space::kParam;
}

// Bytes from the beginning of a variable: "x+8", "x[2]". Indices count numbers, not vectors.
std::uint64_t offset_in(const Variable& variable, const Operand& operand) {
  const std::uint64_t index = operand.parts.empty() ? 0 : operand.parts.front().bits;
  return operand.bits + index * size_bytes(variable.type);
}

// Their rows are in shared memory, whatever the form of the address.
bool reads_or_writes_rows(const Operation& operation) {
  return operation.opcode == Opcode::kLdmatrix || operation.opcode == Opcode::kStmatrix;
}

bool has_generic_address(Space space) { return space != Space::kConst && space != Space::kParam; }

bool is_writable(Space space) { return space != Space::kConst && space != Space::kParam; }

}  // namespace

Place Operands::place(const Operand& operand) const {
  Place found = place_of_name(operand);
  if (found.variable != nullptr)
    found.address += offset_in(*found.variable, operand);
  else if (operand.bits != 0 || !operand.parts.empty())
    fail(format("'{}' is a function; expected no offset after it", operand.name));
  return found;
}

Place Operands::place_of_name(const Operand& operand) const {
  if (const FramePlace* found = variables_.find(operand.name)) {
    if (found->space == Space::kShared)
      return {.space = Space::kShared,
              .address = surroundings_.shared.address(*found->variable, function_.index),
              .variable = found->variable};
    return {.space = found->space,
            .address = found->offset,
            .is_in_frame = found->space == Space::kLocal,
            .variable = found->variable};
  }
  const Symbol* symbol = surroundings_.symbols.find(function_.module, operand.name);
  if (symbol == nullptr)
    fail(format("nothing defines '{}'; expected it in one of the linked modules", operand.name));
  if (symbol->function != nullptr) return {.address = symbol->address, .function = symbol};
  const Variable& variable = *symbol->variable;
  const bool is_shared = variable.space == Space::kShared;
  return {.space = variable.space,
          .address =
              is_shared ? surroundings_.shared.address(variable, function_.index) : symbol->address,
          .variable = &variable};
}

void Operands::check_space(const Operand& symbol, Space space) const {
  const Place found = place(symbol);
  const Space declared = found.variable != nullptr ? found.variable->space : found.space;
  if (found.space == space || declared == space) return;
  fail(format("'{}' is in {}; expected a variable in {}", symbol.name, name_of(found.space),
              name_of(space)));
}

void Operands::check_address(const Operand& operand) const {
  if (operand.kind != Operand::Kind::kAddress) fail(operand, "an address in '[ ]'");
  if (operand.parts.size() != 1)
    fail(format("'{}' is an address of several parts; expected one",
                written(*function_.function, operand)));
}

void Operands::address(const Operand& operand, Instruction& instruction) {
  const bool is_element = operand.kind == Operand::Kind::kSymbol && !operand.parts.empty();
  if (is_element) return element_address(operand, instruction);
  check_address(operand);
  const Operand& base = operand.parts.front();
  const bool is_narrow_register =
      base.kind == Operand::Kind::kRegister && register_bytes(base) == kShortAddressBytes;
  if (is_narrow_register && reads_or_writes_rows(instruction.operation)) {
    instruction.operation.space = Space::kShared;
  }
  const Space space = instruction.operation.space;
  instruction.offset = static_cast<std::int64_t>(operand.bits);
  if (base.kind == Operand::Kind::kSymbol) {
    if (!base.parts.empty()) fail(base, "a variable without an index in '[ ]'");
    absolute_address(base, place(base), instruction);
    return;
  }
  if (base.kind == Operand::Kind::kInteger) {
    if (space != Space::kLocal)
      fail(base, "a register or a variable; numbers are addresses of .local only");
    instruction.is_absolute = true;
    instruction.offset = static_cast<std::int64_t>(base.bits + operand.bits);
    return;
  }
  if (base.kind != Operand::Kind::kRegister) fail(base, "a register or a variable in '[ ]'");
  const bool is_narrow = is_short(space) && is_narrow_register;
  const Value value = source(base, {is_narrow ? kShortAddressBytes : kAddressBytes});
  instruction.a = value.slot;
  instruction.address_bytes = value.n_bytes;
}

// "x[2]" and "x[%r1]" in place of "[x+8]".
void Operands::element_address(const Operand& operand, Instruction& instruction) {
  const Operand& index = operand.parts.front();
  const Place variable = place(operand);
  absolute_address(operand, variable, instruction);
  if (index.kind != Operand::Kind::kRegister) return;
  Operand base = operand;
  base.parts.clear();
  base.bits = 0;
  Instruction addition;
  addition.a = source(index, {kIndexBytes}).slot;
  addition.b = surroundings_.constants.value(kIndexBytes, size_bytes(variable.variable->type), 0,
                                             statement_->line);
  addition.c = symbol(base, {kAddressBytes});
  instruction.offset = static_cast<std::int64_t>(offset_in(*variable.variable, operand));
  instruction.is_absolute = false;
  instruction.is_in_frame = false;
  instruction.address_bytes = kAddressBytes;
  instruction.a = before({.opcode = Opcode::kMad, .type = Type::kU32, .part = Part::kWide},
                         kAddressBytes, addition);
}

void Operands::absolute_address(const Operand& operand, const Place& place,
                                Instruction& instruction) {
  Space& space = instruction.operation.space;
  if (place.function != nullptr)
    fail(format("'{}' is a function; expected a variable", operand.name));
  // Frames contain the parameters of functions and of calls.
  const bool is_argument =
      place.is_in_frame && space == Space::kParam && place.variable->space == Space::kParam;
  const bool is_generic = space == Space::kGeneric && has_generic_address(place.variable->space);
  if (is_generic || is_argument) space = place.space;
  if (space != place.space)
    fail(format("'{}' is in {}; expected a variable in {}", operand.name, name_of(place.space),
                name_of(space)));
  const Opcode opcode = instruction.operation.opcode;
  const bool writes = opcode == Opcode::kSt || opcode == Opcode::kAtom || opcode == Opcode::kRed;
  if (writes && !is_writable(space))
    fail(format("'{}' is in {}, which can't be written", operand.name, name_of(space)));
  instruction.is_absolute = true;
  instruction.is_in_frame = place.is_in_frame;
  const auto offset = static_cast<std::uint64_t>(instruction.offset);
  instruction.offset = static_cast<std::int64_t>(place.address + offset);
}

Slot Operands::address_value(const Operand& operand, Space space) {
  check_address(operand);
  const Operand& base = operand.parts.front();
  if (base.kind == Operand::Kind::kSymbol) {
    check_space(base, space);
    return sum(symbol(base, {kAddressBytes}), operand.bits);
  }
  check_register(base, {kAddressBytes});
  return sum(source(base, {kAddressBytes}).slot, operand.bits);
}

Slot Operands::shared_address_value(const Operand& operand) {
  check_address(operand);
  const Operand& base = operand.parts.front();
  const bool is_narrow =
      base.kind == Operand::Kind::kRegister && register_bytes(base) == kShortAddressBytes;
  if (!is_narrow) return address_value(operand, Space::kShared);
  Instruction extension;
  extension.a = source(base, {kShortAddressBytes}).slot;
  extension.source_bytes = kShortAddressBytes;
  const Operation widening{.opcode = Opcode::kCvt, .type = Type::kU64, .source = Type::kU32};
  return sum(before(widening, kAddressBytes, extension), operand.bits);
}

Slot Operands::sum(Slot base, std::uint64_t offset) {
  if (offset == 0) return base;
  Instruction addition;
  addition.a = base;
  addition.b = surroundings_.constants.value(kAddressBytes, offset, 0, statement_->line);
  return before({.opcode = Opcode::kAdd, .type = Type::kS64}, kAddressBytes, addition);
}

Slot Operands::copied_bytes(const Operand& operand, Slot n_bytes) {
  const bool is_predicate =
      operand.kind == Operand::Kind::kRegister && register_bytes(operand) == 0;
  if (!is_predicate) return source(operand, {kShortAddressBytes}).slot;
  Instruction choice;
  choice.a = surroundings_.constants.value(kShortAddressBytes, 0, 0, statement_->line);
  choice.b = n_bytes;
  choice.c = source(operand, {}).slot;
  return before({.opcode = Opcode::kSelp, .type = Type::kB32}, kShortAddressBytes, choice);
}

}  // namespace numpy_plugin::sim
