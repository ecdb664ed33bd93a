"""Faults name the ufunc and a line of the user's source, whatever kernel a call launches."""

import re
from pathlib import Path

import numpy as np
import pytest
from long_runs import one_in

import numpy_plugin as npp
from numpy_plugin import cuda

N = 1000


@npp.vectorize(identity=0)
def total(x, y):
    return x + y


@npp.vectorize
def countdown(x):
    n_steps = 0.0
    while x > n_steps:
        n_steps += 1.0
    return n_steps


@npp.device
def sign(x):
    return 1.0 if x > 0 else item_of((x, -x), x)


@npp.device
def item_of(items, x):
    return items[int(x)]


@npp.vectorize
def signed(x):
    return sign(x)


def powers(x):
    return x, x * x


def merged(a, b):
    return a[0] + b[0], a[1] + b[1]


moments = npp.reduction(powers, merged, name="moments", identity=(0.0, 0.0))
halved = npp.compose(np.sqrt, countdown, name="halved")


@npp.guvectorize("(n)->()")
def row_sum(x, result):
    result[0] = 0.0
    for value in x:
        result[0] += value


BODY = {"name": "total_cpp", "args": "x, y", "identity": 0}
total_cpp = npp.vectorize(["float64(float64, float64)"], **BODY, body="return x + y;")
PREAMBLE = """NPP_FUNCTION double item(double x) {
  const double* items = nullptr;
  return items[int(x)];
}"""
stepped = npp.vectorize(
    ["float64(float64)"], name="stepped", args="x", preamble=PREAMBLE, body="return item(x);"
)


@cuda.kernel
def reverse(x):
    held = cuda.shared.array(32, np.float64)
    held[cuda.threadIdx.x] = x[cuda.threadIdx.x]
    cuda.syncthreads()
    x[cuda.threadIdx.x] = held[31 - cuda.threadIdx.x]


@cuda.kernel
def show(x):
    print(x[0])


@cuda.kernel
def add_beyond(x, n):
    cuda.atomic.add(x, n, 1.0)


@pytest.fixture(autouse=True)
def simulator():
    kept.clear()
    with cuda.simulator():
        yield
    kept.clear()


kept: list[object] = []  # arrays that live until the fault is reported


def keep(array):
    kept.append(array)
    return array


def zeros(*shape, dtype=np.float64):
    return keep(cuda.zeros(shape, dtype))


def unset(*shape, dtype=np.float64):
    return keep(cuda.device_array(shape, dtype))


class Described:
    """An array as another library describes it: of another shape, or freed."""

    def __init__(self, array, **changes):
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def short(*shape, dtype=np.float64, strides=None):
    """An array of four elements that pretends to have a shape."""
    array = zeros(4, dtype=dtype)
    return keep(cuda.as_device_array(Described(array, shape=shape, strides=strides)))


def freed(*shape):
    array = cuda.zeros(shape)
    return keep(cuda.as_device_array(Described(array)))


def at_indices(values):
    return keep(cuda.to_device(np.arange(values)))


DEF, MAP = "def total(x, y):", "def powers(x):"
BEYOND = "0 bytes past the end of allocation"
UNSET = "an uninitialized value"
SUM, ITEM = "return x + y;", "return items[int(x)];"
BODIES = {SUM: "<body of 'total_cpp'>:1 (generated code)", ITEM: "<preamble of 'stepped'>:3"}

# A call, the kernel's name, the line, and what is wrong.
FAULTS = {
    "an input": (lambda: total(short(N), zeros(N)), "total", DEF, BEYOND),
    "an output": (lambda: total(zeros(N), zeros(N), out=short(N)), "total", DEF, BEYOND),
    "freed": (lambda: total(freed(N), zeros(N)), "total", DEF, "which was freed"),
    "strides": (lambda: total(short(N, strides=(16,)), zeros(N)), "total", DEF, BEYOND),
    "rows": (
        lambda: total(short(9, 90, strides=(1600, 8)), zeros(9, 90)),
        "total",
        DEF,
        "bytes past the end",
    ),
    "columns": (
        lambda: total(short(99, 99, strides=(8, 792)), zeros(99, 99)),
        "total",
        DEF,
        "allocation",
    ),
    "where": (
        lambda: total(short(N), zeros(N), out=zeros(N), where=zeros(N, dtype=bool) == 0),
        "total",
        DEF,
        BEYOND,
    ),
    "a mask": (
        lambda: total(zeros(N), zeros(N), out=zeros(N), where=unset(N, dtype=bool)),
        "total",
        DEF,
        UNSET,
    ),
    "casting": (lambda: total(short(N, dtype=np.int8), zeros(N)), "total", DEF, BEYOND),
    "uninitialized": (lambda: total(unset(N), zeros(N)), "total", DEF, UNSET),
    "a branch": (lambda: countdown(unset(N)), "countdown", "n_steps += 1.0", UNSET),
    "a device function": (lambda: signed(unset(N)), "signed", "return 1.0 if x > 0 else", UNSET),
    "outer": (lambda: total.outer(short(N), zeros(9)), "total", DEF, BEYOND),
    "reduce": (lambda: total.reduce(short(10**5)), "total.reduce", DEF, BEYOND),
    "reduce, few": (lambda: total.reduce(short(50)), "total.reduce", DEF, BEYOND),
    "reduce, axis 0": (lambda: total.reduce(short(99, 99)), "total.reduce", DEF, BEYOND),
    "reduce, axis 1": (lambda: total.reduce(short(99, 99), axis=1), "total.reduce", DEF, BEYOND),
    "reduce, output": (
        lambda: total.reduce(zeros(99, 99), out=short(99)),
        "total.reduce",
        DEF,
        BEYOND,
    ),
    "reduce, uninitialized": (lambda: total.reduce(unset(N)), "total.reduce", DEF, UNSET),
    # One tile: that of another block may lie in the output, which is uninitialized.
    "accumulate": (lambda: total.accumulate(short(4000)), "total.accumulate", DEF, BEYOND),
    "reduceat": (lambda: total.reduceat(short(N), [0, 10, 500]), "total.reduceat", DEF, BEYOND),
    "at": (lambda: total.at(short(N), at_indices(N), 1.0), "total.at", DEF, BEYOND),
    "at, indices": (
        lambda: total.at(zeros(N), unset(9, dtype=np.int64), 1.0),
        "ufunc.at",
        "",
        UNSET,
    ),
    "a gufunc": (lambda: row_sum(unset(9, 99)), "row_sum", "result[0] += value", UNSET),
    "a gufunc, output": (
        lambda: row_sum(zeros(99, 9), out=short(99)),
        "row_sum",
        "result[0] = 0.0",
        BEYOND,
    ),
    "a C++ body": (lambda: total_cpp(short(N), zeros(N)), "total_cpp", SUM, BEYOND),
    "a C++ body, reduce": (
        lambda: total_cpp.reduce(short(N)),
        "total_cpp.reduce",
        SUM,
        BEYOND,
    ),
    "a preamble": (
        lambda: stepped(zeros(N)),
        "stepped",
        ITEM,
        "ended itself (trap)",
    ),
    "astype": (lambda: unset(N).astype(np.float32), "cast", "", UNSET),
    "an operator": (lambda: unset(N) + 1, "add", "", UNSET),
    "sum": (lambda: unset(N).sum(), "add.reduce", "", UNSET),
    "mean": (lambda: unset(N).mean(), "mean.reduce", "", UNSET),
    "mean, axis": (lambda: unset(99, 99).mean(axis=0), "mean.reduce", "", UNSET),
    "var": (lambda: unset(N).var(), "var.reduce", "", UNSET),
    "argmax": (lambda: unset(N).argmax(), "argmax.reduce", "", UNSET),
    "argmin, axis": (lambda: unset(99, 99).argmin(axis=1), "argmin.reduce", "", UNSET),
    "a reduction": (lambda: moments(unset(N)), "moments.reduce", MAP, UNSET),
    "a reduction, input": (lambda: moments(short(N)), "moments.reduce", MAP, BEYOND),
    "a composition": (lambda: halved(short(N)), "halved", "def countdown(x):", BEYOND),
    "sort": (lambda: cuda.sort(unset(100)), "sort", "", UNSET),
    "sort, long": (lambda: cuda.sort(unset(10**4)), "sort", "", UNSET),
    "argsort": (lambda: cuda.argsort(unset(100)), "sort", "", UNSET),
    "searchsorted": (lambda: cuda.searchsorted(zeros(100), unset(9)), "searchsorted", "", UNSET),
    "bincount": (lambda: cuda.bincount(unset(100, dtype=np.int64)), "bincount", "", UNSET),
    "take": (lambda: cuda.take(zeros(9), unset(9, dtype=np.int64)), "indexing", "", UNSET),
    "a boolean index": (
        lambda: zeros(9)[unset(9, dtype=bool)],
        "boolean indexing",
        "",
        UNSET,
    ),
    "a kernel": (lambda: reverse[1, 32](unset(32)), "reverse", "x[cuda.threadIdx.x] = held", UNSET),
    "print": (lambda: show[1, 1](unset(32)), "show", "print(x[0])", UNSET),
    "an atomic": (
        lambda: add_beyond[1, 1](zeros(32), 999),
        "add_beyond",
        "cuda.atomic.add(x, n, 1.0)",
        "an atomic operation",
    ),
}


def place_of(text):
    """A pattern of the place of a line of the user's source; of none for an empty text."""
    if not text:
        return r"numpy_plugin \(generated code\)"
    around = r" \(generated code\)" if text.startswith("def ") else ""
    if text in BODIES:
        return re.escape(BODIES[text])
    lines = Path(__file__).read_text().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if line.strip().startswith(text))
    return rf".*{Path(__file__).name}:{number}{around}"


@pytest.mark.parametrize("kind", one_in(2, FAULTS))
def test_a_fault_names_the_ufunc_and_the_users_line(kind):
    call, name, text, problem = FAULTS[kind]
    with pytest.raises(npp.SimulatorError) as caught:
        keep(call())
        cuda.synchronize()
    message, *lines = str(caught.value).splitlines()
    assert message.startswith(f"kernel '{name}', block (")
    assert problem in message
    assert not re.search("npp_|/npp/|npp::|npp-|the PTX", str(caught.value))
    place = re.search(r"thread \(\d+,\d+,\d+\), (.*?): ", message)[1]
    assert re.fullmatch(place_of(text), place)
    if text:
        assert lines[0].strip().startswith(text)
