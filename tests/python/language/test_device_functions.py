"""NumPy's functions on device arrays: what only looks at them works, all else says what to do."""

import numpy as np
import pytest

from numpy_plugin import cuda

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator() as made:
        yield made


@pytest.fixture(scope="module")
def d():
    return cuda.to_device(X)


def pairs():
    nan = np.array([1.0, np.nan])
    return [
        (X, X.copy()),
        (X, X + 1),
        (X, X.ravel()),
        (X, X[:1]),
        (X[:1], X[:1].astype(np.int8)),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.array(2.0), np.array(2)),
        (nan, nan.copy()),
        (nan, np.array([np.nan, 1.0])),
        (np.array([1, 1]), np.array(1)),
        (np.array([True, False]), np.array([1.0, 0.0])),
        (np.array([np.nan + 1j]), np.array([np.nan + 2j])),
    ]


@pytest.mark.parametrize(("one", "other"), pairs())
def test_comparisons_of_whole_arrays_are_numpys(one, other):
    mine = cuda.to_device(one), cuda.to_device(other)
    for function, named in [
        (np.array_equal, {}),
        (np.array_equal, {"equal_nan": True}),
        (np.array_equiv, {}),
    ]:
        found = function(*mine, **named)
        assert type(found) is bool
        assert found == function(one, other, **named)


def test_comparisons_with_numbers_and_host_arrays(d):
    assert np.array_equal(cuda.to_device(np.array(3)), 3)
    assert np.array_equiv(cuda.ones(3), 1)
    assert not np.array_equal(d, X.ravel())
    for function in (np.array_equal, np.array_equiv):
        with pytest.raises(TypeError, match=r"cuda\.to_device"):
            function(d, X)
        with pytest.raises(TypeError, match=r"cuda\.to_device"):
            function(X, d)


def as_host(value):
    if hasattr(value, "_fields"):
        return type(value)(*map(as_host, value))
    if isinstance(value, (tuple, list)):
        return type(value)(map(as_host, value))
    return value.copy_to_host() if isinstance(value, cuda.DeviceArray) else value


LOOKING = {
    "shape": lambda x: np.shape(x),
    "ndim": lambda x: np.ndim(x),
    "size": lambda x: (np.size(x), np.size(x, 1)),
    "transpose": lambda x: np.transpose(x),
    "permute_dims": lambda x: np.permute_dims(x, (1, 0)),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "rollaxis": lambda x: np.rollaxis(x, 1),
    "flip": lambda x: (np.flip(x), np.flip(x, 1)),
    "unstack": lambda x: np.unstack(x),
    "result_type": lambda x: np.result_type(x, np.float32, 1),
    "can_cast": lambda x: np.can_cast(x, np.float32),
    "common_type": lambda x: np.common_type(x),
    "iscomplexobj": lambda x: (np.iscomplexobj(x), np.isrealobj(x)),
    "isposinf": lambda x: (np.isposinf(x), np.isneginf(-x)),
    "vecdot": lambda x: np.linalg.vecdot(x, x),
    "matmul": lambda x: np.linalg.matmul(x, x.T),
    "tril_indices_from": lambda x: np.tril_indices_from(x),
    "diff": lambda x: np.diff(x, 0),
}


@pytest.mark.parametrize("name", LOOKING)
def test_functions_that_look_at_no_values(name, d):
    found, expected = as_host(LOOKING[name](d)), LOOKING[name](X)
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("numpy.interp", lambda x: np.interp(x, [0, 1], [0, 1])),
        ("numpy.linalg.inv", lambda x: np.linalg.inv(x)),
        ("numpy.fft.fft", lambda x: np.fft.fft(x)),
        ("numpy.asarray", lambda x: np.asarray([1.0], like=x)),
        ("numpy.save", lambda x: np.save("nowhere", x)),
    ],
)
def test_all_others_are_refused_by_name(name, call, d):
    with pytest.raises(TypeError, match=rf"'{name}' works on .*copy_to_host\(\).*to_device\(\)"):
        call(d)


def assert_equal_parts(found, expected, name):
    if not isinstance(expected, (tuple, list)):
        return np.testing.assert_array_equal(found, expected, name)
    assert len(found) == len(expected), name
    for one, other in zip(found, expected, strict=True):
        assert_equal_parts(one, other, name)


def test_every_function_of_numpy_gives_an_answer_or_an_error(d):
    """None falls back on a wrong answer, as comparisons that catch all errors did."""
    functions = {
        f"{module.__name__}.{name}": function
        for module in (np, np.linalg, np.fft)
        for name in dir(module)
        if hasattr(function := getattr(module, name), "_implementation")
    }
    assert len(functions) > 200
    del functions["numpy.empty_like"]  # values of its own
    for name, function in functions.items():
        for arguments in ((d,), (d, d), ([d, d],)):
            try:
                found = function(*arguments)
                expected = function(*as_host(arguments))
            except (AttributeError, IndexError, TypeError, ValueError):
                continue
            assert_equal_parts(as_host(found), expected, name)


def test_other_types_are_asked_first(d):
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return "theirs"

    assert np.concatenate([d, Other()]) == "theirs"

    class Refusing:
        def __array_function__(self, function, types, args, kwargs):
            return NotImplemented

    with pytest.raises(TypeError, match="no implementation found"):
        np.concatenate([d, Refusing()])
