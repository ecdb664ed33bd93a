"""Calls that NumPy converts, masks, or makes line by line: threads give the results of one."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from long_runs import in_long_runs, one_in

import numpy_plugin as npp
from numpy_plugin import _core

N_THREADS = [1, 2, 3]
DTYPES = ["i1", "i4", "u2", "f2", "f4", "f8", ">f8", ">i4", "?"]
OUT_DTYPES = ["f4", "f8", ">f8"]
ROUNDS, QUICK_ROUNDS = 60, 20


@pytest.fixture(autouse=True)
def short_calls_are_shared():
    _core.share_short_calls(True)
    yield
    _core.share_short_calls(False)
    _core.set_n_threads(0)


#: Calls whose parts, as NumPy makes them, are too short for threads.
CALLS = """
import os
import sys
import threading
import numpy as np
import numpy_plugin as npp

@npp.vectorize(["float64(float64)"])
def scaled(x):
    return x * 3

@npp.vectorize(["float64(float64, float64)"])
def decay(x, y):
    return 0.5 * x + y

n = 4_000_000
x, out = np.ones(n), np.empty(n)
table = x.reshape(-1, 1000)
calls = {
    "cast": lambda: scaled(np.ones(n, np.int32), out=out),
    "cast output": lambda: scaled(x, out=np.empty(n, np.float32), casting="same_kind"),
    "byte order": lambda: scaled(x.astype(">f8"), out=out),
    "where": lambda: scaled(x, out=out, where=np.arange(n) % 3 == 0),
    "reduce": lambda: decay.reduce(table, axis=1),
    "accumulate": lambda: decay.accumulate(table, axis=1),
    "accumulate columns": lambda: decay.accumulate(table, axis=0),
}
call = calls[sys.argv[1]]
"""
FORMS = ["cast", "cast output", "byte order", "where", "reduce", "accumulate", "accumulate columns"]

#: Prints how many threads the call starts.
N_NEW_THREADS = """
before = len(os.listdir("/proc/self/task"))
call()
print(len(os.listdir("/proc/self/task")) - before)
"""

#: Forks before and during calls by another thread; all processes get the same result.
FORKS = """
expected = call().tobytes()

def check():
    assert call().tobytes() == expected

def check_in_child():
    child = os.fork()
    if child == 0:
        check()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

check_in_child()
stop, started = threading.Event(), threading.Event()

def work():
    out = np.empty(n)
    while not stop.is_set():
        scaled(np.ones(n, np.int32), out=out)
        decay.accumulate(table, axis=1)
        started.set()

thread = threading.Thread(target=work, daemon=True)
thread.start()
started.wait()
for _ in range(3):
    check_in_child()
stop.set()
thread.join()
check()
print("done")
"""


def run_program(directory, text, form, n_threads):
    program = directory / "program.py"
    program.write_text(CALLS + text)
    path = os.pathsep.join(item for item in sys.path if item)
    return subprocess.run(
        [sys.executable, str(program), form],
        env={**os.environ, "PYTHONPATH": path, "NUMPY_PLUGIN_NUM_THREADS": str(n_threads)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc")
@pytest.mark.parametrize(("form", "n_threads"), one_in(2, FORMS, [1, 3]))
def test_threads_are_used(tmp_path, form, n_threads):
    result = run_program(tmp_path, N_NEW_THREADS, form, n_threads)
    assert result.stdout.strip() == str(n_threads - 1), result.stderr


@pytest.mark.parametrize("form", one_in(3, FORMS))
def test_forks(tmp_path, form):
    result = run_program(tmp_path, FORKS, form, 3)
    assert result.stdout == "done\n", result.stderr


def quotient(x, y):
    return x / y + 1


@pytest.fixture(scope="module", params=["declared", "lazy"])
def divide(request):
    """x / y + 1 for threads, and for one thread."""
    signatures = [["float32(float32, float32)", "float64(float64, float64)"]]
    made = signatures if request.param == "declared" else []
    return [npp.vectorize(*made, target=target)(quotient) for target in ("parallel", "cpu")]


@pytest.fixture(scope="module")
def parts():
    """Two outputs of different types."""
    body = "whole = floor(x); rest = x - floor(x);"
    options = {"args": "x", "outs": "whole, rest", "body": body, "name": "parts"}
    return [npp.vectorize(["d->id"], target=target, **options) for target in ("parallel", "cpu")]


def numbers(rng, shape, dtype):
    values = rng.integers(0, 2 if dtype == "?" else 100, shape).astype(dtype)
    return values


def in_memory(rng, values):
    """The same values as a slice, transposed, unaligned or as they are."""
    form = rng.integers(5)
    if form == 0:
        return values
    if form == 1:
        wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
        wide[..., ::2] = values
        return wide[..., ::2]
    if form == 2:
        return np.asfortranarray(values)
    if form == 3:
        raw = np.zeros(values.nbytes + 1, np.uint8)
        view = raw[1:].view(values.dtype).reshape(values.shape)
        view[...] = values
        return view
    return values[::-1].copy()[::-1]


def outcome(function, operands, keywords):
    """What the caller sees: results with their layout, warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = function(*operands, **keywords)
        except Exception as error:
            return type(error), str(error)
    results = results if isinstance(results, tuple) else (results,)
    seen = [(item.dtype, item.shape, item.strides, item.tobytes()) for item in results]
    return seen, [(item.category, str(item.message)) for item in caught]


def copies(keywords):
    """Keywords with outputs of their own, in the same layout."""
    if "out" not in keywords:
        return keywords
    out = keywords["out"]
    own = np.empty_like(out)
    own[...] = out
    return {**keywords, "out": own}


def assert_same(functions, operands, keywords):
    shared, alone = functions
    expected = outcome(alone, operands, copies(keywords))
    for n_threads in N_THREADS:
        _core.set_n_threads(n_threads)
        assert outcome(shared, operands, copies(keywords)) == expected, n_threads
    return expected


def random_call(rng):
    shape = [(20_000,), (91, 120), (7, 60, 31), (2, 5000)][rng.integers(4)]
    first = in_memory(rng, numbers(rng, shape, rng.choice(DTYPES)))
    second = rng.integers(4)
    if second == 0:
        other = float(rng.integers(1, 9))
    elif second == 1:
        other = numbers(rng, shape[-1:], rng.choice(DTYPES))
    else:
        other = in_memory(rng, numbers(rng, shape, rng.choice(DTYPES)))
    keywords = {}
    if rng.integers(2):
        keywords["out"] = in_memory(rng, np.full(shape, 7, rng.choice(OUT_DTYPES)))
        keywords["casting"] = "same_kind"
        if rng.integers(2):
            mask = rng.random(shape[rng.integers(2) * (len(shape) - 1) :]) < rng.random()
            keywords["where"] = in_memory(rng, mask)
    elif rng.integers(3) == 0:
        keywords["order"] = str(rng.choice(["C", "F", "A", "K"]))
    return (first, other), keywords


@pytest.mark.parametrize(
    "seed", [*range(QUICK_ROUNDS), *in_long_runs(*range(QUICK_ROUNDS, ROUNDS))]
)
def test_random_calls(divide, seed):
    operands, keywords = random_call(np.random.default_rng(seed))
    assert_same(divide, operands, keywords)


@pytest.mark.parametrize("dtype", ["i4", "f4", ">f8"])
def test_several_outputs_are_cast(parts, dtype):
    x = np.linspace(-50, 50, 40_000).astype(dtype)
    for outs in ("i8", "f4"), ("i4", "f8"), ("i4", ">f8"):
        shared, alone = (
            f(x, out=tuple(np.zeros(x.shape, out) for out in outs), casting="same_kind")
            for f in parts
        )
        for one, other in zip(shared, alone, strict=True):
            assert one.tobytes() == other.tobytes()


def test_masks_leave_other_elements_untouched(divide):
    out = np.random.default_rng(1).bytes(8 * 30_000)
    mask = np.arange(30_000) % 7 < 3
    for dtype in ("f8", "f4"):
        x = np.arange(30_000, dtype=dtype)
        given = np.frombuffer(out, dtype)[:30_000].copy()
        before = given.copy()
        divide[0](x, 3.0, out=given, where=mask)
        np.testing.assert_array_equal(given[mask], x[mask] / given.dtype.type(3) + 1)
        assert given[~mask].tobytes() == before[~mask].tobytes()


def test_elements_outside_a_mask_raise_no_flags(divide):
    y = np.zeros(30_000)
    y[::2] = 1
    with np.errstate(all="raise"):
        divide[0](1.0, y, out=np.zeros(30_000), where=y > 0)


@pytest.mark.parametrize("position", [0, 15_000, 29_999])
def test_overflow_of_a_cast_is_reported_once(divide, position):
    x = np.ones(30_000)
    x[position] = 1e300
    for keywords in {"out": np.zeros(30_000, "f4"), "casting": "same_kind"}, {"dtype": "f4"}:
        given = {**keywords, "casting": "same_kind"}
        many = np.tile(x, 3) if "dtype" in given else x
        with pytest.warns(RuntimeWarning, match="overflow encountered in quotient") as caught:
            divide[0](many, 1.0, **given)
        assert len(caught) == 1
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
            divide[0](many, 1.0, **given)


def test_casts_overlap_as_in_one_thread(divide):
    results = []
    for function in divide:
        buffer = np.arange(40_001, dtype="f4")
        function(buffer[:-1], np.arange(1.0, 40_001.0), out=buffer[1:], casting="same_kind")
        results.append(buffer.tobytes())
    assert results[0] == results[1]


def test_subclasses_and_objects_are_numpys(divide):
    class Tagged(np.ndarray):
        pass

    x = np.arange(20_000, dtype="i4").view(Tagged)
    assert type(divide[0](x, 2.0)) is Tagged
    with pytest.raises(TypeError):
        divide[0](np.full(20_000, "text"), 2.0)
    with pytest.raises(ValueError, match="broadcast"):
        divide[0](np.arange(20_000, dtype="i4"), np.ones(3))
    with pytest.raises(TypeError, match="cast"):
        divide[0](np.arange(20_000, dtype="i4"), 2.0, out=np.zeros(20_000, "i4"))


def test_a_raising_kernel_names_the_first_element():
    @npp.vectorize(["float64(float64)"], target="parallel")
    def checked(x):
        if x < 0:
            raise ValueError("negative")
        return x

    x = np.ones((200, 300), "f4")
    x[70, 5] = x[150, 2] = -1
    for n_threads in N_THREADS:
        _core.set_n_threads(n_threads)
        with pytest.raises(ValueError, match="negative") as raised:
            checked(x)
        assert raised.value.element == (70, 5)
        out = np.zeros(x.shape)
        checked(x, out=out, where=x > 0)
        assert out.sum() == x.size - 2


def test_generalized_ufuncs_with_casts():
    def total(row, out):
        out[0] = 0
        for value in row:
            out[0] += value * 1.5

    functions = [
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target=target)(total)
        for target in ("parallel", "cpu")
    ]
    table = np.arange(60_000, dtype="i4").reshape(-1, 6)[::-1]
    shared, alone = (
        f(table, out=np.zeros(len(table), "f4"), casting="same_kind") for f in functions
    )
    np.testing.assert_array_equal(shared, alone)


@pytest.fixture(scope="module", params=["sum", "difference", "greatest", "integers"])
def binary(request):
    bodies = {
        "sum": lambda x, y: x + y,
        "difference": lambda x, y: x * 0.5 - y,
        "greatest": lambda x, y: max(x, y),
        "integers": lambda x, y: x * y,
    }
    letter = "i" if request.param == "integers" else "d"
    identity = {"sum": 0, "integers": 1}.get(request.param)
    return [
        npp.vectorize([f"{letter}{letter}->{letter}"], identity=identity, target=target)(
            bodies[request.param]
        )
        for target in ("parallel", "cpu")
    ]


SHAPES = [(300, 200), (5, 3000), (3000, 5), (9000, 70), (70, 80, 90), (4, 5, 6, 700), (2, 9000)]
FORMS = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "reversed": lambda x: x[::-1, ..., ::-1],
    "sliced": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
}


def lines(shape, form, dtype="d"):
    rng = np.random.default_rng(5)
    return FORMS[form](rng.integers(-9, 9, shape).astype(dtype) / 4).astype(dtype, copy=False)


@pytest.mark.parametrize(("shape", "form"), one_in(2, SHAPES, FORMS))
def test_methods_over_lines(binary, shape, form):
    dtype = binary[0].types[0][0]
    x = lines(shape, form, dtype)
    for method in ("reduce", "accumulate"):
        functions = [getattr(f, method) for f in binary]
        for axis in range(x.ndim):
            assert_same(functions, (x,), {"axis": axis})
    pairs = [(0, 1)] if x.ndim == 2 else [(0, 1), (0, 2), (1, 2)]
    for axes in pairs:
        assert_same([f.reduce for f in binary], (x,), {"axis": axes, "keepdims": True})


def test_reductions_into_outputs(binary):
    dtype = binary[0].types[0][0]
    x = lines((300, 200), "C", dtype)
    for out_dtype in dtype, "D":
        for out in np.zeros(300, out_dtype), np.zeros(600, out_dtype)[::-2]:
            assert_same([f.reduce for f in binary], (x,), {"axis": 1, "out": out})
    x = lines((200, 200), "C", dtype)
    results = []
    for function in binary:
        table = x.copy()
        function.accumulate(table, axis=0, out=table)
        function.reduce(table, axis=0, out=table[3])
        function.accumulate(table, axis=1, out=table.T)
        results.append(table.tobytes())
    assert results[0] == results[1]


def test_reductions_with_casts_and_masks(binary):
    x = lines((300, 200), "C", "i2")
    assert_same([f.reduce for f in binary], (x,), {"axis": 0})
    assert_same([f.accumulate for f in binary], (x,), {"axis": 1})
    x = lines((300, 200), "C", binary[0].types[0][0])
    keywords = {"axis": 1, "where": x > 1, "initial": 3}
    if binary[0].identity is not None:
        assert_same([f.reduce for f in binary], (x,), keywords)


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_flags_of_lines_are_reported_once(method):
    double = npp.vectorize(["dd->d"], target="parallel")(lambda x, y: x * y)
    x = np.ones((500, 300))
    x[100:110, 7] = x[400:410, 250] = 1e200
    for n_threads in N_THREADS:
        _core.set_n_threads(n_threads)
        with pytest.warns(RuntimeWarning, match=f"overflow encountered in {method}") as caught:
            getattr(double, method)(x, axis=0)
        assert len(caught) == 1
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match=method):
            getattr(double, method)(x, axis=0)
        with np.errstate(all="raise"):
            getattr(double, method)(x[:, 20:240], axis=0)
