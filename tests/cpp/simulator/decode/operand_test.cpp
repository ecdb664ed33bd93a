// Operands to slots: registers, constants, addresses, preceding instructions; mistakes by message.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

#include "simulator/decode/text.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(decode_operand, registers_have_slots_of_their_width) {
  const auto code = instructions_of(
      "add.s32 %r1, %r2, %r3; add.f64 %fd1, %fd2, %fd3; and.b16 %rs1, %rs2, %rs3;"
      "setp.eq.s32 %p1, %r1, %r2; and.pred %p2, %p1, %p1;");
  std::set<Slot> slots;
  for (std::size_t index = 0; index < 3; ++index) {
    for (const Slot slot : {code[index].result, code[index].a, code[index].b}) {
      EXPECT_EQ(slot % 64, 0);
      slots.insert(slot);
    }
  }
  EXPECT_EQ(slots.size(), 9u);
  EXPECT_EQ(code[0].result_bytes, 4);
  EXPECT_EQ(code[1].source_bytes, 8);
  EXPECT_EQ(code[3].result_bytes, 0);
  EXPECT_EQ(code[3].a, code[0].result);
  EXPECT_EQ(code[4].a, code[3].result);
  EXPECT_EQ(code[4].result - code[4].a, 4);  // predicates are packed
}

TEST(decode_operand, only_registers_that_are_used_take_room) {
  const auto module = decode_kernel("add.s32 %r7, %r7, 1; ret;");
  EXPECT_EQ(function_named(module, "k").register_bytes, 128u);
  EXPECT_EQ(function_named(module, "k").n_registers, 1u);
}

TEST(decode_operand, literals_are_constants_of_the_operands_type) {
  const auto module = decode_kernel(
      "add.s32 %r1, %r2, -2; add.s64 %rd1, %rd2, -2; add.f32 %f1, %f2, 0f3F800000;"
      "mul.f64 %fd1, %fd2, 0d4000000000000000; mul.f32 %f1, %f2, 0d4000000000000000;"
      "mul.f64 %fd1, %fd2, 0f3F800000; mov.b16 %rs1, 0x3C00; add.s32 %r1, %r2, 4294967294;"
      "mov.b32 %r1, 0f3F800000; mov.b128 %rq1, -1; mov.pred %p1, 1; mov.pred %p1, 0;");
  const Program& program = *module.program;
  const auto& code = program.code;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    EXPECT_EQ(constant<std::int32_t>(program, code[0].b, lane), -2);
    EXPECT_EQ(constant<std::int64_t>(program, code[1].b, lane), -2);
    EXPECT_EQ(constant<std::uint16_t>(program, code[6].a, lane), 0x3C00);
  }
  EXPECT_EQ(constant<float>(program, code[2].b), 1.0f);
  EXPECT_EQ(constant<double>(program, code[3].b), 2.0);
  EXPECT_EQ(constant<float>(program, code[4].b), 2.0f);
  EXPECT_EQ(constant<double>(program, code[5].b), 1.0);
  EXPECT_EQ(code[7].b, code[0].b);  // the same 32 bits
  EXPECT_EQ(constant<float>(program, code[8].a), 1.0f);
  EXPECT_EQ(constant<std::uint64_t>(program, code[9].a, 1), ~std::uint64_t{0});
  EXPECT_EQ(constant<LaneMask>(program, code[10].a), kAllLanes);
  EXPECT_EQ(constant<LaneMask>(program, code[11].a), 0u);
}

TEST(decode_operand, constants_lie_on_boundaries_and_once) {
  const auto module = decode_kernel(
      "mov.u32 %r1, 5; mov.u32 %r2, 6; mov.u64 %rd1, 5; mov.u16 %rs1, 5; add.u32 %r1, %r1, 5;");
  const Program& program = *module.program;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(program.constants) % 64, 0u);
  std::set<Slot> slots;
  for (const Instruction& instruction : program.code) {
    if (instruction.operation.opcode != Opcode::kMov) continue;
    EXPECT_LT(instruction.a, 0);
    EXPECT_EQ((instruction.a & kSlotOffset) % 64, 0);
    slots.insert(instruction.a);
  }
  EXPECT_EQ(slots.size(), 4u);
  EXPECT_EQ(program.code[4].b, program.code[0].a);
  EXPECT_LE(program.constants + 128 + 128 + 256 + 64,
            program.constants_storage.data() + program.constants_storage.size());
}

TEST(decode_operand, special_registers_are_filled_or_read) {
  const auto module = decode_kernel(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.x; mov.u64 %rd1, %gridid;"
      "mov.u32 %r3, WARP_SZ; mov.u64 %rd2, %clock64; cvt.u64.u32 %rd3, %clock;");
  const Program& program = *module.program;
  const auto& code = program.code;
  const auto& filled = function_named(module, "k").filled;
  ASSERT_EQ(filled.size(), 2u);
  EXPECT_EQ(filled[0].name, SpecialRegister::kTidX);
  EXPECT_EQ(filled[0].slot, code[0].a);
  EXPECT_EQ(code[1].a, code[0].a);
  EXPECT_EQ(filled[1].slot, code[2].a);
  EXPECT_EQ(constant<std::uint32_t>(program, code[3].a), 32u);
  EXPECT_EQ(code[4].a, kNoSlot);
  EXPECT_EQ(code[4].n_list, 0);
  EXPECT_EQ(code[4].target, static_cast<std::uint32_t>(SpecialRegister::kClock64));
  // In instructions other than mov, a clock is read by a preceding one.
  EXPECT_EQ(code[5].operation.opcode, Opcode::kMov);
  EXPECT_EQ(code[5].target, static_cast<std::uint32_t>(SpecialRegister::kClock));
  EXPECT_EQ(code[6].a, code[5].result);
}

TEST(decode_operand, registers_that_say_nothing_here_are_constants) {
  const auto module = decode_kernel(
      "mov.b32 %r1, %envreg31; mov.u64 %rd1, %current_graph_exec; mov.u64 %rd2, %pm7_64;"
      "mov.u32 %r2, %ntid.w;");
  const Program& program = *module.program;
  EXPECT_EQ(constant<std::uint32_t>(program, program.code[0].a), 0u);
  EXPECT_EQ(constant<std::uint64_t>(program, program.code[1].a), 0u);
  EXPECT_EQ(constant<std::uint64_t>(program, program.code[2].a), 0u);
  EXPECT_EQ(constant<std::uint32_t>(program, program.code[3].a), 0u);
  EXPECT_TRUE(function_named(module, "k").filled.empty());
}

TEST(decode_operand, the_size_of_a_warp_is_a_number) {
  const auto module = decode_kernel(
      "mov.u64 %rd1, WARP_SZ; add.u16 %rs1, %rs1, -WARP_SZ; shl.b64 %rd2, %rd1, WARP_SZ;"
      "ld.global.u32 %r1, [%rd1+WARP_SZ];");
  const Program& program = *module.program;
  EXPECT_EQ(constant<std::uint64_t>(program, program.code[0].a), 32u);
  EXPECT_EQ(constant<std::uint16_t>(program, program.code[1].b), 0xffe0u);
  EXPECT_EQ(constant<std::uint32_t>(program, program.code[2].b), 32u);
  EXPECT_EQ(program.code[3].offset, 32);
}

TEST(decode_operand, a_cluster_is_one_block) {
  const auto module = decode_kernel(
      "mov.u32 %r1, %ctaid.z; mov.u32 %r2, %clusterid.z; mov.u32 %r3, %cluster_nctaid.y;"
      "mov.pred %p1, %is_explicit_cluster;");
  const auto& code = module.program->code;
  EXPECT_EQ(code[1].a, code[0].a);
  EXPECT_EQ(constant<std::uint32_t>(*module.program, code[2].a), 1u);
  EXPECT_EQ(constant<LaneMask>(*module.program, code[3].a), 0u);
}

TEST(decode_operand, eight_bit_registers_make_up_words) {
  const auto module = decode_kernel(
      "{ .reg .b8 byte; cvt.rzi.s8.bf16 byte, %rs2; mov.b16 %rs1, {byte, 7};"
      " st.global.v2.u8 [%rd1], {7, 8}; }");
  const Program& program = *module.program;
  EXPECT_EQ(program.code[0].result_bytes, 1);
  const Slot* parts = program.lists.data() + program.code[1].list;
  EXPECT_EQ(parts[0], program.code[0].result);
  EXPECT_EQ(constant<std::uint8_t>(program, parts[1], 31), 7);
  EXPECT_EQ(program.code[2].source_bytes, 2);
}

TEST(decode_operand, a_negated_predicate_is_negated_before) {
  const auto code = instructions_of("vote.sync.any.pred %p1, !%p2, -1; or.pred %p1, !%p2, !%p3;");
  ASSERT_EQ(code.size(), 5u);
  EXPECT_EQ(code[0].operation, (Operation{.opcode = Opcode::kNot, .type = Type::kPred}));
  EXPECT_EQ(code[1].a, code[0].result);
  EXPECT_EQ(code[1].flow, Flow::kWarpSync);
  EXPECT_EQ(code[4].a, code[2].result);
  EXPECT_EQ(code[4].b, code[3].result);
  EXPECT_NE(code[4].a, code[4].b);
  EXPECT_EQ(code[2].result, code[0].result);  // a temporary is free after its statement
}

TEST(decode_operand, guards_are_no_sources) {
  const Instruction guarded = instruction_of("@!%p1 add.s32 %r1, %r1, 1;");
  EXPECT_NE(guarded.guard, kNoSlot);
  EXPECT_TRUE(guarded.is_guard_negated);
  EXPECT_FALSE(instruction_of("@%p1 add.s32 %r1, %r1, 1;").is_guard_negated);
  EXPECT_EQ(instruction_of("add.s32 %r1, %r1, 1;").guard, kNoSlot);
}

TEST(decode_operand, addresses_are_registers_with_offsets) {
  const Instruction load = instruction_of("ld.global.f32 %f1, [%rd1+-4];");
  EXPECT_GE(load.a, 0);
  EXPECT_EQ(load.offset, -4);
  EXPECT_EQ(load.address_bytes, 8);
  EXPECT_FALSE(load.is_absolute);
  EXPECT_EQ(load.category, InstructionClass::kGlobalLoad);
  const Instruction store = instruction_of("st.shared.u16 [%r1], %rs2;");
  EXPECT_EQ(store.address_bytes, 4);
  EXPECT_EQ(store.source_bytes, 2);
  EXPECT_EQ(store.category, InstructionClass::kSharedAccess);
  const Instruction absolute = instruction_of("ld.local.u32 %r1, [4096];");
  EXPECT_TRUE(absolute.is_absolute);
  EXPECT_EQ(absolute.offset, 4096);
  EXPECT_EQ(absolute.a, kNoSlot);
}

TEST(decode_operand, registers_may_be_wider_in_loads_stores_and_conversions) {
  EXPECT_EQ(instruction_of("ld.global.u8 %r1, [%rd1];").result_bytes, 4);
  EXPECT_EQ(instruction_of("ld.global.s8 %rd2, [%rd1];").result_bytes, 8);
  EXPECT_EQ(instruction_of("st.global.u8 [%rd1], %r1;").source_bytes, 4);
  const Instruction conversion = instruction_of("cvt.u32.u8 %rd1, %rs1;");
  EXPECT_EQ(conversion.result_bytes, 8);
  EXPECT_EQ(conversion.source_bytes, 2);
  EXPECT_EQ(instruction_of("st.global.u8 [%rd1], 7;").source_bytes, 2);
}

TEST(decode_operand, vectors_are_lists) {
  const auto module = decode_kernel(
      "ld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd1]; st.global.v2.u8 [%rd1], {0, %rs1};"
      "atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, 0f00000000};");
  const Program& program = *module.program;
  const Instruction& load = program.code[0];
  ASSERT_EQ(load.n_list, 4);
  EXPECT_EQ(load.result, kNoSlot);
  EXPECT_EQ(program.lists[load.list + 1], kNoSlot);
  EXPECT_NE(program.lists[load.list], program.lists[load.list + 2]);
  const Instruction& store = program.code[1];
  ASSERT_EQ(store.n_list, 2);
  EXPECT_EQ(store.source_bytes, 2);
  EXPECT_EQ(constant<std::uint16_t>(program, program.lists[store.list], 31), 0u);
  const Instruction& atomic = program.code[2];
  ASSERT_EQ(atomic.n_list, 4);
  EXPECT_EQ(program.lists[atomic.list], program.lists[load.list]);
  EXPECT_LT(program.lists[atomic.list + 3], 0);
}

TEST(decode_operand, mov_packs_and_unpacks) {
  const auto code = instructions_of(
      "mov.b64 %rd1, {%r1, %r2}; mov.b64 {%r1, _}, %rd1; mov.b64 %rd1, {%rs1, %rs2, 0, %rs3};"
      "mov.b128 %rq1, {%rd1, %rd2}; mov.f32 %f1, %r1;");
  EXPECT_EQ(code[0].n_list, 2);
  EXPECT_EQ(code[0].a, kNoSlot);
  EXPECT_NE(code[0].result, kNoSlot);
  EXPECT_EQ(code[1].n_list, 2);
  EXPECT_EQ(code[1].result, kNoSlot);
  EXPECT_EQ(code[1].a, code[0].result);
  EXPECT_EQ(code[2].n_list, 4);
  EXPECT_EQ(code[3].n_list, 2);
  EXPECT_EQ(code[4].n_list, 0);
}

TEST(decode_operand, warp_operations_have_their_places) {
  const auto code = instructions_of(
      "shfl.sync.down.b32 %r1|%p1, %r2, %r3, 31, %r4; shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1;"
      "match.all.sync.b64 %r1|%p1, %rd1, %r4; redux.sync.add.s32 %r1, %r2, %r4;"
      "bar.warp.sync %r4; vote.sync.ballot.b32 %r1, %p1, %r4;");
  const Slot mask = code[0].d;
  EXPECT_NE(mask, kNoSlot);
  EXPECT_NE(code[0].second_result, kNoSlot);
  EXPECT_EQ(code[1].second_result, kNoSlot);
  EXPECT_LT(code[1].d, 0);
  EXPECT_EQ(code[2].b, mask);
  EXPECT_EQ(code[2].second_result, code[0].second_result);
  EXPECT_EQ(code[3].b, mask);
  EXPECT_EQ(code[4].a, mask);
  EXPECT_EQ(code[5].b, mask);
  for (const Instruction& instruction : code) EXPECT_EQ(instruction.flow, Flow::kWarpSync);
}

TEST(decode_operand, barriers_have_their_places) {
  const auto code = instructions_of(
      "bar.sync 0; bar.sync 1, 64; bar.red.popc.u32 %r1, 0, %p1; barrier.cta.arrive 2, 128;"
      "bar.red.or.pred %p2, 1, %r3, !%p1;");
  EXPECT_EQ(code[0].b, kNoSlot);
  EXPECT_NE(code[1].b, kNoSlot);
  EXPECT_EQ(code[2].b, kNoSlot);
  EXPECT_NE(code[2].c, kNoSlot);
  EXPECT_EQ(code[2].operation.mode, Mode::kPopulation);
  EXPECT_EQ(code[3].operation.mode, Mode::kArrive);
  EXPECT_EQ(code[5].c, code[4].result);
  for (const std::size_t index : {0, 1, 2, 3, 5}) EXPECT_EQ(code[index].flow, Flow::kBarrier);
}

TEST(decode_operand, carries_go_through_one_flag) {
  const auto code = instructions_of(
      "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r1, %r2, %r3; addc.u32 %r1, %r2, %r3;"
      "madc.hi.u32 %r1, %r2, %r3, %r4;");
  const Slot flag = code[0].second_result;
  EXPECT_NE(flag, kNoSlot);
  EXPECT_EQ(code[1].second_result, flag);
  EXPECT_EQ(code[1].d, flag);
  EXPECT_EQ(code[2].second_result, kNoSlot);
  EXPECT_EQ(code[2].d, flag);
  EXPECT_EQ(code[3].d, flag);
  EXPECT_NE(code[3].c, kNoSlot);
}

TEST(decode_operand, asynchronous_copies_add_their_second_offset_before) {
  const auto code = instructions_of("cp.async.ca.shared.global [%r1+8], [%rd1+16], 4;");
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].operation, (Operation{.opcode = Opcode::kAdd, .type = Type::kS64}));
  EXPECT_EQ(code[1].b, code[0].result);
  EXPECT_EQ(code[1].offset, 8);
  EXPECT_EQ(code[1].address_bytes, 4);
  EXPECT_EQ(instruction_of("cp.async.ca.shared.global [%r1], [%rd1], 4;").d, kNoSlot);
  EXPECT_GE(instruction_of("cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;").d, 0);
}

TEST(decode_operand, categories_are_by_type_and_space) {
  using enum InstructionClass;
  const std::vector<std::pair<std::string, InstructionClass>> rows = {
      {"add.s32 %r1, %r1, 1;", kInteger},
      {"add.f32 %f1, %f1, %f1;", kFloat32},
      {"fma.rn.f64 %fd1, %fd1, %fd1, %fd1;", kFloat64},
      {"add.f16 %rs1, %rs1, %rs1;", kHalf},
      {"setp.lt.f32 %p1, %f1, %f2;", kFloat32},
      {"set.eq.u32.f16x2 %r1, %r2, %r3;", kHalf},
      {"ex2.approx.f32 %f1, %f1;", kSpecialFunction},
      {"rcp.approx.f32 %f1, %f1;", kSpecialFunction},
      {"rcp.rn.f32 %f1, %f1;", kFloat32},
      {"cvt.rn.f32.s32 %f1, %r1;", kConversion},
      {"mov.u32 %r1, %r2;", kMove},
      {"bra.uni L; L:", kControl},
      {"st.global.f32 [%rd1], %f1;", kGlobalStore},
      {"ld.f32 %f1, [%rd1];", kGlobalLoad},
      {"ld.local.f32 %f1, [%rd1];", kLocalAccess},
      {"ld.param.u64 %rd1, [p];", kMove},
      {"ld.const.u32 %r1, [%rd1];", kMove},
      {"atom.shared.add.u32 %r1, [%rd1], 1;", kAtomic},
      {"activemask.b32 %r1;", kWarpOperation},
      {"bar.sync 0;", kBarrier},
  };
  for (const auto& [text, category] : rows)
    EXPECT_EQ(decode_kernel(text).program->code.front().category, category) << text;
}

struct Mistake {
  const char* instruction;
  const char* message;  // follows the instruction as written
};

TEST(decode_operand, mistakes_are_told) {
  for (
      const Mistake& mistake : std::initializer_list<Mistake>{
          {"add.s32 %r1, %rd2, %r3", "'%rd2' is a register of 64 bits; expected 32 bits"},
          {"add.s32 %r1, %r2, %p1", "'%p1' is a predicate; expected 32 bits"},
          {"add.s32 %p1, %r2, %r3", "'%p1' is a predicate; expected 32 bits"},
          {"add.s32 %r1, %r2", "found 2 operands; expected 3 operands"},
          {"bar.sync 0, 32, 64", "found 3 operands; expected 1 or 2 operands"},
          {"mbarrier.arrive.shared::cluster.b64 %rd1, [%rd2]",
           "'%rd1' is a register of 64 bits; expected '_', as an mbarrier of the cluster tells no "
           "state"},
          {"mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cluster.b64 %rd1, [%rd2], 8",
           "'%rd1' is a register of 64 bits; expected '_', as an mbarrier of the cluster tells no "
           "state"},
          {"ret 1", "found 1 operand; expected 0 operands"},
          {"add.s32 5, %r2, %r3", "'5' is an integer; expected a register of 32 bits"},
          {"selp.b32 %r1, %r2, %r3, %r4", "'%r4' is a register of 32 bits; expected a predicate"},
          {"mov.u32 %r1, 0d3FF0000000000000",
           "'0d3FF0000000000000' is a 64-bit float; expected a register or an integer of 32 bits"},
          {"add.s32 %r1, %r2, [%rd1]", "'[%rd1]' is an address; expected 32 bits"},
          {"add.s32 %r1, %r2, _", "'_' is no value; expected 32 bits"},
          {"add.s32 %r1, !%r2, %r3",
           "'!%r2' is a register of 32 bits; expected a predicate after '!'"},
          {"ld.global.u32 %r1, %rd1",
           "'%rd1' is a register of 64 bits; expected an address in '[ ]'"},
          {"ld.global.u32 %r1, [%r2]", "'%r2' is a register of 32 bits; expected 64 bits"},
          {"ld.global.u64 %r1, [%rd2]", "'%r1' is a register of 32 bits; expected 64 bits or more"},
          {"ld.global.v2.f32 %f1, [%rd2]",
           "'%f1' is a register of 32 bits; expected a vector of 2"},
          {"ld.global.v4.f32 {%f1, %f2}, [%rd2]",
           "'{%f1, %f2}' is a vector; expected a vector of 4"},
          {"ld.global.f32 {%f1, %f2}, [%rd2]",
           "'{%f1, %f2}' is a vector; expected a register of 32 bits or more"},
          {"mov.b64 {%r1, %r2, %r3}, %rd1",
           "'{%r1, %r2, %r3}' is a vector; expected a vector of 2 or 4 that together have the "
           "bits of the type"},
          {"mov.b64 %rd1, {%rs1, %rs2}", "'%rs1' is a register of 16 bits; expected 32 bits"},
          {"mov.u32 %r1, %nothing", "there is no special register '%nothing'"},
          {"mov.u64 %rd1, %tid.x", "'%tid.x' is a special register; expected 64 bits"},
          {"shfl.sync.idx.b32 %r1|%r2, %r3, 0, 31, -1",
           "'%r2' is a register of 32 bits; expected a predicate"},
          {"bra %r1", "'%r1' is a register of 32 bits; expected a label"},
          {"lop3.b32 %r1, %r2, %r3, %r4, %r5",
           "'%r5' is a register of 32 bits; expected an integer"},
          {"st.param.u32 [n], %r1", "'n' is in .param, which can't be written"},
          {"ld.global.u32 %r1, [n]", "'n' is in .param; expected a variable in .global"},
          {"call (n), k, (n)", "'k' can't be called; expected a function"},
          {"ld.global.u32 %r1, [n[1]]",
           "'n[1]' is a symbol; expected a variable without an index in '[ ]'"},
          {"ld.global.u32 %r1, n[%rd1]", "'n' is in .param; expected a variable in .global"},
          {"ld.param.u32 %r1, n[%rd1]", "'%rd1' is a register of 64 bits; expected 32 bits"},
          {"mov.u64 %rd1, n[%r1]",
           "'%r1' is a register of 32 bits; expected a constant index outside of loads and stores"},
          {"add.u32 %r1, %r2, %tid.x",
           "'%tid.x' is a special register; expected a register; mov can copy it to one"},
          {"cvt.rn.f32.u32 %f1, %tid.x",
           "'%tid.x' is a special register; expected a register; mov can copy it to one"},
          {"add.u64 %rd1, %rd2, n",
           "'n' is a symbol; expected a register; mov can write an address to one"},
          {"cvta.global.u64 %rd1, n", "'n' is in .param; expected a variable in .global"},
          {"ld.u32 %r1, [n]", "'n' is in .param; expected a variable in generic memory"},
          {"ld.global.u32 %r1, [64]",
           "'64' is an integer; expected a register or a variable; numbers are addresses of "
           ".local only"},
          {"add.f32 %f1, %f2, 1",
           "'1' is an integer; expected a register or a float, such as 0f3F800000, of 32 bits"},
          {"min.s16x2 %r1, %r2, 1", "'1' is an integer; expected a register of 32 bits"},
          {"shl.b32 %r1, %r2, 0f3F800000",
           "'0f3F800000' is a 32-bit float; expected a register or an integer of 32 bits"},
          {"bar.sync 16, 32", "'16' is an integer; expected a barrier: 0 to 15"},
          {"bar.sync 1, 33", "'33' is an integer; expected a number of threads: a multiple of 32"},
          {"bfe.u32 %r1, %r2, 256, 1", "'256' is an integer; expected 0 to 255"},
          {"discard.global.L2 [%rd1], 64", "'64' is an integer; expected 128"},
          {"cp.async.ca.shared.global [%r1], [%rd1], 12",
           "'12' is an integer; expected 4, 8 or 16 bytes"},
          {"mbarrier.init.shared.b64 [%r1], 0",
           "'0' is an integer; expected a number of arrivals: 1 to 1048575"},
          {"mov.u64 %rd1, k+8", "'k' is a function; expected no offset after it"},
          {"mov.v2.b32 {%r1, %r2}, %r3", "'%r3' is a register of 32 bits; expected a vector of 2"},
          {"mov.v2.b32 {%r1, %r2, %r3}, {%r1, %r2}",
           "'{%r1, %r2, %r3}' is a vector; expected a vector of 2"},
          {"brx.idx %r1, n", "'n' is a symbol; expected the label of a .branchtargets"},
          {"brx.idx %rd1, n", "'%rd1' is a register of 64 bits; expected 32 bits"},
          {"alloca.u64 %rd1, 8, 3",
           "'3' is an integer; expected an alignment: a power of two up to 8388608"},
          {"alloca.u64 %rd1, %r1", "'%r1' is a register of 32 bits; expected 64 bits"},
          {"stackrestore.u64 8, 1", "found 2 operands; expected 1 operand"},
          {"vadd.u32.u32.u32 %r1, %r2.b4, %r3",
           "'%r2.b4' is a register of 32 bits; expected a register, or one of its parts .b0 .b1 "
           ".b2 .b3 .h0 .h1"},
          {"vadd.u32.u32.u32 %r1, -%r2, %r3",
           "'-%r2' is a register of 32 bits; expected an operand without a minus"},
          {"vadd.u32.u32.u32 %r1.b0, %r2, %r3",
           "found 3 operands; expected a fourth, which the result is combined with"},
          {"vadd.u32.u32.u32.add %r1, %r2, %r3",
           "found 3 operands; expected a fourth, which the result is combined with"},
          {"vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r4",
           "'%r1.b0' is a register of 32 bits; expected a whole register beside .add, .min or "
           ".max"},
          {"vadd.u32.u32.u32 %r1, %r2, %r3, %r4.h0",
           "'%r4.h0' is a register of 32 bits; expected a whole register"},
          {"vmad.s32.s32.s32 %r1.b0, %r2, %r3, %r4",
           "'%r1.b0' is a register of 32 bits; expected a whole register"},
          {"vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4",
           "expected only one of .po, a minus of the product and one of its addend"},
          {"vmad.s32.s32.s32.po %r1, -%r2, %r3, %r4",
           "expected only one of .po, a minus of the product and one of its addend"},
          {"vadd4.u32.u32.u32 %r1.b02, %r2, %r3, %r4",
           "'%r1.b02' is a register of 32 bits; expected a register, or bytes of it in falling "
           "order, as .b20"},
          {"vadd2.u32.u32.u32 %r1, %r2.h40, %r3, %r4",
           "'%r2.h40' is a register of 32 bits; expected a register, or 2 half-words of both "
           "sources, as .h20"},
          {"vadd2.u32.u32.u32 %r1, %r2, 5, %r4", "'5' is an integer; expected a register"},
          {"vote.sync.ballot.b32 %r1.b0, %p1, -1",
           "'%r1.b0' is a register of 32 bits; expected a whole register"},
          {"call %rd1, ()",
           "a call by a register has no prototype; expected a .callprototype or .calltargets"},
      }) {
    const std::string instruction = mistake.instruction;
    EXPECT_EQ(error_of_kernel(instruction + ";"),
              "line 4: '" + instruction + "': " + mistake.message);
  }
}

TEST(decode_operand, an_unknown_instruction_is_named) {
  EXPECT_EQ(error_of_kernel("\n\ncvt.rs.f16x2.f32 %r1, %f1, %f2, %r1;"),
            "line 6: unknown instruction 'cvt.rs.f16x2.f32': '.rs' is no modifier of 'cvt'");
  const std::vector<Module> modules = {parse_ptx(kernel_text("add.s32 %r1, %r2, %r3;"))};
  const Decoding decoding{[](const Instruction&) -> Handler { return nullptr; }, nullptr};
  try {
    decode(modules, decoding);
    FAIL();
  } catch (const PtxError& error) {
    EXPECT_STREQ(error.what(), "line 4: unknown instruction 'add.s32'");
  }
}

TEST(decode_operand, the_modifier_that_makes_an_instruction_unknown_is_named) {
  for (const Mistake& mistake : std::vector<Mistake>{
           {"ld.global.u32.relaxed %r1, [%rd1]",
            "'.relaxed' is not expected after '.u32'; expected the end"},
           {"ld.global.u32.u32 %r1, [%rd1]",
            "'.u32' is not expected after '.u32'; expected the end"},
           {"add.rn.s32 %r1, %r2, %r3", "'.s32' is not expected after '.rn'"},
           {"add.fast.f32 %f1, %f2, %f3", "'.fast' is no modifier of 'add'"},
           {"mul.wide %rd1, %r2, %r3", "it ends after '.wide'; expected .u16, .s16, .u32 or .s32"},
           {"clz.s32 %r1, %r2", "'.s32' is no modifier of 'clz'"},
           {"clz %r1, %r2", "it ends after 'clz'; expected .b32 or .b64"},
           {"exit.uni", "'.uni' is no modifier of 'exit'"},
       }) {
    const std::string instruction = mistake.instruction;
    const std::string mnemonic = instruction.substr(0, instruction.find(' '));
    EXPECT_EQ(error_of_kernel(instruction + ";"),
              "line 4: unknown instruction '" + mnemonic + "': " + mistake.message);
  }
}

TEST(decode_operand, an_instruction_of_newer_architectures_is_refused) {
  const auto error_for = [](const std::string& header, const std::string& body) {
    return error_of({header + "\n.address_size 64\n.entry k() { .reg .b32 %r<4>;\n" + body + " }"});
  };
  const std::string redux = "redux.sync.add.s32 %r1, %r2, %r3;";
  EXPECT_EQ(error_for(".version 8.0\n.target sm_80", redux), "");
  EXPECT_EQ(error_for(".version 8.0\n.target sm_75", redux),
            "line 5: 'redux.sync.add.s32 %r1, %r2, %r3': needs sm_80 or newer; the module's target "
            "is sm_75");
}

TEST(decode_operand, a_guard_is_a_predicate) {
  EXPECT_EQ(error_of_kernel("@%r1 ret;"),
            "line 4: '@%r1 ret': '%r1' is a register of 32 bits; expected a predicate");
}

}  // namespace
}  // namespace numpy_plugin::sim
