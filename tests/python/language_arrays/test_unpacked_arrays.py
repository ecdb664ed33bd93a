"""Arrays unpacked into names: their items as Python reads them, and wrong counts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernel_source import error_of, function
from long_runs import one_in

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")

VECTOR, MATRIX = "void(float64[:], float64[:])", "void(float64[:,:], float64[:])"


def made(body: str, signature: str = VECTOR, layout: str = "(n)->(k)", **options: object):
    """The function `f` of a body, and its ufunc."""
    body = body.replace("=>", "out[0], out[1], out[2], out[3] =")
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    f = function(f"def f(a, out):\n{lines}")
    return f, npp.guvectorize([signature], layout, name="f", **options)(f)


BODIES = {
    "h, *t = a\n=> h, t[0], t[-1], len(t)": "(n)->(4)",
    "*t, z = a\n=> z, t[0], t[-1], len(t)": "(n)->(4)",
    "h, *t, z = a[1:]\n=> h, z, t[0], len(t)": "(n)->(4)",
    "h, *t = a, 2 * a\n=> h[0], t[0][1], len(t), a[2]": "(n)->(4)",
    "p, *q, r = a[0], a[1], a[2], 7\nu, v = q\n=> p, u, v, r": "(n)->(4)",
    "p, q, *t = a[:2]\n=> p, q, len(t), 0": "(n)->(4)",
    "for p, *t in (a[:2], a[2:]):\n    out[0], out[1], out[2:] = p, t[0], len(t)": "(n)->(4)",
    "i, x = 0, a\ni, x = i + 1, 2 * x\n=> x[i], i, 0, 0": "(n)->(4)",
    "b = a.copy()\nh, *t = b\nb[1] = 9\n=> h, t[0], b[1], 0": "(n)->(4)",
    "b = a[:3].copy()\nb[2], b[0], b[1] = b\nout[:3], out[3] = b, 1": "(n)->(4)",
    "i = 1\ni, x = a[:2]\n=> i, x, 0, 0": "(n)->(4)",
    "i = 0\nfor _ in range(2):\n    i, x = int(a[i + 1]), a[i]\n=> i, x, 0, 0": "(n)->(4)",
    "p, q, r = a - 1\nout[0], out[1:3], out[3] = p, q, r": "(3)->(4)",
    "first, *rest = a\nout[:2] = first\nout[2:] = rest[0]": "(m,2)->(4)",
    "(p, q), *rest = a\n=> p, q, len(rest), rest[1][0]": "(m,n)->(4)",
    "(p, *q), r = a[1:3]\n=> p, q[0], r[0], r[1]": "(m,n)->(4)",
    "p = 0.0\nfor k, (p, q) in enumerate(a):\n    out[k] = p - q\nout[3] = p": "(m,n)->(4)",
    "for (p, q), (r, s) in zip(a, a[::-1]):\n    => p, q, r, s": "(m,n)->(4)",
    "b = a.copy()\np, q = b[:2]\nb[0], b[1] = q, p\nout[:2], out[2:] = b[:2]": "(m,n)->(4)",
    "p, q = a[1, ::-1]\n=> p, q, 0, 0": "(m,n)->(4)",
    "p, q, r = a[:, 1]\n=> p, q, r, 0": "(m,n)->(4)",
}


@pytest.mark.parametrize("body", one_in(2, BODIES))
def test_items_are_pythons(body):
    layout = BODIES[body]
    a = np.arange(1.0, 7.0).reshape(3, 2) if "(m" in layout else np.arange(1.0, 5.0)
    a = a[:3] if "(3)" in layout else a
    plain, f = made(body, MATRIX if "(m" in layout else VECTOR, layout)
    expected = np.zeros(4)
    plain(a, expected)
    np.testing.assert_array_equal(f(a), expected)
    np.testing.assert_array_equal(f(cuda.to_device(a)).copy_to_host(), expected)


WRONG = {
    "p, q = a": 3,
    "p, q, r, s = a": 3,
    "p, q = a[:2]": 1,
    "p, q = a[::2]": 5,
    "p, q = a + 1": 0,
    "p, q, *r = a": 1,
    "*p, q = a": 0,
    "(p, q), r = a, a": 3,
}


@pytest.mark.parametrize("body", WRONG)
def test_a_wrong_count_is_pythons_error(body):
    plain, f = made(body + "\nout[0] = q", VECTOR, "(n)->(1)")
    a = np.ones((2, WRONG[body]))
    with pytest.raises(ValueError, match="values to unpack") as expected:
        plain(a[0], np.zeros(1))
    message = re.escape(str(expected.value).split(", got")[0])
    for operand in (a, cuda.to_device(a)):
        with pytest.raises(ValueError, match=message) as caught:
            f(operand)
        assert caught.value.element == (0,)
    np.testing.assert_array_equal(f(np.empty((0, WRONG[body]))), np.empty((0, 1)))


def test_a_path_that_is_not_taken_checks_nothing():
    either = "if len(a) == 2:\n    p, q = a\nelse:\n    p, q, r = a\nout[0] = q"
    _, f = made(either, VECTOR, "(n)->(1)")
    np.testing.assert_array_equal(f([[1.0, 2.0], [3.0, 4.0]]), [[2.0], [4.0]])
    assert f([1.0, 5.0, 2.0]) == [5.0]
    with pytest.raises(ValueError, match=r"too many values to unpack \(expected 3\)"):
        f(np.ones(4))


@pytest.mark.parametrize(
    ("body", "message"),
    {
        "p, q = a": "cannot unpack 3 values into 2 names",
        "p, q, r, s = a": "cannot unpack 3 values into 4 names",
        "p, q = a[1:]\nr, q = a[:1]": "cannot unpack 1 value into 2 names",
        "p, q, r, s, *t = a": "cannot unpack 3 values into at least 4 names",
        "p, *q = a[0]": "cannot unpack a float64 into at least 1 name",
        "(p, q), r, s = a": "cannot unpack a float64 into 2 names",
    }.items(),
)
def test_a_size_that_is_known_is_compared_at_the_declaration(body, message):
    text = "".join(f"    {line}\n" for line in body.splitlines())
    declare = npp.guvectorize([VECTOR], "(3)->()")
    assert str(error_of(declare, f"def f(a, out):\n{text}    out[0] = q\n")).startswith(message)


WRITTEN_OUT = [
    ("x, y = a", "x = a[0]\ny = a[1]", VECTOR, "(2)->(1)"),
    ("x, y = a[:2]", "x = a[0]\ny = a[1]", VECTOR, "(3)->(1)"),
    ("(x, z), (z, y) = a", "x, z = a[0]\nz, y = a[1]", MATRIX, "(2,2)->(1)"),
    (
        "x = y = 0.0\nfor i in range(len(a)):\n    y, z = a[i]\n    x += y * z",
        "x = y = 0.0\nfor i in range(len(a)):\n    y, z = a[i, 0], a[i, 1]\n    x += y * z",
        MATRIX,
        "(n,2)->(1)",
    ),
]


def instructions(ptx: str) -> str:
    """The instructions of a kernel, without what says where they come from."""
    body = ptx[ptx.index(".visible .entry") :]
    body = body[: body.index("\n}")]
    return re.sub(r"\n\s*\.loc.*", "", body)


@pytest.mark.parametrize("case", WRITTEN_OUT)
def test_the_code_is_that_of_the_items_written_out(case):
    body, written_out, signature, layout = case
    ends = "\nout[0] = x - y"
    one, other = (made(text + ends, signature, layout)[1] for text in (body, written_out))
    if "[:2]" not in body:
        sources = [npp.inspect(f).source("cpu") for f in (one, other)]
        assert sources[0] == sources[1]
    assert instructions(npp.inspect(one).ptx()) == instructions(npp.inspect(other).ptx())


@cuda.kernel
def dot_rows(rows, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        x, y, z = rows[i]
        out[i] = x + 10 * y + 100 * z


def test_a_launched_kernel_unpacks_rows():
    rows = np.arange(12.0).reshape(4, 3)
    out = cuda.zeros(4)
    dot_rows[1, 32](cuda.to_device(rows), out)
    np.testing.assert_array_equal(out.copy_to_host(), rows @ [1, 10, 100])
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected 3, got 2\)"):
        dot_rows[1, 32](cuda.to_device(rows[:, :2].copy()), out)
        cuda.synchronize()


POINT = np.dtype([("x", "f8"), ("y", "f8")])


def test_records_are_unpacked_as_numpys():
    @npp.guvectorize([(npp.from_dtype(POINT)[:], npp.float64[:])], "(n)->()")
    def turn(points, out):
        p, q, *rest = points
        x, y = p
        out[0] = x * q.y - y * q.x + rest[0].x

    points = np.array([(1.0, 2.0), (3.0, 5.0), (7.0, 0.0)], POINT)
    assert turn(points) == 1.0 * 5.0 - 2.0 * 3.0 + 7.0
