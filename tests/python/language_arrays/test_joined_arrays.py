"""Arrays of other shapes in kernels: joined, repeated, counted, reshaped; steps that vary."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import beside_python, check_numbas_results, define, error_of

import numpy_plugin as npp

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]

RNG = np.random.default_rng(5)
ROWS = RNG.integers(-6, 9, (3, 8)) / 2
MATRICES = RNG.integers(-9, 9, (3, 4, 4)) / 2 + 5 * np.eye(4)

OF_ROWS = {
    "different elements": "u = np.unique(a); out[:] = u.sum() + 10 * len(u) + u[-1]",
    "of a part": "out[:] = np.unique(a[a > 0]).sum() + len(np.unique(a * 0))",
    "stored": "out[:] = 0; u = np.unique(a); out[: len(u)] = u[::-1]",
    "joined": """
c = np.concatenate((a, a[1:], a[:2] * 2))
out[:] = np.median(c) + len(c) + np.hstack([a, a[::-1]])[9] + np.append(a[:3], a)[4]
""",
    "joined with selected ones": "c = np.concatenate((a[a > 0], a[a <= 0])); out[:] = c",
    "dtypes": "c = np.concatenate((np.arange(3), a, a > 0)); out[:] = c[1] + c[-1] + c[4]",
    "a number joined": """
c = np.append(a, 5)
k = np.append(np.append(a[:2], len(a)), a[1] / 3)
out[:] = c[:-1] + c[-1] + k[2] * k[3] + len(np.append(3, a))
""",
    "after a loop": """
t = a.copy()
for i in range(3):
    t = np.zeros(len(t))
t = np.concatenate((t, a[int(a[0] * 0) + 2 :]))
out[:] = np.dot(t, t)
""",
    "repeated": "b = np.repeat(a, 3); out[:] = b[3 : 3 + len(a)] + a.repeat(2).sum()",
    "convolutions": """
out[:] = np.convolve(a, a[:3], "same") + np.convolve(a, a[:3], mode="valid")[1]
out += np.convolve(a, a[:3])[0] + np.convolve(a[:2], a).sum()
""",
    "histograms": """
h, e = np.histogram(a, 4, (0.0, 4.0))
k, f = np.histogram(a)
out[:] = h[1] + e[1] + 10 * k[3] + f[2] + np.histogram(a, bins=5)[0][2]
""",
    "differences of pairs": "d = a[:, None] - a; out[:] = (d * d).sum(axis=0) + a[None, :][0, 1]",
    "other shapes": """
m = a.reshape(2, 4)
k = np.reshape(a, (4, -1))
out[:] = m[1, 2] + m.ravel()[3] + k[3, 1] + m.reshape(-1)[5] + np.ravel(k)[1] + a.reshape((8,))[2]
""",
    "steps": """
s = len(a) // 4
out[:] = a[::s].sum() + a[::-s][0] + a[1:7:s][1] + a[7:1:-s].max()
for k in range(1, 5):
    out[0] += len(a[::k]) + a[::-k].min()
    out[k::k] = a[: len(out[k::k])]
    out[::-k] -= k
""",
}
OF_MATRICES = {
    "determinants": "out[:] = np.linalg.det(m) + np.linalg.det(m[:2, 1:3])",
    "inverses": "out[:] = np.linalg.inv(m)[:, 1] + np.linalg.inv(m.T)[2]",
    "solutions": "out[:] = np.linalg.solve(m, m[:, 0] + 1) + np.linalg.solve(m, m * 2 + 1)[:, 1]",
    "in loops": """
x = np.ones(4)
for i in range(3):
    x = np.linalg.solve(m + i * np.eye(4), x)
out[:] = x
""",
    "with zeros on the diagonal": """
z = np.zeros((4, 4))
z[:, ::-1] = np.eye(4) * m[0, 0]
out[:] = np.linalg.solve(z, m[1]) + np.linalg.det(z)
""",
}


def check(parameters: str, body: str, layout: str, values: np.ndarray) -> None:
    """Compare a kernel with Python's run of it, on both targets, whose bits are the same."""
    expected, kernels = beside_python(parameters, body, layout, values)
    found = [kernel(values) for kernel in kernels]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("body", OF_ROWS.values(), ids=OF_ROWS)
def test_rows(body):
    check("a, out", body, "(n)->(n)", ROWS)


@pytest.mark.parametrize("body", OF_MATRICES.values(), ids=OF_MATRICES)
def test_matrices(body):
    check("m, out", body, "(n,n)->(n)", MATRICES)


@pytest.mark.slow
def test_numbas_results_are_pythons():
    rows = OF_ROWS
    refused = check_numbas_results("a, out", rows, ROWS)
    assert len(rows) - len(refused) >= 11, refused
    refused = check_numbas_results("m, out", OF_MATRICES, MATRICES)
    assert len(OF_MATRICES) - len(refused) >= 5, refused


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
def test_linear_equations(dtype, n):
    def solved(a, b, x, inverse, d):
        x[:] = np.linalg.solve(a, b)
        inverse[:, :] = np.linalg.inv(a)
        d[0] = np.linalg.det(a)

    of = "float32" if dtype == "float32" else "float64"
    signature = f"void({dtype}[:,:], {dtype}[:], {of}[:], {of}[:,:], {of}[:])"
    f = npp.guvectorize([signature], "(n,n),(n)->(n),(n,n),()")(solved)
    a = (RNG.integers(-5, 5, (n, n)) + 12 * np.eye(n)[::-1]).astype(dtype)
    b = np.arange(n).astype(dtype)
    x, inverse, d = f(a, b)
    eps = 200 * np.finfo(of).eps
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=eps, atol=eps)
    np.testing.assert_allclose(inverse, np.linalg.inv(a), rtol=eps, atol=eps)
    np.testing.assert_allclose(d, np.linalg.det(a), rtol=eps)
    assert x.dtype == inverse.dtype == d.dtype == of


RAISED = {
    "np.linalg.solve(m, a)": (np.linalg.LinAlgError, "Singular matrix"),
    "np.linalg.inv(m)": (np.linalg.LinAlgError, "Singular matrix"),
    "np.linalg.det(m[1:])": (np.linalg.LinAlgError, "must be square"),
    "a.reshape(3, 3)": (ValueError, r"cannot reshape array of size 4 into shape \(3,3\)"),
    "a[:: k - k]": (ValueError, "slice step cannot be zero"),
    "np.repeat(a, k - 9)": (ValueError, "negative"),
    "np.linalg.solve(m[:, 1:], a)": (np.linalg.LinAlgError, "must be square"),
    "np.histogram(a, k - 8)": (ValueError, "`bins` must be positive"),
    "np.histogram(a, k, (0.0, np.inf))": (ValueError, "supplied range of .* is not"),
    "np.convolve(a[:0], a)": (ValueError, "a cannot be empty"),
    "np.linalg.cholesky(m - 2)": (np.linalg.LinAlgError, "not positive definite"),
    "np.linalg.cholesky(m[1:])": (np.linalg.LinAlgError, "must be square"),
    "np.partition(a, k)": (ValueError, r"kth\(=8\) out of bounds \(4\)"),
    "np.stack((a, a[1:]))": (ValueError, "must have the same shape"),
    "np.column_stack((a, a[1:]))": (ValueError, "must have the same shape"),
    "np.bincount(np.array([1, k - 9]))": (ValueError, "must have no negative elements"),
    "np.bincount(np.array([1, k]), a)": (ValueError, "don't have the same length"),
    "np.bincount(np.array([1, k]), None, k - 9)": (ValueError, "must not be negative"),
}


@pytest.mark.parametrize("call", RAISED)
def test_exceptions(call):
    source = f"def f(m, a, k, out):\n    r = {call}\n    out[0] = 1\n"
    signature = "void(float64[:,:], float64[:], int64, float64[:])"
    f = npp.guvectorize([signature], "(n,n),(n),()->()")(define(source)["f"])
    exception, message = RAISED[call]
    with pytest.raises(exception, match=message):
        f(np.ones((4, 4)), np.ones(4), 8)


MISTAKES = {
    "np.concatenate(a)": "numpy.concatenate in a kernel takes its arrays in a tuple",
    "np.repeat(a, 2, axis=0)": "numpy.repeat in a kernel has no 'axis'",
    "np.convolve(a, a, 'some')": "'mode' of numpy.convolve must be one of 'full', 'same', 'valid'",
    "np.sum(np.rot90(a)[0])": "numpy.rot90 works on whole arrays",
    "np.linalg.det(a)": "np.linalg.det(a) cannot be called with",
}


@pytest.mark.parametrize("call", MISTAKES)
def test_mistakes(call):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, f"def f(a, out):\n    r = {call}\n    out[0] = 1\n")
    assert error.diagnostics[0].message.startswith(MISTAKES[call])


@pytest.mark.parametrize("text", ["x.ndim == 2", "x.ndim > 1", "not x.ndim < 2", "not x.ndim != 2"])
def test_dimensions_select_a_branch(text):
    source = f"""
@npp.device
def total(x):
    if {text}:
        return x[0].sum() * 100 + x[0, 1]
    elif x.ndim == 1:
        return x[1:].sum() + x.size
    return x + x.size + x.ndim

def f(m, out):
    out[0] = total(m)
    out[1] = total(m[1])
    out[2] = total(m[1, 2]) + (total(m[1, 1]) if m.ndim < 2 else len(m))
"""
    found = npp.guvectorize("(n,m)->(3)")(define(source)["f"])(MATRICES)
    for m, (first, second, third) in zip(MATRICES, found, strict=True):
        assert first == m[0].sum() * 100 + m[0, 1]
        assert second == m[1, 1:].sum() + m[1].size
        assert third == m[1, 2] + 1 + len(m)
