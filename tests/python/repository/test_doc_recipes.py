"""The functions that the documents show have the right values where operands are special, too."""

import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kernel_source import define

DOCS = Path(__file__).resolve().parents[3] / "docs"
FIRST = "import math\nimport numpy as np\nimport numpy_plugin as npp\n"
INF, NAN = math.inf, math.nan
SPECIAL = [
    [-INF, -INF, 0.0],
    [-INF, -INF],
    [INF, INF, 1.0],
    [INF, -INF],
    [1.0, NAN, 2.0],
    [NAN, INF],
    [1e308, 1e308, -1e308],
    [-1e308, 1e308],
    [5e-324, 0.0, -0.0],
    [-0.0],
    [3.0],
]


@cache
def recipe(page, name):
    """Return what a page's Python block that defines the name makes of it."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.M | re.S)
    found = [block for block in blocks if re.search(rf"^(def {name}\(|{name} = )", block, re.M)]
    assert len(found) == 1, (page, name)
    return define(FIRST + found[0])[name]


pytestmark = pytest.mark.usefixtures("quiet")


@pytest.mark.parametrize("x", SPECIAL, ids=str)
def test_reductions_have_the_values_of_numpy(x):
    expected = np.logaddexp.reduce(x)
    np.testing.assert_allclose(recipe("guide/reductions.md", "log_sum_exp")(x), expected, 1e-15)
    assert recipe("guide/reductions.md", "argmax")(x) == np.argmax(x)
    mean, variance = recipe("guide/reductions.md", "moments")(x)
    exact = np.array(x, np.longdouble)
    np.testing.assert_allclose(mean, float(np.mean(exact)), 1e-15, 5e-324)
    np.testing.assert_allclose(variance, float(np.var(exact)), 1e-15, 5e-324)


def test_reductions_of_many_special_numbers():
    rng = np.random.default_rng(8)
    for k in range(20):
        x = rng.normal(size=3000)
        x[rng.integers(0, 3000, 5)] = rng.choice([INF, -INF, NAN, 1e300], 5) if k else -INF
        expected = np.logaddexp.reduce(x)
        np.testing.assert_allclose(recipe("guide/reductions.md", "log_sum_exp")(x), expected, 1e-13)
        assert recipe("guide/reductions.md", "argmax")(x) == np.argmax(x)


def test_log_sum_exp_of_infinities_is_no_invalid_operation():
    with np.errstate(all="raise"):
        assert recipe("guide/reductions.md", "log_sum_exp")([-INF, -INF]) == -INF
        assert recipe("guide/reductions.md", "log_sum_exp")([INF, 0.0, INF]) == INF


def test_latitudes_of_the_whole_map():
    y = np.array([0.0, 1e-300, 1e-9, 0.5, 1.0, 2.0, 2.5, math.pi, 5.0, 10.0, 30.0, 700.0, INF, NAN])
    latitude = recipe("tutorial/3_kernels.md", "latitude")
    expected = np.degrees(np.arctan(np.sinh(y)))
    np.testing.assert_allclose(latitude(y), expected, 1e-14)
    np.testing.assert_array_equal(latitude(-y), -latitude(y))


def test_the_last_crossing_of_zeros_and_tiny_numbers():
    crossing = recipe("guide/kernel_language.md", "last_crossing")
    x = [0.0, 1.0, 2.0, 3.0]
    for y, expected in (
        ([1.0, 0.0, 0.0, 1.0], 2.0),
        ([1.0, 1.0, 0.0, 0.0], 3.0),
        ([-1.0, 1.0, 1e-200, 1e-200], 0.5),
        ([-1.0, 1.0, NAN, 1.0], 0.5),
        ([1.0, 1.0, 1.0, 1.0], NAN),
    ):
        np.testing.assert_array_equal(crossing(x, y), expected)
    for n in (0, 1):
        assert np.isnan(crossing(x[:n], x[:n]))


def test_nan_stays_nan():
    assert np.isnan(recipe("guide/composition.md", "soft")(NAN))
    assert recipe("guide/composition.md", "soft")([INF, -INF]).tolist() == [INF, -INF]
    assert np.isnan(recipe("explanation/floating_point.md", "unit")([NAN, 0.0, 1.0])).all()
    assert recipe("explanation/floating_point.md", "unit")([0.0, 0.0, 0.0]).tolist() == [0.0] * 3
