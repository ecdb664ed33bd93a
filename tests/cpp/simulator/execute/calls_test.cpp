// Calls: parameters and results, recursion, function pointers, stack overflow.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class CallTest : public ExecuteTest {};

constexpr const char* kEntry = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<6>; .reg .b64 %rd<6>;
  mov.u32 %r1, %tid.x;
)";
constexpr const char* kStore = R"(
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})";

constexpr const char* kFibonacci = R"(
.func (.param .b32 result) fibonacci(.param .b32 n) {
  .reg .pred %p<2>; .reg .b32 %r<8>;
  ld.param.u32 %r1, [n];
  mov.u32 %r5, %r1;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra $end;
  sub.u32 %r2, %r1, 1;
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r2;
    call.uni (retval0), fibonacci, (param0);
    ld.param.b32 %r3, [retval0+0]; }
  sub.u32 %r2, %r1, 2;
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r2;
    call.uni (retval0), fibonacci, (param0);
    ld.param.b32 %r4, [retval0+0]; }
  add.u32 %r5, %r3, %r4;
$end:
  st.param.b32 [result+0], %r5;
  ret;
})";

std::uint32_t fibonacci(std::uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

TEST_F(CallTest, EachLaneRecursesToItsOwnDepth) {
  load(std::string(kFibonacci) + kEntry + R"(rem.u32 %r3, %r1, 13;
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r3;
    call.uni (retval0), fibonacci, (param0);
    ld.param.b32 %r2, [retval0+0]; })" +
       kStore);
  const auto out = buffer(std::vector<std::uint32_t>(70, 0));
  run({1, 1, 1}, {70, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 70);
  for (std::uint32_t i = 0; i < 70; ++i) ASSERT_EQ(values[i], fibonacci(i % 13)) << i;
}

TEST_F(CallTest, CallsNestInBranchesThatOnlySomeLanesTake) {
  load(std::string(R"(
.func (.param .b32 result) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  shl.b32 %r2, %r1, 1;
  st.param.b32 [result+0], %r2;
  ret;
}
.func (.param .b32 result) odd_or_even(.param .b32 x) {
  .reg .pred %p<2>; .reg .b32 %r<6>;
  ld.param.u32 %r1, [x];
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra $even;
  add.u32 %r3, %r1, 1000;
  st.param.b32 [result+0], %r3;
  ret;
$even:
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r1;
    call.uni (retval0), twice, (param0);
    ld.param.b32 %r4, [retval0+0]; }
  st.param.b32 [result+0], %r4;
  ret;
})") + kEntry +
       R"(.reg .pred %q<2>;
  mov.u32 %r2, 7;
  setp.lt.u32 %q1, %r1, 20;
  @!%q1 bra $after;
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r1;
    call.uni (retval0), odd_or_even, (param0);
    ld.param.b32 %r2, [retval0+0]; }
$after:)" +
       kStore);
  const auto out = buffer(std::vector<std::uint32_t>(32, 0));
  const Counters counters = run({1, 1, 1}, {32, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) {
    ASSERT_EQ(values[i], i >= 20 ? 7 : i % 2 == 0 ? 2 * i : i + 1000) << i;
  }
  EXPECT_EQ(counters.global_transactions, 4u);  // all lanes reconverged before the store
}

TEST_F(CallTest, AStructIsAParameterAndAResult) {
  load(std::string(R"(
.func (.param .align 4 .b8 result[8]) swapped(.param .align 4 .b8 pair[8]) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [pair];
  ld.param.b32 %r2, [pair+4];
  st.param.b32 [result], %r2;
  st.param.b32 [result+4], %r1;
  ret;
})") + kEntry +
       R"(add.u32 %r3, %r1, 100;
  { .param .align 4 .b8 param0[8]; .param .align 4 .b8 retval0[8];
    st.param.b32 [param0], %r1;
    st.param.b32 [param0+4], %r3;
    call.uni (retval0), swapped, (param0);
    ld.param.b32 %r4, [retval0];
    ld.param.b32 %r5, [retval0+4]; }
  mad.lo.u32 %r2, %r4, 1000, %r5;)" +
       kStore);
  const auto out = buffer(std::vector<std::uint32_t>(32, 0));
  run({1, 1, 1}, {32, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(values[i], (i + 100) * 1000 + i);
}

constexpr const char* kThreeFunctions = R"(
.func (.param .b32 result) add1(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 1; st.param.b32 [result+0], %r2; ret;
}
.func (.param .b32 result) add10(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 10; st.param.b32 [result+0], %r2; ret;
}
.func (.param .b32 result) add100(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 100; st.param.b32 [result+0], %r2; ret;
}
.global .align 8 .u64 table[3] = {add1, add10, add100};
)";
constexpr const char* kCallByPointer = R"(
  { .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0+0], %r1;
    prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (retval0), %rd5, (param0), prototype_0;
    ld.param.b32 %r2, [retval0+0]; })";

TEST_F(CallTest, EachLaneCallsTheFunctionOfItsPointer) {
  load(std::string(kThreeFunctions) + kEntry + R"(rem.u32 %r3, %r1, 3;
  mul.wide.u32 %rd2, %r3, 8;
  mov.u64 %rd1, table;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u64 %rd5, [%rd3];)" +
       kCallByPointer + kStore);
  const auto out = buffer(std::vector<std::uint32_t>(32, 0));
  const Counters counters = run({1, 1, 1}, {32, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 32);
  const std::array<std::uint32_t, 3> added = {1, 10, 100};
  for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(values[i], i + added[i % 3]) << i;
  EXPECT_EQ(counters.lanes_by_class[static_cast<int>(InstructionClass::kGlobalStore)], 32u);
}

TEST_F(CallTest, APointerToNoFunctionIsAFault) {
  load(std::string(kThreeFunctions) + kEntry + "mov.u64 %rd5, 0x1234;" + kCallByPointer + kStore);
  const std::string found = fault({1, 1, 1}, {32, 1, 1}, std::uint64_t{0});
  EXPECT_EQ(found.substr(0, 4), "718:") << found;
  EXPECT_NE(found.find("a call through 0x1234, where no function begins"), std::string::npos)
      << found;
}

constexpr const char* kEndlessRecursion = R"(
.func dive(.param .b32 x) {
  .local .align 8 .b8 room[64];
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  add.u32 %r2, %r1, 1;
  st.local.u32 [room], %r2;
  { .param .b32 param0;
    st.param.b32 [param0+0], %r2;
    call.uni dive, (param0); }
  ret;
})";

TEST_F(CallTest, ARecursionWithoutAnEndOverflowsTheStack) {
  load(std::string(kEndlessRecursion) + kEntry + R"(mov.u32 %r2, 0;
  { .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    call.uni dive, (param0); })" +
       kStore);
  const std::string found = fault({4, 1, 1}, {256, 1, 1}, std::uint64_t{0});
  EXPECT_EQ(found.substr(0, 4), "714:") << found;
  EXPECT_NE(
      found.find("block (0,0,0), thread (0,0,0), line 10 of the PTX: stack overflow: the call "
                 "of 'dive'"),
      std::string::npos)
      << found;
  EXPECT_NE(found.find("524288 bytes of local memory"), std::string::npos) << found;
}

TEST_F(CallTest, ExitInAFunctionEndsTheThread) {
  load(std::string(R"(
.func leave_if_odd(.param .b32 x) {
  .reg .pred %p<2>; .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 exit;
  ret;
})") + kEntry +
       R"(mov.u32 %r2, 5;
  { .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    call.uni leave_if_odd, (param0); })" +
       kStore);
  const auto out = buffer(std::vector<std::uint32_t>(64, 1));
  run({1, 1, 1}, {64, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 64);
  for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], i % 2 == 1 ? 1u : 5u) << i;
}

// Successive blocks of one host thread find their frames and local memory initialized.
TEST_F(CallTest, LocalMemoryIsEachThreadsOwn) {
  load(std::string(kEntry) + R"(
  .local .align 16 .b8 room[256];
  .reg .pred %q<2>;
  mov.u64 %rd4, room;
  mov.u32 %r3, 0;
$fill:
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd4, %rd2;
  mad.lo.u32 %r4, %r1, 100, %r3;
  st.local.u32 [%rd3], %r4;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %q1, %r3, 64;
  @%q1 bra $fill;
  and.b32 %r3, %r1, 63;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd4, %rd2;
  ld.local.u32 %r2, [%rd3];)" +
       kStore);
  const auto out = buffer(std::vector<std::uint32_t>(1024, 0));
  run({3, 1, 1}, {1024, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 1024);
  for (std::uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(values[i], i * 100 + i % 64) << i;
}

}  // namespace
}  // namespace numpy_plugin::sim
