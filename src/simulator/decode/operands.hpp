// Maps operands of a statement to slots: registers, constants, addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/base/format.hpp"
#include "simulator/assembly/syntax.hpp"
#include "simulator/decode/constants.hpp"
#include "simulator/decode/frame.hpp"
#include "simulator/decode/shared_layout.hpp"
#include "simulator/decode/symbols.hpp"
#include "simulator/program/grammar.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// Context shared by all functions of a program.
struct Surroundings {
  const SymbolTable& symbols;
  const SharedLayout& shared;
  Constants& constants;
  const std::vector<Target>& targets;  // of the modules
};

// The literals that may replace a register. kBits: integers, and floats of the same width.
enum class Literals : std::uint8_t { kNone, kIntegers, kFloats, kBits };

// Requirements of an instruction on an operand.
struct Wanted {
  std::uint32_t n_bytes = 0;  // 0: a predicate
  Literals literals = Literals::kIntegers;
  bool may_be_wider = false;
};

Wanted wanted(Type type);

// A slot, and the size of its register or constant.
struct Value {
  Slot slot = kNoSlot;
  std::uint8_t n_bytes = 0;
};

// Meaning of a name in a function.
struct Place {
  Space space = Space::kGeneric;
  std::uint64_t address = 0;
  bool is_in_frame = false;          // relative to the frame's local_offset
  const Symbol* function = nullptr;  // for a function, whose `address` is the pointer's value
  const Variable* variable = nullptr;
};

class Operands {
 public:
  Operands(const Surroundings& surroundings, const Symbol& function);

  void begin(const Statement& statement);
  // Returns instructions to run before the statement's own. They have no handlers yet.
  std::vector<Instruction> take_before();
  std::vector<Instruction> take_after();  // likewise, after it
  // The last of them, if it is a mov.
  std::optional<Instruction> take_mov_before();

  Value result(const Operand& operand, const Wanted& wanted);
  Value result_or_none(const Operand& operand, const Wanted& wanted);  // `_`: none
  Value source(const Operand& operand, const Wanted& wanted);
  // Elements of {...}, as wide as the widest register among them where wider registers are
  // permitted. Some results may be `_`.
  std::vector<Value> results(const Operand& vector, std::uint32_t n_elements, const Wanted& wanted);
  std::vector<Value> sources(const Operand& vector, std::uint32_t n_elements, const Wanted& wanted);
  // Sets a, offset and the address's flags; determines the instruction's space.
  void address(const Operand& operand, Instruction& instruction);
  Slot address_value(const Operand& operand, Space space);  // including its offset
  void check_space(const Operand& symbol, Space space) const;
  Slot shared_address_value(const Operand& operand);  // likewise, of 32 or 64 bits
  // The bytes that a cp.async reads: a number, or a predicate that means none of `n_bytes`.
  Slot copied_bytes(const Operand& operand, Slot n_bytes);
  // Adds an instruction before the statement's own; returns its result, a temporary register.
  Slot before(Operation operation, std::uint32_t n_bytes, Instruction instruction);
  // Adds one after it, with the statement's guard.
  void after(Operation operation, Instruction instruction);
  // Accesses of this frame's local memory, for registers as parameters, results and arguments.
  void store_before(const Operand& value, Type type, std::uint32_t offset);
  void load_after(const Operand& result, Type type, std::uint32_t offset);
  Place place(const Operand& operand) const;  // of a kSymbol
  Slot constant(std::uint32_t value);
  Slot temporary() { return registers_.temporary(4); }  // during this statement

  Slot carry() { return registers_.carry(); }
  const Target& target() const { return surroundings_.targets[function_.module]; }
  const FrameRegisters& registers() const { return registers_; }
  FrameVariables& variables() { return variables_; }
  const FrameVariables& variables() const { return variables_; }

  [[noreturn]] void fail(const std::string& problem) const;  // names the statement
  [[noreturn]] void fail(const Operand& operand, const std::string& expected) const;

 private:
  std::string describe(const Operand& operand) const;
  std::uint32_t register_bytes(const Operand& operand) const;
  void check_register(const Operand& operand, const Wanted& wanted) const;
  Slot register_source(const Operand& operand, const Wanted& wanted);
  Slot literal(const Operand& operand, const Wanted& wanted);
  Slot special(const Operand& operand, const Wanted& wanted);
  Slot symbol(const Operand& operand, const Wanted& wanted);
  Slot sum(Slot base, std::uint64_t offset);
  std::vector<Value> elements(const Operand& vector, std::uint32_t n_elements, const Wanted& wanted,
                              Value (Operands::*read)(const Operand&, const Wanted&));
  void check_address(const Operand& operand) const;
  void check_vector(const Operand& vector, std::uint32_t n_elements) const;
  void element_address(const Operand& operand, Instruction& instruction);
  Place place_of_name(const Operand& operand) const;
  void absolute_address(const Operand& operand, const Place& place, Instruction& instruction);

  const Surroundings& surroundings_;
  const Symbol& function_;
  FrameRegisters registers_;
  FrameVariables variables_;
  const Statement* statement_ = nullptr;
  std::vector<Instruction> before_;
  std::vector<Instruction> after_;
};

}  // namespace numpy_plugin::sim
