"""Tuples and lists of numbers stored in slices, rows and whole arrays."""

from __future__ import annotations

import numpy as np
import pytest
from device_calls import assert_both
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")

SIGNATURE = "void(float64[:], float64[:,:])"
STORES = [
    "for i in range(3):\n    out[:, i] = (a[i], 2 * a[i])",
    "for i in range(3):\n    out[:, i] = [a[i], i]",
    "t = (a[0], a[1], a[2])\nout[0] = t\nout[1, :] = t",
    "out[:] = [[a[0], 1, 2], (a[1], 3, 4)]",
    "out[:, :] = 0\nout[0, :2], out[1, 1:] = (a[0], 1), (2, a[1])",
    "out[:] = (7, a[1], a[2])",
    "out[:] = 1\nout[:, ::-1] = out[0, 0], out[1, 1] + 1, out[0, 2] + 2",
    "out[:, :2] = (a[0],)\nout[:, 2] = 3, 4",
]


def body_of(text: str):
    return function("def f(a, out):\n" + "".join(f"    {line}\n" for line in text.splitlines()))


@pytest.mark.parametrize("text", STORES)
def test_items_are_stored_as_numpy_stores_them(text):
    plain = body_of(text)
    a, expected = np.arange(1.0, 4.0), np.zeros((2, 3))
    plain(a, expected)
    assert_both(npp.guvectorize([SIGNATURE], "(n)->(2,n)")(plain), expected, a)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("out[0] = (1.0, 2.0)", 3), ("out[:] = [[1, 2], [3, 4]]", 1), ("out[0, :2] = 1, 2", 1)],
)
def test_another_size_is_numpys_error(text, sizes):
    plain = body_of(text)
    f = npp.guvectorize([SIGNATURE], "(n)->(2,n)")(plain)
    a = np.zeros(sizes)
    with pytest.raises(ValueError, match="could not broadcast input array from shape") as numpys:
        plain(a, np.zeros((2, sizes)))
    for operand in (a, cuda.to_device(a)):
        with pytest.raises(ValueError, match="could not broadcast") as caught:
            f(operand)
        assert str(caught.value).split("\n")[0] == str(numpys.value)


def test_a_list_in_a_for_loop_may_have_lists():
    f = npp.guvectorize([SIGNATURE], "(n)->(2,n)")(
        body_of("for i, j in [[0, 1], [1, 0]]:\n    out[i] = a[j]")
    )
    assert f([5.0, 6.0]).tolist() == [[6.0, 6.0], [5.0, 5.0]]
