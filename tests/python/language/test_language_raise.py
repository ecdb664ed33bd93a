"""`raise` and `assert` in kernels: the call fails with the exception of its first element."""

import copy
import functools
import math
import pickle
import traceback

import numpy as np
import pytest
from kernel_source import error_of

import numpy_plugin as npp
from numpy_plugin import cuda


class TooFar(Exception):
    """An exception of the user's own."""


@npp.device
def checked_root(x):
    if x < 0:
        raise ValueError(f"root of {x:.2f}")
    return math.sqrt(x)


def kernel(x, limit):
    assert not math.isnan(x), "not a number"
    if x > limit:
        raise TooFar("too far", x)
    return checked_root(x) + 1


declare = functools.partial(npp.vectorize, ["float64(float64, float64)"])
root = declare(name="root")(kernel)
parallel_root = declare(name="root", target="parallel")(kernel)
lazy_root = npp.vectorize(kernel)


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def mean(values, result):
    if len(values) == 0:
        raise ZeroDivisionError
    total = 0.0
    for value in range(len(values)):
        assert values[value] >= 0
        total += values[value]
    result[0] = total / len(values)


targets = pytest.mark.parametrize(
    "f", [root, parallel_root, lazy_root], ids=["cpu", "parallel", "lazy"]
)


def failure(kind, call, *args, **named):
    with pytest.raises(kind) as caught:
        call(*args, **named)
    return caught.value


@targets
def test_right_elements_are_computed(f):
    x = np.arange(100.0)
    np.testing.assert_array_equal(f(x, 1e9), np.sqrt(x) + 1)
    assert f(4.0, 9.0) == 3.0


@targets
@pytest.mark.parametrize("n", [1, 7, 64, 1000, 100_000])
def test_first_element_in_c_order(f, n):
    x = np.ones(n)
    x[n // 2 :] = -4
    error = failure(ValueError, f, x, 9.0)
    assert str(error) == "root of -4.00"
    assert error.element == (n // 2,)


@targets
def test_element_of_a_broadcast_shape(f):
    x = np.asfortranarray(np.ones((40, 50)))
    x[30, 2] = x[20, 40] = 100
    error = failure(TooFar, f, x, np.array([9.0]))
    assert error.args == ("too far", 100.0)
    assert type(error.args[1]) is np.float64
    assert error.element == (20, 40)
    limits = np.array([[9.0], [1000.0], [9.0]])
    assert failure(TooFar, f, np.full(5, 100.0), limits[1:]).element == (1, 0)


@targets
def test_the_first_statement_that_fails(f):
    error = failure(AssertionError, f, [1.0, np.nan, -1.0], 9.0)
    assert error.args == ("not a number",)
    assert error.element == (1,)


@targets
def test_next_call_works_and_inputs_are_untouched(f):
    x = np.array([1.0, -4.0, 100.0])
    before = x.copy()
    failure(ValueError, f, x, 9.0)
    np.testing.assert_array_equal(x, before)
    assert f(4.0, 9.0) == 3.0


@targets
def test_in_place(f):
    x = np.full(1000, 8.5)
    x[700] = -1
    assert failure(ValueError, f, x, 9.0, out=x).element == (700,)
    x = np.full(1000, 8.5)
    x[700] = -1
    assert failure(ValueError, f, x, 9.0, x).element == (700,)


@targets
def test_masked_elements_do_not_raise(f):
    x = np.array([1.0, -4.0, -9.0])
    result = f(x, 9.0, where=x > 0, out=np.zeros(3))
    np.testing.assert_array_equal(result, [2.0, 0.0, 0.0])
    assert failure(ValueError, f, x, 9.0, where=[True, False, True], out=x.copy()).element == (2,)


@targets
def test_cast_operands(f):
    x = np.ones((3, 20_000), dtype=np.int8)
    x[1, 15_000] = -3
    assert failure(ValueError, f, x, np.float64(9)).element == (1, 15_000)


def test_what_a_person_sees():
    error = failure(ValueError, root, [[1.0, -4.0]], 9.0)
    line = checked_root.__wrapped__.__code__.co_firstlineno + 3
    assert error.__notes__ == [f"raised by 'root' for element (0, 1), {__file__}:{line}"]
    entries = traceback.extract_tb(error.__traceback__)
    assert [entry.name for entry in entries] == ["failure", "checked_root"]
    assert entries[-1].lineno == line


def test_exception_without_arguments():
    empty = np.empty((3, 0))
    error = failure(ZeroDivisionError, mean, empty)
    assert error.args == ()
    assert error.element == (0,)


def test_generalized_element_is_of_the_loop_shape():
    values = np.ones((4, 5, 6))
    values[2, 3, 1] = values[3, 0, 0] = -1
    error = failure(AssertionError, mean, values)
    assert error.element == (2, 3)
    assert error.args == ()
    np.testing.assert_array_equal(mean(values[:2]), np.ones((2, 5)))
    assert failure(AssertionError, mean, values, axis=0).element == (0, 0)
    assert failure(AssertionError, mean, values, axis=1).element == (2, 1)
    assert failure(AssertionError, mean, values[:3], axes=[(0,), ()]).element == (3, 1)


@npp.vectorize(["float64(float64, float64)"], identity=0)
def small_sum(a, b):
    assert a + b < 10, f"{a} + {b}"
    return a + b


@pytest.mark.parametrize(
    "call",
    [
        lambda: small_sum.reduce(np.arange(6.0)),
        lambda: small_sum.accumulate(np.arange(6.0)),
        lambda: small_sum.reduceat(np.arange(6.0), [0, 3]),
        lambda: small_sum.outer(np.arange(6.0), np.arange(6.0)),
        lambda: small_sum.at(np.full(3, 8.0), [0, 0, 0], 1.0),
    ],
    ids=["reduce", "accumulate", "reduceat", "outer", "at"],
)
def test_methods(call):
    with pytest.raises(AssertionError) as caught:
        call()
    assert " + " in str(caught.value)
    assert caught.value.element is None  # values computed by methods are no elements of a call
    assert small_sum.reduce(np.arange(4.0)) == 6


def test_method_that_does_not_pass_the_hook():
    with pytest.raises((AssertionError, SystemError)):
        np.ufunc.reduce(small_sum, np.arange(6.0))
    assert small_sum.reduce(np.arange(4.0)) == 6


@npp.vectorize(["int64(int64)"])
def never(n):
    raise OverflowError("never")


def test_a_kernel_of_one_raise():
    assert failure(OverflowError, never, [1, 2]).element == (0,)
    assert never(np.empty(0, dtype=np.int64)).shape == (0,)


@npp.vectorize(["uint8(uint8, int64, float32, bool)"])
def values(a, b, c, d):
    assert a != 3, f"{a!r} {b:+d} {c} {d}"
    return a


def test_values_have_the_kernels_types():
    error = failure(AssertionError, values, 3, -7, np.float32(0.1), True)
    assert str(error) == "np.uint8(3) -7 0.10000000149011612 True"


@npp.device
def next_number(n):
    if n == 3:
        raise StopIteration("at three")
    return n + 1


@npp.vectorize(["int64(int64)"])
def walk(n):
    while n != 10:
        n = next_number(n)
        if n == 4:
            n = 0
    return n


def test_a_loop_ends_where_a_function_raises():
    assert walk(5) == 10
    assert failure(StopIteration, walk, [5, 0]).element == (1,)


@npp.vectorize(["float64(float64, float64)"])
def two_roots(x, y):
    return checked_root(x) - checked_root(y) * checked_root(x + y)


def test_functions_raise_in_the_order_of_python():
    assert str(failure(ValueError, two_roots, -1.0, -2.0)) == "root of -1.00"
    assert str(failure(ValueError, two_roots, 1.0, -2.0)) == "root of -2.00"
    assert two_roots(1.0, 0.0) == 1.0


class Refuses(Exception):
    """A class that cannot be made with the arguments that a kernel gives it."""

    def __init__(self):
        super().__init__("none")


@npp.vectorize(["int64(int64)"])
def wrong_arguments(n):
    if n > 3:
        raise Refuses("a", 1)
    return n


def test_a_class_that_refuses_its_arguments():
    with pytest.raises(TypeError, match="positional argument"):
        wrong_arguments(5)
    assert wrong_arguments(3) == 3


def test_a_class_of_a_function_travels_with_its_ufunc():
    class Local(Exception):
        pass

    @npp.vectorize(["int64(int64)"])
    def limited(n):
        if n > 3:
            raise Local(f"{n} is too much")
        return n

    assert failure(Local, limited, [1, 5]).element == (1,)
    with pytest.raises((AttributeError, pickle.PicklingError), match="Local"):
        pickle.dumps(limited)
    assert failure(Local, copy.copy(limited), [1, 5]).element == (1,)
    cloudpickle = pytest.importorskip("cloudpickle")
    received = pickle.loads(cloudpickle.dumps(limited))
    assert received(3) == 3
    with pytest.raises(Exception, match="too much") as caught:
        received([1, 5])
    assert type(caught.value).__name__ == "Local"
    assert str(caught.value) == "5 is too much"
    assert caught.value.element == (1,)


def messages(source):
    error = error_of(npp.vectorize(["float32(float32)"]), source, TooFar=TooFar)
    return [(item.message, item.hint) for item in error.diagnostics]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("raise 'too big'", "'raise' needs an exception, found a string"),
        ("raise", "'raise' needs an exception"),
        ("raise x", "'raise' needs an exception, found a float32"),
        ("raise ValueError('a') from None", "'raise' with 'from' cannot be used in a kernel"),
        ("raise ValueError((x, x))", "a message can contain str and real numbers, (x, x) is "),
        ("raise ValueError(x, x, x, x, x)", "a message can contain at most 4 numbers"),
        ("raise ValueError(f'{x:{x}}')", "the format of a message must be a plain str"),
        ("raise nothing", "unknown name 'nothing'"),
        ("assert x, y", "unknown name 'y'"),
        ("return ValueError", "ValueError is an exception, not a number"),
    ],
)
def test_mistakes(statement, message):
    [(found, _)] = messages(f"def f(x):\n    if x > 1:\n        {statement}\n    return x\n")
    assert found.startswith(message)


def test_assert_of_a_tuple_is_warned_about():
    with pytest.warns(npp.KernelWarning, match="this assert never fails: a tuple is always true"):

        @npp.vectorize(["float32(float32)"])
        def f(x):
            assert (x > 0, "x must be positive")  # noqa: F631
            return x


@pytest.fixture(scope="module", params=["simulator", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request):
    chosen = cuda.gpus[0] if request.param == "gpu" else cuda.simulator(memory="64 MiB")
    with chosen, cuda.errors("immediate"):  # late ones come without their element
        yield


@npp.vectorize(["float32(float32, float32)"])
def difference(x, y):
    if x < y:
        raise TooFar(f"{x:.0f} < {y:.0f}")
    return x - y


@pytest.mark.parametrize("shape", [(1,), (5,), (4000,), (30, 70)])
def test_device_elementwise(device, shape):
    x = np.full(shape, 3, np.float32)
    y = np.arange(math.prod(shape), dtype=np.float32).reshape(shape) % 3
    on_device = cuda.to_device(x), cuda.to_device(y)
    np.testing.assert_array_equal(difference(*on_device).copy_to_host(), x - y)
    index = tuple(size - 1 for size in shape)
    y[index] = 9
    error = failure(TooFar, difference, on_device[0], cuda.to_device(y))
    assert error.element == index
    assert error.args == ("3 < 9",)


def test_device_any_strides(device):
    x = np.zeros((40, 50), np.float32)
    x[20, 40] = x[30, 2] = -1
    columns = cuda.to_device(np.ascontiguousarray(x.T)).T
    assert failure(TooFar, difference, columns, np.float32(0)).element == (20, 40)
    assert failure(TooFar, difference, columns[::-1], np.float32(0)).element == (9, 2)
    row = cuda.to_device(np.zeros(50, np.float32))
    assert failure(TooFar, difference, columns[:, :10], row[:10]).element == (30, 2)
    assert difference(columns[:20], row).shape == (20, 50)


def test_device_mask_cast_and_in_place(device):
    x = np.ones(1000, np.float32)
    x[[500, 700]] = -1
    operand, mask = cuda.to_device(x), cuda.to_device(np.arange(1000) != 500)
    out = cuda.to_device(np.zeros(1000, np.float32))
    assert failure(TooFar, difference, operand, 0, out=out, where=mask).element == (700,)
    assert failure(TooFar, difference, cuda.to_device(x.astype(np.int8)), 0).element == (500,)
    assert failure(TooFar, difference, operand, 0, out=operand).element == (500,)
    assert failure(ZeroDivisionError, mean, cuda.to_device(np.empty((2, 0)))).element == (0,)


def test_device_generalized(device):
    values = np.ones((40, 5, 6))
    values[20, 3, 1] = values[30, 0, 0] = -1
    assert failure(AssertionError, mean, cuda.to_device(values)).element == (20, 3)
    assert failure(AssertionError, mean, cuda.to_device(values), axis=1).element == (20, 1)
    np.testing.assert_array_equal(mean(cuda.to_device(values[:2])).copy_to_host(), np.ones((2, 5)))


def test_device_for_host_arrays(device):
    there = npp.vectorize(["float32(float32, float32)"], target="cuda")(difference.__wrapped__)
    x = np.ones(100_000, np.float32)
    np.testing.assert_array_equal(there(x, np.float32(0)), x)
    x[70_000] = -1
    error = failure(TooFar, there, x, np.float32(0))
    assert error.element == (70_000,)
    assert error.args == ("-1 < 0",)
