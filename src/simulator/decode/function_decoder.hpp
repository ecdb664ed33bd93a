// Decodes one function to instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/decode/decode.hpp"
#include "simulator/decode/operands.hpp"
#include "simulator/program/opcode_table.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// Registers that a thread may read before it has written them. The others need no contents at the
// beginning of a block. By the order of the text and the jumps in it: a few registers more than
// necessary.
std::vector<Slot> find_early_reads(const Program& program, const FunctionCode& function);

// Numbers that an operand may not be, see limits.def. Message's end where a number is invalid as a
// source of an instruction: what is expected. Empty where it is valid.
std::string_view expected_number(std::string_view mnemonic, std::size_t source, std::int64_t value);

// Cache of mnemonics.
using MnemonicCache = std::unordered_map<std::string_view, std::optional<Mnemonic>>;

class FunctionDecoder {
 public:
  FunctionDecoder(const Surroundings& surroundings, const Decoding& decoding,
                  MnemonicCache& mnemonics, Program& program, const Symbol& function);

  // Appends the function's instructions to the program.
  FunctionCode decode();
  std::uint32_t local_alignment_bytes() const { return operands_.variables().alignment_bytes(); }

 private:
  struct Branch {
    std::size_t instruction = 0;
    std::uint32_t label = 0;
  };
  struct IndexedBranch {
    std::size_t item = 0;  // of the program's lists
    std::uint32_t label = 0;
  };

  // Signature of a callee.
  struct Signature {
    const std::vector<Variable>* results = nullptr;
    const std::vector<Variable>* parameters = nullptr;
  };

  void decode(const Statement& statement);
  void decode_by_rules(const Statement& statement, const Form& form, Instruction& instruction);
  void decode_result(const Operand& operand, const OperandRule& rule, Instruction& instruction);
  void decode_pair(const Operand& pair, const OperandRule& rule, const Wanted& wanted,
                   Instruction& instruction);
  Value decode_source(const Operand& operand, const OperandRule& rule, Instruction& instruction);
  void check_number(const Operand& operand, std::size_t source, const Statement& statement) const;
  void check_alloca(const Statement& statement);
  void decode_mov(const Statement& statement, Instruction& instruction);
  void decode_vector_mov(const Statement& statement, Instruction& instruction);
  void decode_plain_mov(const Operand& source, const Wanted& whole, Instruction& instruction);
  void decode_call(const Statement& statement, Instruction& instruction);
  Signature decode_callee(const Operand& callee, const Operand* prototype,
                          Instruction& instruction);
  Signature decode_target_list(const std::vector<Operand>& targets);
  void decode_arguments(const Operand* list, const std::vector<Variable>& wanted,
                        const std::string& what, Instruction& instruction);
  // video.cpp
  void decode_video(const Statement& statement, Instruction& instruction);
  void decode_part(const Statement& statement, Instruction& instruction);
  void decode_parts(const Statement& statement, Instruction& instruction);
  Slot part_of(const Operand& operand, Slot whole, Type type);
  void check_target(const std::vector<Target>& needs) const;
  // register_arguments.cpp
  bool is_argument_variable(const Operand& argument) const;
  std::uint32_t decode_variable_argument(const Operand& argument, const Variable& wanted);
  std::uint32_t decode_value_argument(const Operand& argument, const Variable& wanted,
                                      bool is_result);
  void load_parameters();
  void store_results();
  void decode_branch_targets(const Operand& operand, Instruction& instruction);
  const Statement* find_targets(const Operand& operand, std::string_view mnemonic) const;
  void decode_guard(const Operand& guard, Instruction& instruction);
  // Registers of a matrix's fragment.
  std::vector<Value> decode_fragment(const Operand& operand, const Instruction& instruction,
                                     bool is_result);
  void set_list(const std::vector<Value>& values, Instruction& instruction);
  void settle(Instruction& instruction);
  void emit_helpers(std::vector<Instruction> helpers, const Statement& statement);
  void emit_with_helpers(Instruction& instruction, const Statement& statement);
  void emit(Instruction instruction, const Statement& statement);
  void end_function();
  void set_targets();
  void find_unwritten(FunctionCode& code) const;
  void count_plain(const FunctionCode& code);
  Wanted wanted_by(const OperandRule& rule, const Operation& operation) const;

  const Decoding& decoding_;
  MnemonicCache& mnemonics_;
  Program& program_;
  const Symbol& symbol_;
  const Function& function_;
  Operands operands_;
  std::unordered_map<std::string_view, const Prototype*> prototypes_;
  std::uint32_t n_fragments_ = 0;      // of the current statement's operands, so far
  std::vector<std::uint32_t> starts_;  // instruction index of each statement
  std::vector<Branch> branches_;
  std::vector<IndexedBranch> indexed_branches_;
  bool allocates_stack_ = false;
};

}  // namespace numpy_plugin::sim
