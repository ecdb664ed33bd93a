"""Ufuncs without signatures: calls on devices compile no code for the CPU, calls on the CPU do."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

PROGRAM = """
import numpy as np
import numpy_plugin as npp
from numpy_plugin import cuda

scaled = npp.vectorize(lambda x, y: x * 2 + y)
total = npp.vectorize(identity=0)(lambda x, y: x + y)

@npp.guvectorize("(n)->()")
def last(a, out):
    out[0] = a[a.shape[0] - 1]

dot = npp.reduction(lambda x, y: x * y, lambda a, b: a + b, identity=0)
with cuda.simulator():
    d = cuda.to_device(np.arange(6.0).reshape(2, 3))
    print(scaled(d, d).copy_to_host().sum(), total.reduce(d, axis=1).copy_to_host())
    print(last(d).copy_to_host(), np.add(d, 1).copy_to_host().sum(), float(dot(d, d)))
    npp.vectorize(lambda x, y: x + y).at(d, (0, 0), 5.0)
    print(d.copy_to_host()[0, 0])
try:
    scaled(1.0, 2.0)
except npp.CompilerError as error:
    print("compiler:", "/bin/false" in str(error))
"""


def test_devices_need_no_host_compiler(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {"NUMPY_PLUGIN_CXX": "/bin/false", "NUMPY_PLUGIN_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "45.0 [ 3. 12.]",
        "[2. 5.] 21.0 55.0",
        "5.0",
        "compiler: True",
    ], done.stderr


def test_loops_that_a_device_used_first():
    """NumPy asks for no loop again: the first call on the CPU compiles it, in one thread."""
    scaled = npp.vectorize(lambda x, y: x / y)
    with cuda.simulator():
        d = cuda.to_device(np.arange(1.0, 4.0))
        assert scaled(d, d).copy_to_host().tolist() == [1.0, 1.0, 1.0]
    results = []
    values = np.arange(1.0, 2000.0)

    def call(n):
        with np.errstate(all="raise"):
            results.append(scaled(values[:n], values[:n]).sum())

    threads = [threading.Thread(target=call, args=(n,)) for n in (3, 1999, 1, 700)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [1.0, 3.0, 700.0, 1999.0]


def test_errors_of_the_first_call_on_the_cpu():
    """Code for devices alone: the call on the CPU fails, and writes nothing."""
    preamble = """
    #ifdef __CUDACC__
    __device__ inline double twice(double x) { return 2 * x; }
    #endif
    """
    twice = npp.vectorize(args="x", body="return twice(x);", preamble=preamble)
    out = np.full(3, 7.0)
    with cuda.simulator():
        d = cuda.to_device(np.ones(3))
        for _ in range(2):
            assert twice(d).copy_to_host().tolist() == [2.0, 2.0, 2.0]
            with pytest.raises(npp.CompilerError, match="twice"):
                twice(np.ones(3), out=out)
            assert out.tolist() == [7.0, 7.0, 7.0]
