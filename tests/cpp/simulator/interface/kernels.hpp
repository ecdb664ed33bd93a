// Kernels in PTX for the tests of the entry points.
#pragma once

#include <string>

namespace numpy_plugin::sim {

inline std::string with_header(const std::string& body, const std::string& target = "sm_75") {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n" + body;
}

// add_one(int* data, unsigned n): data[i] += 1 for i < n, 32-bit, one thread per element.
inline const std::string kAddOne = with_header(R"(
.visible .entry add_one(.param .u64 data, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<7>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra done;
  cvta.to.global.u64 %d2, %d1;
  mul.wide.u32 %d3, %r5, 4;
  add.s64 %d4, %d2, %d3;
  ld.global.u32 %r6, [%d4];
  add.s32 %r6, %r6, 1;
  st.global.u32 [%d4], %r6;
done:
  ret;
}
)");

// store(int* at, int value): one store by each thread to the same location.
inline const std::string kStore = with_header(R"(
.visible .entry store(.param .u64 at, .param .u32 value)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [at];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %d2, %d1;
  st.global.u32 [%d2], %r1;
  ret;
}
)");

inline const std::string kTrap = with_header(R"(
.visible .entry stop()
{
  trap;
}
)");

inline const std::string kForEver = with_header(R"(
.visible .entry for_ever()
{
again:
  bra again;
}
)");

// Kernels with launch bounds.
inline const std::string kLimits = with_header(R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry at_most_64()
.maxntid 64, 1, 1
{
  ret;
}
.visible .entry exactly_32()
.reqntid 32, 1, 1
{
  ret;
}
.visible .entry with_shared()
{
  .shared .align 4 .b8 fixed[1024];
  .reg .b32 %r<3>;
  mov.u32 %r1, fixed;
  mov.u32 %r2, 7;
  st.shared.u32 [%r1], %r2;
  ret;
}
)");

// sum(int* to): the sum of `table`, to which `first` points.
inline const std::string kVariables = with_header(R"(
.visible .global .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .global .align 8 .u64 first = generic(table);
.visible .global .align 4 .u32 empty[2];
.visible .entry sum(.param .u64 to)
{
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [to];
  ld.global.u64 %d2, [first];
  ld.u32 %r1, [%d2];
  ld.u32 %r2, [%d2+4];
  ld.global.u32 %r3, [table+8];
  ld.global.u32 %r4, [table+12];
  add.s32 %r1, %r1, %r2;
  add.s32 %r1, %r1, %r3;
  add.s32 %r1, %r1, %r4;
  ld.global.u32 %r5, [empty];
  add.s32 %r1, %r1, %r5;
  st.global.u32 [%d1], %r1;
  ret;
}
)");

// Two texts: double_it(int* at) in the first calls `twice` in the second.
inline const std::string kCaller = with_header(R"(
.extern .func (.param .b32 result) twice(.param .b32 x);
.visible .entry double_it(.param .u64 at)
{
  .reg .b32 %r<3>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [at];
  ld.global.u32 %r1, [%d1];
  {
    .param .b32 given;
    .param .b32 back;
    st.param.b32 [given], %r1;
    call.uni (back), twice, (given);
    ld.param.b32 %r2, [back];
  }
  st.global.u32 [%d1], %r2;
  ret;
}
)");

inline const std::string kCallee = with_header(R"(
.visible .func (.param .b32 result) twice(.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)");

}  // namespace numpy_plugin::sim
