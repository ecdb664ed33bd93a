"""Lane blocks of other machines and compilers: the same values."""

import shutil
import subprocess

import loop_driver
import narrow_kernels
import numpy as np
import pytest
from lane_kernels import COMPILERS, EXACT, IS_X86, OTHER_COMPILERS, one_by_one, operands
from long_runs import in_long_runs

import numpy_plugin as npp

# Kernels include no headers of a system: clang needs none of that one's.
CROSS_COMPILERS = ["clang++ --target=aarch64-linux-gnu", "aarch64-linux-gnu-g++ -fmax-errors=9"]


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


@pytest.mark.skipif(not IS_X86, reason="other tests run the lanes of this machine")
@pytest.mark.parametrize("compiler", CROSS_COMPILERS)
@pytest.mark.parametrize("f", [EXACT[0], *EXACT[-2:], narrow_kernels.conversions])
def test_compilers_of_aarch64(tmp_path, compiler, f):
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"no {compiler.split()[0]} in this machine")
    source, assembly = tmp_path / "kernel.cpp", tmp_path / "kernel.s"
    source.write_text(npp.inspect(f).source("cpu"))
    flags = ("-std=c++20", "-O1", "-S", f"-I{loop_driver.ROOT / 'templates'}", "-o")
    subprocess.run([*compiler.split(), *flags, str(assembly), str(source)], check=True)
    assert "3npp8LaneLoop" in assembly.read_text()
