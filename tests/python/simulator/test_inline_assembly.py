"""Instructions that only inline assembly writes, from CUDA C++ to the simulator's results."""

from __future__ import annotations

import numpy as np

from numpy_plugin import cuda

SOURCE = r"""
extern "C" __global__ void run(const unsigned* x, unsigned* out) {
  const unsigned a = x[0], b = x[1], c = x[2];
  unsigned r;
  asm("{ .reg .pred p, q; setp.lt.and.u32 p|q, %1, %2, 1; selp.u32 %0, 1, 0, p;"
      " @q add.u32 %0, %0, 2; }" : "=r"(r) : "r"(a), "r"(b));
  out[0] = r;
  asm("{ .reg .pred p; lop3.or.b32 _|p, %1, %2, %3, 0x80, 0; selp.u32 %0, 1, 0, p; }"
      : "=r"(r) : "r"(a), "r"(b), "r"(c));
  out[1] = r;
  asm("sub.cc.u32 %0, %1, %2; addc.u32 %0, 0, 0;" : "=r"(r) : "r"(a), "r"(b));
  out[2] = r;
  asm("add.u32 %0, %1, WARP_SZ;" : "=r"(r) : "r"(a));
  out[3] = r;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  out[4] = r;
  asm("fns.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(c), "r"(a));
  out[5] = r;
  asm("{ .reg .pred p; testp.infinite.f32 p, 0f7F800000; slct.u32.s32 %0, %1, %2, -1;"
      " @p add.u32 %0, %0, 1; }" : "=r"(r) : "r"(a), "r"(b));
  out[6] = r;
  asm("{ .reg .f32 f; sub.f32 f, 0f7F800000, 0f7F800000; mov.b32 %0, f; }" : "=r"(r));
  out[7] = r;
}
"""


def test_results():
    a, b, c = 2, 7, 0b11000
    with cuda.simulator(memory="1 MiB"):
        out = cuda.device_array(8, np.uint32)
        cuda.kernel(SOURCE, "run")[1, 1](cuda.to_device(np.array([a, b, c], np.uint32)), out)
        found = out.copy_to_host().tolist()
    assert found == [1, 0, 0, a + 32, c << 16 | a << 8 | b, 4, b + 1, 0x7FFFFFFF]
