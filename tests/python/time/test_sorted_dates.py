"""Sorts of dates and durations in kernels and of device arrays: NumPy's order, NaT last."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

NAT = np.iinfo(np.int64).min
ENDS = [NAT, NAT, NAT + 1, -NAT - 1, 0, -1]
KINDS = ["M8[s]", "m8[15m]"]
# Short rows, those of the registers' sort, and those of NumPy's sort or of a selection.
LENGTHS = [1, 2, 6, 13, 40, 700]


def ticks(kind, n, *, has_nat=True):
    rng = np.random.default_rng(n)
    values = rng.integers(-50, 50, n)
    values[: n // 3] = rng.choice(ENDS if has_nat else ENDS[2:], n // 3)
    rng.shuffle(values)
    return values.view(kind)


def generalized(kind, result, body):
    """Return a kernel of an array `t` and its result `out`."""
    kernel = function(f"def f(t, out):\n    {body}\n", np=np)
    return npp.guvectorize([f"void({kind}[:], {result}[:])"], "(n)->(n)")(kernel)


def check(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))


BODIES = {
    "out[:] = np.sort(t)": np.sort,
    "u = t.copy()\n    u.sort()\n    out[:] = u": np.sort,
    "out[:] = np.sort(t)[::-1]": lambda t: np.sort(t)[::-1],
    "out[:] = t[np.argsort(t)]": np.sort,
    "out[:] = np.partition(t, len(t) // 2)[len(t) // 2]": lambda t: np.full(
        len(t), np.sort(t)[len(t) // 2]
    ),
    "u = np.unique(t)\n    out[:] = u[-1]": lambda t: np.full(len(t), np.unique(t)[-1]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BODIES)
def test_sorts_in_kernels(body, kind):
    f = generalized(kind, kind, body)
    for n in LENGTHS:
        for t in (ticks(kind, n), ticks(kind, n, has_nat=False), ticks(kind, 2 * n)[::-2]):
            check(f(t), BODIES[body](t))
    rows = ticks(kind, 60).reshape(3, 20)
    check(f(rows), np.array([BODIES[body](row) for row in rows]))


@pytest.mark.parametrize("kind", KINDS)
def test_sorted_indices_in_kernels(kind):
    f = generalized(kind, "int64", "out[:] = np.argsort(t)")
    for n in LENGTHS:
        for t in (ticks(kind, n), ticks(kind, n, has_nat=False), ticks(kind, 2 * n)[::-2]):
            check(f(t), np.argsort(t, kind="stable"))
    assert (f(np.full(40, "NaT", kind)) == np.arange(40)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_in_kernels(kind, side):
    body = f'out[:] = np.searchsorted(np.sort(t), t, "{side}")'
    f = generalized(kind, "int64", body)
    for n in LENGTHS:
        t = ticks(kind, n)
        check(f(t), np.searchsorted(np.sort(t), t, side))


@pytest.mark.parametrize(
    ("name", "has_nat"), [("median", True), ("median", False), ("nanmedian", True)]
)
def test_medians_of_durations_in_kernels(name, has_nat):
    f = generalized("m8[s]", "m8[s]", f"out[:] = np.{name}(t)")
    for n in LENGTHS:
        t = ticks("m8[s]", n, has_nat=has_nat)
        check(f(t), np.full(n, getattr(np, name)(t)))


FUNCTIONS = [
    np.sort, lambda t: np.argsort(t, kind="stable"), np.unique,
    lambda t: np.unique(t, return_inverse=True)[1], lambda t: np.searchsorted(np.sort(t), t),
    lambda t: np.searchsorted(np.sort(t), t, side="right"),
    lambda t: np.partition(t, len(t) // 2)[len(t) // 2],
]  # fmt: skip


@pytest.mark.parametrize("call", FUNCTIONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [6, 1000, 5000])
def test_device_arrays(call, kind, n):
    t = ticks(kind, n)
    with cuda.simulator():
        found = call(cuda.to_device(t)).copy_to_host()
        check(found, call(t))


def test_rows_and_other_units():
    rows = ticks("M8[s]", 60).reshape(3, 20)
    with cuda.simulator():
        on_device = cuda.to_device(rows)
        check(npp.cuda.sort(on_device, axis=0).copy_to_host(), np.sort(rows, axis=0))
        on_device.sort()
        check(on_device.copy_to_host(), np.sort(rows))
        days = np.array(["1970-01-01", "NaT", "2000-01-01"], "M8[D]")
        first = np.sort(rows[0])
        found = np.searchsorted(cuda.to_device(first), cuda.to_device(days))
        check(found.copy_to_host(), np.searchsorted(first, days))
