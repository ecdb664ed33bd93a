"""Operators of dates and durations have NumPy's bits for all pairs of units, on all targets."""

import functools
import itertools

import numpy as np
import pytest
from kernel_source import expressions
from numpys_times import numpys_times

import numpy_plugin as npp
from numpy_plugin import cuda

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "15m", "7D", "90s"]
PAIRS = list(itertools.product(UNITS, UNITS))
# Pairs of the quick run: coprime to the number of units, so that each unit is on either side.
QUICK = PAIRS[::21]

NAT, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
RANDOM = np.random.default_rng(20)
TICKS = np.concatenate(
    [
        [0, 1, -1, 3, -7, 59, -3600, 86399, 10**9 + 7, NAT, 2**40, MOST, -MOST, 2**62],
        RANDOM.integers(NAT, MOST, 5),
        RANDOM.integers(-(10**5), 10**5, 5),
    ]
)
# Years and months whose days NumPy computes without overflow. It divides the seconds by a multiple,
# which kernels need not compute: beyond the seconds they are right, and NumPy's wrap.
MOST_OF = {"Y": 2**62 // 366, "M": 2**62 // 31}
IN_A_DAY = {"15m": 24 * 60, "90s": 24 * 60 * 60}

OF_TWO = ["{0} < {1}", "{0} <= {1}", "{0} > {1}", "{0} >= {1}", "{0} == {1}", "{0} != {1}"]
OF_TWO += [f"np.{name}({{0}}, {{1}})" for name in ("maximum", "minimum", "fmax", "fmin")]
# t and u are dates, d and e durations; t and d have the first unit.
OF_DATES = ["t - u", *(text.format("t", "u") for text in OF_TWO)]
OF_BOTH = ["t + e", "t - e", "d + u"]
OF_DURATIONS = ["d + e", "d - e", "d / e", "d // e", "d % e"]
OF_DURATIONS += [text.format("d", "e") for text in OF_TWO]
EXPRESSIONS = [*OF_DATES, *OF_BOTH, *OF_DURATIONS]

ufunc_of = functools.cache(lambda texts: expressions("t, u, d, e", list(texts)))


def operands(first, second):
    """Return dates and durations of every pair of ticks."""
    ticks = []
    for unit, other in ((first, second), (second, first)):
        varies = unit in MOST_OF and other not in MOST_OF
        most = MOST_OF[unit] // IN_A_DAY.get(other, 1) if varies else MOST
        ticks.append(np.where(TICKS == NAT, NAT, np.clip(TICKS, -most, most)))
    left, right = (column.ravel() for column in np.meshgrid(*ticks))
    types = [f"M8[{first}]", f"M8[{second}]", f"m8[{first}]", f"m8[{second}]"]
    return [ticks.astype(dtype) for ticks, dtype in zip([left, right] * 2, types, strict=True)]


def numpys(text, arguments):
    """Return NumPy's results and of which elements they are; no results where it has no loop."""
    try:
        with np.errstate(all="ignore"):
            return numpys_times(eval(f"lambda t, u, d, e: {text}", {"np": np}), arguments)
    except TypeError:
        return None, None


@pytest.fixture(scope="module", params=["host", "device"])
def run(request):
    if request.param == "host":
        yield lambda ufunc, arguments: ufunc(*arguments)
        return
    with cuda.simulator(memory="64 MiB"):
        yield lambda ufunc, arguments: [
            result.copy_to_host() for result in ufunc(*map(cuda.to_device, arguments))
        ]


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(*pair, marks=[] if pair in QUICK else pytest.mark.slow) for pair in PAIRS],
)
def test_operators_of_a_pair_of_units(run, first, second):
    arguments = operands(first, second)
    expected = {text: numpys(text, arguments) for text in EXPRESSIONS}
    texts = tuple(text for text in EXPRESSIONS if expected[text][0] is not None)
    if texts:
        with np.errstate(all="ignore"):
            found = run(ufunc_of(texts), arguments)
        for text, result in zip(texts, found, strict=True):
            wanted, is_there = expected[text]
            assert result.dtype == wanted.dtype, text
            bits = f"V{wanted.itemsize}"
            same = result[is_there].view(bits) == wanted.view(bits)
            assert same.all(), (text, *(a[is_there][~same][0] for a in arguments))
    for text in set(EXPRESSIONS) - set(texts):
        with pytest.raises((TypeError, OverflowError)):
            run(ufunc_of((text, "t", "e")), [a[:1] for a in arguments])


def test_numpy_has_most_of_the_loops():
    n = sum(numpys("t < u", operands(*pair))[0] is not None for pair in PAIRS)
    assert n > 0.7 * len(PAIRS), n
    assert issubclass(npp.KernelError, TypeError)
