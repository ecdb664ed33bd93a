"""Compilers that compute wrongly: kept from it, or refused with an error that names them."""

import os
import shutil

import numpy as np
import pytest
from machines.fresh_process import end_of

import numpy_plugin as npp

LOST = 0.1 + 0.2j - np.complex128(np.complex64(0.1 + 0.2j))

ONE_KERNEL = """
import numpy as np
import numpy_plugin as npp

f = npp.vectorize(["float64(float64)"], args="x", body="return x + {};")
print(f(1.0))
"""


@pytest.fixture
def recorded(tmp_path):
    """The host's compiler behind a script that writes a line for each compilation."""
    real = os.environ.get("NUMPY_PLUGIN_CXX") or shutil.which("c++") or shutil.which("g++")
    log = tmp_path / "log"
    script = tmp_path / "cxx"
    script.write_text(f'#!/bin/sh\n[ "$1" = --version ] || echo "$@" >> {log}\nexec {real} "$@"\n')
    script.chmod(0o755)
    environment = {
        "NUMPY_PLUGIN_CXX": str(script),
        "NUMPY_PLUGIN_CACHE_DIR": str(tmp_path / "cache"),
    }
    return environment, log


@pytest.mark.parametrize("n", [1, 2, 8, 9, 33])
def test_rounding_to_a_narrower_type_is_kept(n):
    f = npp.vectorize(["complex128(complex128)"])(lambda x: x - np.complex64(x))
    np.testing.assert_array_equal(f(np.full(n, 0.1 + 0.2j)), np.full(n, LOST))


def test_rounding_is_kept_in_core_arrays():
    def narrow(x, y):
        for i in range(2):
            y[i] = x[i] - np.float32(x[i])

    f = npp.guvectorize(["void(float64[:], float64[:])"], "(2)->(2)")(narrow)
    np.testing.assert_array_equal(f(np.array([0.1, 0.2])), [LOST.real, LOST.imag])


def test_a_compiler_is_checked_once(recorded):
    environment, log = recorded
    for number, n_kernels in ((1, 1), (2, 2), (2, 2)):
        found = end_of(ONE_KERNEL.format(number), **environment)
        assert found.stdout == f"{1.0 + number}\n", found.stderr
        compilations = log.read_text().splitlines()
        assert len(compilations) == 1 + n_kernels


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
@pytest.mark.parametrize("flag", ["-ffast-math", "-fno-signed-zeros"])
def test_a_compiler_that_computes_wrongly_is_refused(tmp_path, flag):
    environment = {"NUMPY_PLUGIN_CXX": f"g++ {flag}", "NUMPY_PLUGIN_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        found = end_of(ONE_KERNEL.format(1), **environment)
        last = found.stderr.strip().splitlines()[-1]
        assert last.startswith("numpy_plugin.CompilerError: '")
        assert f"g++ {flag}' (g++" in last
        assert "computes wrongly: " in last
        assert last.endswith("or set NUMPY_PLUGIN_CXX to another compiler")
