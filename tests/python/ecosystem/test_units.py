"""astropy and pint: units by a registered rule; without one, each library's own error."""

import numpy as np
import pytest
from sample_ufuncs import SCALAR_UFUNCS, check_call, check_limit, hypotenuse, plus, split, total

# --- astropy ---


@pytest.fixture
def units():
    return pytest.importorskip("astropy.units", reason="astropy is not installed")


@pytest.fixture
def helpers(units, monkeypatch):
    from astropy.units.quantity_helper import UFUNC_HELPERS

    for ufunc in (*SCALAR_UFUNCS, plus):
        monkeypatch.setitem(UFUNC_HELPERS, ufunc, UFUNC_HELPERS[np.hypot])
    monkeypatch.setitem(UFUNC_HELPERS, split, UFUNC_HELPERS[np.modf])
    monkeypatch.setitem(UFUNC_HELPERS, total, lambda ufunc, unit: ([None], unit))
    return UFUNC_HELPERS


def quantities(units):
    return [3.0, 5.0] * units.m, [400.0, 1200.0] * units.cm


def updated(f, units):
    lengths, _ = quantities(units)
    f.at(lengths, [0], 4 * units.m)
    return lengths


ASTROPY_CALLS = {
    "two units": lambda f, u: f(*quantities(u)),
    "dimensionless": lambda f, u: f([3.0, 5.0] * u.one, [4.0, 12.0]),
    "out=": lambda f, u: f(*quantities(u), out=np.zeros(2) * u.km),
    "where=": lambda f, u: f(*quantities(u), where=[True, False], out=np.zeros(2) * u.m),
    "reduce": lambda f, u: f.reduce([3.0, 4.0] * u.m),
    "accumulate": lambda f, u: f.accumulate([3.0, 4.0] * u.m),
    "outer": lambda f, u: f.outer(quantities(u)[0][:1], quantities(u)[1][:1]),
    "at": updated,
}


@pytest.mark.parametrize("call", ASTROPY_CALLS.values(), ids=ASTROPY_CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
@pytest.mark.usefixtures("helpers")
def test_astropy_with_a_helper(call, ufunc, units):
    check_call(lambda f: call(f, units), ufunc, np.hypot)


@pytest.mark.usefixtures("helpers")
def test_astropy_with_helpers_of_other_ufuncs(units):
    check_call(lambda f: f([1.5] * units.one), split, np.modf)
    check_call(lambda f: f(*quantities(units)), plus, np.add)
    assert total([1.0, 2.0] * units.m) == 3 * units.m


@pytest.mark.usefixtures("helpers")
def test_units_that_do_not_fit_are_refused_by_astropy(units):
    for call, message in {
        lambda f: f([3.0] * units.m, [4.0] * units.s): "compatible dimensions",
        lambda f: f([3.0] * units.m, 4.0): "Can only apply .* to dimensionless",
    }.items():
        check_limit(call, units.UnitConversionError, message, hypotenuse, np.hypot)


def test_astropy_without_a_helper(units):
    lengths, others = quantities(units)
    with pytest.raises(TypeError, match="unknown ufunc hypotenuse"):
        hypotenuse(lengths, others)
    result = hypotenuse(lengths.to_value("m"), others.to_value("m")) << units.m
    assert (result == [5.0, 13.0] * units.m).all()


def test_astropy_tables_and_masks(units):
    from astropy.table import Table
    from astropy.utils.masked import Masked

    check_call(lambda f: f(Table({"a": [3.0, 5.0]})["a"], [4.0, 12.0]), hypotenuse, np.hypot)
    check_call(lambda f: f(Masked([3.0, 5.0], mask=[False, True]), 4.0), hypotenuse, np.hypot)


# --- pint ---


@pytest.fixture
def registry():
    return pytest.importorskip("pint", reason="pint is not installed").UnitRegistry()


def lengths_of(registry):
    one, other = np.array([3.0, 5.0]), np.array([400.0, 1200.0])
    return registry.Quantity(one, "m"), registry.Quantity(other, "cm")


def test_pint_without_a_rule(registry):
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        hypotenuse(*lengths_of(registry))


def test_pint_with_a_wrapper(registry):
    in_metres = registry.wraps("m", ("m", "m"))(lambda x, y: hypotenuse(x, y))
    result = in_metres(*lengths_of(registry))
    assert str(result.units) == "meter"
    assert result.magnitude.tolist() == [5.0, 13.0]


def test_pint_counts_the_keywords_of_ufuncs(registry):
    for ufunc in (hypotenuse, np.hypot):
        with pytest.raises(TypeError, match="takes 9 parameters, but 2 units were passed"):
            registry.wraps("m", ("m", "m"))(ufunc)


def test_pint_with_a_rule(registry, monkeypatch):
    rules = pytest.importorskip("pint.facets.numpy.numpy_func")

    def rule(x, y, **keywords):
        return x._REGISTRY.Quantity(hypotenuse(x.magnitude, y.m_as(x.units), **keywords), x.units)

    monkeypatch.setitem(rules.HANDLED_UFUNCS, "hypotenuse", rule)
    check_call(lambda f: f(*lengths_of(registry)), hypotenuse, np.hypot)
    with pytest.raises(Exception, match="Cannot convert from 'second"):
        hypotenuse(registry.Quantity([3.0], "m"), registry.Quantity([4.0], "s"))


def test_methods_are_refused_by_pint(registry):
    lengths, _ = lengths_of(registry)
    for method in ("reduce", "accumulate"):
        check_limit(
            lambda f, method=method: getattr(f, method)(lengths),
            TypeError,
            "all returned NotImplemented",
            hypotenuse,
            np.hypot,
        )
