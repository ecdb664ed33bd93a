"""Numba-CUDA's own tests on the simulated driver, by `simulator run`, a module each."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from machines.cuda_packages import skip_without_numba_cuda

pytestmark = pytest.mark.slow

WRONG_ACCESS = "reads or writes beyond its arrays"
UNWRITTEN = "copies or transposes memory that nothing wrote"
AFTER_A_FAULT = "gets the fault of the test before it, " + UNWRITTEN
RACE = "uses a cuda::barrier that another thread initializes, without a barrier in between"
REGISTERS = "the simulator's numbers of registers are estimates: PTX does not allocate any"
NO_IPC = "memory of other processes is not simulated"
OF_NUMBA = "fails with numba 0.68 without any device: it counts files of Numba's own cache"
NO_CUPY = "skips itself by an exception that unittest takes for an error"

# What fails, and why.
FAILURES = {
    "cudadrv.test_cuda_driver": {
        "test_device_arch_specific": "replaces fields of a tensor's descriptor, not simulated",
    },
    "cudadrv.test_cuda_ndarray": {
        "test_bug6697": AFTER_A_FAULT,
        "test_kernel_with_buffer": NO_CUPY,
        "test_kernel_with_strided_memory_view": NO_CUPY,
    },
    "cudadrv.test_linker": dict.fromkeys(
        ("test_set_registers_38", "test_set_registers_57", "test_set_registers_eager"), REGISTERS
    ),
    "cudapy.test_array": {"test_array_reshape": AFTER_A_FAULT},
    "cudapy.test_caching": dict.fromkeys(
        ("test_cpu_and_cuda_reuse", "test_cpu_and_cuda_targets"), OF_NUMBA
    ),
    "cudapy.test_cooperative_groups": {"test_false_cooperative_doesnt_link_cudadevrt": RACE},
    "cudapy.test_cuda_array_interface": {"test_fortran_contiguous": NO_CUPY},
    "cudapy.test_datetime": {"test_datetime_cupy_inputs": NO_CUPY},
    "cudapy.test_dispatcher": {"test_dispatcher_cpointer_arguments": WRONG_ACCESS},
    "cudapy.test_freevar": {"test_freevar": UNWRITTEN},
    "cudapy.test_ipc": dict.fromkeys(
        ("test_ipc_array", "test_ipc_handle", "test_ipc_handle_serialization", "test_staged"),
        NO_IPC,
    ),
    "cudapy.test_localmem": {"test_struct_model_type_arr": WRONG_ACCESS},
    "cudapy.test_sm_creation": dict.fromkeys(
        ("test_global_build_tuple", "test_global_constant_tuple", "test_global_constants"),
        UNWRITTEN,
    ),
}


def modules():
    spec = importlib.util.find_spec("numba_cuda")
    if spec is None:
        return []
    directory = Path(spec.origin).parent / "numba/cuda/tests"
    return [
        f"{part}.{path.stem}"
        for part in ("cudadrv", "cudapy")
        for path in sorted((directory / part).glob("test_*.py"))
        if "cupy" not in path.stem
    ]


@pytest.fixture(autouse=True)
def requirements():
    skip_without_numba_cuda()
    for package in ("filecheck", "cffi"):
        pytest.importorskip(package)


@pytest.mark.parametrize("module", modules() or [pytest.param("", id="none")])
def test_a_module(module, tmp_path):
    run = [sys.executable, "-P", "-m", "numpy_plugin", "simulator", "run"]
    done = subprocess.run(
        [*run, "-m", "unittest", "-v", f"numba.cuda.tests.{module}"],
        env={**os.environ, "PYTHONPATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=900,
    )
    assert re.search(r"^Ran \d+ test", done.stderr, re.M), done.stderr
    failed = set(re.findall(r"^(?:ERROR|FAIL): (\w+)", done.stderr, re.M))
    assert failed == set(FAILURES.get(module, {})), done.stderr
