#include "simulator/interface/linking/linker.hpp"

namespace numpy_plugin::sim {

const std::string_view kDeviceRuntime = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %is_grid;
  .reg .b32 %scope, %low, %high;
  .reg .b64 %handle;
  ld.param.u32 %scope, [scope];
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %handle, {%low, %high};
  setp.eq.u32 %is_grid, %scope, 1;  // cudaCGScopeGrid
  selp.b64 %handle, %handle, 0, %is_grid;
  st.param.b64 [handle], %handle;
  ret;
}

.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %is_none, %is_other, %is_waiting;
  .reg .b32 %a, %b, %step, %before, %now;
  .reg .b64 %handle;
  ld.param.u64 %handle, [handle];
  setp.eq.u64 %is_none, %handle, 0;
  @%is_none bra INVALID;
  bar.sync 0;
  mov.u32 %a, %tid.x;
  mov.u32 %b, %tid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %tid.z;
  or.b32 %a, %a, %b;
  setp.ne.u32 %is_other, %a, 0;
  @%is_other bra DONE;

  // 1, but of the first block what brings the sum of all to 1 << 31.
  mov.u32 %step, 1;
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ctaid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %ctaid.z;
  or.b32 %a, %a, %b;
  setp.ne.u32 %is_other, %a, 0;
  @%is_other bra ARRIVE;
  mov.u32 %a, %nctaid.x;
  mov.u32 %b, %nctaid.y;
  mul.lo.u32 %a, %a, %b;
  mov.u32 %b, %nctaid.z;
  mul.lo.u32 %a, %a, %b;
  sub.u32 %step, 0x80000001, %a;
ARRIVE:
  fence.acq_rel.gpu;
  atom.add.release.gpu.global.u32 %before, [%handle + 4], %step;
WAIT:
  ld.acquire.gpu.global.u32 %now, [%handle + 4];
  xor.b32 %now, %now, %before;
  setp.ge.s32 %is_waiting, %now, 0;
  @%is_waiting bra WAIT;
DONE:
  bar.sync 0;
  st.param.b32 [error], 0;
  ret;
INVALID:
  st.param.b32 [error], 1;
  ret;
}
)";

// The archive begins with its table of symbols.
bool is_device_runtime(std::string_view bytes) {
  constexpr std::string_view kArchive = "!<arch>\n";
  constexpr std::string_view kSymbol = "cudartErrorTable";
  constexpr std::size_t kMostBefore = 4096;
  return bytes.starts_with(kArchive) && bytes.substr(0, kMostBefore).find(kSymbol) != bytes.npos;
}

}  // namespace numpy_plugin::sim
