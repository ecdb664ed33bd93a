"""target="cuda": host arrays to the device and back, with NumPy's answers and NumPy's errors."""

from __future__ import annotations

import numpy as np
import pytest
from machines.counting_driver import run_with_driver

import numpy_plugin as npp
from numpy_plugin import cuda

PIECE = 8 << 20  # bytes transferred at once


def blend(x, y):
    return x * y + x


def halves(x):
    return x // 2, x % 2


SIGNATURES = ["float32(float32, float32)", "float64(float64, float64)", "int32(int32, int32)"]
blend_there = npp.vectorize(SIGNATURES, target="cuda")(blend)
blend_here = npp.vectorize(SIGNATURES, target="cpu")(blend)
halves_there = npp.vectorize(["int64, int64(int64)"], target="cuda")(halves)


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator(memory="256 MiB") as device:
        yield device


@pytest.fixture
def launches(device):
    """How many launches there were since the test began."""
    before = device.counters.launches
    return lambda: device.counters.launches - before


def values(shape, dtype="f4", seed=0):
    drawn = np.random.default_rng(seed).normal(scale=100, size=shape)
    return drawn.astype(dtype)


LAYOUTS = {
    "contiguous": lambda: (values(1000), values(1000, seed=1)),
    "matrix and row": lambda: (values((40, 50)), values(50, seed=1)),
    "matrix and column": lambda: (values((40, 50)), values((40, 1), seed=1)),
    "outer": lambda: (values((40, 1)), values(50, seed=1)),
    "transposed": lambda: (values((40, 50)).T, values((50, 40), seed=1)),
    "fortran": lambda: (np.asfortranarray(values((40, 50))), np.asfortranarray(values((40, 50)))),
    "strided": lambda: (values((40, 100))[:, ::2], values((80, 50))[::-2]),
    "a number": lambda: (values(1000), 2.5),
    "a numpy scalar": lambda: (values(1000), np.float32(2.5)),
    "a list": lambda: (values(3), [1.0, 2.0, 3.0]),
    "another dtype": lambda: (values(1000, "f8"), values(1000, "i4", seed=1)),
    "no elements": lambda: (values((3, 0)), values(0)),
    "no axes": lambda: (values(()), values(())),
    "other byte order": lambda: (values(100).astype(">f4"), values(100, seed=1)),
    "unaligned": lambda: (
        np.frombuffer(b"\0" + values(100).tobytes(), "f4", offset=1),
        values(100, seed=1),
    ),
}


@pytest.mark.parametrize("operands", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_host_operands_go_there_and_back(operands, launches):
    x, y = operands()
    result, expected = blend_there(x, y), blend_here(x, y)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected)
    assert np.asarray(result).dtype == np.asarray(expected).dtype
    assert np.asarray(result).strides == np.asarray(expected).strides
    assert launches() == (1 if np.size(expected) else 0)


def test_out_is_what_was_given():
    x, y = values((40, 50)), values((40, 50), seed=1)
    out = np.zeros((40, 100), "f8")[:, ::2]
    assert blend_there(x, y, out=out) is out
    np.testing.assert_array_equal(out, blend_here(x, y, dtype="f4"))
    scalar = np.zeros((), "f4")
    assert blend_there(x[0, 0], y[0, 0], out=scalar) is scalar
    swapped = np.zeros((40, 50), ">f4")
    np.testing.assert_array_equal(blend_there(x, y, out=swapped), blend_here(x, y))


def test_several_outputs_some_given():
    x = np.arange(-10, 1000)
    given = np.empty_like(x)
    quotient, rest = halves_there(x, out=(None, given))
    assert rest is given
    np.testing.assert_array_equal(quotient, x // 2)
    np.testing.assert_array_equal(rest, x % 2)


@pytest.mark.parametrize("mask", ["array", "row", "list", "false", "true"])
def test_where_leaves_the_others(mask):
    x, y = values((40, 50)), values((40, 50), seed=1)
    masks = {
        "array": x > 0,
        "row": x[0] > 0,
        "list": (x[0] > 0).tolist(),
        "false": False,
        "true": True,
    }
    out, expected = np.full((40, 50), 7, "f4"), np.full((40, 50), 7, "f4")
    blend_there(x, y, out=out, where=masks[mask])
    blend_here(x, y, out=expected, where=masks[mask])
    np.testing.assert_array_equal(out, expected)


OVERLAPS = {
    "one behind": lambda a: (a[1:], a[:-1]),
    "one ahead": lambda a: (a[:-1], a[1:]),
    "reversed": lambda a: (a[::-1], a),
    "itself": lambda a: (a, a),
}


@pytest.mark.parametrize("views", OVERLAPS.values(), ids=OVERLAPS.keys())
def test_out_may_overlap_an_input(views):
    there, here = values(5000), values(5000)
    for array, ufunc in ((there, blend_there), (here, blend_here)):
        x, out = views(array)
        ufunc(x, np.float32(2), out=out)
    np.testing.assert_array_equal(there, here)


def test_large_arrays_go_in_pieces(launches):
    n = PIECE // 4
    x, y = values(n), values(n, seed=1)
    np.testing.assert_array_equal(blend_there(x, y), blend_here(x, y))
    assert launches() == 4  # 12 bytes per element, plus padding between the operands


def test_pieces_of_a_strided_matrix_beside_a_row(launches):
    x, row = values((600, 12000))[::2, ::2], values(6000, seed=1)
    out = np.zeros((6000, 300), "f4").T
    blend_there(x, row, out=out)
    np.testing.assert_array_equal(out, blend_here(x, row))
    assert launches() == 2


def test_more_than_the_device_has():
    with cuda.simulator(memory="32 MiB"):
        n = 5_000_000  # 60 MB of operands
        x, y = values(n), values(n, seed=1)
        np.testing.assert_array_equal(blend_there(x, y), blend_here(x, y))


def test_pinned_operands():
    x = cuda.pinned_array(1000, "f4")
    x[:] = values(1000)
    np.testing.assert_array_equal(blend_there(x, x, out=x), blend_here(values(1000), values(1000)))


WRONG = {
    "shapes": lambda f: f(np.ones(3), np.ones(4)),
    "shape of out": lambda f: f(np.ones(3), np.ones(3), out=np.ones(4)),
    "casting": lambda f: f(np.ones(3), np.ones(3), out=np.ones(3, "i4")),
    "no loop": lambda f: f(np.ones(3, "O"), np.ones(3)),
    "too few": lambda f: f(np.ones(3)),
    "unknown name": lambda f: f(np.ones(3), np.ones(3), output=np.ones(3)),
    "read-only out": lambda f: f(np.ones(3), np.ones(3), out=np.broadcast_to(1.0, 3)),
    "mask": lambda f: f(np.ones(3), np.ones(3), where=np.ones(3)),
    "axis": lambda f: f(np.ones(3), np.ones(3), axis=0),
    "a number too large": lambda f: f(np.ones(3, "i4"), 2**40),
}


@pytest.mark.filterwarnings("ignore:'where' used without 'out'")
@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_errors_are_numpys(call):
    with pytest.raises(Exception) as there:
        call(npp.vectorize(SIGNATURES, target="cuda", name="f")(blend))
    with pytest.raises(Exception) as here:
        call(npp.vectorize(SIGNATURES, target="cpu", name="f")(blend))
    assert (there.type, str(there.value)) == (here.type, str(here.value))


def test_subclasses_stay_numpys():
    class Labelled(np.ndarray):
        pass

    x = np.ones(3).view(Labelled)
    assert isinstance(blend_there(x, x), Labelled)


def test_a_fault_leaves_the_next_call_right():
    x, out = values(1000), np.zeros(1000, "f4")
    with cuda.simulator(faults={"allocation": 1}):
        with pytest.raises(npp.DeviceMemoryError):
            blend_there(x, x, out=out)
        assert not out.any()
        np.testing.assert_array_equal(blend_there(x, x, out=out), blend_here(x, x))


def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def test_a_piece_that_fails_ends_the_call():
    n = PIECE // 2
    x, row = values((4, n // 4)), values(n // 4, seed=1)
    with cuda.simulator(faults={"launch": 2}), pytest.raises(npp.CudaError):
        blend_there(x, row)
    with cuda.simulator(faults={"lost": 3}):
        for _ in range(2):
            with pytest.raises(npp.CudaError):
                blend_there(x, row)
    np.testing.assert_array_equal(blend_there(x, row), blend_here(x, row))


PRODUCT = ["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,k),(k,n)->(m,n)"
matmul = npp.guvectorize(*PRODUCT, target="cuda")(product)
matmul_here = npp.guvectorize(*PRODUCT, target="cpu")(product)


def test_generalized_calls_too(launches):
    a, b = values((5, 3, 4), "f8"), values((4, 2), "f8", seed=1)
    result = matmul(a, b)
    assert type(result) is np.ndarray
    np.testing.assert_allclose(result, a @ b, rtol=1e-12)
    assert launches() == 1
    out = np.zeros((5, 3, 2))
    assert matmul(a, b, out=out) is out
    np.testing.assert_array_equal(out, result)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        matmul(a, a)


def row_sums(x, out):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    out[0] = total


SUMS = ["void(float64[:], float64[:])"], "(n)->()"
sums = npp.guvectorize(*SUMS, target="cuda")(row_sums)
sums_here = npp.guvectorize(*SUMS, target="cpu")(row_sums)


class Labelled(np.ndarray):
    pass


ODD_OPERANDS = {
    "byte order": lambda f: f(np.arange(6, dtype=">f8").reshape(2, 3)),
    "byte order of out": lambda f: f(np.arange(3.0), out=np.zeros((), ">f8")),
    "out without axes": lambda f: f(np.arange(3), out=np.zeros(())),
    "a subclass": lambda f: f(np.ones((2, 3)).view(Labelled)),
    "subok": lambda f: f(np.ones(3), subok=False),
    "a mask": lambda f: f(np.ones((2, 3)), where=np.ones(2, bool)),
    "where=True": lambda f: f(np.ones((2, 3)), where=True),
    "byte order, no cast": lambda f: f(np.arange(3, dtype=">f8"), casting="no"),
    "read-only out": lambda f: f(np.ones((2, 3)), out=np.broadcast_to(1.0, 2)),
    "read-only out of integers": lambda f: f(np.ones((2, 3)), out=np.broadcast_to(1, 2)),
}


@pytest.mark.parametrize("call", ODD_OPERANDS.values(), ids=ODD_OPERANDS.keys())
def test_generalized_calls_are_numpys(call):
    def outcome(ufunc):
        try:
            return call(ufunc)
        except Exception as error:
            return type(error), str(error).replace(ufunc.__name__, "")

    there, here = outcome(sums), outcome(sums_here)
    assert type(there) is type(here)
    if isinstance(here, tuple):
        assert there == here
    else:
        assert there.dtype == here.dtype
        np.testing.assert_array_equal(there, here)


def test_generalized_calls_larger_than_the_device_are_halved():
    a, b = values((4, 1, 100, 100), "f8"), values((3, 100, 100), "f8", seed=1)
    expected = matmul_here(a, b)
    with cuda.simulator(memory="900 KiB") as small:  # all operands take 1,520,000 bytes
        np.testing.assert_array_equal(matmul(a, b), expected)
        assert small.counters.launches == 4
        out = np.zeros((4, 3, 100, 100))
        assert matmul(a, b, out=out) is out
        np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(matmul(b, a[0, 0].tolist()), matmul_here(b, a[0, 0]))
    with cuda.simulator(memory="100 KiB"), pytest.raises(npp.DeviceMemoryError):
        matmul(a, b)


def double_all(x, out):
    for i in range(x.shape[0]):
        out[i] = 2.0 * x[i]


def test_halves_of_a_call_whose_output_is_its_input():
    doubled = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")(
        double_all
    )
    a = values((16, 1000), "f8")
    expected = 2 * a[::-1]
    with cuda.simulator(memory="100 KiB") as small:  # operands and results take 256,000 bytes
        assert doubled(a[::-1], out=a) is a
        assert small.counters.launches > 1
    np.testing.assert_array_equal(a, expected)


def test_calls_that_leave_out_dimensions_are_not_halved():
    with_vectors = npp.guvectorize(PRODUCT[0], "(m,k),(k,n?)->(m,n?)", target="cuda")(product)
    a = values((16, 30, 40), "f8")
    with cuda.simulator(memory="100 KiB"), pytest.raises(npp.DeviceMemoryError):
        with_vectors(a, np.ones(40))


def spin(x):
    total = 0.0 * x
    for i in range(500):
        total += 1 / (x + i)
    return total


@pytest.fixture
def gpu_like():
    """A simulated device that target="auto" was asked to send host arrays to."""
    with cuda.simulator(memory="256 MiB") as device, npp.offload():
        yield device


def test_auto_measures_the_cpu_before_it_chooses(gpu_like):
    ufunc = npp.vectorize(SIGNATURES)(blend)
    x = values(1 << 17)
    look = npp.inspect(ufunc)
    for _ in range(2):
        np.testing.assert_array_equal(ufunc(x, x), blend_here(x, x))
        assert gpu_like.counters.launches == 0
    assert "on the device, copies included" in look.explain(x, x).why
    out = np.zeros_like(x)
    assert ufunc(x, x, out=out) is out
    np.testing.assert_array_equal(out, blend_here(x, x))
    few = look.explain(x[:100], x[:100])
    assert (few.place, few.why) == (
        "the CPU",
        "100 elements, under the 65536 minimum for a device",
    )


def test_auto_goes_to_a_device_that_is_done_earlier(gpu_like):
    ufunc = npp.vectorize(["float32(float32)"])(spin)
    x = values(1 << 16) ** 2
    results = [ufunc(x) for _ in range(3)]
    assert gpu_like.counters.launches == 1
    np.testing.assert_array_equal(results[0], results[2])
    assert "the CPU's rate" not in npp.inspect(ufunc).explain(x).why


def spin_rows(x, out):
    out[0] = 0.0
    for i in range(x.shape[0]):
        for j in range(300):
            out[0] += 1 / (x[i] + j)


def test_auto_goes_there_with_generalized_calls_too(gpu_like):
    ufunc = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(spin_rows)
    x = values((1 << 12, 16), "f8") ** 2
    look = npp.inspect(ufunc)
    assert "is not known until the first call" in look.explain(x).why
    # explain made two calls, on the CPU.
    assert gpu_like.counters.launches == 0
    out = np.zeros(1 << 12)
    assert ufunc(x, out=out) is out
    assert gpu_like.counters.launches == 1
    np.testing.assert_array_equal(
        out, (1 / (x[..., None] + np.arange(300))).reshape(1 << 12, -1).cumsum(1)[:, -1]
    )
    found = look.explain(x[:, :1])
    assert (found.place, found.bytes_to_device) == ("the CPU", 0)
    assert found.why.startswith("4096 elements, under")
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        ufunc(values(1 << 16).sum(), x)


def test_auto_raises_what_numpy_raises(gpu_like):
    x = values(1 << 16)
    ufunc = npp.vectorize(SIGNATURES)(blend)
    with pytest.raises(ValueError, match="could not be broadcast"):
        ufunc(x, x[1:])
    with pytest.raises(TypeError, match="not supported for the input types"):
        ufunc(x, x.astype(complex))


STREAMS = """
f = npp.vectorize(["float32(float32, float32)"], target="cuda")(lambda x, y: x * y + x)
x = np.ones(3_000_000, np.float32)
for _ in range(2):
    print(driver.calls(f, x, x).count("cuStreamCreate"))
"""


def test_a_call_takes_the_streams_of_earlier_ones():
    first, second = map(int, run_with_driver(STREAMS).split())
    assert (first > 0, second) == (True, 0)
