// Accesses with hints to caches, which change nothing, of 16 bytes, and of clusters of one block.
#include <gtest/gtest.h>

#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

class memory_hints : public MemoryTest {
 protected:
  // The first of 8 words after the instructions, of words that count from 100; %rd0 is the address
  // of the result, %rd1 that of the words.
  std::uint32_t result(const std::string& instructions) {
    load(R"(.entry k(.param .u64 p, .param .u64 q) { .shared .align 16 .b8 s[64];
      .reg .b64 %rd<8>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b128 %q<4>; .reg .pred %p<2>;
      ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; mov.u64 %rd2, 7; mov.u32 %r0, 7; )" +
         instructions + "; ret; }");
    const auto out = buffer(std::vector<std::uint32_t>(8));
    std::vector<std::uint32_t> words = counting<std::uint32_t>(64);
    for (std::uint32_t& word : words) word += 100;
    run({1, 1, 1}, {1, 1, 1}, out, buffer(words));
    return read<std::uint32_t>(out, 8)[0];
  }

  std::string error(const std::string& instruction) {
    try {
      result(instruction);
    } catch (const PtxError& found) {
      return found.what();
    }
    return "no error";
  }
};

TEST_P(memory_hints, loads) {
  for (const char* load :
       {"ld.global.L1::no_allocate.b32 %r0, [%rd1]", "ld.L1::evict_last.b32 %r0, [%rd1]",
        "ld.global.L1::evict_first.L2::cache_hint.L2::256B.b32 %r0, [%rd1], %rd2",
        "ld.global.nc.L1::no_allocate.L2::128B.b32 %r0, [%rd1]", "ld.global.cg.nc.b32 %r0, [%rd1]",
        "ld.relaxed.gpu.global.L1::no_allocate.b32 %r0, [%rd1]",
        "ld.acquire.sys.L2::cache_hint.b32 %r0, [%rd1], %rd2",
        "ld.global.ca.L2::64B.b32 %r0, [%rd1]", "ld.volatile.global.L2::64B.b32 %r0, [%rd1]",
        "ldu.global.b32 %r0, [%rd1]", "ld.mmio.relaxed.sys.global.b32 %r0, [%rd1]",
        "ld.global.b32 %r0, [%rd1].unified"}) {
    EXPECT_EQ(result(std::string(load) + "; st.global.b32 [%rd0], %r0"), 100u) << load;
  }
}

TEST_P(memory_hints, stores) {
  for (const char* store :
       {"st.global.L1::no_allocate.b32 [%rd0], %r0", "st.L1::evict_last.b32 [%rd0], %r0",
        "st.global.L1::evict_first.L2::cache_hint.b32 [%rd0], %r0, %rd2",
        "st.global.wt.L2::cache_hint.v2.b32 [%rd0], {%r0, %r0}, %rd2",
        "st.release.gpu.global.L1::no_allocate.b32 [%rd0], %r0",
        "st.mmio.relaxed.sys.global.b32 [%rd0], %r0",
        "atom.global.exch.L2::cache_hint.b32 %r1, [%rd0], %r0, %rd2",
        "red.global.add.L2::cache_hint.u32 [%rd0], %r0, %rd2",
        "st.async.release.gpu.global.b32 [%rd0], %r0", "st.async.mmio.release.sys.b32 [%rd0], %r0",
        "red.async.release.gpu.global.add.u32 [%rd0], %r0"}) {
    EXPECT_EQ(result(store), 7u) << store;
  }
}

TEST_P(memory_hints, policies_and_prefetches_do_nothing) {
  EXPECT_EQ(result(R"(createpolicy.fractional.L2::evict_last.b64 %rd2, 0.5;
    createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %rd2;
    createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd2, [%rd1], 16, 32;
    createpolicy.cvt.L2.b64 %rd2, %rd2;
    applypriority.global.L2::evict_normal [%rd1], 128; discard.global.L2 [%rd1+128], 128;
    prefetch.global.L2::evict_last [%rd1]; prefetch.L1 [%rd1]; prefetchu.L1 [%rd1];
    ld.global.L2::cache_hint.b32 %r0, [%rd1], %rd2; st.global.b32 [%rd0], %r0)"),
            100u);
}

TEST_P(memory_hints, a_policy_is_an_operand_where_the_mnemonic_says_so) {
  EXPECT_EQ(error("ld.global.L2::cache_hint.b32 %r0, [%rd1]"),
            "line 3: 'ld.global.L2::cache_hint.b32 %r0, [%rd1]': found 2 operands; expected 3 "
            "operands");
  EXPECT_EQ(error("ld.global.b32 %r0, [%rd1], %rd2"),
            "line 3: 'ld.global.b32 %r0, [%rd1], %rd2': found 3 operands; expected 2 operands");
  EXPECT_NE(error("red.global.add.L2::cache_hint.u32 [%rd0], %r0, %r0")
                .find("'%r0' is a register of 32 bits; expected 64 bits"),
            std::string::npos);
  EXPECT_NE(error("st.global.L2::128B.b32 [%rd0], %r0").find("unknown instruction"),
            std::string::npos);
}

TEST_P(memory_hints, sixteen_bytes) {
  for (const auto& [from_global, to_shared, from_shared, to_global] :
       {std::array{"ld.global.b128", "st.shared.b128", "ld.shared.b128", "st.global.b128"},
        std::array{"ld.relaxed.gpu.global.b128", "st.volatile.shared.b128",
                   "ld.acquire.cta.shared.b128", "st.release.gpu.b128"}}) {
    EXPECT_EQ(result(from_global + std::string(" %q0, [%rd1+16]; ") + to_shared + " [s+16], %q0; " +
                     from_shared + " %q1, [s+16]; " + to_global + " [%rd0], %q1"),
              104u)
        << from_global;
  }
}

TEST_P(memory_hints, copies_that_ignore_their_source) {
  for (const auto& [predicate, expected] : {std::pair{"7", 100u}, std::pair{"8", 0u}}) {
    EXPECT_EQ(result("setp.ne.u32 %p1, %r0, " + std::string(predicate) +
                     "; cp.async.ca.shared::cta.global.L2::cache_hint.L2::64B [s], [%rd1], 8, %p1, "
                     "%rd2; cp.async.wait_all; ld.shared.b32 %r1, [s]; st.global.b32 [%rd0], %r1"),
              expected);
  }
}

TEST_P(memory_hints, a_cluster_has_one_block) {
  EXPECT_EQ(result(R"(mov.u32 %r7, 0; mov.u32 %r2, s; mapa.shared::cluster.u32 %r3, %r2, 0;
    st.shared::cluster.b32 [%r3], 5; ld.shared::cta.b32 %r4, [s];
    cvta.shared::cluster.u64 %rd3, %rd2; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3;
    mapa.u64 %rd4, %rd3, %r7; atom.shared::cluster.add.u32 %r5, [%r3], %r4;
    ld.b32 %r5, [%rd4]; getctarank.u64 %r6, %rd4; add.u32 %r5, %r5, %r6;
    st.global.b32 [%rd0], %r5)"),
            10u);
  load(R"(.entry k() { .shared .b32 s; .reg .b32 %r<3>; mov.u32 %r0, s;
    mapa.shared::cluster.u32 %r1, %r0, 1; ret; })");
  finds(fault({1, 1, 1}, {1, 1, 1}),
        "mapa to the block of rank 1 in its cluster; expected 0, as simulated clusters have one "
        "block");
}

NPP_MEMORY_TESTS(memory_hints);

}  // namespace
}  // namespace numpy_plugin::sim
