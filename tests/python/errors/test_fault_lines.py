"""Faults of kernels on a simulated device name the line of the kernel's own source."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

SPILL = """
__global__ void spill(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;  // one too many
}
"""


@npp.device
def second(values, i):
    # a comment
    return values[i]


@npp.guvectorize("(n),(m)->()")
def picked(values, i, result):
    if i[0] < 0:
        result[0] = 1.0
    elif values[i[0]] > 5:
        result[0] = 2.0
    else:
        result[0] = second(values, i[1])


@cuda.kernel
def spread(x, n):
    i = cuda.grid(1)
    while i <= n:
        x[i] = 3.0
        i += cuda.gridsize(1)


@pytest.fixture(autouse=True)
def simulator():
    with cuda.simulator() as device:
        yield device


def line_of(text):
    """The place of the only line of this file that begins with a text, as file:line."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.strip().startswith(text)]
    return f"{Path(__file__).name}:{number}"


def fault(call):
    with pytest.raises(npp.SimulatorError) as caught:
        call()
        cuda.synchronize()
    return str(caught.value).splitlines()


def pick(*indices):
    values = cuda.to_device(np.ones((2, 4)))
    return fault(lambda: picked(values, cuda.to_device(np.array([indices] * 2))))


@pytest.mark.parametrize(
    ("indices", "text"), [((0, 7), "return values[i]"), ((6, 0), "elif values[i[0]] > 5:")]
)
def test_a_generalized_kernel_from_python(indices, text):
    message, line, *_ = pick(*indices)
    assert message.startswith("kernel 'picked', block (0,0,0), thread (0,0,0), ")
    assert f"{line_of(text)}: assertion 'index {max(indices)} is out of" in message
    assert line == "    " + text


def test_a_kernel_from_python():
    message, line, *_ = fault(lambda: spread[4, 32](cuda.zeros(100), 100))
    assert message.startswith("kernel 'spread', block (3,0,0), thread (4,0,0), ")
    assert f"{line_of('x[i] = 3.0')}: wrote 8 bytes" in message
    assert line == "    x[i] = 3.0"


def test_a_kernel_in_cuda_cpp():
    spill = cuda.kernel(SPILL, "spill")
    message, line, *_ = fault(lambda: spill[4, 32](cuda.zeros(100, np.int32), 100))
    assert "thread (4,0,0), <source of 'spill'>:4: wrote 4 bytes" in message
    assert line == "    if (i <= n) out[i] = i;  // one too many"


def test_a_cpp_body():
    total = npp.guvectorize(
        ["void(float64[:], float64[:])"],
        "(n)->(n)",
        name="total",
        args="x",
        outs="out",
        body="double sum = 0;\nfor (int k = 0; k <= x.shape(0); ++k)\n  out(k) = sum += x(k);",
    )
    message, line, *_ = fault(lambda: total(cuda.zeros((1, 4))))
    assert message.startswith("kernel 'total', block (0,0,0), thread (0,0,0), <body of 'total'>:3:")
    assert line == "    out(k) = sum += x(k);"


@pytest.mark.parametrize(
    ("method", "arguments"), [("reduce", ()), ("accumulate", ()), ("reduceat", ([0, 2],))]
)
def test_a_method_is_named(method, arguments):
    names = {"name": "lost", "args": "x, y", "identity": 0}
    body = "const float* values = nullptr;\nreturn x + values[int(y)];"
    lost = npp.vectorize(["float32(float32, float32)"], **names, body=body)
    d = cuda.zeros(4, np.float32)
    message, line, *_ = fault(lambda: getattr(lost, method)(d, *arguments))
    assert message.startswith(f"kernel 'lost.{method}', block (0,0,0), thread ")
    assert line == "    return x + values[int(y)];"


PROGRAM = """{}
import sys
import numpy as np, numpy_plugin as npp
from numpy_plugin import cuda

@npp.guvectorize("(n)->()")
def beyond(x, result):
    result[0] = x[len(x)]

with cuda.simulator():
    try:
        beyond(cuda.zeros((2, 4))).copy_to_host()
    except npp.SimulatorError as error:
        print(str(error).splitlines()[0])
"""


def test_a_moved_function_is_not_compiled_again(tmp_path):
    environment = {**os.environ, "NUMPY_PLUGIN_CACHE_DIR": str(tmp_path / "cache")}
    entries = []
    for n_lines in (0, 10):
        program = tmp_path / f"program{n_lines}.py"
        program.write_text(PROGRAM.format("\n" * n_lines))
        done = subprocess.run(
            [sys.executable, program], env=environment, capture_output=True, text=True, check=True
        )
        assert f"program{n_lines}.py:{8 + n_lines}: assertion 'index 4" in done.stdout
        entries.append({path.name for path in (tmp_path / "cache").rglob("*.ptx")})
    assert entries[0]
    assert entries[0] == entries[1]


def test_shown_sources_have_no_directives():
    assert "#line" not in npp.inspect(picked).source("cuda")
