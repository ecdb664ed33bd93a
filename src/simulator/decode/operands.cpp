// Values: validates registers, turns literals and symbols into constants.
#include "simulator/decode/operands.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "simulator/assembly/parse.hpp"
#include "simulator/program/program.hpp"
#include "simulator/program/spelling.hpp"

namespace numpy_plugin::sim {
namespace {

using Kind = Operand::Kind;

// For constants where a register may be wider than the type: 8-bit types have 16-bit registers.
constexpr std::uint32_t kLeastWiderBytes = 2;

std::string describe_width(std::uint32_t n_bytes) {
  if (n_bytes == 0) return "a predicate";
  return format("{} bits", 8 * n_bytes);
}

std::string describe(const Wanted& wanted) {
  return describe_width(wanted.n_bytes) + (wanted.may_be_wider ? " or more" : "");
}

const char* describe(Kind kind) {
  switch (kind) {
    case Kind::kRegister:
      return "a register";
    case Kind::kSpecial:
      return "a special register";
    case Kind::kSymbol:
      return "a symbol";
    case Kind::kLabel:
      return "a label";
    case Kind::kInteger:
      return "an integer";
    case Kind::kFloat32:
      return "a 32-bit float";
    case Kind::kFloat64:
      return "a 64-bit float";
    case Kind::kAddress:
      return "an address";
    case Kind::kVector:
      return "a vector";
    case Kind::kPair:
      return "a pair";
    case Kind::kList:
      return "a list";
    case Kind::kSink:
      return "no value";
  }
  return "?";
}

// The bits of a literal in a type of the required width; nullopt where it does not fit.
std::optional<std::uint64_t> literal_bits(const Operand& operand, const Wanted& wanted) {
  const bool takes_floats =
      wanted.literals == Literals::kFloats || wanted.literals == Literals::kBits;
  if (operand.kind == Kind::kInteger) {
    const bool takes_integers =
        wanted.literals == Literals::kIntegers || wanted.literals == Literals::kBits;
    return takes_integers ? std::optional(operand.bits) : std::nullopt;
  }
  const bool is_single = operand.kind == Kind::kFloat32;
  if (takes_floats && wanted.n_bytes == (is_single ? 4u : 8u)) return operand.bits;
  if (wanted.literals != Literals::kFloats) return std::nullopt;
  if (is_single && wanted.n_bytes == 8) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits));
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  }
  if (!is_single && wanted.n_bytes == 4)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  return std::nullopt;
}

// Types of 16 bits and pairs have no literals of their own.
Literals literals_of(Type type) {
  if (type == Type::kF32 || type == Type::kF64) return Literals::kFloats;
  const bool is_pair = type == Type::kU16x2 || type == Type::kS16x2;
  if (kind(type) == TypeKind::kFloat || is_pair) return Literals::kNone;
  return kind(type) == TypeKind::kBits ? Literals::kBits : Literals::kIntegers;
}

// Words for an operand that a literal of another type is given for.
std::string describe_literals(const Wanted& wanted) {
  switch (wanted.literals) {
    case Literals::kNone:
      return "a register of " + describe(wanted);
    case Literals::kFloats:
      return "a register or a float, such as 0f3F800000, of " + describe(wanted);
    case Literals::kIntegers:
      return "a register or an integer of " + describe(wanted);
    case Literals::kBits:
      break;
  }
  return describe(wanted);
}

// "mov" of "mov.u32".
std::string_view opcode_of(const Statement& statement) {
  const std::string_view mnemonic = statement.mnemonic;
  return mnemonic.substr(0, mnemonic.find('.'));
}

// Conversions of integers do, others and packing ones read registers only.
bool reads_special_registers(const Statement& statement) {
  const std::string_view opcode = opcode_of(statement);
  if (opcode == "cvt")
    return std::ranges::none_of(std::array{".f", ".r", ".pack"}, [&](const char* word) {
      return statement.mnemonic.find(word) != std::string::npos;
    });
  return opcode == "mov" || opcode == "call";
}

bool reads_symbols(const Statement& statement) {
  const std::string_view opcode = opcode_of(statement);
  if (opcode == "cvta") return statement.mnemonic.find(".to.") == std::string::npos;
  return opcode == "mov" || opcode == "call";
}

}  // namespace

Wanted wanted(Type type) { return {size_bytes(type), literals_of(type), false}; }

Operands::Operands(const Surroundings& surroundings, const Symbol& function)
    : surroundings_(surroundings),
      function_(function),
      registers_(*function.function),
      variables_(*function.function) {}

void Operands::begin(const Statement& statement) {
  statement_ = &statement;
  registers_.forget_temporaries();
}

std::vector<Instruction> Operands::take_before() { return std::exchange(before_, {}); }
std::vector<Instruction> Operands::take_after() { return std::exchange(after_, {}); }

std::optional<Instruction> Operands::take_mov_before() {
  if (before_.empty() || before_.back().operation.opcode != Opcode::kMov) return std::nullopt;
  const Instruction last = before_.back();
  before_.pop_back();
  return last;
}

void Operands::fail(const std::string& problem) const {
  throw PtxError(statement_->line,
                 format("'{}': {}", written(*function_.function, *statement_), problem));
}

void Operands::fail(const Operand& operand, const std::string& expected) const {
  fail(format("'{}' is {}; expected {}", written(*function_.function, operand), describe(operand),
              expected));
}

std::string Operands::describe(const Operand& operand) const {
  if (operand.kind != Kind::kRegister) return sim::describe(operand.kind);
  const std::uint32_t n_bytes = register_bytes(operand);
  return n_bytes == 0 ? "a predicate" : "a register of " + describe_width(n_bytes);
}

std::uint32_t Operands::register_bytes(const Operand& operand) const {
  return size_bytes(registers_.type(operand.index));
}

void Operands::check_register(const Operand& operand, const Wanted& wanted) const {
  if (operand.kind != Kind::kRegister) fail(operand, "a register of " + sim::describe(wanted));
  const std::uint32_t n_bytes = register_bytes(operand);
  const bool is_wider = wanted.may_be_wider && wanted.n_bytes != 0 && n_bytes > wanted.n_bytes;
  if (n_bytes != wanted.n_bytes && !is_wider) fail(operand, sim::describe(wanted));
  if (operand.has_minus || !operand.name.empty()) fail(operand, "a whole register");
}

Value Operands::result(const Operand& operand, const Wanted& wanted) {
  check_register(operand, wanted);
  if (operand.is_negated) fail(operand, "a result that is not negated");
  return {registers_.slot(operand.index), static_cast<std::uint8_t>(register_bytes(operand))};
}

Value Operands::result_or_none(const Operand& operand, const Wanted& wanted) {
  if (operand.kind == Kind::kSink) return {kNoSlot, static_cast<std::uint8_t>(wanted.n_bytes)};
  return result(operand, wanted);
}

Value Operands::source(const Operand& operand, const Wanted& wanted) {
  if (operand.kind == Kind::kRegister)
    return {register_source(operand, wanted), static_cast<std::uint8_t>(register_bytes(operand))};
  Wanted constant = wanted;
  if (wanted.may_be_wider) constant.n_bytes = std::max(constant.n_bytes, kLeastWiderBytes);
  const auto n_bytes = static_cast<std::uint8_t>(constant.n_bytes);
  switch (operand.kind) {
    case Kind::kInteger:
    case Kind::kFloat32:
    case Kind::kFloat64:
      return {literal(operand, constant), n_bytes};
    case Kind::kSpecial:
      if (!reads_special_registers(*statement_))
        fail(operand, "a register; mov can copy it to one");
      return {special(operand, constant), n_bytes};
    case Kind::kSymbol:
      if (!reads_symbols(*statement_)) fail(operand, "a register; mov can write an address to one");
      return {symbol(operand, constant), n_bytes};
    default:
      fail(operand, sim::describe(wanted));
  }
}

Slot Operands::register_source(const Operand& operand, const Wanted& wanted) {
  check_register(operand, wanted);
  const Slot slot = registers_.slot(operand.index);
  if (!operand.is_negated) return slot;
  if (wanted.n_bytes != 0) fail(operand, "a predicate after '!'");
  Instruction negation;
  negation.a = slot;
  return before({.opcode = Opcode::kNot, .type = Type::kPred}, 0, negation);
}

Slot Operands::before(Operation operation, std::uint32_t n_bytes, Instruction instruction) {
  instruction.operation = operation;
  instruction.result = registers_.temporary(n_bytes);
  instruction.result_bytes = static_cast<std::uint8_t>(n_bytes);
  if (instruction.source_bytes == 0) {
    instruction.source_bytes = static_cast<std::uint8_t>(n_bytes);
  }
  instruction.line = statement_->line;
  before_.push_back(instruction);
  return instruction.result;
}

void Operands::after(Operation operation, Instruction instruction) {
  instruction.operation = operation;
  instruction.result_bytes = static_cast<std::uint8_t>(size_bytes(operation.type));
  instruction.source_bytes = instruction.result_bytes;
  instruction.line = statement_->line;
  after_.push_back(instruction);
}

Slot Operands::constant(std::uint32_t value) {
  return surroundings_.constants.value(sizeof value, value, 0, statement_->line);
}

Slot Operands::literal(const Operand& operand, const Wanted& wanted) {
  Constants& constants = surroundings_.constants;
  if (wanted.n_bytes == 0) {
    if (operand.kind != Kind::kInteger) fail(operand, sim::describe(wanted));
    return constants.predicate(operand.bits != 0, statement_->line);
  }
  const std::optional<std::uint64_t> bits = literal_bits(operand, wanted);
  if (!bits) fail(operand, describe_literals(wanted));
  const bool is_negative = operand.kind == Kind::kInteger && (*bits >> 63) != 0;
  return constants.value(wanted.n_bytes, *bits, is_negative ? ~std::uint64_t{0} : 0,
                         statement_->line);
}

Slot Operands::special(const Operand& operand, const Wanted& wanted) {
  const auto row = find_special_register(operand.name);
  if (!row) fail(format("there is no special register '{}'", operand.name));
  const std::uint32_t n_bytes = size_bytes(row->type);
  if (wanted.n_bytes != n_bytes) fail(operand, sim::describe(wanted));
  Constants& constants = surroundings_.constants;
  if (row->constant && n_bytes == 0)
    return constants.predicate(*row->constant != 0, statement_->line);
  if (row->constant) return constants.value(n_bytes, *row->constant, 0, statement_->line);
  if (!is_clock(row->name)) return registers_.special(row->name, n_bytes);
  Instruction reading;
  reading.target = static_cast<std::uint32_t>(row->name);
  return before({.opcode = Opcode::kMov, .type = row->type}, n_bytes, reading);
}

Slot Operands::symbol(const Operand& operand, const Wanted& wanted) {
  if (!operand.parts.empty() && operand.parts.front().kind == Kind::kRegister)
    fail(operand.parts.front(), "a constant index outside of loads and stores");
  const Place found = place(operand);
  const bool is_short =
      found.space == Space::kShared || found.space == Space::kLocal || found.space == Space::kParam;
  if (wanted.n_bytes != 8 && !(is_short && wanted.n_bytes == 4))
    fail(operand, sim::describe(wanted));
  const Slot slot =
      surroundings_.constants.value(wanted.n_bytes, found.address, 0, statement_->line);
  if (!found.is_in_frame) return slot;
  // ld.param with a register reads the kernel's own parameters.
  if (function_.function->is_entry && found.variable->space == Space::kParam)
    fail(format("'{}' is an argument of a call; expected no use of its address", operand.name));
  Instruction addition;
  addition.a = slot;
  addition.is_in_frame = true;
  const Type type = wanted.n_bytes == 8 ? Type::kU64 : Type::kU32;
  return before({.opcode = Opcode::kMov, .type = type}, wanted.n_bytes, addition);
}

void Operands::check_vector(const Operand& vector, std::uint32_t n_elements) const {
  if (vector.kind != Kind::kVector || vector.parts.size() != n_elements)
    fail(vector, format("a vector of {}", n_elements));
}

std::vector<Value> Operands::results(const Operand& vector, std::uint32_t n_elements,
                                     const Wanted& wanted) {
  const auto is_unused = [](const Operand& part) { return part.kind == Kind::kSink; };
  if (vector.kind == Kind::kVector && std::ranges::all_of(vector.parts, is_unused))
    fail(vector, "a register in it");
  return elements(vector, n_elements, wanted, &Operands::result_or_none);
}

std::vector<Value> Operands::sources(const Operand& vector, std::uint32_t n_elements,
                                     const Wanted& wanted) {
  return elements(vector, n_elements, wanted, &Operands::source);
}

std::vector<Value> Operands::elements(const Operand& vector, std::uint32_t n_elements,
                                      const Wanted& wanted,
                                      Value (Operands::*read)(const Operand&, const Wanted&)) {
  check_vector(vector, n_elements);
  Wanted each{wanted.n_bytes, wanted.literals, false};
  if (wanted.may_be_wider) {
    const bool has_register =
        std::any_of(vector.parts.begin(), vector.parts.end(),
                    [](const Operand& part) { return part.kind == Kind::kRegister; });
    if (!has_register) each.n_bytes = std::max(each.n_bytes, kLeastWiderBytes);
    for (const Operand& part : vector.parts) {
      if (part.kind == Kind::kRegister) each.n_bytes = std::max(each.n_bytes, register_bytes(part));
    }
  }
  std::vector<Value> values;
  for (const Operand& part : vector.parts) values.push_back((this->*read)(part, each));
  return values;
}

}  // namespace numpy_plugin::sim
