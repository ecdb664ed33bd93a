"""What compilers make of divisions by constants, and of numbers chosen by their remainders."""

import platform
import re
import shutil

import numpy as np
import pytest

import numpy_plugin as npp

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86's instructions")

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_powers_of_two_are_shifts_and_masks(compiler, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", compiler)
    f = npp.vectorize(["int64(int64)"], target="cpu")(lambda n: n // 8 - n % 16)
    x = np.array([np.iinfo("q").min, np.iinfo("q").max, *range(-40, 40)])
    assert np.array_equal(f(x), x // 8 - x % 16)
    assert not re.search(r"\s(i?div|v?p?i?mul)\w*\s|\scmov\w+\s", npp.inspect(f).assembly())


@pytest.mark.skipif("g++" not in COMPILERS, reason="clang keeps such branches, for exact flags")
def test_a_loop_that_chooses_a_number_has_no_branch_for_it(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "g++ -DNPP_SCALAR_LOOPS")

    def by_expression(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    def by_statements(n):
        count = 0
        while n > 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    for kernel in (by_expression, by_statements):
        f = npp.vectorize(["int64(int64)"], target="cpu")(kernel)
        assert f(27) == 111
        assert re.search(r"\scmov\w+\s", npp.inspect(f).assembly())
