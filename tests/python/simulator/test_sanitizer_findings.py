"""The findings of compute-sanitizer's tools, and the simulator's message for each."""

import re
from pathlib import Path

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "simulator.md"
TESTS = (Path(__file__), Path(__file__).parents[1] / "commands" / "test_simulator_run.py")

# By the finding's name in the docs: the body of a kernel of one argument, a device array of 64
# ints, launched with one block of 64 threads; and what the message says.
KERNELS = {
    "memcheck: global access out of bounds": (
        "out[threadIdx.x + 1] = 0;",
        r"wrote 4 bytes at .* 0 bytes past the end of allocation",
    ),
    "memcheck: shared access out of bounds": (
        "__shared__ int s[64]; s[threadIdx.x * 2] = 1; __syncthreads(); out[0] = s[0];",
        r"wrote 4 bytes .* of which the block has 256 bytes",
    ),
    "memcheck: local access out of bounds": (
        "int l[4]; for (int i = 0; i < 4; ++i) l[i] = i; out[0] = l[out[1] + (1 << 20)];",
        r"read 4 bytes .*local memory",
    ),
    "memcheck: misaligned access": (
        "*(int*)((char*)out + 2) = 1;",
        r"wrote 4 bytes at .*multiple of 4",
    ),
    "memcheck: invalid free in a kernel": (
        "if (threadIdx.x == 0) free(out + 1);",
        r"free of 0x.*, where no living allocation begins",
    ),
    "memcheck: trap": ('if (threadIdx.x == 5) asm("trap;");', r"the kernel ended itself \(trap\)"),
    "memcheck: stack overflow": (
        "struct Deep { __device__ static __noinline__ int go(volatile int* out, int n) {"
        " volatile int held[64]; held[n & 63] = n; return n == *out + (1 << 30) ? 0"
        " : go(out, n + 1) + held[n & 31]; } }; out[1] = Deep::go(out, 0);",
        r"stack overflow: the call of",
    ),
    "racecheck: hazard in shared memory": (
        "__shared__ int s[64]; s[threadIdx.x] = 0; __syncthreads(); s[threadIdx.x] = 1;"
        " out[threadIdx.x] = s[63 - threadIdx.x];",
        r"race",
    ),
    "initcheck: read of uninitialized global memory": (
        "int* fresh = (int*)malloc(64); if (threadIdx.x == 0) out[0] = fresh[1];",
        r"never written",
    ),
    "initcheck: read of uninitialized shared memory": (
        "__shared__ int s[64]; if (threadIdx.x == 0) s[0] = 0; out[threadIdx.x] = s[threadIdx.x];",
        r"of which 4 were never written",
    ),
    "synccheck: divergent threads of a block at a barrier": (
        "if (threadIdx.x % 2) __syncthreads(); out[threadIdx.x] = 1; __syncthreads();"
        " out[threadIdx.x] = 2;",
        r"barrier",
    ),
    "synccheck: a warp's mask without the calling thread": (
        "if (threadIdx.x < 32) __syncwarp(threadIdx.x == 3 ? 1 : 0xffffffff);",
        r"does not hold the thread's own lane",
    ),
}


def kernel_of(body):
    return cuda.kernel(f"__global__ void found(int* out) {{ {body} }}", "found")


# Findings with tests of their own, by the names of these.
OTHERS = {
    "memcheck: use after free": "test_use_after_free_is_found",
    "memcheck: leak of device memory": "test_memory_that_is_not_freed_is_reported",
    "memcheck: failed call of the driver": "test_failed_calls_are_reported",
}


def rows_of_table():
    """Of the docs' table: finding, option and message."""
    text = PAGE.read_text(encoding="utf-8").partition("## compute-sanitizer")[2]
    text = text.partition("\n## ")[0]
    return re.findall(r"^\| (\w+check: .*?) \| (.*?) \| (.*?) ?\|$", text, re.MULTILINE)


def test_each_row_of_the_docs_has_its_test():
    rows = rows_of_table()
    found = {name for name, option, _ in rows if option != "not found"}
    assert found == {*KERNELS, *OTHERS}
    tests = "".join(path.read_text(encoding="utf-8") for path in TESTS)
    assert [name for name in OTHERS.values() if f"def {name}(" not in tests] == []
    assert sum(option == "not found" for _, option, _ in rows) >= 3


@pytest.mark.parametrize("name", KERNELS)
def test_the_kernel_is_found(name):
    body, message = KERNELS[name]
    with cuda.simulator(memory="64 MiB"):
        out = cuda.zeros(64, np.int32)
        with pytest.raises(npp.SimulatorError, match=message):
            kernel_of(body)[1, 64](out)
            out.copy_to_host()


def test_use_after_free_is_found():
    with cuda.simulator():
        out = cuda.zeros(64, np.int32)
        address = out.__cuda_array_interface__["data"][0]
        del out
        kernel = cuda.kernel(
            "__global__ void late(unsigned long long at) { *(int*)at = 1; }", "late"
        )
        with pytest.raises(npp.SimulatorError, match="which was freed"):
            kernel[1, 1](np.uint64(address))
