// Functions with registers as parameters and results, lists of call targets, aliases.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class RegisterCallTest : public ExecuteTest {
 protected:
  // Runs a kernel that has its thread's number in %r1 and leaves its result in %r2.
  std::vector<std::uint32_t> results_of(const std::string& functions, const std::string& body) {
    load(functions + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<6>; .reg .v4 .b32 %v<2>;
  mov.u32 %r1, %tid.x;
)" + body +
         R"(
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r2;
  ret;
})");
    const auto out = buffer(std::vector<std::uint32_t>(kThreads, 0));
    run({1, 1, 1}, {kThreads, 1, 1}, out);
    return read<std::uint32_t>(out, kThreads);
  }

  static constexpr std::uint32_t kThreads = 40;
};

constexpr const char* kSum =
    ".func (.reg .u32 r) sum(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }";

TEST_F(RegisterCallTest, RegistersAndLiteralsAreArguments) {
  const auto results =
      results_of(kSum, "call (%r2), sum, (%r1, 5); call (%r2), sum, (%r2, 2*WARP_SZ);");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i + 69) << i;
}

TEST_F(RegisterCallTest, GuardedCallsLeaveOtherLanesResultsAlone) {
  const auto results = results_of(
      kSum, "mov.u32 %r2, 7; setp.lt.u32 %p1, %r1, 9; @%p1 call (%r2), sum, (%r1, 100);");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i < 9 ? i + 100 : 7) << i;
}

TEST_F(RegisterCallTest, SeveralResultsOfOtherTypes) {
  const auto results = results_of(
      R"(.func (.reg .u32 q, .reg .u64 w, .reg .f32 h) parts(.reg .u32 a) {
  .reg .pred p;
  shr.u32 q, a, 1;
  mul.wide.u32 w, a, 1000;
  cvt.rn.f32.u32 h, a;
  setp.lt.u32 p, a, 4;
  @p ret;
  mul.f32 h, h, 0.5;
})",
      R"(call (%r3, %rd3, %f1), parts, (%r1);
  cvt.u32.u64 %r4, %rd3; cvt.rzi.u32.f32 %r5, %f1;
  add.u32 %r2, %r3, %r4; add.u32 %r2, %r2, %r5;)");
  for (std::uint32_t i = 0; i < kThreads; ++i)
    ASSERT_EQ(results[i], i / 2 + 1000 * i + (i < 4 ? i : i / 2)) << i;
}

TEST_F(RegisterCallTest, VectorsAreArgumentsAndResults) {
  const auto results = results_of(
      R"(.func (.reg .v4 .b32 r) turn(.reg .v4 .b32 a) {
  mov.b32 r.x, a.y; mov.b32 r.y, a.z; mov.b32 r.z, a.w; mov.b32 r.w, a.x;
})",
      R"(mov.v4.b32 %v0, {%r1, 10, 200, 3000};
  call (%v1), turn, (%v0);
  mov.v4.b32 {%r3, %r4, %r5, %r6}, %v1; mov.v4.b32 %v1, {%r3, %r4, %r5, %r6};
  call (%v1), turn, (%v1);
  sub.u32 %r2, %v1.x, %v1.y; add.u32 %r2, %r2, %v1.z;)");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], 200 - 3000 + i) << i;
}

TEST_F(RegisterCallTest, ParamVariablesAndRegistersMix) {
  const auto results = results_of(
      R"(.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 x; ld.param.b32 x, [a]; shl.b32 x, x, 1; st.param.b32 [r], x; ret; })" +
          std::string(kSum),
      R"({ .param .b32 q; st.param.b32 [q], %r1; call (%r2), sum, (q, 1); call (q), twice, (%r2);
  ld.param.b32 %r2, [q]; call (_), sum, (1, 2); })");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], 2 * (i + 1)) << i;
}

TEST_F(RegisterCallTest, RecursionKeepsEachCallsRegisters) {
  const auto results = results_of(R"(
.func (.reg .u32 r) factorial(.reg .u32 n) {
  .reg .pred p; .reg .u32 m, f;
  mov.u32 r, 1;
  setp.lt.u32 p, n, 2;
  @p ret.uni;
  sub.u32 m, n, 1;
  call (f), factorial, (m);
  mul.lo.u32 r, n, f;
})",
                                  "rem.u32 %r3, %r1, 10; call (%r2), factorial, (%r3);");
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    std::uint32_t expected = 1;
    for (std::uint32_t n = 2; n <= i % 10; ++n) expected *= n;
    ASSERT_EQ(results[i], expected) << i;
  }
}

constexpr const char* kAddOrMultiply = R"(
.func (.reg .u32 r) plus1(.reg .u32 a) { add.u32 r, a, 1; ret; }
.func (.reg .u32 r) times3(.reg .u32 a) { mul.lo.u32 r, a, 3; ret; }
.global .u64 table[2] = {plus1, times3};)";
constexpr const char* kChoose = R"(
  mov.u64 %rd3, plus1; mov.u64 %rd4, times3; and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 0; selp.b64 %rd5, %rd3, %rd4, %p1;
)";

TEST_F(RegisterCallTest, CallTargetsGiveTheSignatureOfIndirectCalls) {
  for (const char* call : {"t: .calltargets plus1, times3; call (%r2), %rd5, (%r1), t;",
                           "call (%r2), %rd5, (%r1), table;",
                           "t: .callprototype (.reg .u32 _) _ (.reg .u32 _) .abi_preserve 16; "
                           "call (%r2), %rd5, (%r1), t;"}) {
    const auto results = results_of(kAddOrMultiply, kChoose + std::string(call));
    for (std::uint32_t i = 0; i < kThreads; ++i)
      ASSERT_EQ(results[i], i % 2 == 0 ? i + 1 : 3 * i) << call << i;
  }
}

TEST_F(RegisterCallTest, AliasesAreTheirTargets) {
  const auto results =
      results_of(std::string(kSum) +
                     ".visible .func (.reg .u32 r) other(.reg .u32 a, .reg .u32 b);"
                     ".alias other, sum;",
                 "call (%r2), other, (%r1, 3); mov.u64 %rd3, other; mov.u64 %rd4, sum;"
                 "setp.ne.u64 %p1, %rd3, %rd4; @%p1 trap;");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i + 3) << i;
}

TEST_F(RegisterCallTest, ExitInAFunctionEndsTheThread) {
  const auto results = results_of(
      ".func (.reg .u32 r) f(.reg .u32 a) { .reg .pred p; setp.gt.u32 p, a, 20; @p exit; "
      "add.u32 r, a, 1; }",
      "call (%r2), f, (%r1);");
  for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(results[i], i > 20 ? 0 : i + 1) << i;
}

TEST_F(RegisterCallTest, VectorMovesReadAllSourcesFirst) {
  const auto results = results_of("", R"(
  mov.u32 %r3, 3; setp.lt.u32 %p1, %r1, 20;
  mov.u32 %r4, %r1;
  @%p1 mov.v2.u32 {%r3, %r4}, {%r4, %r3};
  mov.v4.u32 %v1, %tid;
  add.u32 %r2, %v1.x, %v1.w; mad.lo.u32 %r2, %r3, 1000, %r2; mad.lo.u32 %r2, %r4, 100000, %r2;)");
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    const std::uint32_t first = i < 20 ? i : 3;
    const std::uint32_t second = i < 20 ? 3 : i;
    ASSERT_EQ(results[i], i + 1000 * first + 100000 * second) << i;
  }
}

TEST_F(RegisterCallTest, ElementsOfVariablesAreOperands) {
  const auto results = results_of(".global .u32 g[4] = {10, 20, 30, 40}; .shared .u32 s[64];", R"(
  .local .u32 l[4];
  mov.u64 %rd3, g[2]; ld.global.u32 %r2, [%rd3]; mov.u64 %rd4, g+4; ld.global.u32 %r3, [%rd4];
  add.u32 %r2, %r2, %r3; ld.global.u32 %r3, g[3]; add.u32 %r2, %r2, %r3;
  and.b32 %r4, %r1, 1; ld.global.u32 %r3, g[%r4+1]; add.u32 %r2, %r2, %r3;
  st.shared.u32 s[%r1], %r1; ld.shared.u32 %r3, s[%r1]; add.u32 %r2, %r2, %r3;
  st.local.u32 l[%r4+2], 1000; ld.local.u32 %r3, l[%r4+2]; add.u32 %r2, %r2, %r3;)");
  for (std::uint32_t i = 0; i < kThreads; ++i)
    ASSERT_EQ(results[i], 30 + 20 + 40 + (i % 2 == 0 ? 20 : 30) + i + 1000) << i;
}

}  // namespace
}  // namespace numpy_plugin::sim
