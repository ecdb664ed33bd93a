"""Wrong arguments of each function and method of the table: NumPy's own errors."""

import inspect
import warnings

import numpy as np
import pytest
from device_arrays.compare import check_error, to_device, to_host
from long_runs import one_in
from numpy_versions import BEFORE_2_4

from numpy_plugin import cuda
from numpy_plugin._cuda.arrays.table import FUNCTIONS, METHODS

TABLE = np.arange(6.0).reshape(2, 3)
ROW = np.arange(4.0)
PLACES = np.array([0, 1])
MASK = np.array([True, False])

pytestmark = pytest.mark.usefixtures("device")


#: The operands of a right call, where they are not one table.
OPERANDS = {
    np.append: [TABLE, TABLE],
    np.array_split: [TABLE, 2],
    np.astype: [TABLE, "f4"],
    np.bincount: [PLACES],
    np.broadcast_to: [TABLE, (2, 2, 3)],
    np.clip: [TABLE, 1, 2],
    np.column_stack: [[TABLE, TABLE]],
    np.compress: [MASK, TABLE],
    np.concatenate: [[TABLE, TABLE]],
    np.copyto: [TABLE, TABLE],
    np.dot: [TABLE, TABLE.T.copy()],
    np.dsplit: [TABLE.reshape(1, 2, 3), 3],
    np.einsum: ["ij->ji", TABLE],
    np.expand_dims: [TABLE, 0],
    np.extract: [TABLE > 2, TABLE],
    np.full_like: [TABLE, 1.0],
    np.hsplit: [TABLE, 3],
    np.inner: [TABLE, TABLE],
    np.isclose: [TABLE, TABLE],
    np.linalg.outer: [ROW, ROW],
    np.moveaxis: [TABLE, 0, 1],
    np.outer: [ROW, ROW],
    np.pad: [TABLE, 1],
    np.partition: [TABLE, 1],
    np.repeat: [TABLE, 2],
    np.reshape: [TABLE, (3, 2)],
    np.roll: [TABLE, 1],
    np.rollaxis: [TABLE, 1],
    np.searchsorted: [ROW, ROW],
    np.split: [TABLE, 2],
    np.squeeze: [TABLE.reshape(1, 2, 3)],
    np.stack: [[TABLE, TABLE]],
    np.swapaxes: [TABLE, 0, 1],
    np.take: [TABLE, PLACES],
    np.take_along_axis: [TABLE, np.zeros((2, 3), int)],
    np.tile: [TABLE, 2],
    np.vsplit: [TABLE, 2],
    np.where: [TABLE > 2, TABLE, TABLE],
}
OF_METHODS = {
    "clip": [TABLE, 1, 2],
    "compress": [TABLE, MASK],
    "searchsorted": [ROW, ROW],
    "squeeze": [TABLE.reshape(1, 2, 3)],
    "take": [TABLE, PLACES],
}

#: Wrong and unusual values of parameters, by their names.
VALUES = {
    "axis": [3, -4, 1.0, "x", (0, 0), (0, 5), [0], True, np.int8(1), (0,), 2**70],
    "axis1": [3, 1.0, 0],
    "bogus": [1],
    "casting": ["bogus", 3],
    "correction": ["x"],
    "ddof": ["x"],
    "dtype": ["nothing", "S3", 3],
    "indices": [9, -9, "x"],
    "initial": ["x", 1j, [1, 2]],
    "keepdims": ["x", 2, np.True_, None, 1.0, []],
    "kind": ["bogus", 3],
    "mode": ["bogus", 3],
    "n": [-1, "x"],
    "offset": [1.5, "x"],
    "order": ["Q", 3],
    "out": [np.zeros(7), np.zeros((1, 3)), np.zeros((2, 3), "i1"), [1, 2], 3.0, (np.zeros(3),) * 2],
    "shape": [-1, "x", 1.5],
    "side": ["bogus", 3],
    "sorter": [3, "x"],
    "where": [np.ones(7, bool), np.ones((2, 3)), "x", np.False_],
}

#: Where NumPy's errors depend on values, or its methods have fewer parameters than its functions.
EXCEPTIONS = {("compress", "out"), ("std", "correction"), ("var", "correction")}


def outcome(call, operands, named):
    """Return an exception's type and text, or the result on the host and None."""
    try:
        return to_host(call(*operands, **named)), None
    except Exception as error:
        return None, (type(error), str(error))


def copied(values):
    if isinstance(values, (list, tuple)):
        return type(values)(map(copied, values))
    return values.copy() if isinstance(values, np.ndarray) else values


def check(call, operands, named):
    """Check that errors are NumPy's; NumPy takes some calls that a device refuses."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        on_host, error = outcome(call, copied(operands), copied(named) if named else {})
        there = {key: to_device(value) for key, value in named.items()}
        on_device, device_error = outcome(call, to_device(operands), there)
    if error is not None:
        assert device_error == error
    elif device_error is None and on_host is not None:
        assert_equal(on_device, on_host)


def assert_equal(found, expected):
    if isinstance(expected, (list, tuple)):
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


def parameters(function):
    if BEFORE_2_4 and inspect.isbuiltin(inspect.unwrap(function)):
        return []  # without a signature
    return list(inspect.signature(function).parameters)


def wrong_calls(name, function, n_operands):
    for parameter in (*parameters(function)[n_operands:], "bogus"):
        if (name, parameter) not in EXCEPTIONS:
            yield from ({parameter: value} for value in VALUES.get(parameter, []))


@pytest.mark.parametrize("function", one_in(2, FUNCTIONS), ids=lambda each: each.__name__)
def test_functions(function):
    operands = OPERANDS.get(function, [TABLE])

    def call(*args, **named):
        result = function(*args, **named)
        return None if function is np.empty_like else result  # any values

    for named in wrong_calls(function.__name__, function, len(operands)):
        check(call, operands, named)
    check(call, [], {})


@pytest.mark.parametrize(
    "name", [name for name in METHODS if callable(getattr(np.ndarray, name, None))]
)
def test_methods(name):
    if name.startswith("__") or name == "to_device":
        return
    operands = OF_METHODS.get(name, OPERANDS.get(getattr(np, name, None), [TABLE]))

    def call(array, *others, **named):
        return getattr(array, name)(*others, **named)

    like = getattr(np, name, None) if name not in ("conj", "conjugate") else None
    for named in wrong_calls(name, like, len(operands)) if like else [{"bogus": 1}, {"out": ROW}]:
        check(call, operands, named)
    check(call, [*operands, *range(9)], {})


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.any(x, axis=3),
        lambda x: np.all(x, axis=(0, 0)),
        lambda x: np.cumsum(x, axis=(0,)),
        lambda x: np.ptp(x, out=x[0]),
        lambda x: np.argmax(x, out=np.zeros_like(x, dtype=int)),
        lambda x: np.average(x[:0], axis=1),
        lambda x: np.concatenate([x, x[0]]),
        lambda x: np.einsum("ij,ij->j", x, x.T),
        lambda x: np.einsum("ij->j", x, bogus=1),
        lambda x: np.linalg.outer(x, x),
        lambda x: np.nanmean(x, dtype="i4"),
        lambda x: np.tril(x[0, 0]),
        lambda x: np.less.reduce(x, axis=3),
        lambda x: np.bitwise_or.accumulate(x, axis=3),
        lambda x: np.divmod.outer(x, x, out=x),
    ],
)
def test_errors_of_calls_that_were_taken_or_had_other_texts(function):
    check_error(function, TABLE)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.argwhere(np.max(x)),
        lambda x: np.argsort(np.max(x)),
        lambda x: np.argmax(x, axis=0, out=np.zeros_like(x[0], dtype="i1")),
        lambda x: np.take(x, [0, 4], out=np.zeros_like(x[0, :2], dtype="i1")),
        lambda x: np.mean(x, where=np.False_),
        lambda x: np.mean(x, where=np.True_),
        lambda x: np.repeat(np.max(x), 2, axis=0),
        lambda x: np.unique(x, equal_nan=2),
        lambda x: np.vdot(x > 2, x > 3),
        lambda x: np.zeros_like(x, dtype="S3"),
        lambda x: x.flatten("F"),
    ],
)
def test_calls_that_were_refused_or_had_other_results(function):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = function(TABLE), to_host(function(cuda.to_device(TABLE)))
    np.testing.assert_array_equal(found, expected)


def test_numpy_is_not_asked_to_compute_with_large_arrays():
    wide = np.broadcast_to(cuda.to_device(np.zeros(1, "i1")), (1 << 40,))
    with pytest.raises(ValueError, match="axis 1 is out of bounds"):
        np.sum(wide, axis=1)
    with pytest.raises(TypeError):
        np.sum(wide, axis="x")


def test_host_arrays_are_not_written_by_refused_calls():
    out = np.full(3, 5.0)
    with pytest.raises(TypeError, match="host array"):
        np.sum(cuda.to_device(TABLE), axis=0, out=out)
    np.testing.assert_array_equal(out, [5, 5, 5])
