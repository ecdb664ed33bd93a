"""Values of another kind than the declared type: NumPy's conversions, with a warning."""

import warnings

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda


def warnings_of(declare) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        declare()
    return [item for item in caught if item.category is npp.KernelWarning]


def quietly(declare):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", npp.KernelWarning)
        return declare()


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
SOURCE = "def f(x):\n    return x, x, x, x, x, x, x, x, x\n"
CASTS = "".join(f", np.{name}(x)" for name in INTEGERS)
WRITTEN = f"def f(x):\n    return x != 0{CASTS}\n"
VALUES = [0.0, -0.0, 0.5, -0.75, 1.5, -1.5, 127.9, -128.9, 200, 60000, 1e-8]
WILD = [*VALUES, np.nan, np.inf, -np.inf, 3e9, -3e9, 1e19, -1e19, 1e30]
SIGNATURES = [f"bool, {', '.join(INTEGERS)}({name})" for name in FLOATS]


@pytest.fixture(scope="module")
def implicit():
    f = define(SOURCE)["f"]
    return {
        target: quietly(lambda target=target: npp.vectorize(SIGNATURES, target=target)(f))
        for target in ("cpu", "parallel")
    }


@pytest.fixture(scope="module")
def written():
    return npp.vectorize(SIGNATURES)(define(WRITTEN)["f"])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", FLOATS)
def test_the_bits_are_those_of_the_written_cast_on_every_target(implicit, written, dtype):
    x = np.array(WILD, dtype)
    expected = written(x)
    found = [implicit["cpu"](x), implicit["parallel"](x)]
    with cuda.simulator():
        found.append([part.copy_to_host() for part in implicit["cpu"](cuda.to_device(x))])
    for parts in found:
        for part, of_cast in zip(parts, expected, strict=True):
            assert part.dtype == of_cast.dtype
            np.testing.assert_array_equal(part, of_cast)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_in_range_are_what_an_assignment_stores(implicit, dtype):
    x = np.array([0.0, -0.0, 0.5, 1.5, 100.9, 126.1], dtype)
    for part in implicit["cpu"](x):
        stored = np.zeros_like(part)
        stored[...] = x
        np.testing.assert_array_equal(part, stored)


def test_every_number_becomes_a_bool():
    signatures = ["bool(int8)", "bool(float64)", "bool(complex128)"]
    f = quietly(lambda: npp.vectorize(signatures)(define("def f(x):\n    return x\n")["f"]))
    assert f.types == ["b->?", "d->?", "D->?"]
    for values in ([0, 1, -1], [0.0, -0.0, 1e-300, np.nan], [0j, 1j, -0.0 + 0j, 1 + 0j]):
        x = np.array(values, f"{'i1' if isinstance(values[0], int) else ''}" or None)
        np.testing.assert_array_equal(f(x), x.astype(bool))


STORES = """\
def f(x, a, out):
    t = npp.local_array(3, np.int32)
    t[0] = x
    t[1] = a[0]
    t[2:] = x
    a[0] = x
    a[1:] = x
    b = npp.local_array(2, np.float64)
    b[0] = x
    b[1] = -x
    out[:2] = b
    out[2] = t[0] + t[1] + t[2]
    out[2] += x
"""


@pytest.fixture(scope="module")
def stores():
    f = define(STORES)["f"]
    caught = []
    declare = npp.guvectorize(
        ["void(float64, int64[:], int16[:])"], "(),(2)->(3)", writable_args=(1,)
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ufunc = declare(f)
    caught += [item for item in found if item.category is npp.KernelWarning]
    return ufunc, caught


def test_each_store_is_reported_at_its_place(stores):
    found = {item.lineno: str(item.message) for item in stores[1]}
    assert sorted(found) == [3, 5, 6, 7, 11, 13]
    assert len(stores[1]) == len(found)
    assert found[3].startswith("float64 stored, int32 declared; truncated toward zero")
    assert "hint: np.int32(x) truncates, round(x) rounds" in found[3]
    assert found[6].startswith("float64 stored, int64 declared; truncated toward zero")
    assert found[11].startswith("float64 stored, int16 declared; truncated toward zero")
    assert "one element at a time, with a cast: out[i] = ..." in found[11]
    assert "hint: out[2] = np.int16(out[2] + x) truncates" in found[13]


def test_stores_truncate_on_every_target(stores):
    f = stores[0]
    x = np.array([2.75, -2.75, 0.5])
    expected, changed = [], []
    for value in x:
        whole = int(value)
        total = whole + 7 + whole
        expected.append([whole, -whole, int(total + value)])
        changed.append([whole, whole])
    a = np.full((3, 2), 7)
    np.testing.assert_array_equal(f(x, a), expected)
    np.testing.assert_array_equal(a, changed)
    with cuda.simulator():
        a = cuda.to_device(np.full((3, 2), 7))
        np.testing.assert_array_equal(f(cuda.to_device(x), a).copy_to_host(), expected)
        np.testing.assert_array_equal(a.copy_to_host(), changed)


DEVICE_KERNEL = """\
def k(x, a):
    t = cuda.shared.array(4, np.int32)
    i = cuda.threadIdx.x
    t[i] = x[i]
    cuda.syncthreads()
    a[i] = t[3 - i] + 0.5
"""


def test_device_kernels_store_alike():
    with cuda.simulator():
        found = []

        def declare():
            k = define(DEVICE_KERNEL, cuda=cuda)["k"]
            found.append(cuda.kernel(k, "void(float32[:], uint8[:])"))

        messages = warnings_of(declare)
        assert [item.lineno for item in messages] == [4, 6]
        a = np.zeros(4, np.uint8)
        found[0][1, 4](np.float32([1.9, 2.9, -3.9, 4.9]), a)
        np.testing.assert_array_equal(a, [4, 256 - 3 + 1, 2, 1])


SILENT = {
    "int32(float64)": "np.int32(x)",
    "int16(float64)": "int(x)",
    "int8(int64)": "x",
    "float32(int64)": "x",
    "int64(bool)": "x",
    "bool(float64)": "x != 0",
    "uint8(float64)": "255.0",
    "bool(int64)": "1",
    "bool(float64, float64)": "0.0",
}


@pytest.mark.parametrize("signature", SILENT)
def test_written_casts_and_exact_constants_are_silent(signature):
    names = "x, y" if "," in signature else "x"
    f = define(f"def f({names}):\n    return {SILENT[signature]}\n")["f"]
    assert warnings_of(lambda: npp.vectorize([signature])(f)) == []


@pytest.mark.parametrize(("constant", "expected"), [("2.5", 2), ("-0.5", 0), ("256.0", 0)])
def test_constants_that_lose_something_are_reported(constant, expected):
    f = define(f"def f(x):\n    x[0] = {constant}\n")["f"]
    declare = npp.guvectorize(["void(uint8[:])"], "()", writable_args=(0,))
    made = []
    (item,) = warnings_of(lambda: made.append(declare(f)))
    assert str(item.message).startswith("float64 stored, uint8 declared; truncated toward zero")
    x = np.ones((), np.uint8)
    made[0](x)
    assert x == expected


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("return x * 1j", "complex128 returned, float64 declared"),
        ("return (x + 0j) * x", "complex128 returned, float64 declared"),
    ],
)
def test_complex_to_real_stays_an_error(source, message):
    declare = npp.vectorize(["float64(float64)"])
    error = error_of(declare, f"def f(x):\n    {source}\n")
    assert error.diagnostics[0].message == message


def test_a_warning_as_an_error_leaves_nothing_behind():
    f = define("def f(x):\n    return x\n")["f"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(npp.KernelWarning, match="float64 returned, int32 declared"):
            npp.vectorize(["int32(float64)"])(f)
    g = quietly(lambda: npp.vectorize(["int32(float64)"])(f))
    assert g(-1.5) == -1
