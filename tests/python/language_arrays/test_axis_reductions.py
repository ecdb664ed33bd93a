"""Reductions along axes in kernels, compared with NumPy's run of the same function."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from kernel_source import define, error_of
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.usefixtures("simulator"),
]


# Values for a matrix m of 3 x 4 and an array c of 3 x 4 x 2, each stored in 3 x 4 elements.
EXPRESSIONS = [
    "m.sum(axis=0)",
    "np.sum(m, axis=1, keepdims=True)",
    "m.sum(0) / m.sum()",
    "np.max(m, axis=0) - np.min(m, axis=-1, keepdims=True)",
    "np.prod(m, 0)",
    "m.mean(axis=0)",
    "np.std(m, axis=0) + np.var(m, axis=0, ddof=1)",
    "m.argmax(axis=0)",
    "np.argmin(m, axis=1, keepdims=True)",
    "np.any(m > 2, axis=0)",
    "(m > 0).all(axis=1, keepdims=True)",
    "np.count_nonzero(m, axis=0)",
    "c.sum(axis=2)",
    "c.sum(axis=(0, -1))",
    "c.max(axis=(0, 2), keepdims=True)[0, :, 0]",
    "c.sum(axis=2).max(axis=0)",
    "m - m.mean(axis=0)",
    "m / m.sum(axis=1, keepdims=True)",
    "(m * c[:, :, 0]).sum(axis=0)",
    "(m > 1).sum(axis=0)",
    "np.sum(m[1:, ::2], axis=1, keepdims=True)[1]",
    "np.sum(m, keepdims=True)",
    "np.sum(m, axis=(0, 1))",
    "np.sum(m[0], axis=0)",
    "m[:0].sum(axis=0) + m[:0].prod(axis=0)",
    "len(m[:, :0].max(axis=0)) + len(m[:, :0].argmax(axis=0)) + m[:0].all(axis=0)",
    "m[:, :0].mean(axis=1, keepdims=True)",
    "np.sum(m, axis=0, dtype=np.float32)",
]
M = np.array([[1.0, -2, 3, np.nan], [4, 5, -6, 2], [0, 5, 3, 2]]) * np.ones((2, 1, 1))
C = np.arange(48.0).reshape(2, 3, 4, 2) % 11 - 3


# Every third one is in the same kernel: one of all takes long to compile.
N_KERNELS = 3


def function(part: int):
    texts = EXPRESSIONS[part::N_KERNELS]
    lines = "".join(f"    out[{i}] = {text}\n" for i, text in enumerate(texts))
    return define(f"def f(m, c, out):\n{lines}")["f"], len(texts)


@functools.cache
def results(part: int, target: str) -> np.ndarray:
    body, count = function(part)
    if target == "numpy":
        expected = np.zeros((2, count, 3, 4))
        for m, c, out in zip(M, C, expected, strict=True):
            body(m, c, out)
        return expected
    signature = ["void(float64[:,:], float64[:,:,:], float64[:,:,:])"]
    f = npp.guvectorize(signature, f"(a,b),(a,b,2)->({count},a,b)", target=target)(body)
    if target == "parallel":
        return f(np.tile(M, (40, 1, 1)), np.tile(C, (40, 1, 1, 1)))[-2:]
    if target == "cuda":
        return f(cuda.to_device(M), cuda.to_device(C)).copy_to_host()
    return f(M, C)


def check(text: str, target: str) -> None:
    i, part = divmod(EXPRESSIONS.index(text), N_KERNELS)
    expected = results(part, "numpy")[:, i]
    np.testing.assert_allclose(results(part, target)[:, i], expected, rtol=1e-13)


@pytest.mark.parametrize("target", ["cpu", "parallel"])
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_results_are_numpys(text, target):
    check(text, target)


FIRST = EXPRESSIONS[::N_KERNELS]
OTHERS = [text for text in EXPRESSIONS if text not in FIRST]


@pytest.mark.parametrize("text", [*FIRST, *in_long_runs(*OTHERS)])
def test_results_on_devices_are_numpys(text):
    check(text, "cuda")


def test_types_are_numpys():
    x = np.arange(12, dtype=np.int8).reshape(3, 4)
    for text in ["sum", "prod", "mean", "max", "argmin", "any", "std"]:
        f = npp.guvectorize("(a,b)->(b)")(
            define(f"def f(x, out):\n    out[:] = x.{text}(axis=0)\n")["f"]
        )
        expected = getattr(x, text)(axis=0)
        assert f(x).dtype == expected.dtype
        np.testing.assert_allclose(f(x), expected, rtol=1e-13)


def test_arrays_of_a_grid_have_constant_sizes():
    @cuda.kernel
    def f(x, out):
        i = cuda.grid(1)
        if i < len(x):
            t = cuda.local.array((2, 3), npp.float64)
            t[:] = x[i]
            t[1] += 1
            s = t.sum(axis=0)
            out[i] = s.max() + s[2]

    out = cuda.to_device(np.zeros(4))
    f[1, 32](cuda.to_device(np.arange(4.0)), out)
    np.testing.assert_array_equal(out.copy_to_host(), 4 * np.arange(4) + 2)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("shape", [(0, 3), (0, 0), (3, 0)])
def test_empty_axes_are_as_in_numpy(name, shape):
    kernel = npp.guvectorize(["void(float64[:,:], float64[:])"], "(a,b)->(b)")(
        define(f"def f(x, out):\n    out[:] = np.{name}(x, axis=0)\n")["f"]
    )
    x = np.zeros(shape)
    if shape[0] > 0:
        assert kernel(x).shape == getattr(np, name)(x, axis=0).shape
        return
    with pytest.raises(ValueError) as expected:
        getattr(np, name)(x, axis=0)
    with pytest.raises(ValueError, match=str(expected.value)):
        kernel(x)


MISTAKES = {
    "m.sum(axis=2)": ("axis 2 is out of bounds for array of dimension 2", ""),
    "np.sum(m, axis=(0, -2))": ("duplicate value in 'axis'", ""),
    "np.sum(m, axis=k)": ("an axis must be a constant integer, found int64", "such as 0"),
    "np.sum(m, axis=0.5)": ("an axis must be a constant integer, found float64", ""),
    "np.argmax(m, axis=(0, 1))": ("an axis must be a constant integer, found a tuple of 2", ""),
    "np.sum(m, axis=())": ("no axis is given", ""),
    "m.sum(axis=0, keepdims=k)": ("keepdims must be True or False", ""),
    "m.sum(where=m > 0)": ("m.sum in a kernel has no 'where'", ""),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(["void(float64[:,:], int64, float64[:])"], "(n,n),()->(n)")
    error = error_of(declare, f"def f(m, k, out):\n    t = {text}\n    out[0] = 0\n")
    message, hint = MISTAKES[text]
    assert error.diagnostics[0].message == message
    assert hint in error.diagnostics[0].hint
