"""Fatbins as nvcc makes them, with the PTX compressed in each of its ways."""

import subprocess

import pytest
from long_runs import in_long_runs
from ptx_tools import SimulatedDriver, toolkit_directory

SOURCE = """
extern "C" __global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 * i + 1;
}
"""
LZ4, ZSTD = 0x2000, 0x8000  # flags of an entry
FLAGS = {"default": ZSTD, "size": ZSTD, "balance": ZSTD, "speed": LZ4, "none": 0}


@pytest.fixture(scope="module")
def driver():
    opened = SimulatedDriver("sm_90")
    yield opened
    opened.close()


def fatbin(directory, mode: str) -> bytes:
    toolkit = toolkit_directory()
    if toolkit is None or not (toolkit / "bin/nvcc").exists():
        pytest.skip("no CUDA toolkit with nvcc")
    (directory / "fill.cu").write_text(SOURCE)
    words = [toolkit / "bin/nvcc", "-fatbin", f"--compress-mode={mode}", "-arch=compute_75"]
    words += [directory / "fill.cu", "-o", directory / "fill.fatbin"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "nknown option" in done.stderr:
        pytest.skip("an nvcc without --compress-mode")
    assert done.returncode == 0, done.stderr
    return (directory / "fill.fatbin").read_bytes()


@pytest.mark.parametrize("mode", ["default", "speed", "none", *in_long_runs("size", "balance")])
def test_fatbins_of_each_mode_load(tmp_path, driver, mode):
    image = fatbin(tmp_path, mode)
    flags = int.from_bytes(image[16 + 40 : 16 + 44], "little")
    assert flags & (LZ4 | ZSTD) == FLAGS[mode]
    assert driver.load(image) == ""
