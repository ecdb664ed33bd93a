// Operands of matrix instructions, and refusals of those that are not simulated.
#include "simulator/program/matrix.hpp"
#include "simulator/decode/text.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(decode_matrix, registers_of_the_fragments_are_listed_in_order) {
  const DecodedModule module = decode_kernel(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, "
      "{%f0, %f1, %f2, 0f00000000}; ret;");
  const Program& program = *module.program;
  const Instruction& product = program.code.front();
  ASSERT_EQ(product.n_list, 4 + 2 + 1 + 4);
  const Slot* slots = program.lists.data() + product.list;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(slots[i], slots[7 + i]);
  EXPECT_NE(slots[4], slots[5]);
  EXPECT_EQ(constant<std::uint32_t>(program, slots[10], 31), 0u);
  EXPECT_EQ(product.flow, Flow::kWarpSync);
  EXPECT_EQ(product.operation.shape, (MatrixShape{16, 8, 8}));
  EXPECT_EQ(product.operation.fourth, Type::kF32);
}

TEST(decode_matrix, loads_have_an_address_and_a_stride) {
  const Instruction load =
      instruction_of("wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%fd0}, [%rd1+8], %r2;");
  EXPECT_EQ(load.operation.mode, Mode::kLoadB);
  EXPECT_TRUE(load.operation.by_columns);
  EXPECT_EQ(load.n_list, 1);
  EXPECT_EQ(load.offset, 8);
  EXPECT_NE(load.b, kNoSlot);
  const Instruction store =
      instruction_of("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd1], {%fd0, %fd1}, 12;");
  EXPECT_FALSE(store.operation.by_columns);
  EXPECT_EQ(store.n_list, 2);
  EXPECT_NE(store.a, kNoSlot);
  EXPECT_NE(store.c, kNoSlot);
  const Instruction dense =
      instruction_of("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd1], {%fd0, %fd1};");
  EXPECT_EQ(dense.c, kNoSlot);
}

// ptxas takes modifiers in any order; layouts and types keep theirs.
TEST(decode_matrix, modifiers_have_any_order) {
  for (const auto& [text, same] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16",
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"},
           {"stmatrix.b16.sync.aligned.trans.x1.m8n8.shared",
            "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16"},
           {"mma.row.sync.aligned.m8n8k4.f32.row.f16.f16.f32",
            "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32"},
           {"mma.sync.aligned.col.row.m8n8k4.f16.f16.f16.f16",
            "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16"},
           {"wmma.load.a.m16n16k16.shared.s8.sync.aligned.col",
            "wmma.load.a.sync.aligned.col.m16n16k16.shared.s8"}}) {
    const auto found = decode_mnemonic(text);
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(found, decode_mnemonic(same)) << text;
  }
  EXPECT_FALSE(decode_mnemonic("wmma.sync.load.a.aligned.row.m16n16k16.shared.s8").has_value());
}

TEST(decode_matrix, quad_pairs_have_a_layout_for_each_factor) {
  const auto both = decode_mnemonic("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16");
  ASSERT_TRUE(both.has_value());
  EXPECT_TRUE(both->by_columns);
  EXPECT_TRUE(both->b_by_rows);
  EXPECT_EQ(fragment_of(*both, 0).n_registers, 8u);
  EXPECT_EQ(fragment_of(*both, 1).n_registers, 2u);
  EXPECT_EQ(fragment_of(*both, 3).n_registers, 4u);
  EXPECT_FALSE(decode_mnemonic("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32").has_value());
}

TEST(decode_matrix, instructions_of_newer_architectures_are_refused) {
  for (const auto& [mnemonic, need] : std::initializer_list<std::pair<const char*, const char*>>{
           {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "sm_80"},
           {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "sm_80"},
           {"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", "sm_89"},
           {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "sm_90"},
           {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", "sm_80"},
           {"wmma.load.a.sync.aligned.row.m16n16k16.bf16", "sm_80"},
           {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", "sm_80"},
           {"stmatrix.sync.aligned.m8n8.x1.b16", "sm_90"},
           {"stmatrix.sync.aligned.m16n8.x1.trans.b8", "sm_100f"}}) {
    const std::string text =
        ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n" +
        std::string(mnemonic) + "; ret; }\n";
    const std::string error = error_of({text});
    EXPECT_TRUE(error.starts_with("line 5: '" + std::string(mnemonic) + "': needs " + need))
        << error;
  }
}

struct MatrixMistake {
  const char* instruction;
  const char* message;
};

TEST(decode_matrix, mistakes_are_named) {
  for (const MatrixMistake& mistake : std::initializer_list<MatrixMistake>{
           {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2, %r3}, {%r4}, {%r5, "
            "%r6}",
            "'{%r2, %r3}' is a vector; expected a vector of 1"},
           {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, %r2, {%r4}, {%r5, %r6}",
            "'%r2' is a register of 32 bits; expected a vector of 1"},
           {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0, %r1}, {%fd2}, {%fd3}, {%fd0, "
            "%fd1}",
            "'%r1' is a register of 32 bits; expected 64 bits"},
           {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2}, {%r4}",
            "found 3 operands; expected 4 operands"},
           {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%rd1]",
            "'{%r0}' is a vector; expected a vector of 2"},
           {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd1], {%rs0}",
            "'%rs0' is a register of 16 bits; expected 32 bits"},
           {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %rd1",
            "'%rd1' is a register of 64 bits; expected 32 bits"},
           {"ld.global.u32 %r1, [%rd1, {%r2, %r3}]",
            "'[%rd1, {%r2, %r3}]' is an address of several parts; expected one"},
       }) {
    const std::string instruction = mistake.instruction;
    EXPECT_EQ(error_of_kernel(instruction + ";"),
              "line 4: '" + instruction + "': " + mistake.message);
  }
}

TEST(decode_matrix, forms_that_ptx_lacks_are_unknown) {
  for (const char* mnemonic :
       {"mma.sync.m16n8k8.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s4.s32",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32",
        "wmma.load.b.sync.aligned.row.m8n8k32.s4", "ldmatrix.sync.aligned.m8n8.x3.shared.b16",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16",
        "ldmatrix.sync.aligned.m8n8.x1.shared::cluster.b16", "ldmatrix.sync.aligned.m16n16.x1.b8",
        "stmatrix.sync.aligned.m16n8.x1.b8", "stmatrix.sync.aligned.m8n8.x1.shared::cluster.b16",
        "movmatrix.sync.aligned.m8n8.b16"}) {
    const std::string error = error_of_kernel(std::string(mnemonic) + " {%r0}, [%rd1];");
    EXPECT_TRUE(error.starts_with("line 4: unknown instruction '" + std::string(mnemonic) + "': "))
        << error;
  }
}

// The refusal comes before any complaint about operands.
TEST(decode_matrix, instructions_that_are_not_simulated_are_named) {
  EXPECT_EQ(error_of_kernel("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1}];"),
            "line 4: 'tex.2d.v4.f32.f32': textures are not simulated");
  EXPECT_EQ(
      error_of_kernel("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx"
                      "::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];"),
      "line 4: 'cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes': "
      "copies of tensors (sm_90) are not simulated; cp.async is");
  EXPECT_EQ(error_of_kernel("wgmma.wait_group.sync.aligned 0;"),
            "line 4: 'wgmma.wait_group.sync.aligned': warpgroup matrix instructions (sm_90a) are "
            "not simulated; mma.sync is");
}

TEST(decode_matrix, elements_are_no_types_of_registers) {
  EXPECT_EQ(error_of_kernel(".reg .s4 %x;"),
            "line 4: found '.s4'; expected a type such as '.b32' or '.f64'");
}

}  // namespace
}  // namespace numpy_plugin::sim
