"""Core sizes that calls of a generalized ufunc repeat are compiled in, in the background."""

import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import numpy_plugin as npp

SECONDS = 60  # for a compilation on a busy machine
ENOUGH = 2**26  # core elements of a version's sizes


def files_of(directory):
    return set(directory.rglob("*.so"))


def appears(directory, before):
    """Whether the cache has a new file within the time."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if files_of(directory) - before:
            return True
        time.sleep(0.02)
    return False


def test_the_version_has_the_bits_of_the_general_loop(empty_cache):
    @npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,k),(k,n)->(m,n)")
    def product(a, b, out):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                out[i, j] = total

    before = files_of(empty_cache)
    a, b = np.random.default_rng(0).normal(size=(2, 2000, 8, 8))
    expected = product(a, b)
    out = np.empty_like(a)
    for _ in range(ENOUGH // (8 * a.size) + 1):
        product(a, b, out=out)
    assert appears(empty_cache, before)
    for _ in range(20):
        np.testing.assert_array_equal(product(a, b, out=out), expected)
        time.sleep(0.005)
    turned = a.swapaxes(1, 2)
    np.testing.assert_allclose(product(turned, b), turned @ b, rtol=1e-12, atol=1e-12)
    part = product(a[:, :3], b[..., :5])
    np.testing.assert_allclose(part, a[:, :3] @ b[..., :5], rtol=1e-12, atol=1e-12)


def test_a_version_in_lanes(empty_cache):
    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def ordered(x, out):
        for i in range(x.shape[0]):
            value = x[i]
            place = i
            while place > 0 and out[place - 1] > value:
                out[place] = out[place - 1]
                place -= 1
            out[place] = value

    assert "element by element" in npp.inspect(ordered).host_form()
    before = files_of(empty_cache)
    x = np.random.default_rng(0).normal(size=(100_003, 4))
    out = np.empty_like(x)
    for _ in range(ENOUGH // x.size + 1):
        ordered(x, out=out)
    assert appears(empty_cache, before)
    for _ in range(20):
        np.testing.assert_array_equal(ordered(x, out=out), np.sort(x))
        time.sleep(0.005)


def test_exceptions_and_their_place_stay(empty_cache):
    @npp.guvectorize(["void(int64[:], int64[:])"], "(n)->()")
    def total(x, out):
        out[0] = 0
        for i in range(x.shape[0]):
            if x[i] < 0:
                raise ValueError("a negative number", x[i])
            out[0] += x[i]

    before = files_of(empty_cache)
    x = np.full((100_000, 8), 7)
    for _ in range(ENOUGH // x.size + 1):
        total(x)
    assert appears(empty_cache, before)
    for _ in range(20):
        assert (total(x) == 8 * 7).all()
        time.sleep(0.005)
    x[70_000, 5] = -3
    with pytest.raises(ValueError, match="-3"):
        total(x)


PROGRAM = """
    import os
    import numpy as np, numpy_plugin as npp

    @npp.guvectorize(["void(float64[:,:], float64[:])"], "(m,n)->(n)")
    def columns(a, out):
        for j in range(a.shape[1]):
            out[j] = 0.0
            for i in range(a.shape[0]):
                out[j] += a[i, j]

    a = np.ones((50_000, 8, 8))
    for _ in range(22):
        columns(a)
    """
FORK = "pid = os.fork()\ncolumns(a)\npid and os.waitpid(pid, 0)"


@pytest.mark.parametrize("end", ["", FORK])
def test_processes_end_during_the_compilation(empty_cache, end):
    script = empty_cache.parent / "ends.py"
    script.write_text(textwrap.dedent(PROGRAM) + end + "\nprint('end')\n")
    # Python 3.12 warns of forks while there are threads: here the one that compiles.
    options = ["-P", "-W", "ignore:This process:DeprecationWarning"]
    result = subprocess.run(
        [sys.executable, *options, str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert set(result.stdout.split()) == {"end"}
