// Shared memory that belongs to the driver, at the beginning of the blocks of kernels that ask for
// it.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class ReservedSharedTest : public ExecuteTest {
 protected:
  // The words that a kernel stores, which has %r1 to %r8 and, in %rd1, where to store.
  std::vector<std::uint32_t> words_of(const std::string& functions, const std::string& body) {
    load(functions + R"(.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<2>; .shared .align 16 .b8 own[32];
  ld.param.u64 %rd1, [out];
)" + body +
         "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};"
         "st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, %r8}; ret; }");
    const auto out = buffer(std::vector<std::uint32_t>(8));
    run({1, 1, 1}, {1, 1, 1}, out);
    return read<std::uint32_t>(out, 8);
  }
};

TEST_F(ReservedSharedTest, StaticAndDynamicVariablesBeginAfterIt) {
  launch_.dynamic_shared_bytes = 64;
  const auto words = words_of(".extern .shared .align 4 .b8 dynamic[];", R"(
  mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_end;
  mov.u32 %r3, %reserved_smem_offset_cap; mov.u32 %r4, %reserved_smem_offset_1;
  mov.u32 %r5, own; mov.u32 %r6, dynamic;
  mov.u32 %r7, %total_smem_size; mov.u32 %r8, %aggr_smem_size;
)");
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0, 1024, 1024, 512, 1024, 1056, 96, 1120}));
  EXPECT_EQ(launch_.entry->shared_bytes, 32u);
  EXPECT_EQ(launch_.entry->reserved_shared_bytes, 1024u);
}

TEST_F(ReservedSharedTest, KernelsThatDoNotAskHaveNone) {
  const auto words = words_of("", R"(
  mov.u32 %r1, own; mov.u32 %r2, %total_smem_size; mov.u32 %r3, 0; mov.u32 %r4, 0;
  mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0;
)");
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0, 32, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(launch_.entry->reserved_shared_bytes, 0u);
}

TEST_F(ReservedSharedTest, BeginsAsZeros) {
  launch_.checks.uninitialized = true;
  const auto words = words_of("", R"(
  mov.u32 %r1, %reserved_smem_offset_1; ld.shared.v2.u32 {%r2, %r3}, [%r1+280];
  ld.shared.u32 %r4, [%r1]; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0;
)");
  EXPECT_EQ(words, (std::vector<std::uint32_t>{512, 0, 0, 0, 0, 0, 0, 0}));
}

// Lanes of a warp that write and read without a barrier: a race in the kernel's own memory only.
TEST_F(ReservedSharedTest, RacesOnItAreTheLibrarys) {
  launch_.checks.races = true;
  const auto fault_at = [&](const std::string& address) {
    load(
        ".visible .entry k() { .reg .b32 %r<4>; .shared .align 4 .b32 own;"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, " +
        address + "; st.shared.u32 [%r2], %r1; ld.volatile.shared.u32 %r3, [%r2]; ret; }");
    return fault({1, 1, 1}, {64, 1, 1});
  };
  EXPECT_EQ(fault_at("%reserved_smem_offset_1"), "no fault");
  EXPECT_NE(fault_at("own").find("a race on offset 0"), std::string::npos);
}

// The function that asks is called; its memory and the variables are apart.
TEST_F(ReservedSharedTest, CalleesMayUseIt) {
  launch_.checks.uninitialized = true;
  const auto words = words_of(R"(.func f(.reg .u32 value) {
  .reg .b32 %r<2>; mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [%r1+284], value; ret;
})",
                              R"(
  mov.u32 %r1, 1; st.shared.u32 [own], %r1; call f, (77);
  ld.shared.u32 %r2, [own]; mov.u32 %r3, 796; ld.shared.u32 %r3, [%r3];
  mov.u32 %r4, 0; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0;
)");
  EXPECT_EQ(words, (std::vector<std::uint32_t>{1, 1, 77, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace numpy_plugin::sim
