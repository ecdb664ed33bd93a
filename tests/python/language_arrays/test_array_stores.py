"""Numbers and arrays stored in rows, slices and whole arrays of a kernel."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

N = 7

pytestmark = pytest.mark.usefixtures("simulator")


def assert_both(ufunc: np.ufunc, expected: object, *operands: np.ndarray) -> None:
    """Compare a call on host arrays and one on device arrays with what is expected."""
    np.testing.assert_array_equal(ufunc(*operands), expected)
    on_device = ufunc(*(cuda.to_device(operand) for operand in operands))
    np.testing.assert_array_equal(on_device.copy_to_host(), expected)


def kernel(lines: list[str], signature: str, layout: str, arguments: str = "a, out") -> np.ufunc:
    body = "".join(f"    {line}\n" for line in lines)
    function = define(f"def f({arguments}):\n{body}", **globals())["f"]
    return npp.guvectorize([signature], layout)(function)


def as_numpy(lines: list[str], a: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Run the lines on NumPy's arrays."""
    exec("\n".join(lines), {**globals(), "a": a, "out": out})
    return out


@npp.device
def copied(target, source):
    target[:] = source


@npp.device
def cleared(target):
    target[...] = 0


VECTOR_STORES = [
    ["out[:] = 3"],
    ["out[...] = a"],
    ["out[:] = a[0]"],
    ["out[::-1] = a"],
    ["out[:] = 0", "out[1:] = a[:-1]"],
    ["out[:] = 0", "out[-3:] = a[1:4]", "out[5:2] = a[5:2]", "out[100:] = 9"],
    ["out[:] = 0", "out[::3] = a[:3]", "out[1::3] = True"],
    ["out[:] = a[3:4]"],  # broadcast
    ["out[:], n = a, 4", "out[1] = n"],
    ["out[:] = out[::-1] = a"],
    ["for i in range(len(out)):", "    out[i:] = a[i]"],
    ["v = out[2:]", "out[:] = 1", "v[:] = a[:-2]", "v[:-2] = v[2:]"],
    ["copied(out, a)", "copied(out[1:], out[:-1])", "cleared(out[-2:])"],
]
MATRIX_STORES = [
    ["out[:] = 2.5"],
    ["out[:, :] = a"],
    ["out[...] = a[0]"],  # for every row
    ["out[:] = a[:, 1:2]"],  # for every column
    ["for i in range(len(out)):", "    out[i] = a[-1 - i]"],
    ["for i in range(len(out)):", "    out[i, :] = a[0, ::-1]"],
    ["for j in range(out.shape[1]):", "    out[:, j] = a[:, 0]"],
    ["out[:, :] = 0", "out[1:, ::2] = a[:-1, 1::2]", "out[0][1:] = -1"],
    ["out[:] = a", "out[0] = out[1]", "out[:, 2] = out[:, 0]", "out[2, 1:] = out[2, :-1]"],
    ["copied(out, a)", "cleared(out[:, 1:])"],
]


def stores(cases: list[list[str]], dtype: str, layout: str) -> np.ufunc:
    """Return a ufunc with an output for each case."""
    names = [f"out{k}" for k in range(len(cases))]
    lines = [
        line.replace("out", name).replace("v", f"v{name}")
        for name, case in zip(names, cases, strict=True)
        for line in case
    ]
    core, kind = layout, dtype + ("[:,:]" if "," in layout else "[:]")
    signature = f"void({', '.join([kind] * (len(cases) + 1))})"
    outputs = ",".join([core] * len(cases))
    return kernel(lines, signature, f"{core}->{outputs}", ", ".join(["a", *names]))


def check_stores(ufunc: np.ufunc, cases: list[list[str]], a: np.ndarray) -> None:
    on_device = ufunc(cuda.to_device(a))
    for case, found, copy in zip(cases, ufunc(a), on_device, strict=True):
        expected = [as_numpy(case, item, np.zeros_like(item)) for item in a]
        np.testing.assert_array_equal(found, expected, str(case))
        np.testing.assert_array_equal(copy.copy_to_host(), expected, str(case))


@pytest.mark.parametrize("layout", [f"({N})", "(n)"])
def test_stores_in_vectors(layout):
    f = stores(VECTOR_STORES, "int64", layout)
    check_stores(f, VECTOR_STORES, np.arange(1, 3 * N + 1).reshape(3, N))


def test_stores_in_matrices():
    f = stores(MATRIX_STORES, "float64", "(m,n)")
    a = np.random.default_rng(3).normal(size=(2, 3, 4))
    check_stores(f, MATRIX_STORES, a)
    check_stores(f, MATRIX_STORES, np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2))


def local_arrays(x):
    grid = npp.local_array((3, 4), np.int32)
    row = npp.local_array(4, np.int32)
    grid[:] = -1
    row[:] = x
    row[1:] = row[:-1]
    row[0] = 5
    grid[1] = row
    copied(grid[:, 3], row[:3])
    grid[:, :2] = row[:2]
    cleared(grid[2, 1:3])
    total = 0
    for i in range(3):
        for j in range(4):
            total = total * 3 + grid[i, j]
    return total


def test_stores_in_local_arrays():
    def expected(x):
        total = 0
        for value in [5, x, -1, 5, 5, x, x, x, 5, 0, 0, x]:
            total = total * 3 + value
        return total

    x = np.arange(-3, 4)
    assert_both(npp.vectorize(["int64(int64)"])(local_arrays), [expected(i) for i in x], x)


ELEMENTS = ["bool", "int8", "uint64", "float16", "float32", "complex64"]


def test_elements_are_cast():
    names = [f"x{k}" for k in range(len(ELEMENTS))]
    f = kernel(
        [f"out[{k}] = {name}" for k, name in enumerate(names)],
        f"void({''.join(f'{dtype}[:], ' for dtype in ELEMENTS)}complex128[:,:])",
        f"{','.join(['(n)'] * len(names))}->({len(names)},n)",
        ", ".join([*names, "out"]),
    )
    arrays = [np.array([0, 1, 3, 250, 1]).astype(dtype) for dtype in ELEMENTS]
    assert_both(f, [array.astype(complex) for array in arrays], *arrays)


def test_the_output_has_the_type_of_what_is_stored():
    @npp.guvectorize("(n)->(n)")
    def f(a, out):
        out[:] = a[0]
        out[1:] = a[:-1]

    assert f(np.array([1, 2, 3], np.int16)).dtype == np.int16
    np.testing.assert_array_equal(f(np.array([1.5, 2, 3])), [1.5, 1.5, 2])


STEPS = [(1, 1), (-1, 1), (2, 1), (1, 2), (-1, 2), (3, -2)]


def bounds_of(to_step: int, from_step: int) -> list[tuple[int, int, int, int]]:
    """Bounds of slices with as many elements, more than one, of an array of 8."""
    ends = [(start, stop) for start in range(8) for stop in range(9)]
    n_of = {
        (end, step): len(range(8)[slice(*end, step)])
        for end in ends
        for step in range(-3, 4)
        if step
    }
    pairs = itertools.product(ends, ends)
    return [(*x, *y) for x, y in pairs if n_of[x, to_step] == n_of[y, from_step] > 1]


def test_shared_elements_are_read_before_they_are_written():
    lines = ["t = npp.local_array(8, np.int64)", "t[:] = a"]
    operands, expected = [], []
    a = np.arange(10, 18)
    for k, (to_step, from_step) in enumerate(STEPS):
        move = f"t[b[0]:b[1]:{to_step}] = t[b[2]:b[3]:{from_step}]"
        lines += [f"{'el' if k else ''}if k == {k}:", f"    {move}"]
        for bounds in bounds_of(to_step, from_step)[::2]:
            t = a.copy()
            # NumPy itself loses elements where strides differ: t[:-2:2] = t[:3].
            exec(f"{move}.copy()", {"t": t, "b": bounds})
            operands.append((*bounds, k))
            expected.append(t)
    f = kernel(
        [*lines, "out[:] = t"],
        "void(int64[:], int64[:], int64, int64[:])",
        "(8),(4),()->(8)",
        "a, b, k, out",
    )
    chosen = np.array(operands)
    assert len(chosen) > 200
    assert_both(f, expected, a, chosen[:, :4].copy(), chosen[:, 4].copy())


MISTAKES = {
    "out[:] = m": "m is a 2-dimensional array, out[:] is a 1-dimensional array",
    "out[1:3] = a[0:2, 0]": "a has 1 dimension, 2 indices given",
    "out[0, 1:] = 0": "out has 1 dimension, 2 indices given",
    "out[:] = (1.0, 2.0)": "(1.0, 2.0) has size 2 where out[:] has size 4",
    "out[:] = [1.0, (2.0, 3.0)]": "(2.0, 3.0) has another shape than the items before it",
    "out[:2] = [a, a]": "an item of an array must be a number, a is a 1-dimensional array",
    "out[::0] = 0": "slice step cannot be zero",
    "out[:] = t": "t has size 5 where out[:] has size 4",
    "t[...] = a": "a has size 4 where t[...] has size 5",
    "k[:] = c": "complex128 stored, int64 declared",
    "k[:] = 1j": "complex128 stored, int64 declared",
    "T[:] = 0": "'T' is built into the kernel and cannot be written",
    "out[0] = a[...]": "a slice is not a number",
    "out[:] = unknown": "unknown name 'unknown'",
    "a[0][:] = 1": "a[0] is a float64, whose items cannot be assigned",
    "k[:] = 10**30": "1000000000000000000000000000000 does not fit int64",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes(line):
    lines = [
        "t = npp.local_array(5, np.float64)",
        "p = npp.local_array((2, 3), np.float64)",
        "k = npp.local_array(4, np.int64)",
        "c = npp.local_array(4, np.complex128)",
        "out[0] = 1",
        line,
    ]
    with pytest.raises(npp.KernelError) as caught:
        kernel(
            lines,
            "void(float64[:], float64[:,:], float64[:])",
            "(4),(2,4)->(4)",
            "a, m, out",
        )
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == MISTAKES[line]


T = np.ones(4)

FIT = "an array of size {} does not fit axis {} with size {}"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["out[:] = a"], (3, 0, 4)),
        (["t = npp.local_array((2, 4), np.float64)", "t[:] = a", "out[:] = t[1]"], (3, 1, 4)),
        (["out[:] = 1", "out[1:] = out[:2]"], (2, 0, 3)),
    ],
)
def test_sizes_are_checked_where_indices_are(monkeypatch, lines, found):
    layout = "(n),(m)->(m)"
    signature = "void(float64[:], float64[:], float64[:])"
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")
    f = kernel(lines, signature, layout, "a, b, out")
    monkeypatch.delenv("NUMPY_PLUGIN_DEBUG")
    g = kernel(lines, signature, layout, "a, b, out")
    a, b = np.ones(3), np.ones(4)
    for operands in ((a, b), (cuda.to_device(a), cuda.to_device(b))):
        with pytest.raises(ValueError, match=FIT.format(*found)) as caught:
            f(*operands)
        assert caught.value.element == ()
    with pytest.raises(npp.SimulatorError, match=FIT.format(*found)):
        g(cuda.to_device(a), cuda.to_device(b)).copy_to_host()
