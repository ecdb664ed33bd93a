// brx.idx, and the stack: alloca, stacksave, stackrestore.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class StackTest : public ExecuteTest {
 protected:
  std::string kernel(const std::string& body) {
    return R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<10>; mov.u32 %r1, %tid.x;)" +
           body + R"(
  ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r2; ret; })";
  }
  std::vector<std::uint32_t> results_of(const std::string& body,
                                        const std::string& functions = "") {
    load(functions + kernel(body));
    const auto out = buffer(std::vector<std::uint32_t>(kThreads, 0));
    run({1, 1, 1}, {kThreads, 1, 1}, out);
    return read<std::uint32_t>(out, kThreads);
  }
  std::string fault_of(const std::string& body) {
    load(kernel(body));
    const auto out = buffer(std::vector<std::uint32_t>(kThreads, 0));
    return fault({1, 1, 1}, {kThreads, 1, 1}, out);
  }

  static constexpr std::uint32_t kThreads = 40;
};

constexpr const char* kSwitch = R"(
  targets: .branchtargets A<2>, B;
  mov.u32 %r2, 1; rem.u32 %r3, %r1, 3;
  brx.idx %r3, targets;
A0: add.u32 %r2, %r2, 10;
A1: add.u32 %r2, %r2, 100;
B:)";

TEST_F(StackTest, IndexedBranchesDivergeAndMeetAgain) {
  const auto results = results_of(std::string(kSwitch) + " add.u32 %r2, %r2, 1000;");
  const std::uint32_t expected[] = {1111, 1101, 1001};
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], expected[i % 3]) << i;
}

TEST_F(StackTest, GuardedAndUniformIndexedBranches) {
  const auto results = results_of(R"(
  mov.u32 %r2, 0; setp.gt.u32 %p1, %r1, 30;
  t: .branchtargets END, MORE;
  @%p1 brx.idx 0, t;
  brx.idx.uni 1, t;
  trap;
MORE: add.u32 %r2, %r1, 1;
END:)");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i > 30 ? 0 : i + 1) << i;
}

TEST_F(StackTest, IndicesBeyondTheTargetsAreFaults) {
  const std::string found = fault_of(R"(
  t: .branchtargets A, B; mov.u32 %r2, %r1; brx.idx %r1, t;
A: mov.u32 %r2, 1;
B:)");
  EXPECT_NE(found.find("thread (2,0,0)"), found.npos) << found;
  EXPECT_NE(found.find("brx.idx with index 2 of 2 branch targets"), found.npos) << found;
}

TEST_F(StackTest, AllocationsAreApartAndFreedByRestoring) {
  const auto results = results_of(R"(
  stacksave.u64 %rd3;
  add.u32 %r3, %r1, 1; mul.wide.u32 %rd4, %r3, 4;
  alloca.u64 %rd5, %rd4;
  alloca.u64 %rd6, 4, 64;
  st.local.u32 [%rd5], %r1; st.local.u32 [%rd6], 100;
  and.b64 %rd7, %rd6, 63; setp.ne.u64 %p1, %rd7, 0; @%p1 trap;
  ld.local.u32 %r2, [%rd5]; ld.local.u32 %r4, [%rd6]; add.u32 %r2, %r2, %r4;
  stackrestore.u64 %rd3;
  alloca.u64 %rd8, 8;
  setp.ne.u64 %p1, %rd8, %rd5; @%p1 trap;)");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i + 100) << i;
}

TEST_F(StackTest, AddressesHave32BitsAndGenericForms) {
  const auto results = results_of(R"(
  alloca.u32 %r3, 16; stacksave.u32 %r4; stackrestore.u32 %r4;
  cvt.u64.u32 %rd3, %r3; cvta.local.u64 %rd4, %rd3;
  st.u32 [%rd4+8], %r1; ld.local.u32 %r2, [%r3+8];)");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i) << i;
}

// Frames of calls follow the caller's allocations, and each call has its own.
TEST_F(StackTest, CallsKeepTheCallersAllocations) {
  const auto results = results_of(R"(
  add.u32 %r3, %r1, 8; mul.wide.u32 %rd3, %r3, 4; alloca.u64 %rd4, %rd3;
  mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd4, %rd5;
  st.local.u32 [%rd6], %r1;
  call (%r4), fill, (5);
  ld.local.u32 %r2, [%rd6]; add.u32 %r2, %r2, %r4;)",
                                  R"(
.func (.reg .u32 r) fill(.reg .u32 n) {
  .reg .pred p; .reg .u32 m; .reg .u64 a; .local .u32 kept;
  st.local.u32 [kept], n;
  alloca.u64 a, 256;
  st.local.u32 [a+252], 77;
  mov.u32 r, 0;
  setp.eq.u32 p, n, 0;
  @p ret;
  sub.u32 m, n, 1;
  call (r), fill, (m);
  ld.local.u32 m, [a+252]; add.u32 r, r, m;
  ld.local.u32 m, [kept]; add.u32 r, r, m;
})");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i + 5 * 77 + 15) << i;
}

TEST_F(StackTest, MistakesAreFaults) {
  const std::string large = fault_of("alloca.u64 %rd3, 1000000; mov.u32 %r2, 0;");
  EXPECT_NE(
      large.find("stack overflow: an alloca of 1000000 bytes needs more than the 524288 bytes "
                 "of local memory that a thread has"),
      large.npos)
      << large;
  const std::string restored = fault_of(
      "alloca.u64 %rd3, 16; add.u64 %rd3, %rd3, 4096; stackrestore.u64 %rd3; "
      "mov.u32 %r2, 0;");
  EXPECT_NE(
      restored.find("the result of no earlier stacksave of this call whose stack still exists"),
      restored.npos)
      << restored;
}

}  // namespace
}  // namespace numpy_plugin::sim
