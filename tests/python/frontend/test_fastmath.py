"""`fastmath=`: what each name changes in the compiled code, and refused values."""

import copyreg
import pickle
import platform
from pathlib import Path

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin._frontend.options import fast_math_names


def steps(fastmath: object) -> np.ufunc:
    return npp.vectorize(
        ["float32(float32, float32)"],
        name="steps",
        args="x, y",
        body="return sin(x) * y + x / y + sqrt(x);",
        fastmath=fastmath,
    )


SPELLINGS = {
    "contract": "add.f32",  # not add.rn.f32, which is never fused
    "arcp": "div.full.f32",
    "afn": "sin.approx.f32",
    "ftz": "fma.rn.ftz.f32",
}


@pytest.mark.parametrize("names", [set(), *({name} for name in SPELLINGS), {"nsz", "reassoc"}])
def test_each_name_changes_its_own_operations_on_devices(names):
    ptx = npp.inspect(steps(names)).ptx()
    for name, spelling in SPELLINGS.items():
        assert (spelling in ptx) == (name in names), name


@pytest.mark.parametrize("fastmath", [True, {"fast"}, frozenset(["fast", "contract"])])
def test_all_at_once(fastmath):
    ptx = npp.inspect(steps(fastmath)).ptx()
    for spelling in ("fma.rn.ftz.f32", "sin.approx.ftz.f32", "div.approx.ftz.f32"):
        assert spelling in ptx
    assert ptx == npp.inspect(steps({"contract", "arcp", "afn", "ftz"})).ptx()


def test_the_host_fuses_only_where_that_is_allowed():
    def code(fastmath):
        made = npp.vectorize(
            ["float64(float64, float64, float64)"],
            name="made",
            args="a, x, y",
            body="return a * x + y;",
            fastmath=fastmath,
            target="cpu",
        )
        x = np.float64(1) + 2.0**-30
        # The product's last bits survive only without rounding between the operations.
        return made(x, x, -(x * x))

    assert code(False) == code({"nsz", "reassoc", "afn", "arcp", "ftz", "nnan"}) == 0
    has_fused = platform.machine() != "x86_64" or " fma " in Path("/proc/cpuinfo").read_text()
    assert code({"contract"}) == (2.0**-60 if has_fused else 0)


def test_nan_and_infinity_keep_their_meaning():
    made = npp.vectorize(
        ["float64(float64)"],
        name="made",
        args="x",
        body="return isnan(x) ? 1.0 : isinf(x) ? 2.0 : 3.0;",
        fastmath=True,
        target="cpu",
    )
    assert made([np.nan, np.inf, 0.0]).tolist() == [1, 2, 3]


def test_names_are_in_the_order_of_the_table():
    assert fast_math_names({"nsz", "contract"}) == ["contract", "nsz"]
    assert fast_math_names(True) == fast_math_names({"fast"})
    assert fast_math_names(False) == fast_math_names(set()) == []


@pytest.mark.parametrize("value", [None, 1, "contract", ["contract"], {3}])
def test_other_classes_are_refused(value):
    with pytest.raises(TypeError, match=r"fastmath must be a bool or a set of str|must be a str"):
        steps(value)


def test_other_names_are_refused():
    expected = r"fastmath has no 'contrct'; expected some of contract, reassoc, .*did you mean"
    with pytest.raises(ValueError, match=f"(?s){expected} 'contract'"):
        steps({"contrct"})


@pytest.mark.parametrize("fastmath", [True, False, {"contract"}])
def test_pickles_keep_it(fastmath):
    given = steps(fastmath)
    assert npp.inspect(pickle.loads(pickle.dumps(given))).ptx() == npp.inspect(given).ptx()


def test_pickles_of_earlier_builds_hold_a_bool():
    rebuild, (version, (given, *others)) = copyreg.dispatch_table[np.ufunc](steps(False))
    for value in (False, True):
        rebuilt = rebuild(version, ({**given, "fastmath": value}, *others))
        assert npp.inspect(rebuilt).ptx() == npp.inspect(steps(value)).ptx()
