"""Threads: their answers, memory, warnings and errors are those of one thread."""

import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core

N_ROWS, N_COLUMNS = 300, 401  # more than enough to be cut, and no multiple of a vector
SIGNATURES = ["int8(int8, int8)", "float32(float32, float32)", "float64(float64, float64)"]


@pytest.fixture(scope="module", autouse=True)
def three_threads():
    _core.set_n_threads(3)
    _core.share_short_calls(True)
    yield
    _core.share_short_calls(False)
    _core.set_n_threads(0)


def both_targets(signatures, **options):
    return [npp.vectorize(signatures, target=target, **options) for target in ("parallel", "cpu")]


@pytest.fixture(scope="module")
def divide():
    """x / y + 1 for the parallel target and for one thread."""
    return both_targets(SIGNATURES, args="x, y", body="return T(x / y + 1);", name="divide")


@pytest.fixture(scope="module")
def divmod2():
    return both_targets(
        ["dd->dd"],
        args="x, y",
        outs="q, r",
        body="q = floor(x / y); r = x - q * y;",
        name="divmod2",
    )


def outcome(function, make_call):
    """Everything a caller sees: results with their memory, warnings, or the error's text."""
    operands, keywords = make_call()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = function(*operands, **keywords)
        except Exception as error:
            return type(error), str(error)
    results = results if isinstance(results, tuple) else (results,)
    seen = [
        (type(item), item.dtype, item.shape, item.strides, str(item.flags), item.tobytes())
        for item in results
    ]
    return (
        seen,
        [str(item.message) for item in caught],
        [item.tobytes() for item in arrays_of(operands)],
    )


def arrays_of(operands):
    return [item for item in operands if isinstance(item, np.ndarray)]


def values(dtype=np.float64, shape=(N_ROWS, N_COLUMNS), start=1):
    n_items = int(np.prod(shape))
    return ((np.arange(n_items) * 7 + start) % 113 + 1).astype(dtype).reshape(shape)


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def strided():
    return values(shape=(N_ROWS, 2 * N_COLUMNS))[:, ::2]


OPERANDS = {
    "contiguous": lambda: (values(), values(start=5)),
    "casts": lambda: (values(np.float32), values(np.int32)),
    "casts to the narrow loop": lambda: (values(np.float16), values(np.float32)),
    "row and column": lambda: (values(shape=(N_ROWS, 1)), values(shape=(N_COLUMNS,))),
    "array and number": lambda: (values(np.float32), 3),
    "number and array": lambda: (2.5, values(np.float32)),
    "integers and a number": lambda: (values(np.int8), 3),
    "Fortran's order": lambda: (np.asfortranarray(values()), np.asfortranarray(values(start=3))),
    "mixed orders": lambda: (np.asfortranarray(values()), values(start=3)),
    "transposed": lambda: (values(shape=(60, 40, 50)).transpose(2, 0, 1), 2.0),
    "reversed": lambda: (values()[::-1, ::-1], values()),
    "every second": lambda: (strided(), strided()),
    "other byte order": lambda: (values(">f8"), values(">f4")),
    "unaligned": lambda: (unaligned(values()), values()),
    "one element broadcast": lambda: (values(shape=(1, 1)), values()),
    "broadcast view": lambda: (
        np.broadcast_to(values(shape=(1, N_COLUMNS)), (N_ROWS, N_COLUMNS)),
        2.0,
    ),
    "small": lambda: (values(shape=(3,)), values(shape=(3,))),
    "empty": lambda: (values(shape=(0, N_COLUMNS)), values(shape=(N_COLUMNS,))),
    "result larger than operands": lambda: (values(shape=(500, 1)), values(shape=(1, 500))),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_operands(divide, name):
    parallel, cpu = divide
    call = lambda: (OPERANDS[name](), {})  # noqa: E731
    assert outcome(parallel, call) == outcome(cpu, call)


@pytest.mark.parametrize("name", OPERANDS)
def test_several_outputs(divmod2, name):
    parallel, cpu = divmod2
    call = lambda: (OPERANDS[name](), {})  # noqa: E731
    assert outcome(parallel, call) == outcome(cpu, call)


def with_output(output, **keywords):
    return lambda: ((values(), values(start=9)), {"out": output(), **keywords})


def overlapping():
    """Operands that the output covers, one element further on."""
    buffer = values(shape=(N_ROWS * N_COLUMNS + 1,))
    return (buffer[:-1], buffer[1:].copy()), {"out": buffer[1:]}


def in_place():
    x = values()
    return (x, values(start=4)), {"out": x}


def reversed_in_place():
    x = values()
    return (x, 3.0), {"out": x[::-1]}


def where():
    out = values(start=2)
    return (values(), values(start=9)), {"out": out, "where": values() % 3 == 0}


def read_only():
    out = values()
    out.flags.writeable = False
    return out


SHAPE = (N_ROWS, N_COLUMNS)
CALLS = {
    "out": with_output(lambda: np.zeros(SHAPE)),
    "out as a tuple": with_output(lambda: (np.zeros(SHAPE),)),
    "out None": with_output(lambda: None),
    "out in Fortran's order": with_output(lambda: np.zeros(SHAPE, order="F")),
    "out with steps": with_output(lambda: np.zeros((N_ROWS, 2 * N_COLUMNS))[:, ::2]),
    "out of a narrower type": with_output(lambda: np.zeros(SHAPE, np.float32)),
    "out with one axis more": with_output(lambda: np.zeros((2, *SHAPE))),
    "out unaligned": with_output(lambda: unaligned(np.zeros(SHAPE))),
    "overlapping": overlapping,
    "in place": in_place,
    "reversed in place": reversed_in_place,
    "where": where,
    "dtype": lambda: ((values(), values()), {"dtype": np.float32, "casting": "same_kind"}),
    "order": lambda: ((values(), values()), {"order": "F"}),
    # Each of these is an error.
    "out too small": with_output(lambda: np.zeros((N_ROWS, 1))),
    "out of integers": with_output(lambda: np.zeros(SHAPE, np.int64)),
    "out read-only": with_output(read_only),
    "two outs": with_output(lambda: (np.zeros(SHAPE), np.zeros(SHAPE))),
    "shapes that do not fit": lambda: ((values(), values(shape=(7,))), {}),
    "texts": lambda: ((values(), values().astype("U3")), {}),
    "an integer out of range": lambda: ((values(np.int8), 300), {}),
    "a negative integer out of range": lambda: ((-129, values(np.int8)), {}),
    "one operand": lambda: ((values(),), {}),
    "unknown keyword": lambda: ((values(), values()), {"outs": None}),
}
ERRORS = list(CALLS)[list(CALLS).index("out too small") :]


@pytest.mark.parametrize("name", CALLS)
def test_calls(divide, name):
    parallel, cpu = divide
    expected = outcome(cpu, CALLS[name])
    assert outcome(parallel, CALLS[name]) == expected
    assert isinstance(expected[0], type) == (name in ERRORS)


SIDE = 300
TABLES = {
    "transposed": lambda x: ((x, x.T), x),
    "into the transposed": lambda x: ((x, x), x.T),
    "one column on": lambda x: ((x[:, :-1], 1.0), x[:, 1:]),
    "one row back": lambda x: ((x[1:], 2.0), x[:-1]),
    "reversed": lambda x: ((x[::-1], x), x),
    "every second in place": lambda x: ((x[:, ::2], 3.0), x[:, ::2]),
    "its own row": lambda x: ((x[0], x), x),
    "its own column": lambda x: ((x[:, :1], x), x),
    "windows": lambda x: (
        (x.copy(), 1.0),
        np.lib.stride_tricks.as_strided(x, (SIDE, SIDE), (8, 8)),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_overlap(divide, name):
    tables = []
    for function in divide:
        table = values(shape=(SIDE, SIDE))
        operands, out = TABLES[name](table)
        assert function(*operands, out=out) is out
        tables.append(table.tobytes())
    assert tables[0] == tables[1]


def test_integers_out_of_range_are_an_overflow_error(divide):
    with pytest.raises(OverflowError, match="300"):
        divide[0](values(np.int8), 300)


def test_given_outputs_are_returned(divmod2):
    outputs = np.empty(SHAPE), np.empty(SHAPE)
    results = divmod2[0](values(), values(), out=outputs)
    assert results[0] is outputs[0]
    assert results[1] is outputs[1]
    first, second = divmod2[0](values(), 7.0, out=(outputs[0], None))
    assert first is outputs[0]
    np.testing.assert_array_equal(second, values() % 7)


@pytest.mark.parametrize("position", [0, N_ROWS * N_COLUMNS // 2, N_ROWS * N_COLUMNS - 1])
def test_an_error_of_any_thread_is_reported_once(divide, position):
    y = values()
    y.ravel()[position] = 0
    calls = []
    with np.errstate(divide="call", call=lambda kind, flag: calls.append(kind)):
        divide[0](values(), y)
    assert calls == ["divide by zero"]
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide") as caught:
        divide[0](values(), y)
    assert len(caught) == 1
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        divide[0](values(), y)
    with np.errstate(all="raise"):
        divide[0](values(), values())


def test_errors_of_different_threads_are_all_reported(divide):
    x, y = values(), values()
    y[0, 0] = 0
    x[-1, -1] = y[-1, -1] = 0
    with pytest.warns(RuntimeWarning) as caught:
        divide[0](x, y)
    assert sorted(str(item.message).partition(" encountered")[0] for item in caught) == [
        "divide by zero",
        "invalid value",
    ]


def test_flags_left_by_earlier_work_are_not_reported(divide):
    with np.errstate(all="ignore"):
        divide[0](values(), values() * 0)
    with np.errstate(all="raise"):
        divide[0](values(), values())


def test_another_python_thread_runs_during_a_call():
    """The kernel waits for a number that only the other thread writes, and gives up in the end."""
    wait = npp.vectorize(
        ["int64(int64, uint64)"],
        args="x, address",
        body="volatile long long* mail = reinterpret_cast<volatile long long*>(address);\n"
        "mail[0] = 1;\n"
        "for (long long i = 0; i < 3000000000 && mail[1] == 0; ++i) {}\n"
        "if (mail[1] == 0) mail[1] = 2;\n"
        "return mail[1];",
        target="parallel",
    )
    mail = np.zeros(2, np.int64)

    def answer():
        while mail[0] == 0:
            time.sleep(0)
        if mail[1] == 0:
            mail[1] = 1

    thread = threading.Thread(target=answer)
    thread.start()
    result = wait(np.zeros(200_000, np.int64), np.uint64(mail.ctypes.data))
    thread.join()
    assert (result == 1).all()


def test_many_python_threads_at_once(divide):
    parallel, cpu = divide
    operands = [(values(start=i), values(start=i + 3)) for i in range(8)]
    expected = [cpu(*pair) for pair in operands]
    failures = []
    start = threading.Barrier(len(operands))

    def work(index):
        start.wait()
        for _ in range(5):
            if not np.array_equal(parallel(*operands[index]), expected[index]):
                failures.append(index)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(operands))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


PROGRAM = """
import os
import numpy as np
import numpy_plugin as npp

f = npp.vectorize(["dd->d"], args="x, y", body="return x * y + 1;", target="parallel")
npp._core.share_short_calls(True)
x = np.arange(300_000.0)

def check():
    assert np.array_equal(f(x, 3.0), x * 3 + 1)
"""


def run_program(text, **environment):
    return run_python(["-c", PROGRAM + text], environment)


def run_file(path, **environment):
    return run_python([str(path)], environment)


def run_python(arguments, environment):
    # The child uses the package that this process has found.
    path = os.pathsep.join(item for item in sys.path if item)
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


N_THREADS_USED = """
import os
import numpy as np
import numpy_plugin as npp
from numpy_plugin import _core
before = len(os.listdir("/proc/self/task"))
def n_new_threads(f, *operands):
    _core.share_short_calls(True)
    f(*operands)
    return len(os.listdir("/proc/self/task")) - before
def scaled(x):
    return x * 3
x = np.arange(300_000.0)
"""
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="reads /proc")


@needs_proc
@pytest.mark.parametrize(
    ("declared", "n_threads", "n_new"),
    [
        ("npp.vectorize(['float64(float64)'])(scaled)", 3, 2),
        ("npp.vectorize()(scaled)", 3, 2),
        ("npp.vectorize(['float64(float64)'])(scaled)", 1, 0),
        ("npp.vectorize(['float64(float64)'], target='cpu')(scaled)", 3, 0),
        ("npp.vectorize(['float64(float64)'], args='x', body='return x * 3;')", 3, 0),
    ],
)
def test_the_default_target_shares_kernels_without_cpp(tmp_path, declared, n_threads, n_new):
    program = N_THREADS_USED + f"print(n_new_threads({declared}, x))"
    file = tmp_path / "program.py"
    file.write_text(
        "import os\nimport numpy as np\nimport numpy_plugin as npp\n"
        "from numpy_plugin import _core\n" + program
    )
    result = run_file(file, NUMPY_PLUGIN_NUM_THREADS=str(n_threads))
    assert result.stdout.strip() == str(n_new), result.stderr


@needs_proc
@pytest.mark.parametrize(
    "operands",
    ["np.ones((3000, 200))[:, ::2]", "np.ones((100, 30, 120))[:, :20, :40].transpose(1, 0, 2)"],
)
def test_rows_of_strided_operands_are_shared(tmp_path, operands):
    file = tmp_path / "program.py"
    declared = "npp.vectorize(['float64(float64)'])(scaled)"
    file.write_text(N_THREADS_USED + f"print(n_new_threads({declared}, {operands}))")
    result = run_file(file, NUMPY_PLUGIN_NUM_THREADS="3")
    assert result.stdout.strip() == "2", result.stderr


def test_both_sides_of_a_fork_go_on():
    result = run_program(
        """
check()
child = os.fork()
if child == 0:
    check()
    grandchild = os.fork()
    check()
    if grandchild:
        assert os.waitpid(grandchild, 0)[1] == 0
    os._exit(0)
check()
assert os.waitpid(child, 0)[1] == 0
check()
print("done")
""",
        NUMPY_PLUGIN_NUM_THREADS="3",
    )
    assert result.stdout == "done\n", result.stderr


def test_a_fork_while_another_thread_is_calling():
    result = run_program(
        """
import threading
stop = threading.Event()
started = threading.Event()
def work():
    while not stop.is_set():
        check()
        started.set()
thread = threading.Thread(target=work, daemon=True)
thread.start()
started.wait()
for _ in range(10):
    child = os.fork()
    if child == 0:
        check()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
thread.join()
print("done")
""",
        NUMPY_PLUGIN_NUM_THREADS="3",
    )
    assert result.stdout == "done\n", result.stderr


N_TASKS = """
from numpy_plugin import _core
before = len(os.listdir("/proc/self/task"))
check()
print(_core.n_threads(), len(os.listdir("/proc/self/task")) - before)
"""


@needs_proc
@pytest.mark.parametrize("n_threads", [1, 4])
def test_variable_for_the_number_of_threads(n_threads):
    result = run_program(N_TASKS, NUMPY_PLUGIN_NUM_THREADS=str(n_threads))
    assert result.stdout.split() == [str(n_threads), str(n_threads - 1)], result.stderr
