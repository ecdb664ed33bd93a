"""The forms of loops: lanes that wait for the last, lanes that take the next, and no lanes."""

import numpy as np
import pytest
import refill_kernels
from lane_kernels import assert_flags_of_elements, cases, one_by_one, operands
from refill_kernels import EXACT, REFILLED

import numpy_plugin as npp

N = 333
LENGTHS = [*range(1, 71), N]


@pytest.fixture(params=[0, 1, 2], ids=["waiting", "refilling", "one_by_one"])
def form(request, monkeypatch):
    """Return a function that compiles a kernel again, in one form only."""
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", f"g++ -DNPP_LOOP_FORM={request.param}")

    def compiled(f, types, target="cpu"):
        inputs, outputs = (
            ", ".join(np.dtype(character).name for character in part) for part in types.split("->")
        )
        return npp.vectorize([f"{outputs}({inputs})"], target=target)(f.__wrapped__)

    return compiled


@pytest.mark.parametrize("f", REFILLED)
def test_kernels_have_two_forms(f):
    text = npp.inspect(f).source("cpu")
    assert " lanes(" in text
    assert " refilled_lanes(" in text


@pytest.mark.parametrize(("f", "types"), cases(EXACT))
def test_lengths_strides_and_flags(form, f, types):
    arrays = operands(types.split("->")[0], N)
    expected = one_by_one(f, arrays)
    g = form(f, types)
    with np.errstate(all="ignore"):
        for n in LENGTHS:
            found = g(*(array[-n:] for array in arrays))
            assert np.array_equal(found, expected[-n:], equal_nan=True)
        for step in (2, -1, -3):
            found = g(*(array[::step] for array in arrays))
            assert np.array_equal(found, expected[::step], equal_nan=True)
        found = arrays[0].copy()
        g(found, arrays[1], out=found)
        assert np.array_equal(found, expected, equal_nan=True)
    assert_flags_of_elements(f, arrays, g)


@pytest.mark.parametrize("n", [1, 5, 32, 70, 2000])
def test_returns_at_several_places(form, n):
    x, y = operands("dd", n)
    f = form(refill_kernels.stepping, "dd->dl")
    with np.errstate(all="ignore"):
        found = f(x, y)
        ones = [refill_kernels.stepping(x[i : i + 1], y[i : i + 1]) for i in range(n)]
    for result, expected in zip(found, np.array(ones)[:, :, 0].T, strict=True):
        assert np.array_equal(result, expected, equal_nan=True)


def test_all_elements_return_at_once(form):
    f = form(refill_kernels.newton, "dd->d")
    assert np.isnan(f(-np.ones(500), np.ones(500))).all()


CASES = {  # of x and y from element 100 on: what is raised
    "before the loop": ((0.25, 7), KeyError, "0.25 before"),
    "in the loop": ((3.5, -1), ValueError, "3.5 and -1.0 after 0"),
    "behind the loop": ((400, 1), AssertionError, "400.0 behind"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("target", ["cpu", "parallel"])
@pytest.mark.parametrize("others", [(99, 1), (0, 0), (0, 8)])
def test_the_first_element_that_raises(form, case, target, others):
    (x_raising, y_raising), exception, message = CASES[case]
    f = form(refill_kernels.raising, "dd->d", target)
    x, y = np.full(700, float(others[0])), np.full(700, float(others[1]))
    x[101::3], y[101::3] = 500.0, 1.0  # these raise sooner, but are later
    x[103::3], y[103::3] = -5.0, 7.0
    x[100], y[100] = x_raising, y_raising
    with pytest.raises(exception) as caught:
        f(x, y)
    assert message in str(caught.value)
    assert caught.value.element == (100,)
    with pytest.raises(exception) as caught:
        f(x, y, out=x)
    assert message in str(caught.value)


def test_an_element_that_raises_after_many_trips_comes_before_those_that_raise_at_once(form):
    f = form(refill_kernels.raising_range, "l->l")
    n = np.full(200, 50)
    n[40:] = 101
    n[39] = 1_000_000
    with pytest.raises(OverflowError, match="1000000") as caught:
        f(n)
    assert caught.value.element == (39,)
    assert np.array_equal(f(n[:39]), n[:39])


def test_elements_behind_one_that_raises_are_given_up(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "g++ -DNPP_LOOP_FORM=1")
    f = npp.vectorize(["float64(float64, float64)"], target="cpu")(
        refill_kernels.endless_beside_raising.__wrapped__
    )
    x, y = np.zeros(300), np.zeros(300)
    x[150:] = 1.0  # these never end
    x[149], y[149] = 1.0, 4.0
    with pytest.raises(ValueError, match=r"4\.0"):
        f(x, y)
