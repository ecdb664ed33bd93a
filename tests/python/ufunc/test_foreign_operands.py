"""Types of other libraries are handed the ufunc itself, and find it by identity and by name.

One that is called as NumPy's own is handed to them under another name, for they would run NumPy's;
it still runs its own body, in calls and in methods.
"""

import copy
import gc
import pickle

import numpy as np
import pytest
from long_runs import one_in

import numpy_plugin as npp

pandas = pytest.importorskip("pandas")


def declare(name, body="return x * x + y;"):
    return npp.vectorize(["float64(float64, float64)"], args="x, y", body=body, name=name)


@pytest.fixture(scope="module")
def add():
    return declare("add")


@pytest.fixture(scope="module")
def own():
    return declare("own_of_the_test")


class Probe:
    """Remembers the ufuncs that it is handed, and makes the calls on arrays."""

    def __init__(self, values=(1.0, 2.0, 3.0)):
        self.values = np.array(values)
        self.seen = []

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        self.seen.append((ufunc, method))
        if "out" in named:
            named["out"] = tuple(x.values for x in named["out"])
        inputs = [x.values if isinstance(x, Probe) else x for x in inputs]
        return getattr(ufunc, method)(*inputs, **named)


METHODS = {
    "__call__": lambda f, x: f(x, x),
    "reduce": lambda f, x: f.reduce(x),
    "accumulate": lambda f, x: f.accumulate(x),
    "reduceat": lambda f, x: f.reduceat(x, [0, 2]),
    "outer": lambda f, x: f.outer(x, x),
}
# pandas finds its operators by these names; NumPy has ufuncs for only some of them.
OPERATORS_OF_PANDAS = ["sub", "mul", "mod", "truediv", "floordiv", "eq", "ne", "lt", "gt", "le"]
OPERATORS_OF_PANDAS += ["ge", "pow", "or", "xor", "and", "matmul"]
NAMES_OF_NUMPY = ["add", "maximum", "divide", "true_divide", "float_power", "logical_and", "clip"]


# --- the ufunc itself ---


@pytest.mark.parametrize("method", METHODS)
def test_other_types_are_handed_the_ufunc_itself(own, method):
    probe = Probe()
    result = METHODS[method](own, probe)
    ((ufunc, called),) = probe.seen
    assert ufunc is own
    assert (called, ufunc.__name__) == (method, "own_of_the_test")
    np.testing.assert_array_equal(result, METHODS[method](own, probe.values))


def test_at_hands_the_ufunc_itself(own):
    probe = Probe()
    own.at(probe, [0], 1.0)
    assert probe.seen == [(own, "at")]
    assert probe.seen[0][0] is own


def test_lazy_and_generalized_ufuncs_are_handed_over_too():
    @npp.vectorize
    def lazy_of_the_test(x):
        return x + 1

    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def first_of_the_test(x, out):
        out[0] = x[0]

    for ufunc, expected in ((lazy_of_the_test, [2, 3, 4]), (first_of_the_test, 1)):
        probe = Probe()
        np.testing.assert_array_equal(ufunc(probe), expected)
        assert probe.seen[0][0] is ufunc


def test_a_look_up_by_the_ufunc_finds_it(own, add):
    helpers = {own: "own", add: "ours", np.add: "numpy's"}

    class Quantity(Probe):
        """As those of astropy and awkward, whose tables have ufuncs as keys."""

        def __array_ufunc__(self, ufunc, method, *inputs, **named):
            return helpers[ufunc]

    assert (own(Quantity(), 1.0), add(Quantity(), 1.0)) == ("own", "ours")
    assert np.add(Quantity(), 1.0) == "numpy's"


def test_a_look_up_by_the_name_finds_it(own):
    class Quantity(Probe):
        """As those of pint."""

        def __array_ufunc__(self, ufunc, method, *inputs, **named):
            return {"own_of_the_test": "own"}[ufunc.__name__]

    assert own(Quantity(), 1.0) == "own"


# --- stand-ins for names that others know ---


@pytest.mark.parametrize("name", one_in(4, NAMES_OF_NUMPY + OPERATORS_OF_PANDAS))
def test_known_names_are_hidden(name):
    probe = Probe()
    ufunc = declare(name)
    ufunc(probe, 1.0)
    ((stand_in, _),) = probe.seen
    assert stand_in == ufunc
    assert stand_in.__name__ == f"numpy_plugin.{name}"


@pytest.mark.parametrize("method", METHODS)
def test_a_stand_in_is_equal_and_computes_the_same(add, method):
    probe = Probe()
    result = METHODS[method](add, probe)
    ((stand_in, called),) = probe.seen
    assert called == method
    assert isinstance(stand_in, np.ufunc)
    assert "." in stand_in.__name__
    assert stand_in == add
    assert add == stand_in
    assert (stand_in != add) is False
    assert hash(stand_in) == hash(add)
    assert stand_in not in (np.add, declare("add"), "add", None)
    assert {add: 1}[stand_in] == 1
    np.testing.assert_array_equal(result, METHODS[method](add, probe.values))


def test_there_is_one_stand_in(add):
    probe = Probe()
    add(probe, 1.0)
    add.reduce(probe)
    add(np.ones(3), 2.0, out=(probe,))
    add.at(probe, [0], 1.0)
    add.at(np.zeros(3), [0, 1, 2], probe)
    assert [method for _, method in probe.seen] == ["__call__", "reduce", "__call__", "at", "at"]
    assert len({id(ufunc) for ufunc, _ in probe.seen}) == 1


def test_a_stand_in_travels_as_the_ufunc(add):
    probe = Probe()
    add(probe, 1.0)
    stand_in = probe.seen[0][0]
    received = pickle.loads(pickle.dumps(stand_in))
    assert type(received) is np.ufunc
    assert (received.__name__, received(3.0, 1.0)) == ("add", 10.0)
    assert copy.copy(stand_in) is add


def test_methods_are_like_numpys(add):
    for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
        ours, numpys = getattr(add, method), getattr(np.add, method)
        assert type(ours) is type(numpys)
        assert (ours.__name__, ours.__doc__) == (numpys.__name__, numpys.__doc__)
        assert ours.__self__ is add
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(add.reduce(x, axis=1, keepdims=True), [[3], [174]])
    by_position = add.reduce(x, 0, None, None, False, 1.0)
    np.testing.assert_array_equal(add.reduce(array=x, axis=0, initial=1.0), by_position)
    with pytest.raises(TypeError, match="missing required argument 'array'"):
        add.reduce()


def test_ufuncs_with_a_stand_in_are_freed():
    def n_ufuncs():
        gc.collect()
        return sum(type(item) is np.ufunc for item in gc.get_objects())

    declare("add")(Probe(), 1.0)
    before = n_ufuncs()
    for _ in range(50):
        declare("add")(Probe(), 1.0)
    assert n_ufuncs() == before


def test_plain_arrays_see_the_plain_name(add):
    assert add.__name__ == "add"
    with pytest.raises(TypeError, match="ufunc 'add'"):
        add(np.ones(2, complex), 1.0)


# --- the libraries themselves ---


def test_a_series_gets_our_body(add):
    series = pandas.Series([1.0, 2.0], index=["a", "b"])
    result = add(series, series)
    assert list(result.index) == ["a", "b"]
    np.testing.assert_array_equal(result.to_numpy(), [2, 6])


def test_a_frame_gets_our_body(add):
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(add(frame, 1.0).to_numpy(), [[2, 10], [5, 17]])


@pytest.mark.parametrize("name", ["add", "maximum", "multiply"])
def test_a_series_is_reduced_by_our_body(name):
    ufunc, series = declare(name), pandas.Series([1.0, 2.0, 3.0])
    assert ufunc.reduce(series) == 12
    np.testing.assert_array_equal(ufunc.accumulate(series), [1, 3, 12])


@pytest.mark.parametrize("name", OPERATORS_OF_PANDAS)
def test_operators_of_pandas_are_not_run(name):
    series = pandas.Series([1.0, 2.0])
    np.testing.assert_array_equal(declare(name)(series, 3.0).to_numpy(), [4, 7])


def test_dask_runs_our_body(add, own):
    dask = pytest.importorskip("dask.array")
    x = dask.from_array(np.arange(6.0), chunks=3)
    for ufunc in (add, own):
        np.testing.assert_array_equal(ufunc(x, 1.0).compute(), np.arange(6.0) ** 2 + 1)
        outer = ufunc.outer(x, x).compute()
        np.testing.assert_array_equal(outer, np.add.outer(np.arange(6.0) ** 2, np.arange(6.0)))


def test_xarray_runs_our_body(add, own):
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(np.arange(3.0), dims=["row"])
    for ufunc in (add, own):
        assert ufunc(x, 1.0).dims == ("row",)
        np.testing.assert_array_equal(ufunc(x, 1.0).values, [1, 2, 5])


def test_astropy_finds_the_helper(add, own):
    units = pytest.importorskip("astropy.units")
    helpers = pytest.importorskip("astropy.units.quantity_helper").UFUNC_HELPERS
    length = [1.0, 2.0] * units.m
    for ufunc in (add, own):
        helpers[ufunc] = lambda function, unit1, unit2: ([None, None], units.m)
        try:
            result = ufunc(length, length)
        finally:
            del helpers[ufunc]
        assert result.unit == units.m
        np.testing.assert_array_equal(result.value, [2, 6])
        with pytest.raises(TypeError):
            ufunc(length, length)


def test_awkward_finds_the_behavior(add, own):
    awkward = pytest.importorskip("awkward")
    record = awkward.Array([{"x": 1.0}, {"x": 2.0}], with_name="Point")
    for ufunc in (add, own):
        behavior = {(ufunc, "Point", "Point"): lambda one, other: one.x * 10 + other.x}
        points = awkward.Array(record, behavior=behavior)
        assert ufunc(points, points).to_list() == [11.0, 22.0]
        lists = awkward.Array([[1.0, 2.0], [3.0]])
        assert ufunc(lists, lists).to_list() == [[2.0, 6.0], [12.0]]


def test_pint_finds_the_registration(own):
    pint = pytest.importorskip("pint")
    functions = pytest.importorskip("pint.facets.numpy.numpy_func")
    functions.HANDLED_UFUNCS["own_of_the_test"] = lambda x, y: ("registered", x.units)
    try:
        length = pint.UnitRegistry().Quantity(np.array([1.0, 2.0]), "meter")
        assert own(length, length) == ("registered", length.units)
    finally:
        del functions.HANDLED_UFUNCS["own_of_the_test"]
