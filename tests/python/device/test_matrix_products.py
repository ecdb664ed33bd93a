"""Generalized ufuncs of the form of a matrix product on devices: the CPU's bits, for any layout."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from instruction_count import INSTRUCTION, LABEL
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import _core, cuda
from numpy_plugin._inspection import disassembly

TYPES = ["float64", "float32", "float16", "int64", "complex64", "complex128"]
LAYOUT = "(m,k),(k,n)->(m,n)"

pytestmark = pytest.mark.usefixtures("device")


def types(*names: str) -> list[str]:
    return [f"void({name}[:,:], {name}[:,:], {name}[:,:])" for name in names]


@npp.guvectorize(types(*TYPES), LAYOUT)
def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


@npp.guvectorize(types("float32"), LAYOUT)
def product_in_place(a, b, out):
    m, depth = a.shape
    n = b.shape[1]
    for j in range(n):
        for i in range(m):
            out[i, j] = 0
            for k in range(depth):
                out[i, j] += a[i, k] * b[k, j]


@npp.guvectorize(
    ["void(int8[:,:], float32[:,:], float64[:,:], float64, float64[:,:])"],
    "(m,k),(k,n),(m,n),()->(m,n)",
)
def scaled(a, b, c, alpha, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * np.float64(b[k, j])
            out[i, j] = alpha * total + c[i, j]


@npp.guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], LAYOUT)
def shortest_paths(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = np.float32(np.inf)
            for k in range(a.shape[1]):
                total = min(total, a[i, k] + b[k, j])
            out[i, j] = total


@npp.guvectorize(["void(float64[:,:], float64[:,:])"], "(m,k)->(m,m)")
def gram(a, out):
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * a[j, k]
            out[i, j] = total


def numbers(dtype: str, *shape: int) -> Any:
    values = np.random.default_rng(len(shape) + shape[-1]).standard_normal(shape) * 5
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values[..., ::-1]
    return values.astype(dtype)


def launch(ufunc: np.ufunc, *operands: Any) -> tuple[str, str]:
    """The form of a launch, and why."""
    return _core.explain_launch(ufunc, operands, {})[:2]


def transposed(matrices: Any) -> Any:
    *loops, rows, columns = range(matrices.ndim)
    return matrices.transpose(*loops, columns, rows)


def assert_same(ufunc: np.ufunc, *operands: Any) -> None:
    to = cuda.to_device
    on_device = [to(each) if isinstance(each, np.ndarray) else each for each in operands]
    assert launch(ufunc, *on_device)[0] == "tiled"
    np.testing.assert_array_equal(ufunc(*on_device).copy_to_host(), ufunc(*operands))


@pytest.mark.parametrize("dtype", TYPES)
def test_sums_have_the_cpus_bits(dtype: str) -> None:
    """Edges of tiles on all three sides: 67 and 40 are no multiples of 32, 21 none of 8."""
    assert_same(product, numbers(dtype, 67, 21), numbers(dtype, 21, 40))


def test_loop_dimensions_and_any_strides() -> None:
    a, b = numbers("float64", 3, 30, 17), numbers("float64", 2, 1, 17, 33)
    assert_same(product, a, b)
    a, b = cuda.to_device(a), cuda.to_device(b)
    expected = product(a.copy_to_host(), b.copy_to_host())
    # The same elements with the smaller stride along the rows, along the depth, and downwards.
    for of_a, of_b in [
        (transposed(transposed(a).copy()), b),
        (a, transposed(transposed(b).copy())),
        (a[:, ::-1, ::-1].copy()[:, ::-1, ::-1], b[..., ::-1].copy()[..., ::-1]),
    ]:
        assert launch(product, of_a, of_b)[0] == "tiled"
        np.testing.assert_array_equal(product(of_a, of_b).copy_to_host(), expected)


def test_an_output_with_gaps_keeps_what_lies_between() -> None:
    a, b = numbers("float64", 25, 9), numbers("float64", 9, 26)
    whole = cuda.to_device(np.full((50, 78), 7.0))
    product(cuda.to_device(a), cuda.to_device(b), out=whole[::2, ::3])
    expected = np.full((50, 78), 7.0)
    expected[::2, ::3] = product(a, b)
    np.testing.assert_array_equal(whole.copy_to_host(), expected)


@needs_simulator
def test_every_size_of_tiles_has_the_same_bits() -> None:
    """More matrices fill a device of 16 multiprocessors with larger tiles."""
    a, b = numbers("float32", 120, 12), numbers("float32", 12, 100)
    expected = product(a, b)
    with cuda.simulator("sm_87", memory="64 MiB"):
        for n_matrices, side in ((1, 32), (4, 64), (16, 128)):
            many = cuda.to_device(np.stack([a] * n_matrices))
            reason = launch(product, many, cuda.to_device(b))[1]
            assert f"a block for {side} x {side} iterations" in reason
            for found in product(many, cuda.to_device(b)).copy_to_host():
                np.testing.assert_array_equal(found, expected)


def test_other_sums_of_the_same_form() -> None:
    assert_same(product_in_place, numbers("float32", 40, 21), numbers("float32", 21, 67))
    assert_same(shortest_paths, numbers("float32", 40, 21), numbers("float32", 21, 67))
    assert_same(gram, numbers("float64", 40, 21))
    a, b = numbers("int8", 40, 21), numbers("float32", 21, 67)
    assert_same(scaled, a, b, numbers("float64", 40, 67), 0.7)


def test_infinities_stay_where_they_are() -> None:
    """Elements past an edge take part in no sum."""
    a, b = numbers("float64", 33, 9), numbers("float64", 9, 33)
    a[32, 8], b[8, 32], a[0, 0] = np.inf, np.nan, -0.0
    with np.errstate(invalid="ignore"):
        assert_same(product, a, b)
    zeros = np.full((24, 8), -0.0)
    assert_same(product, zeros, zeros.T.copy())


def test_explain_says_which_form_and_why() -> None:
    to = cuda.to_device
    a, b = to(numbers("float64", 40, 21)), to(numbers("float64", 21, 30))
    assert launch(product, a, b) == (
        "tiled",
        "tiled: a block for 32 x 32 iterations over 'i' and 'j', whose sums are in registers",
    )
    blocks, elements_per_thread = _core.explain_launch(product, (a, b), {})[2:4]
    assert (blocks, elements_per_thread) == (2, 4)
    form, reason = launch(product, a, b[:, :23])
    assert form == "split"
    assert reason.endswith(
        "; not tiled, because results of 40 x 23 sums over 21 are small: tiles take 24 x 24 sums "
        "over 8 or more"
    )
    assert ".entry npp_tiled_0" in npp.inspect(product).ptx(types("float64")[0], form="tiled")
    with pytest.raises(ValueError, match="'first' is not tiled, because the inner loop is no sum"):
        npp.inspect(first).ptx(form="tiled")


@npp.guvectorize(types("float64"), LAYOUT)
def first(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k]
            out[i, j] = total


def test_numpys_matmul() -> None:
    a, b = numbers("float64", 40, 21), numbers("float64", 21, 30)
    found = np.matmul(cuda.to_device(a), cuda.to_device(b)).copy_to_host()
    np.testing.assert_array_equal(found, product(a, b))


@pytest.mark.parametrize("dtype", TYPES)
def test_nothing_spills(dtype: str) -> None:
    (row,) = npp.inspect(product).resources(types(dtype)[0], "sm_90", "tiled")
    assert (row.stack_bytes, row.spill_store_bytes) == (0, 0)
    assert row.shared_bytes <= 48 << 10


@pytest.mark.skipif(disassembly.find_nvdisasm() is None, reason="there is no nvdisasm here")
@pytest.mark.parametrize(("dtype", "n_loads"), [("float32", 4), ("float64", 8)])
def test_most_instructions_of_the_inner_loop_compute(dtype: str, n_loads: int) -> None:
    """64 products and sums per thread and step, from 16 elements in 16-byte loads."""
    loop = inner_loop(npp.inspect(product).sass(types(dtype)[0], "sm_90", form="tiled"))
    computing = [each for each in loop if each.startswith(("FMUL", "FADD", "DMUL", "DADD"))]
    assert len(computing) == 128
    assert sum(each.startswith("LDS.128") for each in loop) == n_loads
    assert len(computing) >= 0.85 * len(loop)


def inner_loop(sass: str) -> list[str]:
    """The names of the instructions between the last label before the products and its branch."""
    lines = sass.splitlines()
    middle = next(i for i, line in enumerate(lines) if re.search(r"[FD]MUL", line))
    begin = max(i for i in range(middle) if LABEL.match(lines[i]))
    label = LABEL.match(lines[begin])[1]
    end = next(i for i in range(middle, len(lines)) if f"BRA `({label})" in lines[i])
    found = (INSTRUCTION.search(line) for line in lines[begin : end + 1])
    return [each["name"] for each in found if each]
