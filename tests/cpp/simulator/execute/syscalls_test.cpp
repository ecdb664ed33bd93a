// Functions that kernels call in the driver: printf, assert, malloc and free.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class SyscallTest : public ExecuteTest {
 protected:
  // Null-terminated bytes of a text, as an initializer.
  static std::string text_variable(const std::string& name, const std::string& text) {
    std::string bytes;
    for (const char character : text) bytes += std::to_string(static_cast<int>(character)) + ", ";
    return ".global .align 1 .b8 " + name + "[" + std::to_string(text.size() + 1) + "] = {" +
           bytes + "0};\n";
  }

  // A kernel that fills the 64 bytes at [%SP] with `body` and prints them by the format.
  std::string printed(const std::string& format, const std::string& body, Extents grid = {1, 1, 1},
                      Extents block = {1, 1, 1}) {
    load(".extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);\n" +
         text_variable("format", format) + text_variable("word", "word") + R"(
      .visible .entry k() {
        .local .align 8 .b8 depot[64];
        .reg .b64 %SP; .reg .b32 %r<4>; .reg .b64 %rd<6>;
        mov.u64 %SP, depot;
        cvta.local.u64 %SP, %SP;
        mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;)" +
         body + R"(
        mov.u64 %rd1, format;
        cvta.global.u64 %rd1, %rd1;
        { .param .b64 param0; .param .b64 param1; .param .b32 retval0;
          st.param.b64 [param0+0], %rd1;
          st.param.b64 [param1+0], %SP;
          call.uni (retval0), vprintf, (param0, param1);
          ld.param.b32 %r3, [retval0+0]; }
        ret;
      })");
    testing::internal::CaptureStdout();
    run(grid, block);
    return testing::internal::GetCapturedStdout();
  }
};

TEST_F(SyscallTest, IntegersPrintAsInC) {
  const std::string body = R"(
    mov.u32 %r3, -5; st.u32 [%SP], %r3; st.u32 [%SP+4], %r3;
    mov.u64 %rd2, -6; st.u64 [%SP+8], %rd2; st.u64 [%SP+16], %rd2;
    mov.u32 %r3, 255; st.u32 [%SP+24], %r3; st.u32 [%SP+28], %r3; st.u32 [%SP+32], %r3;)";
  EXPECT_EQ(printed("%d %u %lld %llu %x %#X %o|", body),
            "-5 4294967291 -6 18446744073709551610 ff 0XFF 377|");
  EXPECT_EQ(printed("%5d|%-5d|%ld|%zu %05x%%\n", body),
            "   -5|-5   |-6|18446744073709551610 000ff%\n");
  EXPECT_EQ(printed("%hhd %hu",
                    "mov.u32 %r3, 300; st.u32 [%SP], %r3;"
                    "mov.u32 %r3, 65537; st.u32 [%SP+4], %r3;"),
            "44 1");
}

TEST_F(SyscallTest, FloatsTextsAndPointersPrintAsInC) {
  const std::string body = R"(
    mov.f64 %rd2, 0d400921FB54442D18; st.f64 [%SP], %rd2; st.f64 [%SP+8], %rd2;
    st.f64 [%SP+16], %rd2;
    mov.u64 %rd3, word; cvta.global.u64 %rd3, %rd3; st.u64 [%SP+24], %rd3;
    mov.u32 %r3, 65; st.u32 [%SP+32], %r3;
    mov.u64 %rd3, 0x1234; st.u64 [%SP+40], %rd3;)";
  EXPECT_EQ(printed("%f %e %g %s %c %p", body), "3.141593 3.141593e+00 3.14159 word A 0x1234");
  EXPECT_EQ(printed("%5.1f|%.10g|%G|%8s|%-3c|", body), "  3.1|3.141592654|3.14159|    word|A  |");
}

TEST_F(SyscallTest, StarsTakeWidthAndPrecisionFromTheArguments) {
  EXPECT_EQ(printed("%*d|%.*f|", R"(
    mov.u32 %r3, 6; st.u32 [%SP], %r3; mov.u32 %r3, 42; st.u32 [%SP+4], %r3;
    mov.u32 %r3, 2; st.u32 [%SP+8], %r3;
    mov.f64 %rd2, 0d400921FB54442D18; st.f64 [%SP+16], %rd2;)"),
            "    42|3.14|");
}

TEST_F(SyscallTest, WhatIsNoConversionPrintsAsItIs) {
  EXPECT_EQ(printed("100%", ""), "100%");
  EXPECT_EQ(printed("%y %5", ""), "%y %5");
  EXPECT_EQ(printed("%s", "mov.u64 %rd2, 0; st.u64 [%SP], %rd2;"), "(null)");
}

TEST_F(SyscallTest, LanesAndBlocksPrintInOrder) {
  std::string expected;
  for (int block = 0; block < 20; ++block) {
    for (int thread = 0; thread < 40; ++thread) {
      expected += std::to_string(block) + "." + std::to_string(thread) + "\n";
    }
  }
  EXPECT_EQ(printed("%d.%d\n", "st.u32 [%SP], %r2; st.u32 [%SP+4], %r1;", {20, 1, 1}, {40, 1, 1}),
            expected);
}

TEST_F(SyscallTest, PrintfGivesTheNumberOfItsArguments) {
  load(".extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);\n" +
       text_variable("format", "%d %*d %%") + R"(
      .visible .entry k(.param .u64 out) {
        .reg .b32 %r<4>; .reg .b64 %rd<6>;
        mov.u64 %rd1, format;
        ld.param.u64 %rd2, [out];
        { .param .b64 param0; .param .b64 param1; .param .b32 retval0;
          st.param.b64 [param0+0], %rd1;
          st.param.b64 [param1+0], %rd2;
          call.uni (retval0), vprintf, (param0, param1);
          ld.param.b32 %r3, [retval0+0]; }
        st.global.u32 [%rd2], %r3;
        ret;
      })");
  const auto out = buffer(std::vector<std::int32_t>{7, 4, 5});
  testing::internal::CaptureStdout();
  run({1, 1, 1}, {1, 1, 1}, out);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "7    5 %");
  EXPECT_EQ(read<std::int32_t>(out, 1)[0], 3);
}

TEST_F(SyscallTest, AWrongFormatAddressIsAFaultOfTheCall) {
  load(R"(.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
    .visible .entry k() {
        { .param .b64 param0; .param .b64 param1; .param .b32 retval0;
          st.param.b64 [param0+0], 4096;
          st.param.b64 [param1+0], 0;
          call.uni (retval0), vprintf, (param0, param1); }
        ret;
      })");
  const std::string found = fault({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(found.substr(0, 4), "700:") << found;
  EXPECT_NE(found.find("line 6 of the PTX"), std::string::npos) << found;
}

TEST_F(SyscallTest, AFailedAssertionNamesItsPlaceAndThread) {
  load(R"(.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,
      .param .b64 d, .param .b64 e);
    )" +
       text_variable("message", "x > 0") + text_variable("file", "model.cu") +
       text_variable("function", "void k()") + R"(
    .visible .entry k() {
        .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<6>;
        mov.u32 %r1, %tid.x;
        setp.ne.u32 %p1, %r1, 37;
        @%p1 bra $end;
        mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1;
        mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2;
        mov.u64 %rd3, function; cvta.global.u64 %rd3, %rd3;
        { .param .b64 param0; .param .b64 param1; .param .b32 param2; .param .b64 param3;
          .param .b64 param4;
          st.param.b64 [param0+0], %rd1; st.param.b64 [param1+0], %rd2;
          st.param.b32 [param2+0], 12; st.param.b64 [param3+0], %rd3;
          st.param.b64 [param4+0], 1;
          call.uni __assertfail, (param0, param1, param2, param3, param4); }
      $end:
        ret;
      })");
  EXPECT_EQ(fault({1, 1, 1}, {64, 1, 1}),
            "710: kernel 'k', block (0,0,0), thread (37,0,0), line 20 of the PTX: assertion 'x > "
            "0' failed at model.cu:12 in void k()");
}

constexpr const char* kHeap = R"(
  .extern .func (.param .b64 r) malloc(.param .b64 n);
  .extern .func free(.param .b64 p);
  .visible .entry k(.param .u64 out, .param .u64 n_bytes, .param .u32 n_frees) {
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [n_bytes];
    { .param .b64 param0; .param .b64 retval0;
      st.param.b64 [param0+0], %rd1;
      call.uni (retval0), malloc, (param0);
      ld.param.b64 %rd2, [retval0+0]; }
    mov.u32 %r1, %tid.x;
    setp.eq.u64 %p1, %rd2, 0;
    mov.u32 %r2, -1;
    @%p1 bra $store;
    st.u32 [%rd2], %r1;
    ld.u32 %r2, [%rd2];
    ld.param.u32 %r3, [n_frees];
  $free:
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $store;
    { .param .b64 param0;
      st.param.b64 [param0+0], %rd2;
      call.uni free, (param0); }
    sub.u32 %r3, %r3, 1;
    bra $free;
  $store:
    ld.param.u64 %rd3, [out];
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd3, %rd4;
    st.global.u32 [%rd5], %r2;
    ret;
  })";

TEST_F(SyscallTest, EachThreadAllocatesMemoryOfItsOwn) {
  load(kHeap);
  const auto out = buffer(std::vector<std::uint32_t>(64, 0));
  const auto used = memory.used_bytes();
  run({1, 1, 1}, {64, 1, 1}, out, std::uint64_t{16}, 1u);
  EXPECT_EQ(read<std::uint32_t>(out, 64), counting<std::uint32_t>(64));
  EXPECT_EQ(memory.used_bytes(), used);
  run({1, 1, 1}, {64, 1, 1}, out, std::uint64_t{16}, 0u);
  EXPECT_EQ(read<std::uint32_t>(out, 64), counting<std::uint32_t>(64));
  EXPECT_GT(memory.used_bytes(), used);
}

TEST_F(SyscallTest, MemoryThatIsNotThereIsANullPointer) {
  load(kHeap);
  const auto out = buffer(std::vector<std::uint32_t>(32, 0));
  run({1, 1, 1}, {32, 1, 1}, out, std::uint64_t{1} << 40, 1u);
  EXPECT_EQ(read<std::uint32_t>(out, 32), std::vector<std::uint32_t>(32, 0xffffffff));
}

TEST_F(SyscallTest, FreeingTwiceIsAFault) {
  load(kHeap);
  const auto out = buffer(std::vector<std::uint32_t>(32, 0));
  const std::string found = fault({1, 1, 1}, {32, 1, 1}, out, std::uint64_t{16}, 2u);
  EXPECT_EQ(found.substr(0, 4), "700:") << found;
  EXPECT_NE(found.find("line 23 of the PTX: free of 0x"), std::string::npos) << found;
}

}  // namespace
}  // namespace numpy_plugin::sim
