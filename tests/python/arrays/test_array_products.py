"""Products of device arrays beyond `@`: dot, tensordot, einsum, norms."""

import numpy as np
import pytest
from device_arrays.compare import check, check_error

from numpy_plugin import cuda

A = np.arange(6, dtype=np.float64).reshape(2, 3) - 2
B = np.arange(24, dtype=np.float64).reshape(4, 3, 2)
C = A * (1 - 2j)

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.dot(a, a.T),
        lambda a, b: np.dot(a, b),
        lambda a, b: np.dot(a[0], a[1]),
        lambda a, b: np.dot(a, 2.0),
        lambda a, b: a.dot(a[0]),
        lambda a, b: np.vdot(a, a + 1),
        lambda a, b: np.inner(a, a),
        lambda a, b: np.inner(a[0], a),
        lambda a, b: np.outer(a[0], a),
        lambda a, b: np.tensordot(a, b.transpose(1, 0, 2), 1),
        lambda a, b: np.tensordot(a, b, ((0, 1), (2, 1))),
        lambda a, b: np.tensordot(b, b, 0),
        lambda a, b: np.tensordot(b, b, 3),
        lambda a, b: np.vecdot(a, a + 1),
        lambda a, b: np.einsum("ij,kj->ik", a, a),
        lambda a, b: np.einsum("ij,jk", a, a.T),
        lambda a, b: np.einsum("ij->", a),
        lambda a, b: np.einsum("ij->ji", a),
        lambda a, b: np.einsum("ii->i", a[:, :2]),
        lambda a, b: np.einsum("ii", a[:, :2]),
        lambda a, b: np.einsum("...ij,ij->...", b, a.T),
        lambda a, b: np.einsum("kji,ij->k", b, a),
        lambda a, b: np.einsum("i,j->ji", a[0], a[1, :2]),
        lambda a, b: np.einsum("ij,ij->ij", a, a),
        lambda a, b: np.einsum("kij,kjl->kil", b, b.transpose(0, 2, 1)),
        lambda a, b: np.einsum("ij,k->i", a, a[0]),
        lambda a, b: np.einsum("ij,ij->ij", a, a[:1]),
        lambda a, b: np.einsum(" i j , j -> i ", a, a[0]),
    ],
)
def test_products(function):
    check(function, A, B, ulp=8)


def test_complex_products():
    check(lambda c: np.vdot(c, c[::-1]), C, ulp=8)
    check(lambda c: np.tensordot(c, c, ((1,), (1,))), C, ulp=8)
    check(lambda c: np.linalg.norm(c), C, ulp=8)


def test_products_of_bools():
    check(lambda x: np.dot(x, x.T), A > 0)


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"axis": 0},
        {"ord": 1, "axis": 1},
        {"ord": np.inf, "axis": 1},
        {"ord": 0, "axis": 0},
        {"ord": 3, "axis": 1, "keepdims": True},
        {"ord": "fro"},
        {"ord": 1},
        {"ord": -np.inf},
        {"keepdims": True},
    ],
    ids=str,
)
def test_norms(named):
    check(lambda a: np.linalg.norm(a, **named), A, ulp=8)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.dot(a, a),
        lambda a, b: np.dot(a[0], a),
        lambda a, b: np.tensordot(a, b, 2),
        lambda a, b: np.inner(a, b),
        lambda a, b: np.linalg.norm(b, 1),
        lambda a, b: np.linalg.norm(a, "what"),
        lambda a, b: np.einsum("ij,jk->ikz", a, a),
    ],
)
def test_errors_are_numpys(function):
    check_error(function, A, B)


def test_products_that_no_kernel_has():
    a = cuda.to_device(A)
    with pytest.raises(TypeError, match=r"'numpy\.linalg\.norm' of ord='nuc' works on host"):
        np.linalg.norm(a, "nuc")
    with pytest.raises(TypeError, match=r"'numpy\.einsum' of 3 operands works on host arrays"):
        np.einsum("ij,jk,kl", a, a.T, a)
    with pytest.raises(TypeError, match=r"'numpy\.linalg\.svd' works on host arrays only"):
        np.linalg.svd(a)
