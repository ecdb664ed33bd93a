"""Keywords of calls on devices mean what they mean on the host: out=..., order=, casting=."""

import itertools
import operator
import warnings

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

X = np.arange(6.0).reshape(2, 3)
TAKES_ELLIPSIS = np.lib.NumpyVersion(np.__version__) >= "2.3.0"

pytestmark = pytest.mark.usefixtures("device")


@npp.vectorize(["dd->d", "DD->D"], target="cpu")
def plus(x, y):
    return x + y


@npp.vectorize(["dd->d"], target="cpu")
def real(x, y):
    return x + y


@npp.vectorize(["dd->dd"], target="cpu")
def two(x, y):
    return x + 100, y + 1000


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(n),(n)", target="cpu")
def two_rows(x, y, z):
    for i in range(x.shape[0]):
        y[i] = x[i] + 100
        z[i] = x[i] + 1000


@npp.guvectorize(["void(float64[:,:], float64[:,:])"], "(m,n)->(n,m)", target="cpu")
def transposed(a, out):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]


@npp.guvectorize(["void(float64[:], float64[:], float64[:,:])"], "(m),(n)->(m,n)", target="cpu")
def outer(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            out[i, j] = a[i] * b[j]


# --- out=... ---


@pytest.mark.skipif(not TAKES_ELLIPSIS, reason="NumPy takes out=... from 2.3 on")
def test_an_ellipsis_for_out_asks_for_arrays():
    d = cuda.to_device(X)
    np.testing.assert_array_equal(plus(d, d, out=...).copy_to_host(), X + X)
    assert plus(d[0, 0], 1.0, out=...).shape == ()
    _, second = two(d, d, out=...)
    np.testing.assert_array_equal(second.copy_to_host(), X + 1000)
    np.testing.assert_array_equal(two_rows(d, out=...)[0].copy_to_host(), X + 100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as on the host: no warning about masked-out results
        plus(d, d, where=cuda.to_device(X > 2), out=...)


@pytest.mark.skipif(not TAKES_ELLIPSIS, reason="NumPy takes out=... from 2.3 on")
def test_an_ellipsis_where_host_arrays_are_offloaded():
    there = npp.vectorize(["dd->d"], target="cuda")(lambda x, y: x + y)
    for operands in ((1.0, 2.0), (np.array(1.0), 2.0), (X, X)):
        found = there(*operands, out=...)
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, np.add(*operands))
    assert type(there(1.0, 2.0)) is np.float64

    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")
    def first(x, out):
        out[0] = x[0]

    assert type(first(X[0])) is np.float64
    assert type(first(X[0], out=...)) is np.ndarray


@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: f(x, x, ...),
        lambda f, x: f(x, x, out=(...,)),
        lambda f, x: f(x, x, x, out=...),
    ],
)
def test_other_places_of_an_ellipsis_are_refused_as_by_numpy(call):
    messages = []
    for x in (X, cuda.to_device(X)):
        with pytest.raises(TypeError) as raised:
            call(plus, x)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


# --- order= ---

LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "swapped": lambda a: np.ascontiguousarray(a.swapaxes(0, 1)).swapaxes(0, 1),
    "C with steps": lambda a: np.repeat(a, 2, 0)[::2],
}


def on_device(a):
    """Return a device array with the host array's strides."""
    base = a.base if a.base is not None and a.base.size > a.size else None
    if base is not None:
        return cuda.to_device(base)[::2]
    axes = np.argsort([-step for step in a.strides], kind="stable")
    d = cuda.to_device(np.ascontiguousarray(a.transpose(axes)))
    return d.transpose(*np.argsort(axes))


def steps(a):
    return [step for step, n in zip(a.strides, a.shape, strict=True) if n > 1]


CALLS = {
    "transposed": (transposed, [(2, 3, 4)]),
    "outer": (outer, [(2, 3), (2, 4)]),
    "outer of vectors": (outer, [(3,), (4,)]),
    "add": (plus, [(2, 3, 4), (2, 3, 4)]),
    "add a row": (plus, [(2, 3, 4), (4,)]),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("name", CALLS)
def test_results_have_the_order_of_the_hosts(name, order):
    ufunc, shapes = CALLS[name]
    for layouts in itertools.product(LAYOUTS.values(), repeat=len(shapes)):
        operands = []
        for shape, layout in zip(shapes, layouts, strict=True):
            a = np.arange(float(np.prod(shape))).reshape(shape)
            operands.append(layout(a) if a.ndim > 1 else a)
        mine = [on_device(a) for a in operands]
        assert [steps(a) for a in mine] == [steps(a) for a in operands]
        expected, found = ufunc(*operands, order=order), ufunc(*mine, order=order)
        np.testing.assert_array_equal(found.copy_to_host(), expected)
        assert steps(found) == steps(expected), [a.strides for a in operands]


# --- casts that lose the imaginary part ---


def warned(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [(each.category, str(each.message), each.filename) for each in seen]


CASTS = {
    "inputs": lambda c, z: real(c, c, casting="unsafe", dtype=float),
    "one input": lambda c, z: real(c, z, casting="unsafe", dtype=float),
    "an output": lambda c, z: plus(c, c, out=z, casting="unsafe"),
    "NumPy's own": lambda c, z: np.add(c, c, out=z, casting="unsafe"),
    "a generalized one": lambda c, z: two_rows(c, casting="unsafe", dtype=float),
    "astype": lambda c, z: c.astype(float),
    "astype of a kind": lambda c, z: c.astype(np.int8),
    "none": lambda c, z: (c.astype(bool), c.astype(np.complex64), plus(c, z)),
}


@pytest.mark.parametrize("name", CASTS)
def test_the_warning_of_discarded_imaginary_parts(name):
    c, z = X + 1j, np.zeros((2, 3))
    expected = warned(lambda: CASTS[name](c, z))
    assert warned(lambda: CASTS[name](cuda.to_device(c), cuda.to_device(z))) == expected
    assert bool(expected) == (name != "none")
    assert {file for _, _, file in expected} <= {__file__}


def test_the_warning_where_host_arrays_are_offloaded():
    there = npp.vectorize(["dd->d"], target="cuda")(lambda x, y: x + y)
    c = X + 1j
    expected = warned(lambda: real(c, c, casting="unsafe", dtype=float))
    assert warned(lambda: there(c, c, casting="unsafe", dtype=float)) == expected
    assert len(expected) == 2


def test_a_warning_that_is_an_error_leaves_the_output():
    out = cuda.to_device(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(np.exceptions.ComplexWarning):
            plus(out, 1j, out=out, casting="unsafe")
    np.testing.assert_array_equal(out.copy_to_host(), X)
    plus(out, 1.0, out=out)
    np.testing.assert_array_equal(out.copy_to_host(), X + 1)


# --- outputs that share memory ---

VIEWS = {
    "the second one later": lambda a, n: (a[:n], a[1 : n + 1]),
    "the first one later": lambda a, n: (a[1 : n + 1], a[:n]),
    "the same": lambda a, n: (a[:n], a[:n]),
    "far": lambda a, n: (a[:n], a[3 : n + 3]),
    "in steps": lambda a, n: (a[: 2 * n : 2], a[2 : 2 * n + 2 : 2]),
    "between each other": lambda a, n: (a[: 2 * n : 2], a[1 : 2 * n + 1 : 2]),
}


@pytest.mark.parametrize("n", [4, 100])
@pytest.mark.parametrize("views", VIEWS)
@pytest.mark.parametrize("kind", ["plain", "masked", "generalized", "of an input", "of a later"])
def test_outputs_that_overlap_are_written_as_on_the_host(kind, views, n):
    host, mine = np.arange(1000.0), cuda.to_device(np.arange(1000.0))
    for a, copied in ((host, np.asarray), (mine, cuda.to_device)):
        outs = VIEWS[views](a, n)
        x = copied(np.arange(float(n)))
        if kind == "generalized":
            two_rows(x, out=outs)
        elif kind == "masked":
            two(x, x, out=outs, where=copied(np.arange(n) % 3 > 0))
        elif kind == "of an input":
            two(outs[0], x, out=outs)
        elif kind == "of a later":
            two(a[2 : n + 2], x, out=outs)
        else:
            two(x, x, out=outs)
    np.testing.assert_array_equal(mine.copy_to_host(), host)


@pytest.mark.parametrize("views", VIEWS)
def test_outputs_that_overlap_where_host_arrays_are_offloaded(views):
    there = npp.vectorize(["dd->dd"], target="cuda")(lambda x, y: (x + 100, y + 1000))
    x = np.arange(50.0)
    for where in (True, x > 7):
        expected, found = np.zeros(200), np.zeros(200)
        two(x, x, out=VIEWS[views](expected, 50), where=where)
        there(x, x, out=VIEWS[views](found, 50), where=where)
        np.testing.assert_array_equal(found, expected)


# --- who answers an operator ---


def answering(**attributes):
    """Return an object that answers each operator, in a class with these attributes."""
    names = [f"__r{name}__" for name in ("add", "mul", "matmul", "pow", "divmod", "and")]
    names += ["__lt__", "__eq__", "__ne__", "__ge__"]
    answers = {name: lambda self, other: "theirs" for name in names}
    return type("Other", (), {**answers, **attributes})()


def array_ufunc(self, ufunc, method, *inputs, **named):
    return (ufunc.__name__, ufunc is getattr(np, ufunc.__name__), method)


OTHERS = {
    "takes no part": {"__array_ufunc__": None},
    "higher": {"__array_priority__": 10.0},
    "an array's": {"__array_priority__": 0.0},
    "lower": {"__array_priority__": -10.0},
    "none": {},
    "of its own": {"__array_ufunc__": array_ufunc},
    "of its own, and higher": {"__array_ufunc__": array_ufunc, "__array_priority__": 10.0},
}
OPERATORS = [operator.add, operator.mul, operator.matmul, operator.pow, divmod, operator.and_]
OPERATORS += [operator.lt, operator.eq, operator.ne, operator.ge]
IN_PLACE = [operator.iadd, operator.imul, operator.ipow]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("apply", OPERATORS + IN_PLACE)
def test_operators_are_answered_by_numpys_rule(apply, other):
    def answer(array):
        try:
            found = apply(array, answering(**OTHERS[other]))
        except Exception as error:
            # NumPy creates an object array, which a device can't hold.
            return type(error) if other == "takes no part" else None
        return None if isinstance(found, (np.ndarray, cuda.DeviceArray)) else found

    assert answer(cuda.arange(3)) == answer(np.arange(3))


def test_ufuncs_of_numpy_ask_the_other_operand():
    other = answering(__array_ufunc__=array_ufunc)
    d = cuda.arange(3)
    assert np.multiply(d, other) == np.multiply(other, d) == ("multiply", True, "__call__")
    assert np.multiply.outer(d, other) == ("multiply", True, "outer")
    assert np.add.at(d, [0], other) == ("add", True, "at")
    assert np.add(d, 1, out=cuda.zeros(3)).shape == (3,)


def test_ufuncs_of_ours_ask_the_other_operand():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **named):
            return ufunc, method

    d, other = cuda.arange(3), Other()
    assert plus(d, other) == plus(other, d) == (plus, "__call__")
    assert plus.outer(d, other) == (plus, "outer")
    assert plus(d, other)[0] is plus
