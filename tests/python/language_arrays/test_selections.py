"""Arrays whose sizes depend on elements, `a[a > 2]`, `a[order]`, `np.where(a > 2)`, as NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import beside_python, check_numbas_results, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]

RNG = np.random.default_rng(11)
# Without equal elements, and with sums that are exact in every order.
ROWS = RNG.permuted(np.tile(np.arange(-4.0, 5.0), (4, 1)), axis=1)
MATRICES = RNG.permuted(np.arange(-36.0, 36.0) / 4).reshape(3, 4, 6)

# Kernels of rows (n)->(n).
OF_ROWS = {
    "a mask": "b = a[a > 2]; out[:] = b.sum() + 100 * len(b) + b.size",
    "masks joined, and a name": """
mask = (a > -1) & (a < 3)
b = a[mask]
out[:] = 0
out[: len(b)] = b * 2
out[len(b) :] = a[~mask]
""",
    "in calls": "out[:] = np.median(a[a > 0]) + np.max(a[a > -5]) - np.sort(a[a < 9])[1]",
    "as an iterable": """
total = 0.0
for i, v in enumerate(a[a != 1]):
    total += i * v
out[:] = total
""",
    "nothing selected": """
b = a[a > 99]
out[:] = b.sum() + len(b) + len(np.where(a > 99)[0])
for v in b:
    out[0] = v
""",
    "masks of masks": """
b = a[a > -3]
c = b * 2 + 1
d = c[c > 3]
e = np.zeros(len(d))
e[:] = d[::-1]
out[:] = e[e < 9].sum() + c[d.size :].sum()
""",
    "until nothing changes": """
b = a.copy()
for _ in range(4):
    b = b[np.abs(b - b.mean()) <= 2 * b.std()]
out[:] = b.min() + len(b)
""",
    "on each trip": """
for i in range(len(a)):
    c = a[a > a[i]]
    if i % 2 == 0:
        c = c[1:]
    out[i] = c.sum()
""",
    "in branches": """
if a[0] > 0:
    b = a[a > 0]
else:
    b = a
out[:] = b.sum() + len(b)
""",
    "in functions": "out[:] = total_above(a, 1.0) + total_above(a[a < 4], 0.0)",
    "of a view": "b = a[::-2]; out[:] = b[b > 0].sum() - a[1:][a[:-1] > 0].sum()",
    "masks made in other ways": """
m = np.zeros(len(a), np.bool_)
m[::3] = True
t = a.astype(bool)
out[:] = a[m].sum() + a[t].sum() + a[np.isnan(a)].sum() + a[np.logical_not(m)].sum()
out += a[np.where(m, a > 0, t)].sum() + a[m.copy()].sum() + a[m ^ t][0] + a[np.equal(a, a)][-1]
""",
    "places": "w = np.where(a > 0)[0]; out[:] = w.sum() * 10 + len(w) + np.where(a > -9)[0][1]",
    "places in a tuple": """
(w,) = np.where(a > 0)
p = np.nonzero(a)
out[:] = a[w].sum() + a[p].sum() + p[0][-1]
""",
    "other places": """
out[:] = np.flatnonzero(a > 1).sum() + np.argwhere(a)[1, 0] + a.nonzero()[0].sum()
for i in np.flatnonzero(a < 0):
    out[i] = 0
out[np.where(a == 1)] = 7
out[a[np.nonzero(a > 2)].size] += 1
""",
    "an order": "order = np.argsort(a); out[:] = a[order] - a[order[::-1]]",
    "negative indices, in expressions": """
i = -1 - np.argsort(a)
out[:] = (a[i] - a[0]) ** 2 + a[i + len(a)] * a[np.array([1, 0, -1])].sum()
""",
    "into itself": """
out[:] = a
out[:] = out[np.argsort(out)]
out[1:] = out[np.arange(len(a) - 1)] + 1
""",
}
# Likewise of matrices (m,n)->(m).
OF_MATRICES = {
    "elements": "b = m[m > 1]; out[:] = b.sum() + len(b)",
    "rows": "b = m[m[:, 0] > -2]; out[:] = b.sum() + b.shape[0] * 100 + b[0, 1]",
    "columns": "b = m[:, m[0] > -2]; out[:] = b[:, 0] + b.shape[1] + m[1:, m[0] > 0].sum()",
    "a row or a column": "out[:] = m[0, m[0] > 0].sum() + m[m[:, 1] > -9, 1]",
    "rows in order": "b = m[np.argsort(m[:, 1])]; out[:] = b[:, 0] * 10 + b[:, 3]",
    "columns in order": "b = m[:, np.argsort(m[0])]; out[:] = b[:, 0] + b[:, -1]",
    "elements at indices": """
o = np.argsort(m[:, 0])
out[:] = m[o, 1] + m[o, o] + m[0, o] + m[:, 2][o]
""",
    "places": """
i, j = np.nonzero(m > 1)
out[:] = i.sum() * 100 + j.sum() + m[i, j].sum()
k = np.argwhere(m > 0)
out += k[0, 1] + k.shape[0] + np.flatnonzero(m > 1).sum() + m[np.where(m > 2)].sum()
""",
    "indices of two dimensions": "i = np.ones((2, 2), int); out[:] = m[0][i].sum() + m[0, i][1, 1]",
}


@npp.device
def total_above(a, limit):
    b = a[a > limit]
    return b.sum() + b.shape[0]


def check(parameters: str, body: str, layout: str, values: np.ndarray) -> None:
    """Compare a kernel with Python's run of it, on both targets."""
    # A function makes its arrays on the CPU only.
    targets = ("cpu",) if "total_above" in body else ("cpu", "cuda")
    expected, kernels = beside_python(
        parameters, body, layout, values, targets, total_above=total_above
    )
    for kernel in kernels:
        np.testing.assert_array_equal(kernel(values), expected)
        np.testing.assert_array_equal(kernel(values.repeat(2, 0)[::2]), expected)


@pytest.mark.parametrize("body", OF_ROWS.values(), ids=OF_ROWS)
def test_rows(body):
    check("a, out", body, "(n)->(n)", ROWS)


@pytest.mark.parametrize("body", OF_MATRICES.values(), ids=OF_MATRICES)
def test_matrices(body):
    check("m, out", body, "(m,n)->(m)", MATRICES)


@pytest.mark.slow
def test_numbas_results_are_pythons():
    rows = OF_ROWS
    refused = check_numbas_results("a, out", rows, ROWS)
    assert len(rows) - len(refused) >= 16, refused
    refused = check_numbas_results("m, out", OF_MATRICES, MATRICES)
    assert len(OF_MATRICES) - len(refused) >= 6, refused


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex128"])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_dtypes_and_sizes(dtype, n):
    def selected(a, i, count, out):
        b = a[a != 0]
        out[:] = a[i]
        out[: len(b)] = b
        count[0] = len(np.nonzero(b)[0])

    signature = f"void({dtype}[:], int64[:], int64[:], {dtype}[:])"
    a = RNG.integers(0, 2, n).astype(dtype)
    i = np.arange(n)[::-1]
    count, out = np.zeros(1, int), np.zeros(n, dtype)
    selected(a, i, count, out)
    for target in ("cpu", "cuda"):
        f = npp.guvectorize([signature], "(n),(n)->(),(n)", target=target)(selected)
        found = f(a, i)
        assert found[0] == count[0]
        np.testing.assert_array_equal(found[1], out)


def selected_by_comparison(x, mask, out):
    b = x[x > 0]
    out[:] = -1
    out[: len(b)] = b


def selected_by_mask(x, mask, out):
    b = x[mask]
    out[:] = -1
    out[: len(b)] = b


def places(x, mask, out):
    b = np.flatnonzero(mask & (x > -1))
    out[:] = -1
    out[: len(b)] = b


def selected_by_function(x, mask, out):
    b = x[np.sqrt(np.abs(x)) > 0.5]
    out[:] = -1
    out[: len(b)] = b


# Hosts look at 16 truths together, and call for 4096 at once.
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.95, 1.0])
@pytest.mark.parametrize(
    "kernel", [selected_by_comparison, selected_by_mask, places, selected_by_function]
)
def test_lengths_around_blocks(kernel, share):
    f = npp.guvectorize(["void(float64[:], bool[:], float64[:])"], "(n),(n)->(n)")(kernel)
    assert "npp::select_elements" in npp.inspect(f).source("cpu")
    for n in [*range(50), 4095, 4096, 4113]:
        mask = RNG.random(n) < share
        x = np.where(mask, 1.0 + np.arange(n), -2.0 * (np.arange(n) % 3))
        expected = np.empty(n)
        kernel(x, mask, expected)
        np.testing.assert_array_equal(f(x, mask), expected)
        apart, masks_apart = np.repeat(x, 2)[::2], np.repeat(mask, 3)[::3]
        np.testing.assert_array_equal(f(apart, masks_apart), expected)
    on_device = f(cuda.to_device(x), cuda.to_device(mask))
    np.testing.assert_array_equal(on_device.copy_to_host(), expected)


def test_arrays_of_known_sizes_in_other_kernels():
    def of_numbers(x, y):
        a = npp.local_array(4, npp.float64)
        a[0], a[1], a[2], a[3] = x, y, x + y, x - y
        total = 0.0
        for i in range(3):
            b = a[a > i]
            total += b.sum() + b.size
        return total + a[np.array([3, 0])][0]

    @cuda.kernel
    def launched(a, out):
        b = npp.local_array(3, npp.float64)
        b[:] = a[:3]
        c = b[b > 1]
        out[0] = c.sum() + len(c)
        out[1:] = b[np.array([2, 0])]

    x, y = ROWS[0], ROWS[1]
    found = [npp.vectorize(["float64(float64, float64)"], target=target)(of_numbers)(x, y)
             for target in ("cpu", "cuda")]  # fmt: skip
    a, s, d = np.array([x, y, x + y, x - y]), 0.0, x - y
    for i in range(3):
        s = s + np.where(a > i, a + 1, 0).sum(0)
    np.testing.assert_array_equal(found, [s + d, s + d])
    out = np.zeros(3)
    launched[1, 1](np.array([3.0, 1.0, 2.0]), out)
    assert out.tolist() == [7.0, 2.0, 3.0]


def test_sizes_that_differ():
    def f(a, b, out):
        out[:] = a[b > 0]

    signature = "void(float64[:], float64[:], float64[:])"
    for target in ("cpu", "cuda"):
        g = npp.guvectorize([signature], "(n),(m),(k)", target=target, writable_args=(2,))(f)
        out = np.zeros(2)
        g(np.arange(3.0), np.array([1.0, 0.0, 1.0]), out)
        assert out.tolist() == [0.0, 2.0]
        with pytest.raises(IndexError, match="along axis 0; size of axis is 3 but size of"):
            g(np.arange(3.0), np.ones(2), out)
        with pytest.raises(ValueError, match="could not broadcast input array from shape"):
            g(np.arange(3.0), np.ones(3), out)


def test_indices_out_of_bounds(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")

    @npp.guvectorize(["void(float64[:], int64[:], float64[:])"], "(n),(m)->(m)")
    def f(a, i, out):
        out[:] = a[i]

    assert f([1.0, 2.0], [-2, 1]).tolist() == [1.0, 2.0]
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        f([1.0, 2.0], [0, 2])


MISTAKES = {
    "c = a[a * 1.5]": (
        "an index must be an integer, found float64",
        "(a * 1.5).astype(np.int64)",
    ),
    "c = m[a * 1.5]": ("an index must be an integer or a mask, a * 1.5 is an array of float64", ""),
    "c = a[m > 1]": ("the mask m > 1 has 2 dimensions, a has 1", ""),
    "c = m[0, :, a > 1]": (
        "a slice between an integer and an array in an index",
        "select with one after the other",
    ),
    "c = m[m > 1, a > 2]": ("the mask a > 2 has 1 dimension, m has 2", ""),
    "c = m[a > 1, a > 2]": (
        "a second array in an index with a mask or a slice",
        "select with one after the other",
    ),
    "a[:] = np.nonzero(1)": ("numpy.nonzero works on whole arrays and cannot be called in a kernel",
                             "write the loop in a guvectorize kernel"),
    "a[0] = a[a > 1]": ("an element of 'a' is a float64, found a 1-dimensional array", ""),
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(["void(float64[:,:], float64[:])"], "(n,n)->(n)")
    item = error_of(declare, f"def f(m, a):\n    a[:] = 1\n    {text}\n", np=np).diagnostics[0]
    assert (item.message, item.hint) == MISTAKES[text]
