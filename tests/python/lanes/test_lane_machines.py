"""Lane blocks of other machines and compilers: the same values."""

import shutil

import numpy as np
import pytest
from lane_kernels import EXACT, one_by_one, operands
from long_runs import in_long_runs

import numpy_plugin as npp

COMPILERS = ["clang++", "g++ -mno-avx2 -mno-avx512f"]
OTHER_COMPILERS = ["g++ -mno-avx512f", "g++ -DNPP_SCALAR_LOOPS"]


@pytest.mark.parametrize("compiler", [*COMPILERS, *in_long_runs(*OTHER_COMPILERS)])
def test_values(monkeypatch, compiler):
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"no {compiler.split()[0]} in this machine")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", compiler)
    for f in EXACT[:5]:
        types = f.types[0]
        arrays = operands(types.split("->")[0], 200)
        expected = one_by_one(f, arrays)
        with np.errstate(all="ignore"):
            again = npp.vectorize([types], target="cpu")(f.__wrapped__)
            assert np.array_equal(again(*arrays), expected, equal_nan=expected.dtype.kind == "f")
