"""Every script of examples/ runs, checks itself, and prints what it says it prints."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from numpy_plugin import cuda

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

# Lines expected in a script's output: real results, identical on every machine.
EXPECTED = {
    "a01_add.py": [
        "scalars:   add(10, 20) = 30",
        "arrays:    add(row, row) = [2 4 6 8]",
        "broadcast: 4x4 plus a column, first column = [ 1  6 11 16]",
        "reduce:    add.reduce(row) = 10",
        "device:    the same table from device arrays, (4, 4)",
    ],
    "a02_add_float32.py": [
        "host arrays: as np.add",
        "device arrays: a device array, the same bits",
        "out=: the array that was given",
        "views of device arrays: (50000,)",
        "a Python number beside a device array stays float32",
    ],
    "a03_hypot.py": [
        "hypot(3, 4) = 5.0",
        "hypot(0, 0) = nan (0/0, as the body says)",
        "on device arrays: the same bits",
    ],
    "a04_gaussian_pdf.py": [
        "float32: relative error below 1e-06 of scipy.stats.norm",
        "float64: relative error below 1e-09 of scipy.stats.norm",
        "the float32 kernel holds no double",
        "on device arrays: within the same bounds",
    ],
    "a05_polar_distance.py": [
        "float64: within 2e-15 of the NumPy expression",
        "from angle 0 to angle pi on the unit circle: 2.0",
        "on device arrays: within 4e-15 of the CPU",
    ],
    "a06_sum_of_squares.py": [
        "1,000,000 values, at most 0 ulp from the NumPy expression",
        "with out=: first 1000000.0 last 1000000.0",
        "strided operands give the same bits: 500000 values",
        "device arrays give the same bits",
    ],
    "a07_quadratic_root.py": [
        "1,000,000 roots, the same bits as the NumPy expression",
        "x*x + 2*x - 3 = 0 at x = 1.0",
        "one launch on device arrays gives the same bits",
    ],
    "a08_vmult.py": [
        "host: the filtered spectrum in the place of the spectrum",
        "device: likewise, the same bits",
        "after the inverse FFT: the circular convolution of each row",
    ],
    "a09_saxpy.py": [
        "text: fff->f, equal to a*x + y",
        "type objects: fff->f, equal to a*x + y",
        "a bare type: fff->f, equal to a*x + y",
        "NumPy's: fff->f, equal to a*x + y",
        "2.5 * 2 + 1 = 6.0",
        "into y itself on a device: the same bits",
    ],
    "a10_saxpy_trig.py": [
        "fused: within 4 ulp of the NumPy expression",
        "C++ body: within 4 ulp of the NumPy expression",
        "on device arrays: within 4 ulp",
    ],
    "a11_intpow.py": [
        "the C++ body and the Python loop give the same bits: (1000, 30)",
        "2**10 = 1024.0",
    ],
    "a12_mandelbrot.py": [
        "both declarations count as the masked loop does, on (160, 240)",
        "both count the same on device arrays",
    ],
    "a13_pi_monte_carlo.py": [
        "262,144 points: pi is about 3.1388, within 5 sigma",
        "the same points as arrays: the same count",
        "on a device: the same count in every block",
    ],
    "a14_z_mass.py": [
        "100,000 pairs, at most 0 ulp from the NumPy expression",
        "eight device arrays, one launch: the same bits",
    ],
    "b01_matmul.py": [
        "64x64 by 64x64: within 1e-12 of np.matmul",
        "ten 3x4 by 4x2: (10, 3, 2)",
        "integers: [[5, 14], [14, 50]]",
        "on device arrays: a thread for each entry, the same bits",
    ],
    "b02_moving_average.py": [
        "0, 1, 2, ... over 3: [0.  0.5 1.  2.  3. ]",
        "along the first axis, with axes=: (400, 50)",
        "each from its own window: within 1e-12 of the running ones",
        "on device arrays: the same bits",
    ],
    "b03_vector_norm.py": [
        "the 10 largest and the 3 largest: as np.sort has them",
        "three_largest([5, 1, 4, 2, 3]) = [5. 4. 3.]",
        "dot products, each sample with each direction: (1000, 3)",
        "sparse PCA: the best of 2000 directions, with 10 of 100 entries",
        "the whole search on device arrays: the same bits",
    ],
    "b04_permutations.py": [
        "all 120 permutations of 5 items: as itertools has them",
        "the last of 12 items: [11 10  9  8  7  6  5  4  3  2  1  0]",
        "timestamps x permutations x configurations: (4, 24, 3) as in plain Python",
        "on device arrays: the same",
    ],
    "b05_transpose.py": [
        "naive: (200, 130) to (130, 200), as values.T",
        "tiled: (200, 130) to (130, 200), as values.T",
        "tiled, in Python: as values.T, in either order",
        "the tiled kernel needs less than half the transactions of the naive one",
    ],
    "b06_reductions.py": [
        "add.reduce over rows, columns and all: as np.sum",
        "a generalized kernel along either axis: as np.sum",
        "add.reduce on a device array: as np.sum, in one launch",
        "a tree of threads: 60,000 numbers in 2 launches",
    ],
    "b07_histogram.py": [
        "100,000 values in 64 bins: as np.histogram counts them",
        "64 blocks of 64 threads counted to 4096",
    ],
    "b08_fft_between_ufuncs.py": [
        "host: 64 spectra of 1024 frequencies",
    ],
    "c01_raw_kernels.py": [
        "1024 numbers, each one more: [1 2 3 4]",
        "10,000 roots, the same bits as the NumPy expression",
        "refused: 'increment' takes 1 argument",
    ],
    "c02_python_kernels.py": [
        "1000 sums, the same bits as a + b",
        "256 threads for 5000 elements",
        "blocks of 16 x 16 threads, on whole arrays and on views with steps",
        "refused: parameter 1 of 'add' is float64[:], found an array of float32",
    ],
    "c03_link_device_code.py": [
        "CUDA C++ for the device, C for the CPU: the same numbers",
        "PTX for the device, C for the CPU: the same numbers",
        "refused: 'bar' is declared as int64(int32, int32); in the linked code 1 it takes "
        "(b32, b32) and returns b32",
        "refused: the linked code 1 has no function 'baz'; there is bar",
    ],
    "c04_streams.py": [
        "stream 0: 4096 values scaled by 10",
        "stream 1: 4096 values scaled by 100",
        "the first stream was done after it had begun",
        "a kernel on one stream after a copy on the other",
    ],
    "c05_memory_check.py": [
        "found: block (7,0,0), thread (104,0,0) wrote 4 bytes, 0 bytes past the end",
        "error: CUDA_ERROR_ILLEGAL_ADDRESS",
        "999 values doubled: 2.0",
    ],
    "p01_parallel_primitives.py": [
        f"{name} {where}: as NumPy's"
        for where in ("on the CPU", "on a device")
        for name in ("map", "zipwith", "reduce", "scan", "sort", "k-select", "scatter")
    ]
    + ["random numbers: the same bits on both"],
    "p02_fusion.py": [
        "1,000,000 values in one pass: the bits of two",
        "its source holds one loop and no temporary: ['f->f', 'd->d']",
        "one launch on a device array: the same bits",
    ],
    "x03_typed_program.py": [
        "distance(x: float, y: float, out=None, *, where=True, casting='same_kind', order='K', "
        "dtype=None, subok=True, signature=None) -> Any",
        "on device: 4 times x, exactly",
    ],
}

SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))


def test_every_script_has_expected_lines():
    assert sorted(EXPECTED) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_example_runs(name, tmp_path):
    result = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    printed = result.stdout.splitlines()
    for line in EXPECTED[name]:
        assert line in printed


class CufftStandIn:
    """Functions of `nvmath.bindings.cufft`, with its arguments, for a simulated device."""

    class Type:
        Z2Z = 105

    def __init__(self):
        self.plans = {}

    def create(self):
        self.plans[7] = {}
        return 7

    def plan1d(self, plan, nx, type, batch):
        assert type == self.Type.Z2Z
        self.plans[plan]["shape"] = (batch, nx)

    def set_stream(self, plan, stream):
        self.plans[plan]["stream"] = stream

    def exec_z2z(self, plan, idata, odata, direction):
        assert direction == -1
        assert self.plans[plan]["stream"] == cuda.current_stream().handle
        source, target = (self.view(plan, address) for address in (idata, odata))
        target.copy_to_device(np.fft.fft(source.copy_to_host(), axis=1))

    def destroy(self, plan):
        del self.plans[plan]

    def view(self, plan, address):
        interface = {"shape": self.plans[plan]["shape"], "typestr": "<c16", "version": 3}
        interface["data"] = (address, False)
        return cuda.as_device_array(SimpleNamespace(__cuda_array_interface__=interface))


def test_the_fft_passes_addresses_and_the_stream_to_cufft(monkeypatch):
    cufft = CufftStandIn()
    for module in ("nvmath", "nvmath.bindings", "nvmath.bindings.cufft"):
        monkeypatch.setitem(sys.modules, module, cufft)
    example = runpy.run_path(str(EXAMPLES / "b08_fft_between_ufuncs.py"))
    signal = np.random.default_rng(1).normal(size=(3, 16))
    phase = np.linspace(0, 2 * np.pi, 16)
    with cuda.simulator(), cuda.stream():
        values = example["windowed"](cuda.to_device(signal), cuda.to_device(phase))
        found = example["power"](example["fft"](values)).copy_to_host()
    expected = example["power"](np.fft.fft(example["windowed"](signal, phase), axis=1))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert cufft.plans == {}
