"""Flags of Python code are those that NumPy reports for it, whichever compiler made the kernel."""

import math

import numpy as np
import pytest
from flag_kinds import COMPILERS, collected_kinds, compile_with
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda


# Python code whose operations are guarded by selections: its own, and those inside NumPy's
# functions.
def root_of_maximum(x):
    return np.sqrt(np.maximum(x, 0))


def clipped_byte(x):
    return np.uint8(np.clip(x, 0, 255))


def root_of_sign(x):
    return np.sqrt(np.sign(x))


def inverse_of_sign(x):
    return 1 / np.sign(x)


def inverse_of_step(x):
    return 1 / np.heaviside(x, 0.5)


def inverse_of_minimum(x):
    return 1 / np.minimum(x, -1.0)


def inverse_of_fmax(x):
    return 1 / np.fmax(x, 0.0)


def inverse_where_infinite(x):
    return 1.0 if x == np.inf else 1 / x


def unsigned(x):
    return np.uint64(x)


def half(x):
    return np.float16(x)


def single(x):
    return np.float32(x)


def byte(x):
    return np.int8(x)


def integer(x):
    return np.int64(x)


def integer_of_single(x):
    return np.int64(np.float32(x))


def byte_of_single(x):
    return np.uint8(np.float32(x))


def integer_of_size(x):
    return np.int32(abs(x))


def rounded_by_casts(x):
    return np.float64(np.int32(x))


def log_of_sum(x):
    return np.logaddexp(x, 1.0)


def binary_log_of_sum(x):
    return np.logaddexp2(x, x / 2)


def remainder(x):
    return np.remainder(x, 3.0)


def floor_division(x):
    return x // 3.0


def next_above(x):
    return np.nextafter(x, np.inf)


def next_below(x):
    return np.nextafter(x, -np.inf)


def distance(x):
    return np.spacing(x)


def fraction(x):
    return np.modf(x)[0]


def mantissa(x):
    return np.frexp(x)[0]


def logarithm(x):
    return math.log(x) if x > 0 else -1.0


def root(x):
    if x >= 0:
        return np.sqrt(x)
    return x * x


def quotient(x):
    return (x + 1.5) / (x - 1)


AS_NUMPY = [
    root_of_maximum,
    clipped_byte,
    root_of_sign,
    inverse_of_sign,
    inverse_of_step,
    inverse_of_minimum,
    inverse_of_fmax,
    inverse_where_infinite,
    unsigned,
    half,
    single,
    byte,
    integer,
    integer_of_single,
    byte_of_single,
    integer_of_size,
    rounded_by_casts,
    log_of_sum,
    binary_log_of_sum,
    remainder,
    floor_division,
    next_above,
    next_below,
    distance,
    fraction,
    mantissa,
    logarithm,
    root,
    quotient,
]
# Of these, clang would compute the side that is not selected.
SELECTIONS = [*AS_NUMPY[:8], logarithm, root]
OTHERS = [function for function in AS_NUMPY if function not in SELECTIONS]
IN_LOOPS = [clipped_byte, inverse_of_minimum, inverse_of_fmax, unsigned, mantissa, quotient]
LARGEST = np.finfo(np.float64).max
NUMBERS = [
    *(2.0**31, -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64),
    *(0.0, -0.0, 1.0, -1.0, 0.25, -2.5, 300.0, 70000.0, 1e10, -1e10, 1e300, -1e300),
    *(LARGEST, -LARGEST, float(np.finfo(np.float32).max), np.inf, -np.inf, np.nan),
]


def kinds(f, *operands):
    with collected_kinds() as found:
        f(*operands)
    return found


@pytest.fixture(params=COMPILERS)
def compiler(request, monkeypatch):
    compile_with(monkeypatch, request.param)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("compiler", "function"),
    [
        *((COMPILERS[0], function) for function in AS_NUMPY),
        *((COMPILERS[1], function) for function in SELECTIONS),
        *in_long_runs(*((COMPILERS[1], function) for function in OTHERS)),
    ],
    indirect=["compiler"],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_flags_are_those_of_numpy(function):
    f = npp.vectorize(function)
    for number in NUMBERS:
        expected = kinds(function, np.float64(number))
        padded = expected | kinds(function, np.float64(0.25))
        for n in (1, 8, 65):
            assert kinds(f, np.full(n, number)) == expected, (number, n)
            x = np.full(n + 1, 0.25)
            x[n // 2] = number
            assert kinds(f, x) == padded, (number, n)


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("function", IN_LOOPS, ids=lambda function: function.__name__)
def test_flags_of_loops_in_a_kernel_are_those_of_numpy(function):
    element = npp.device(function)

    def each(x, out):
        for i in range(len(x)):
            out[i] = element(x[i])

    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(each)
    for number in NUMBERS:
        expected = kinds(function, np.float64(number))
        for n in (1, 5, 64):
            assert kinds(f, np.full(n, number)) == expected, (number, n)
            assert kinds(f, np.full(2 * n, number)[::2]) == expected, (number, n)


@pytest.mark.usefixtures("compiler")
def test_work_that_makes_no_difference_may_report_but_never_more_than_numpy():
    def guarded_late(x, y):
        quotient = x / y
        return quotient if y != 0 else 0.0

    def unused(x, y):
        quotient = x / y
        quotient = x + y
        return quotient

    for function in (guarded_late, unused):
        f = npp.vectorize(function)
        for n in (1, 8, 100):
            one, zero, large, tenth = (np.full(n, value) for value in (1.0, 0.0, 1e308, 0.1))
            assert kinds(f, one, zero) <= {"divide by zero"}
            assert kinds(f, one, tenth) == set()
            assert kinds(f, large, tenth) <= {"overflow"}
            assert function is unused or kinds(f, large, tenth) == {"overflow"}
            with np.errstate(divide="ignore"):
                assert (f(one, zero) == (0.0 if function is guarded_late else 1.0)).all()


@pytest.mark.usefixtures("compiler")
def test_integers_divided_by_zero_are_reported():
    f = npp.vectorize(lambda m, n: m / n)
    for n in (1, 8, 100):
        assert kinds(f, np.full(n, 3), np.zeros(n, int)) == {"divide by zero"}
        assert kinds(f, np.zeros(n, int), np.zeros(n, int)) == {"invalid value"}
        assert kinds(f, np.full(n, 3), np.full(n, 2)) == set()


def test_bfloat16_reports_no_overflow():
    f = npp.vectorize(lambda x: npp.bfloat16(x))
    assert kinds(f, np.full(9, np.finfo(np.float32).max)) == set()


def test_devices_report_nothing():
    f = npp.vectorize(lambda x: np.int8(1 / x))
    x = np.array([0.0, 1e-300])
    assert kinds(f, x) == {"divide by zero", "invalid value"}
    with cuda.simulator(memory="16 MiB"):
        on_device = cuda.to_device(x)
        assert kinds(f, on_device) == set()
