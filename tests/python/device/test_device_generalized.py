"""Generalized ufuncs on device arrays: the same bits, shapes and errors as on the CPU."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines.device_under_test import device_under_test

import numpy_plugin as npp
from numpy_plugin import _core, cuda


@pytest.fixture(scope="module", autouse=True)
def simulator() -> Iterator[None]:
    with device_under_test(memory="64 MiB"):
        yield


@npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,k),(k,n)->(m,n)")
def matmul(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            out[i, j] = s


@npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def carried_average(a, width, out):
    s = 0.0
    count = 0
    for i in range(a.shape[0]):
        s += a[i]
        count += 1
        if i >= width:
            s -= a[i - width]
            count -= 1
        out[i] = s / count


@npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
def window_average(a, width, out):
    for i in range(a.shape[0]):
        start = max(i - width + 1, 0)
        s = 0.0
        for j in range(start, i + 1):
            s += a[j]
        out[i] = s / (i + 1 - start)


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def norm(a, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * a[i]
    out[0] = np.sqrt(s)


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(3)")
def three_largest(a, out):
    for k in range(3):
        out[k] = -np.inf
    for i in range(a.shape[0]):
        x = a[i]
        for k in range(3):
            if x > out[k]:
                y = out[k]
                out[k] = x
                x = y


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(3),(3)->(3)")
def cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@npp.guvectorize(["void(float64[:,:], float64[:], float64, float64[:])"], "(2,2),(2),()->(2)")
def affine(a, x, offset, out):
    for i in range(2):
        out[i] = offset
        for j in range(2):
            out[i] += a[i, j] * x[j]


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def negated(a, out):
    for i in range(a.shape[0]):
        out[i] = -a[i]


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def differences(a, out):
    out[0] = 0.0
    for i in range(1, a.shape[0]):
        out[i] = a[i] - a[i - 1]


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def smoothed(a, out):
    last = a.shape[0] - 1
    for i in range(1, last):
        if a[i] < 0.0:
            out[i] = 0.0
            continue
        out[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0


@npp.guvectorize(["void(float64[:], float64[:], int64[:])"], "(n)->(),()")
def highest(a, value, place):
    value[0] = a[0]
    place[0] = 0
    for i in range(1, a.shape[0]):
        if a[i] > value[0]:
            value[0] = a[i]
            place[0] = i


@npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m?,k),(k,n?)->(m?,n?)")
def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0.0
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n|1),(n|1)->(n)")
def stretched_sum(a, b, out):
    for i in range(out.shape[0]):
        out[i] = a[i] + b[i]


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),()->()")
def scaled_sum(a, scale, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]
    out[0] = s * scale[0]


@npp.guvectorize(["void(float32[:], bool[:], float32[:])"], "(n),(n)->(n)")
def chosen(a, mask, out):
    for i in range(a.shape[0]):
        out[i] = a[i] if mask[i] else np.float32(0.0)


CUMULATIVE = npp.guvectorize(
    ["void(float64[:], float64[:])"],
    "(n)->(n)",
    args="a",
    outs="out",
    body="double s = 0; for (npp::int64 i = 0; i < a.shape(0); ++i) { s += a(i); out(i) = s; }",
)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


Put = Callable[[np.ndarray], Any]
Case = Callable[[Put], Any]


def as_tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def steps(array: Any) -> list[int]:
    """The strides that matter."""
    return [stride for size, stride in zip(array.shape, array.strides, strict=True) if size > 1]


def assert_same(case: Case) -> None:
    """The call gives the same dtypes, shapes, strides and bits on both."""
    pairs = zip(as_tuple(case(cuda.to_device)), as_tuple(case(lambda x: x)), strict=True)
    for found, wanted in pairs:
        assert isinstance(found, cuda.DeviceArray)
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        assert found.copy_to_host().tobytes() == wanted.tobytes()
        if wanted.size:
            assert steps(found) == steps(wanted)


def words(error: BaseException) -> tuple[str, str]:
    return type(error).__name__, str(error)


def assert_same_error(case: Case) -> None:
    with pytest.raises(Exception) as expected:
        case(lambda x: x)
    with pytest.raises(Exception) as found:
        case(cuda.to_device)
    assert words(found.value) == words(expected.value)


A, B, C = numbers(5, 4, 3), numbers(5, 3, 6), numbers(3, 6)
X, Y = numbers(4, 7), numbers(7)
P, Q = numbers(300, 3), numbers(3)
F4 = X.astype(np.float32)

CASES: dict[str, Case] = {
    "matmul": lambda to: matmul(to(A), to(B)),
    "matmul of one": lambda to: matmul(to(A[0]), to(C)),
    "matmul with broadcast loop dimensions": lambda to: matmul(to(A)[:, None], to(B)[:2]),
    "matmul of one with many": lambda to: matmul(to(A), to(C)),
    "matmul, transposed": lambda to: matmul(to(B).transpose(0, 2, 1), to(A).transpose(0, 2, 1)),
    "matmul, strided": lambda to: matmul(to(A)[::2, 1::2], to(B)[::2, :, ::3]),
    "matmul, backwards": lambda to: matmul(to(A)[::-1, ::-1, ::-1], to(B)[:, ::-1, ::-1]),
    "matmul, moved axes": lambda to: matmul(
        to(numbers(4, 5, 3)), to(numbers(3, 6, 5)), axes=[(0, 2), (0, 1), (2, 0)]
    ),
    "matmul without a sum": lambda to: matmul(to(A)[:, :, :0], to(B)[:, :0]),
    "matmul without rows": lambda to: matmul(to(A)[:, :0], to(B)),
    "matmul of nothing": lambda to: matmul(to(A)[:0], to(B)[:0]),
    "carried average": lambda to: carried_average(to(X), 3),
    "carried average, two widths": lambda to: carried_average(to(Y), to(np.array([1, 3]))),
    "window average": lambda to: window_average(to(X), 3),
    "window average, two widths": lambda to: window_average(to(Y), to(np.array([[1], [3]]))),
    "window average along the first axis": lambda to: window_average(to(X), 3, axes=[0, (), 0]),
    "window average of integers": lambda to: window_average(to(np.arange(6)), np.int32(2)),
    "norm": lambda to: norm(to(X)),
    "norm of one": lambda to: norm(to(Y)),
    "norm, axis": lambda to: norm(to(A), axis=0),
    "norm, negative axis": lambda to: norm(to(A), axis=-2),
    "norm, axes": lambda to: norm(to(A), axes=[1]),
    "norm, keepdims": lambda to: norm(to(A), keepdims=True),
    "norm, axis and keepdims": lambda to: norm(to(A), axis=1, keepdims=True),
    "norm, axes and keepdims": lambda to: norm(to(A), axes=[0, 2], keepdims=True),
    "norm of nothing": lambda to: norm(to(X)[:0]),
    "norm of empty vectors": lambda to: norm(to(X)[:, :0]),
    "norm of float32": lambda to: norm(to(F4)),
    "norm of float32, strided": lambda to: norm(to(F4)[::-1, ::2]),
    "norm in float32": lambda to: norm(to(X), out=to(np.zeros(4, np.float32))),
    "norm, dtype": lambda to: norm(to(F4), dtype="float64"),
    "norm, signature": lambda to: norm(to(F4), signature="d->d"),
    "norm, casting": lambda to: norm(to(X), signature="d->d", casting="equiv"),
    "three largest": lambda to: three_largest(to(X)),
    "three largest, axis first": lambda to: three_largest(to(X), axes=[0, 0]),
    "cross": lambda to: cross(to(P), to(P)[::-1]),
    "cross of few": lambda to: cross(to(P)[:2], to(P)[2:4]),
    "cross with one": lambda to: cross(to(P), to(Q)),
    "cross of one": lambda to: cross(to(Q), to(Q[::-1].copy())),
    "cross, not packed": lambda to: cross(to(numbers(300, 4))[:, 1:], to(P)),
    "cross, axis first": lambda to: cross(to(numbers(3, 300)), to(P), axes=[0, 1, 1]),
    "cross, two loop dimensions": lambda to: cross(to(numbers(40, 20, 3)), to(numbers(20, 3))),
    "affine": lambda to: affine(to(numbers(300, 2, 2)), to(numbers(300, 2)), 0.5),
    "affine with offsets": lambda to: affine(
        to(numbers(200, 2, 2)), to(numbers(2)), to(numbers(200))
    ),
    "affine, transposed": lambda to: affine(
        to(numbers(300, 2, 2)).transpose(0, 2, 1), to(numbers(300, 2)), 1
    ),
    "negated": lambda to: negated(to(X)),
    "negated, axis": lambda to: negated(to(X), axis=0),
    "negated, axes": lambda to: negated(to(X), axes=[0, 1]),
    "negated, order F": lambda to: negated(to(A), order="F"),
    "negated, order C": lambda to: negated(to(A).transpose(2, 1, 0), order="C"),
    "negated as it is": lambda to: negated(to(A).transpose(1, 0, 2)),
    "negated twice": lambda to: negated(negated(to(X))),
    "differences": lambda to: differences(to(X)),
    "highest": lambda to: highest(to(X)),
    "highest, axis": lambda to: highest(to(X), axis=0),
    "cumulative": lambda to: CUMULATIVE(to(X)[:, ::-2]),
    "product": lambda to: product(to(A[0]), to(C)),
    "product of a vector": lambda to: product(to(Q), to(C)),
    "product with a vector": lambda to: product(to(A), to(Q)),
    "product of vectors": lambda to: product(to(Q), to(Q)),
    "stretched left": lambda to: stretched_sum(to(X)[:, :1], to(X)),
    "stretched right": lambda to: stretched_sum(to(X), to(Y)[:1]),
    "nothing to stretch": lambda to: stretched_sum(to(X)[:, :1], to(X)[:, 1:2]),
    "a number for an array": lambda to: scaled_sum(to(X), 2.5),
    "an array of one for an array": lambda to: scaled_sum(to(X), to(np.array(3.0))),
    "bool": lambda to: chosen(to(F4), to(X > 0)),
    "out": lambda to: norm(to(X), out=to(np.zeros(4))),
    "out, positional": lambda to: norm(to(X), to(np.zeros(4))),
    "out, strided": lambda to: negated(to(X), out=to(np.zeros((8, 14)))[::2, ::-2]),
    "out, first of two": lambda to: highest(to(X), out=(to(np.zeros(4)), None)),
    "out with more loop dimensions": lambda to: norm(to(X), out=to(np.zeros((3, 4)))),
    "out without a loop dimension of one": lambda to: norm(to(A[:1]), out=to(np.zeros(A.shape[1]))),
    "out that stretches the input": lambda to: norm(to(Y), out=to(np.zeros(4))),
    "out and keepdims": lambda to: norm(to(X), out=to(np.zeros((4, 1))), keepdims=True),
    "out and axis": lambda to: negated(to(X), out=to(np.zeros((4, 7))), axis=0),
}


@pytest.mark.parametrize("name", CASES)
def test_same_as_on_the_cpu(name: str) -> None:
    assert_same(CASES[name])


ERRORS: dict[str, Case] = {
    "core dimensions that differ": lambda to: matmul(to(A), to(A)),
    "too few dimensions": lambda to: matmul(to(Y), to(C)),
    "a number for an array": lambda to: cross(to(P), 2.0),
    "another fixed size": lambda to: cross(to(X), to(X)),
    "loop dimensions that differ": lambda to: matmul(to(A), to(B)[:2]),
    "axis outside": lambda to: norm(to(X), axis=2),
    "negative axis outside": lambda to: norm(to(X), axis=-3),
    "axis of text": lambda to: norm(to(X), axis="first"),
    "axis that is an array": lambda to: norm(to(X), axis=np.array([0])),
    "axis that is a fraction": lambda to: norm(to(X), axis=1.0),
    "axis None": lambda to: norm(to(X), axis=None),
    "axis of several core dimensions": lambda to: matmul(to(A), to(B), axis=0),
    "axis and axes": lambda to: norm(to(X), axis=0, axes=[0]),
    "axes that are no list": lambda to: norm(to(X), axes=(0,)),
    "too few axes": lambda to: matmul(to(A), to(B), axes=[(0, 1)]),
    "too many axes": lambda to: norm(to(X), axes=[0, (), ()]),
    "axes of another number": lambda to: norm(to(X), axes=[(0, 1)]),
    "axes of nothing": lambda to: norm(to(X), axes=[0, 0]),
    "an axis twice": lambda to: matmul(to(A), to(B), axes=[(0, 0), (0, 1), (0, 1)]),
    "axes outside": lambda to: norm(to(X), axes=[5]),
    "axes of text": lambda to: norm(to(X), axes=["a"]),
    "keepdims with output dimensions": lambda to: negated(to(X), keepdims=True),
    "keepdims=False with output dimensions": lambda to: negated(to(X), keepdims=False),
    "keepdims that is no bool": lambda to: norm(to(X), keepdims=1),
    "keepdims that is no bool, and no loop": lambda to: norm(to(X + 0j), keepdims=1),
    "keepdims None": lambda to: norm(to(X), keepdims=None),
    "where": lambda to: norm(to(X), where=True),
    "a mask": lambda to: norm(to(X), where=to(np.ones(4, bool))),
    "an unknown word": lambda to: norm(to(X), axes_=1),
    "too many operands": lambda to: norm(to(X), to(X), to(X)),
    "out of another core size": lambda to: negated(to(X), out=to(np.zeros((4, 6)))),
    "out of another loop size": lambda to: norm(to(X), out=to(np.zeros(3))),
    "out that would have to shrink": lambda to: norm(to(X), out=to(np.zeros(1))),
    "out of too few dimensions": lambda to: negated(to(X), out=to(np.zeros(7))),
    "out without the kept dimension": lambda to: norm(to(X), out=to(np.zeros(4)), keepdims=True),
    "out with a large kept dimension": lambda to: norm(
        to(X), out=to(np.zeros((4, 3))), keepdims=True
    ),
    "out of integers": lambda to: norm(to(X), out=to(np.zeros(4, int))),
    "out of one for two": lambda to: highest(to(X), out=to(np.zeros(4))),
    "no loop for complex": lambda to: norm(to(X + 0j)),
    "casting": lambda to: norm(to(F4), casting="no"),
    "order": lambda to: norm(to(X), order="Q"),
    "stretched with axes": lambda to: stretched_sum(to(X), to(X)[:, :1], axes=[1, 1, 1]),
    "no size to stretch to": lambda to: stretched_sum(to(X), to(X)[:, :2]),
}


def test_too_many_operands_to_be_split(tmp_path: Path) -> None:
    names = [f"x{i}" for i in range(63)]
    sum_of_all = " + ".join(f"{name}[i]" for name in names)
    path = tmp_path / "many.py"
    path.write_text(
        f"def total({', '.join(names)}, out):\n"
        "    for i in range(out.shape[0]):\n"
        f"        out[i] = {sum_of_all}\n"
    )
    spec = importlib.util.spec_from_file_location("many", path)
    many = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(many)
    signature = f"void({', '.join(['float64[:]'] * 64)})"
    total = npp.guvectorize([signature], ",".join(["(n)"] * 63) + "->(n)", target="cpu")(many.total)
    x = cuda.to_device(X)
    np.testing.assert_array_equal(total(*[x] * 63).copy_to_host(), total(*[X] * 63))


@pytest.mark.parametrize("name", ERRORS)
def test_same_error_as_on_the_cpu(name: str) -> None:
    assert_same_error(ERRORS[name])
    assert_same(lambda to: norm(to(X)))  # the next call is unaffected


FULL = st.sampled_from([slice(None), slice(None, None, -1)])
HALF = st.sampled_from([slice(None, None, 2), slice(None, None, -2), slice(1, 4)])
SLICES = FULL | HALF | st.sampled_from([slice(2, 3), slice(0, 0)])
# Two slices of the summed dimension, of equal length.
SUMMED = st.tuples(FULL, FULL) | st.tuples(HALF, HALF)
LOOPS = st.permutations([0, 1])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(SLICES, SLICES, SLICES, SLICES, SUMMED, LOOPS, LOOPS, st.booleans())
def test_any_layout(p, q, m, n, k, left_loops, right_loops, broadcasts) -> None:
    left, right = numbers(4, 4, 5, 6), numbers(4, 4, 6, 5)

    def call(to: Put) -> Any:
        a = to(left).transpose(*left_loops, 2, 3)[p, q, m, k[0]]
        b = to(right).transpose(*right_loops, 2, 3)[p, q, k[1], n]
        return matmul(a, b[:1] if broadcasts else b)

    assert_same(call)


def test_out_is_what_is_returned() -> None:
    x, out = cuda.to_device(X), cuda.to_device(np.zeros(4))
    assert norm(x, out=out) is out
    assert norm(x, out=(out,)) is out
    value, place = highest(x, out=(out, None))
    assert value is out
    assert place.dtype == np.int64


OVERLAPS: dict[str, Callable[[Any], Any]] = {
    "in place": lambda x: negated(x, out=x),
    "shifted": lambda x: differences(x[:, :-1], out=x[:, 1:]),
    "shifted back": lambda x: differences(x[:, 1:], out=x[:, :-1]),
    "backwards": lambda x: differences(x, out=x[:, ::-1]),
    "a carried sum in place": lambda x: CUMULATIVE(x, out=x),
    "rows for columns": lambda x: negated(x[:, :4], out=x[:, :4].T),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_overlapping_operands_are_as_if_copied(name: str) -> None:
    host, device = X.copy(), cuda.to_device(X)
    expected = OVERLAPS[name](host)
    found = OVERLAPS[name](device)
    np.testing.assert_array_equal(found.copy_to_host(), expected)
    np.testing.assert_array_equal(device.copy_to_host(), host)


def test_elements_that_are_not_written_keep_what_they_held() -> None:
    for out in (np.full((4, 7), 5.0), np.full((7, 4), 5.0).T):
        device = cuda.to_device(out)
        smoothed(cuda.to_device(X), out=device)
        smoothed(X, out=out)
        np.testing.assert_array_equal(device.copy_to_host(), out)


def test_arrays_of_the_host_are_refused() -> None:
    with pytest.raises(TypeError, match="operand 2 of 'matmul' is a host array"):
        matmul(cuda.to_device(A), B)
    with pytest.raises(TypeError, match="output 1 of 'norm' is a host array"):
        norm(cuda.to_device(X), out=np.zeros(4))


def test_many_loop_dimensions() -> None:
    x = numbers(2, 1, 2, 1, 2, 1, 2, 3)
    order = (6, 4, 2, 0, 1, 3, 5, 7)
    assert_same(lambda to: negated(to(x).transpose(order)))
    assert_same(lambda to: norm(to(x).transpose(order)))
    deep = x.reshape((1,) * 50 + x.shape)
    assert_same(lambda to: norm(to(deep)))


# Numbers of the allocations: x, out, then the input as float64, the output as float64.
@pytest.mark.parametrize("allocation", [3, 4])
def test_no_memory_for_a_temporary(allocation: int) -> None:
    with cuda.simulator(faults={"allocation": allocation}):
        x, out = cuda.to_device(F4), cuda.to_device(np.full(4, 9.0, np.float32))
        with pytest.raises(npp.DeviceMemoryError):
            norm(x, out=out)
        np.testing.assert_array_equal(x.copy_to_host(), F4)
        np.testing.assert_array_equal(out.copy_to_host(), np.full(4, 9.0, np.float32))
        np.testing.assert_array_equal(norm(x, out=out).copy_to_host(), norm(F4).astype("f4"))


def test_a_launch_that_fails() -> None:
    with cuda.simulator(faults={"launch": 1}):
        x = cuda.to_device(X)
        with pytest.raises(npp.CudaError):
            norm(x).copy_to_host()


def test_a_stream() -> None:
    stream = cuda.stream()
    x = cuda.to_device(X, stream=stream)
    found = norm(x, stream=stream)
    np.testing.assert_array_equal(found.copy_to_host(), norm(X))


def reason(ufunc: np.ufunc, *operands: Any) -> str:
    return _core.explain_launch(ufunc, operands, {})[1]


def test_explain_says_which_form_and_why() -> None:
    to = cuda.to_device
    assert reason(matmul, to(A), to(B)) == (
        "split: a thread for each iteration over 'i' and 'j', which are independent; not tiled, "
        "because results of 4 x 6 sums over 3 are small: tiles take 24 x 24 sums over 8 or more"
    )
    assert reason(carried_average, to(X), 3) == (
        "one thread per item: not split, because 's' is carried from one iteration of 'i' to the "
        "next; not staged, because the size of 'n' is known only at the call"
    )
    assert reason(window_average, to(X), 3) == (
        "split: a thread for each iteration over 'i', which are independent"
    )
    assert reason(cross, to(P), to(P)) == (
        "staged: items of fixed sizes are packed; 128 of them pass through shared memory together"
    )
    assert reason(cross, to(numbers(300, 4))[:, 1:], to(P)) == (
        "one thread per item: not split, because the body is not one loop; not staged, because the "
        "items of input 1 are not packed"
    )
    assert "not split, because a C++ body is not analyzed" in reason(CUMULATIVE, to(X))
    assert reason(norm, to(X)[:0]) == "nothing is launched: there is nothing to write"


def test_explain_lists_casts() -> None:
    out = cuda.to_device(np.zeros(4, np.float32))
    form, why, *_, casts = _core.explain_launch(norm, (cuda.to_device(F4),), {"out": out})
    assert form == "generalized"
    assert why.endswith("; casts are separate launches")
    assert casts == ("input 1: float32 to float64", "output 1: float64 to float32")


def test_inspect_shows_every_form() -> None:
    assert ".entry npp_generalized_0" in npp.inspect(matmul).ptx()
    assert ".entry npp_split_0" in npp.inspect(matmul).ptx(form="wide split")
    assert ".shared" in npp.inspect(cross).ptx(form="staged")
    with pytest.raises(ValueError, match="'cross' is not split, because the body is not one loop"):
        npp.inspect(cross).ptx(form="split")
    with pytest.raises(ValueError, match="'norm' is not staged, because the size of 'n' is known"):
        npp.inspect(norm).ptx(form="staged")
    with pytest.raises(ValueError, match="expected generalized, split, staged or tiled"):
        npp.inspect(norm).ptx(form="rows")


def test_split_and_staged_write_what_one_thread_would() -> None:
    """The CPU's bits for every form of one kernel: it depends on the call which is taken."""
    many = numbers(40_000, 2, 2)
    vectors = numbers(40_000, 2)
    assert "split" in reason(affine, cuda.to_device(many[:5]), cuda.to_device(vectors[:5]), 1.0)
    assert "staged" in reason(affine, cuda.to_device(many), cuda.to_device(vectors), 1.0)
    for n in (5, 40_000):
        assert_same(lambda to, n=n: affine(to(many[:n]), to(vectors[:n]), 1.0))
