// Every mnemonic of the tables whose result is exact or rounded once, compared with integer
// arithmetic: all builds of the handlers, all lanes and some.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "simulator/handlers/harness.hpp"
#include "simulator/handlers/inputs.hpp"
#include "simulator/handlers/mnemonics.hpp"
#include "simulator/handlers/reference.hpp"
#include "simulator/handlers/runner.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr int kRounds = 16;

Inputs make_inputs(const Shape& shape, InputMaker& maker, int round) {
  Inputs inputs;
  for (const SourceShape& source : shape.sources) {
    Lanes lanes;
    for (std::uint64_t& lane : lanes) {
      const bool is_predicate = source.type == Type::kPred;
      lane = is_predicate ? maker.bits() & 1 : maker.of_type(source.type);
    }
    if (source.is_constant) lanes.fill(lanes[0]);
    inputs.sources.push_back(lanes);
  }
  inputs.carries = static_cast<LaneMask>(maker.bits());
  if (round % 3 == 2) inputs.active = static_cast<LaneMask>(maker.bits());
  return inputs;
}

std::string describe(const Inputs& inputs, std::size_t lane) {
  std::string text;
  char digits[32];
  for (const Lanes& source : inputs.sources) {
    std::snprintf(digits, sizeof digits, " %#llx", static_cast<unsigned long long>(source[lane]));
    text += digits;
  }
  return text;
}

struct Found {
  Lanes results;
  Lanes carries;
};

void check_lane(const InstructionRunner& runner, const std::string& mnemonic, const Inputs& inputs,
                const Found& found, std::size_t lane) {
  const Shape& shape = runner.shape();
  const Operation& operation = shape.mnemonic.operation;
  const bool is_active = (inputs.active >> lane & 1) != 0;
  reference::Sources sources = {};
  for (std::size_t index = 0; index < inputs.sources.size(); ++index) {
    sources[index] = inputs.sources[index][lane];
  }
  // The extreme of three is that of two if the last of them counts twice.
  if (inputs.sources.size() == 2) sources[2] = sources[1];
  if (shape.reads_carry) sources[3] = inputs.carries >> lane & 1;
  const auto expected = reference::evaluate(operation, sources);
  ASSERT_TRUE(expected) << mnemonic << ": the reference does not know it";
  const std::uint64_t wanted = is_active ? expected->bits : runner.untouched(lane);
  ASSERT_EQ(found.results[lane], wanted)
      << mnemonic << " on " << name_of(runner.isa()) << ", lane " << lane
      << (is_active ? "" : " (off)") << ":" << describe(inputs, lane) << std::hex << " gave "
      << found.results[lane] << ", expected " << wanted;
  if (operation.carry || shape.has_second_result) {
    ASSERT_EQ(found.carries[lane] != 0, is_active && expected->carry)
        << mnemonic << " carry or second result on " << name_of(runner.isa()) << ":"
        << describe(inputs, lane);
  }
}

void check_mnemonic(const std::string& mnemonic, bool with_optional_parts) {
  InputMaker maker(std::hash<std::string>()(mnemonic));
  std::vector<InstructionRunner> runners;
  for (const HostIsa isa : usable_isas()) runners.emplace_back(mnemonic, isa, with_optional_parts);
  for (int round = 0; round < kRounds; ++round) {
    const Inputs inputs = make_inputs(runners[0].shape(), maker, round);
    for (InstructionRunner& runner : runners) {
      runner.run(inputs);
      const Found found = {runner.results(), runner.carries()};
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        check_lane(runner, mnemonic, inputs, found, lane);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Results that follow from values in registers, predicates and constants.
bool is_on_values(const Form& form) {
  const auto is_value = [](const OperandRule& rule) {
    return std::string_view("TSWUDPN").find(rule.letter) != std::string_view::npos;
  };
  return std::all_of(form.sources.begin(), form.sources.end(), is_value);
}

bool is_tested_here(const Mnemonic& mnemonic) {
  const Operation& operation = mnemonic.operation;
  if (mnemonic.form->flow != Flow::kNext || operation.approximate || operation.full) return false;
  if (operation.type == Type::kB128 || !is_on_values(*mnemonic.form)) return false;
  switch (operation.opcode) {
    case Opcode::kActivemask:
    case Opcode::kAlloca:
    case Opcode::kBarrier:
    case Opcode::kCp:
    case Opcode::kCreatepolicy:
    case Opcode::kCvta:
    case Opcode::kFence:
    case Opcode::kGetctarank:
    case Opcode::kGriddepcontrol:
    case Opcode::kMapa:
    case Opcode::kMbarrier:
    case Opcode::kMembar:
    case Opcode::kPmevent:
    case Opcode::kSetmaxnreg:
    case Opcode::kStackrestore:
    case Opcode::kStacksave:
      return false;
    default:
      return true;
  }
}

TEST(handlers_arithmetic, agrees_with_integers_for_every_mnemonic) {
  int n_tested = 0;
  for (const std::string& mnemonic : possible_mnemonics()) {
    if (!is_tested_here(*find_mnemonic(mnemonic))) continue;
    ++n_tested;
    check_mnemonic(mnemonic, true);
    const bool has_optional_parts = shape_of(*find_mnemonic(mnemonic), true).has_optional_parts;
    const bool needs_them = find_mnemonic(mnemonic)->operation.secondary != Mode::kNone;
    if (has_optional_parts && !needs_them) check_mnemonic(mnemonic, false);
  }
  EXPECT_GT(n_tested, 2000);
}

// Registers wider than the types: low bits are read, results are extended by their type.
TEST(handlers_arithmetic, converts_between_wide_registers) {
  const struct {
    const char* mnemonic;
    int source_bytes;
    int result_bytes;
    std::uint64_t source;
    std::uint64_t result;
  } rows[] = {
      {"cvt.u16.u8", 2, 2, 0xabcd, 0xcd},
      {"cvt.s32.s8", 4, 4, 0x123456f0, 0xfffffff0},
      {"cvt.s64.s8", 2, 8, 0x7f80, 0xffff'ffff'ffff'ff80},
      {"cvt.u64.u16", 8, 8, 0x1234'5678'9abc'def0, 0xdef0},
      {"cvt.s8.s32", 4, 4, 0x1280, 0xffff'ff80},
      {"cvt.u8.s32", 4, 2, 0xffff'ff80, 0x80},
      {"cvt.u16.s8", 4, 4, 0x80, 0xff80},
      {"cvt.u16.s8", 1, 8, 0x80, 0xff80},
      {"cvt.s16.u8", 1, 8, 0x80, 0x80},
      {"cvt.s32.u32", 8, 8, 0xffff'ffff'8000'0000, 0xffff'ffff'8000'0000},
      {"cvt.u32.s32", 8, 8, 0xffff'ffff'8000'0000, 0x8000'0000},
      {"cvt.sat.u8.s32", 4, 4, 0x1ff, 0xff},
      {"cvt.sat.s8.s32", 4, 4, 0xffff'0000, 0xffff'ff80},
      {"cvt.sat.s8.u32", 4, 2, 0xffff'0000, 0x7f},
      {"cvt.rzi.s8.f16", 2, 2, 0xbc00, 0xffff},
      {"cvt.rzi.u8.f32", 4, 4, 0x4380'0000, 0xff},
      {"cvt.rzi.s16.f64", 8, 4, 0xc0e0'0000'0000'0000, 0xffff'8000},
      {"cvt.rn.f32.s8", 4, 4, 0x1ff, 0xbf80'0000},
      {"cvt.rn.f16.u8", 2, 2, 0x1ff, 0x5bf8},
      {"cvt.rn.f32.u16", 4, 4, 0x7'0001, 0x3f80'0000},
  };
  for (const auto& row : rows) {
    for (const HostIsa isa : usable_isas()) {
      InstructionRunner runner(row.mnemonic, isa);
      runner.set_registers(row.source_bytes, row.result_bytes);
      Inputs inputs;
      inputs.sources.resize(1);
      inputs.sources[0].fill(row.source);
      inputs.active = 0x8000'0001;
      runner.run(inputs);
      const Lanes results = runner.results();
      EXPECT_EQ(results[0], row.result) << row.mnemonic << " on " << name_of(isa);
      EXPECT_EQ(results[31], row.result) << row.mnemonic << " on " << name_of(isa);
      EXPECT_EQ(results[1], runner.untouched(1)) << row.mnemonic << " on " << name_of(isa);
    }
  }
}

}  // namespace
}  // namespace numpy_plugin::sim
