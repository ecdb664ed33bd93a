"""Floats of 4, 6 and 8 bits on the simulator, converted there and back: against ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from cccl.programs import Program
from ptx_tools import SimulatedDriver, pip_nvrtc

# A pair has the number in its upper part. Its type in instructions is that of a register: b16, or
# b8 for four bits.
SOURCE = """
extern "C" __global__ void convert_{name}(const float* x, unsigned char* codes, float* back) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned short pair;
  unsigned halves;
  asm("{to_small}" : "=h"(pair) : "f"(x[i]), "f"(0.0f));
  codes[i] = pair >> {step};
  asm("{from_small}" : "=r"(halves) : "h"(pair));
  asm("{{ .reg .b16 low, high; mov.b32 {{low, high}}, %1; cvt.f32.f16 %0, high; }}"
      : "=f"(back[i]) : "r"(halves));
}}
"""
TO_SMALL = "cvt.rn.satfinite.{name}x2.f32 %0, %1, %2;"
FROM_SMALL = "cvt.rn.f16x2.{name}x2 %0, %1;"
TO_E2M1 = "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %1, %2; mov.b16 %0, {t, 0}; }"
FROM_E2M1 = "{ .reg .b8 t, u; mov.b16 {t, u}, %1; cvt.rn.f16x2.e2m1x2 %0, t; }"
# The dtype and the code for NaN, which is the largest number's where there is none.
FORMATS = {
    "e4m3": (ml_dtypes.float8_e4m3fn, 0x7F),
    "e5m2": (ml_dtypes.float8_e5m2, 0x7F),
    "e2m3": (ml_dtypes.float6_e2m3fn, 0x1F),
    "e3m2": (ml_dtypes.float6_e3m2fn, 0x1F),
    "e2m1": (ml_dtypes.float4_e2m1fn, 0x07),
}
COUNT = 1 << 16


def source(name: str) -> str:
    if name == "e2m1":
        return SOURCE.format(name=name, to_small=TO_E2M1, from_small=FROM_E2M1, step=4)
    to_small, from_small = TO_SMALL.format(name=name), FROM_SMALL.format(name=name)
    return SOURCE.format(name=name, to_small=to_small, from_small=from_small, step=8)


def halves() -> np.ndarray:
    """Each number of the formats, all midpoints between them, and larger ones."""
    return np.arange(COUNT, dtype=np.uint16).view(np.float16).astype(np.float32)


@pytest.fixture(scope="module")
def program():
    """A kernel for each format: those of 4 and 6 bits need an architecture's own target."""
    nvrtc = pip_nvrtc()
    if nvrtc is None:
        pytest.skip("no NVRTC with CUDA's headers")
    driver = SimulatedDriver("sm_100")
    yield Program(driver, nvrtc.compile("".join(map(source, FORMATS)), "compute_100a"))
    driver.close()


@pytest.mark.parametrize("name", FORMATS)
def test_conversions_are_those_of_ml_dtypes(program, name):
    dtype, nan_code = FORMATS[name]
    x = halves()
    largest = float(ml_dtypes.finfo(dtype).max)
    is_nan = np.isnan(x)
    expected = np.clip(np.where(is_nan, 0, x), -largest, largest).astype(dtype)
    codes, back = np.zeros(COUNT, np.uint8), np.zeros(COUNT, np.float32)
    program.launch(f"convert_{name}", COUNT // 256, 256, x, codes, back)
    np.testing.assert_array_equal(codes[~is_nan], expected[~is_nan].view(np.uint8))
    assert (codes[is_nan] == nan_code).all()
    np.testing.assert_array_equal(back[~is_nan], expected[~is_nan].astype(np.float32))
