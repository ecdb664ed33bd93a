"""Arrays with another shape, `a.reshape(2, -1)`, `a.ravel()`, `a[:, None]`: views, as NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import beside_python, check_numbas_results, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]

RNG = np.random.default_rng(13)
ROWS = RNG.permuted(np.tile(np.arange(-4.0, 5.0), (3, 1)), axis=1)
MATRICES = RNG.permuted(np.arange(-36.0, 36.0) / 4).reshape(3, 4, 6)

# Kernels of rows (n)->(n), of 9 elements.
OF_ROWS = {
    "stores change the array": """
out[:] = a
b = out.reshape(3, 3)
b[0, 1] = 100
b[2] = 7
b[:, 2] += b[:, 0]
np.reshape(out, (3, -1))[1, 1] = 5
out.reshape(-1)[0] = 3
""",
    "of an array that is made": """
c = np.zeros((3, 3))
d = c.ravel()
d[4] = 3
np.ravel(c)[1] = a[0]
c.reshape([9])[2] += 1
out[:] = c.sum(axis=0)[1] + 10 * c[0, 2]
""",
    "copies": "c = np.zeros((3, 3)); d = c.flatten(); d[4] = 3; out[:] = c.sum() + d[4]",
    "of a part": "out[:] = a; b = out[::2][:4].reshape(2, 2); b[1] = 9; b[0, 0] = out[8]",
    "of a transposed one": """
c = a.copy().reshape(3, 3)
d = c.T.reshape(9)
d[1] = 50
e = c[:, 1:].ravel()
e[0] = 60
f = c[1:].ravel()
f[0] = 70
out[:] = d + c.ravel()
out[:6] += e
""",
    "more dimensions": "out[:] = a; b = out[1:].reshape(2, 2, 2); b[1, 0, 1] = 8; out[0] = b.sum()",
    "sizes known as it runs": """
n = len(a) // 3
b = a.reshape(n, n)
c = np.arange(6).reshape(2, 3).reshape(b[:2].shape)
d = a[a > 0].reshape(-1, 2)
out[:] = b[n - 1, 0] + c[1, 0] + d[1, 1] + d.shape[0]
""",
    "of constants and of expressions": """
t = np.array([1.0, 2.0, 3.0, 4.0]).reshape(2, 2)
out[:] = t[1, 0] + (a * 2).reshape(3, 3)[2, 1] + np.ravel(t @ t)[3] + a.reshape(3, 3).T.ravel()
""",
    "in functions": "out[:] = a; halve(out); out[0] = halve(out[1:])",
    "differences of all pairs": """
d = a[:, None] - a[None, :]
out[:] = (d * d).sum(axis=1) + (a[:, None] * a).min(axis=0) + a[:, np.newaxis][2, 0]
""",
    "on each trip": """
out[:] = 0
for k in range(3):
    b = out.reshape(3, 3)
    b[k] = k
    if k == 1:
        b = a.copy().reshape(3, 3)
    b[:, k] += 1
""",
}
# Likewise of matrices (m,n)->(m).
OF_MATRICES = {
    "read": "v = m.ravel(); w = m.reshape(2, 2, -1); out[:] = v.sum() + w[1, 0, 3] + v[::-1][:4]",
    "written": """
c = m.copy()
c.reshape(3, 8)[:, 0] = 0
c.ravel()[5::6] -= 1
out[:] = c.sum(axis=1)
""",
    "changed inputs": "v = m.reshape(-1); v[3] = 2; m.ravel()[0] = 5; out[:] = m[:, 3] + m[0, 0]",
    "columns": "v = m[:, 1].reshape(2, 2); out[:] = m[1:3, 2:4].reshape(4) + v[1, 0]",
}


@npp.device
def halve(a):
    b = a.reshape(a.size, 1)
    b[0] /= 2
    return b[0, 0] + b[1, -1]


@pytest.mark.parametrize("body", OF_ROWS.values(), ids=OF_ROWS)
def test_rows(body):
    expected, kernels = beside_python("a, out", body, "(n)->(n)", ROWS, halve=halve)
    for kernel in kernels:
        np.testing.assert_array_equal(kernel(ROWS), expected)
        np.testing.assert_array_equal(kernel(np.repeat(ROWS, 2, axis=1)[:, ::2]), expected)


@pytest.mark.parametrize("body", OF_MATRICES.values(), ids=OF_MATRICES)
def test_matrices(body):
    for values in (MATRICES, MATRICES.transpose(0, 2, 1).copy().transpose(0, 2, 1)):
        # A kernel changes a copy of its input, which is contiguous.
        changed = MATRICES.copy() if "m.ravel()[0] =" in body else values
        expected, kernels = beside_python("m, out", body, "(m,n)->(m)", changed)
        for kernel in kernels:
            np.testing.assert_array_equal(kernel(values), expected)


@pytest.mark.slow
def test_numbas_results_are_pythons():
    rows = OF_ROWS
    refused = check_numbas_results("a, out", rows, ROWS)
    assert len(rows) - len(refused) >= 5, refused
    refused = check_numbas_results("m, out", OF_MATRICES, MATRICES)
    assert len(OF_MATRICES) - len(refused) >= 3, refused


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_output_is_written_where_its_elements_are_evenly_spaced(order):
    def filled(a, out):
        out[:, :] = 0
        out.ravel()[1] = a[0]

    for target in ("cpu", "cuda"):
        f = npp.guvectorize(["void(float64[:], float64[:,:])"], "(m)->(m,m)", target=target)(filled)
        a = np.array([1.0, 2.0])
        out, expected = np.zeros((2, 2), order=order), np.zeros((2, 2), order=order)
        filled(a, expected)
        f(a, out=out)
        np.testing.assert_array_equal(out, expected)


def test_sizes_that_differ():
    def f(a, n, out):
        out[:] = a.reshape(n, 2)[0, 0]

    for target in ("cpu", "cuda"):
        g = npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)",
                            target=target)(f)  # fmt: skip
        assert g([1.0, 2.0, 3.0, 4.0], 2).tolist() == [1.0] * 4
        for n, shape in ((3, r"\(3,2\)"), (-2, r"\(-2,2\)")):
            message = rf"cannot reshape array of size 4 into shape {shape}"
            with pytest.raises(ValueError, match=message):
                g([1.0, 2.0, 3.0, 4.0], n)


def test_launched_kernels():
    @cuda.kernel
    def written(a, out):
        b = npp.local_array(4, npp.float64)
        b[:] = a
        m = b.reshape(2, 2)
        m[1] += m[0]
        out.reshape(2, 2)[1, 0] = m.ravel()[3] + b[2]

    out = np.zeros(4)
    written[1, 1](np.arange(4.0), out)
    assert out.tolist() == [0.0, 0.0, 6.0, 0.0]


MISTAKES = {
    "b = a.reshape(1.5, 2)": (
        "the size of an array must be an integer, found float64",
        "int(1.5)",
    ),
    "b = a.reshape(-1, -1)": ("one size of a shape may be -1, the others are at least 0", ""),
    "b = np.zeros(4).reshape(3, 2)": ("cannot reshape array of size 4 into shape (3,2)", ""),
    "b = np.ravel(2.0)": ("2.0 is a float64, not an array", ""),
    "b = a.reshape(())": ("an array has 1 to 64 dimensions, found 0", ""),
    "b = a.reshape(2, 2, order='F')": ("reshape in a kernel has no 'order'", ""),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    error = error_of(declare, f"def f(a, out):\n    out[:] = a\n    {text}\n")
    item = error.diagnostics[0]
    assert (item.message, item.hint) == MISTAKES[text]
