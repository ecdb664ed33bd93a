// Every instruction that the decoder accepts as falling through has a handler, in every build of
// the handlers.
#include <gtest/gtest.h>

#include "simulator/handlers/harness.hpp"
#include "simulator/handlers/mnemonics.hpp"
#include "simulator/program/matrix.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(handlers_coverage, every_mnemonic_of_the_tables_has_a_handler) {
  const std::vector<std::string> mnemonics = possible_mnemonics();
  EXPECT_GT(mnemonics.size(), 3000u);
  for (const std::string& mnemonic : mnemonics) {
    const auto found = find_mnemonic(mnemonic);
    ASSERT_TRUE(found) << mnemonic;
    Instruction instruction = make_instruction(found->operation);
    instruction.a = 0;
    for (const HostIsa isa : usable_isas()) {
      EXPECT_NE(handler_finder(isa)(instruction), nullptr) << mnemonic << " on " << name_of(isa);
    }
  }
}

TEST(handlers_coverage, every_matrix_instruction_has_a_handler_and_registers) {
  std::size_t n_forms = 0;
  for (const std::string& mnemonic : possible_mnemonics(Flow::kWarpSync)) {
    const auto found = find_mnemonic(mnemonic);
    ASSERT_TRUE(found) << mnemonic;
    if (!is_matrix(found->operation.opcode)) continue;
    ++n_forms;
    for (const HostIsa isa : usable_isas()) {
      EXPECT_NE(handler_finder(isa)(make_instruction(found->operation)), nullptr) << mnemonic;
    }
    std::uint32_t n_fragments = 0;
    for (const auto* rules : {&found->form->results, &found->form->sources}) {
      for (const OperandRule& rule : *rules) {
        if (rule.letter != 'R') continue;
        const Fragment fragment = fragment_of(found->operation, n_fragments++);
        EXPECT_GE(fragment.n_registers, 1u) << mnemonic;
        EXPECT_LE(fragment.n_registers, 8u) << mnemonic;
        EXPECT_EQ(fragment.n_registers % fragment.n_distinct, 0u) << mnemonic;
      }
    }
  }
  EXPECT_GT(n_forms, 300u);
}

TEST(handlers_coverage, an_operation_of_no_instruction_has_no_handler) {
  Operation operation;
  operation.opcode = Opcode::kDiv;
  operation.type = Type::kF16;
  EXPECT_EQ(handler_finder()(make_instruction(operation)), nullptr);
}

}  // namespace
}  // namespace numpy_plugin::sim
