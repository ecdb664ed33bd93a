// Reasons for instructions that PTX has and the simulator doesn't.
#include "simulator/program/grammar.hpp"

#include <gtest/gtest.h>

#include <string>

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(unsimulated, each_row_is_no_instruction_of_the_table) {
  int n_rows = 0;
  const auto check = [&](const std::string& opcode, const std::string& words) {
    std::string mnemonic = opcode;
    if (!words.empty()) mnemonic += "." + words;
    for (std::size_t at; (at = mnemonic.find(' ')) != std::string::npos;) mnemonic[at] = '.';
    EXPECT_FALSE(decode_mnemonic(mnemonic).has_value()) << mnemonic;
    const auto reason = why_unsimulated(mnemonic);
    ASSERT_TRUE(reason.has_value()) << mnemonic;
    EXPECT_NE(reason->find(" are not simulated"), std::string::npos) << *reason;
    ++n_rows;
  };
#define NPP_PTX_UNSIMULATED(opcode, words, what, architecture, instead) check(opcode, words);
#include "simulator/program/unsimulated.def"
  EXPECT_GT(n_rows, 15);
}

TEST(unsimulated, the_reason_is_a_sentence) {
  EXPECT_EQ(why_unsimulated("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"),
            "warpgroup matrix instructions (sm_90a) are not simulated; mma.sync is");
  EXPECT_EQ(why_unsimulated("tex.2d.v4.f32.s32"), "textures are not simulated");
  EXPECT_EQ(
      why_unsimulated("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16"),
      "matrix instructions with a sparse operand (sm_80) are not simulated; those without .sp "
      "are");
  EXPECT_EQ(why_unsimulated("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32"),
            "matrix instructions with a .kind (sm_120a) are not simulated; those without one are");
  EXPECT_EQ(why_unsimulated("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64"),
            "loads of elements of 4 and 6 bits (sm_100a) are not simulated; .b8 and .b16 are");
  EXPECT_EQ(why_unsimulated("cp.async.bulk.tensor.2d.shared::cluster.global.tile"),
            "copies of tensors (sm_90) are not simulated; cp.async is");
  EXPECT_EQ(why_unsimulated("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                            "multicast::cluster"),
            "copies to several blocks of a cluster (sm_90) are not simulated; those without "
            ".multicast are");
  EXPECT_EQ(why_unsimulated("cp.async.bulk.global.shared::cta.bulk_group.cp_mask"),
            "copies of the bytes that a mask selects (sm_100) are not simulated; those without "
            ".cp_mask are");
  EXPECT_EQ(why_unsimulated("st.bulk.weak.shared::cta"),
            "fills of shared memory (sm_100) are not simulated; st is");
  EXPECT_EQ(why_unsimulated("shfl.down.b32"),
            "shuffles without .sync, which sm_70 and newer GPUs lack, are not simulated; shfl.sync "
            "is");
}

TEST(unsimulated, other_instructions_have_no_reason) {
  for (const char* mnemonic :
       {"slct.f32.s32", "mma", "mma.sync.aligned.m8n8k4.row.col.f64", "text", "cp.async.ca",
        "ldmatrix.sync", "shfl.sync.down.f32", "vote.sync.some.pred", "st.global", ""}) {
    EXPECT_FALSE(why_unsimulated(mnemonic).has_value()) << mnemonic;
  }
}

}  // namespace
}  // namespace numpy_plugin::sim
