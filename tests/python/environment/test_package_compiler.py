"""The compiler of the extra `[compiler]`: found where there is no other, by any interpreter.

As in a container, there is no HOME.
"""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

try:
    CPU_FLAGS = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
except OSError:
    CPU_FLAGS = []

PROGRAM = """
    import sys
    {before}
    import numpy_plugin as npp
    from numpy_plugin import _core

    f = npp.vectorize(["float64(float64)"], args="x", body="return sqrt(x) + 1;")
    print(f(4.0), _core.host_compiler()["command"])
"""

INTERPRETERS = {
    "usual": "",
    "embedded": "sys.executable = sys._base_executable = None",
    "embedded in a program": "sys.executable = '/bin/false'",
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One cache for all interpreters: zig compiles once."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("before", INTERPRETERS.values(), ids=INTERPRETERS)
def test_ziglang_compiles_where_there_is_no_other_compiler(before, cache, tmp_path):
    pytest.importorskip("ziglang")
    environment = {
        **{key: text for key, text in os.environ.items() if key != "HOME"},
        "PATH": str(tmp_path),
        "NUMPY_PLUGIN_CXX": "",
        "NUMPY_PLUGIN_CACHE_DIR": str(cache),
    }
    program = textwrap.dedent(PROGRAM.format(before=before))
    child = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    result, command = child.stdout.split(maxsplit=1)
    assert result == "3.0"
    assert command.endswith("/ziglang/zig c++\n")


# Of `sin` glibc has a variant for AVX2 that clang knows, of `exp2` none.
@pytest.mark.skipif("fma" not in CPU_FLAGS, reason="the processor has no fused multiply-add")
@pytest.mark.parametrize("function", ["sin", "exp2"])
def test_functions_are_computed_in_vectors(function, monkeypatch):
    """zig's own -O3 computes the elements of vectors one by one."""
    ziglang = pytest.importorskip("ziglang")
    import numpy as np

    import numpy_plugin as npp

    monkeypatch.setenv("NUMPY_PLUGIN_CXX", f"{Path(ziglang.__file__).parent / 'zig'} c++")
    called = getattr(np, function)
    text = npp.inspect(npp.vectorize(["float32(float32)"])(lambda x: called(x))).assembly()
    in_vectors = rf"\bvfn?m(add|sub)\d+ps\b|\bcallq?\s+_ZGV[de]N\d+v_{function}f\b"
    assert re.search(in_vectors, text)
    assert not re.search(r"\bvfn?m(add|sub)\d+ss\b", text)
    assert ".debug_info" not in text


def test_lanes_have_square_roots(monkeypatch):
    """Newer versions of clang than the system's lack the names of some instructions."""
    ziglang = pytest.importorskip("ziglang")
    import numpy as np

    import numpy_plugin as npp

    monkeypatch.setenv("NUMPY_PLUGIN_CXX", f"{Path(ziglang.__file__).parent / 'zig'} c++")

    @npp.vectorize(["float16(float16)", "float32(float32)", "float64(float64)"], target="cpu")
    def roots(x):
        while x > 1.5:
            x = np.sqrt(x)
        return x

    for dtype in "efd":
        x = np.arange(100, dtype=dtype)
        expected = x.copy()
        while (expected > 1.5).any():
            expected = np.where(expected > 1.5, np.sqrt(expected), expected)
        assert np.array_equal(roots(x), expected)
