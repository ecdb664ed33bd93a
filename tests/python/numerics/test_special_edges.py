"""Special functions of several arguments, integrals and series: zeros, poles, infinities, nan."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from kernel_source import expressions
from scipy import special

from numpy_plugin import cuda

inf, nan = math.inf, math.nan
SOME = [0.0, 1.0, 0.5, 2.5, 1e-300, inf, -1.0, -0.5, -inf, nan]
SHARES = [0.0, 1.0, 0.5, 1e-300, -0.1, 1.1, nan]
LENGTHS = [0.0, 1.0, 0.5, 1e-300, inf, -1.0, nan]
PARAMETERS = [-inf, -1e300, -1.0, 0.0, 0.5, 1.0, 1.5, inf, nan]
COUNTS = [0.0, 1.0, 2.5, 5.0, 1e-300, -1.0, -2.0, -0.5, -1.5, 70.0, -100.0, inf, -inf, nan]
ORDERS = [0.0, 1.0, 2.5, 7.0, -0.5, -1.5, -1.0, -2.0, 70.0, 100.5]
WIDTHS = [0.0, 1.0, -1.0, 0.3, 1e-200, inf, nan]
FIRST = [0.0, 1.5, 2.0, -2.0, -0.5, inf, nan]
SECOND = [1.0, -2.0, -3.0, 2.5]
THIRD_POLES = [0.0, -2.0, -3.0]
THIRD = [0.0, 1.0, 2.5, -2.0, -3.0, -0.5]
PLACES = [0.0, 0.5, -3.0, 1.0, -1.0, 2.0, -inf, inf, nan]

CASES = {
    "gammainc": itertools.product(SOME, SOME),
    "gammaincc": itertools.product(SOME, SOME),
    "betainc": itertools.product(LENGTHS, LENGTHS, SHARES),
    "ellipk": [(m,) for m in PARAMETERS],
    "ellipe": [(m,) for m in PARAMETERS],
    "ellipkinc": itertools.product([0.0, 1.0, -2.0, 1.5707963267948966, 5.0, inf, nan], PARAMETERS),
    "ellipeinc": itertools.product([0.0, 1.0, -2.0, 1.5707963267948966, 5.0, inf, nan], PARAMETERS),
    "exp1": [(x,) for x in [*SOME, -0.0, 1e300]],
    "expi": [(x,) for x in [*SOME, -0.0, 1e300, -1e300]],
    "zeta": [(x,) for x in [*SOME, -2.0, -3.0, -40.0, 1e300]],
    "binom": itertools.product(COUNTS, COUNTS),
    "poch": itertools.product(COUNTS, COUNTS),
    "spence": [(x,) for x in [*SOME, -0.0, 1e300]],
    "owens_t": itertools.product([*SOME, 50.0], [*SOME, -3.0]),
    "voigt_profile": itertools.product([0.0, -1.0, 1e200, inf, nan], WIDTHS, WIDTHS),
    "iv": itertools.product(ORDERS, [0.0, 1.0, -1.0, -3.5, 1e-200, 1e-310, 1e5, nan]),
    "kv": itertools.product(ORDERS, [0.0, 1.0, -1.0, 1e-200, 1e5, inf]),
    "jv": itertools.product(ORDERS, [0.0, 1.0, -1.0, -3.5, 1e-5, 1e-10, nan]),
    "yv": itertools.product(ORDERS, [0.0, 1.0, -1.0, 0.5, 1e-100, nan]),
    "struve": itertools.product([*ORDERS, -2.3, nan], [0.0, 1.0, -3.5, 1e-200, 1e5, inf, nan]),
    "modstruve": itertools.product([*ORDERS, -2.3, nan], [0.0, 1.0, -3.5, 1e5, inf, nan]),
    "hyp2f1": itertools.product(FIRST, SECOND, THIRD, PLACES),
}
CASES = {name: list(cases) for name, cases in CASES.items()}
ZETA_OF_TWO = list(
    itertools.product([0.5, 1.0, 2.0, 3.0, 2.5, inf, -1.0, nan], [*SOME, -1.5, -2.5, 1e200])
)


def with_nan(cases: list[tuple[float, ...]]) -> dict[tuple[float, ...], float]:
    return {case: nan for case in cases if any(map(math.isnan, case))}


def hyp2f1_of_infinities_and_nan() -> dict[tuple[float, ...], float]:
    """Where SciPy's answer is that of one of its branches."""
    ours = with_nan(CASES["hyp2f1"])
    for case in set(CASES["hyp2f1"]) - set(ours):
        a, b, c, x = case
        if x == 0 or (a == 0 and c != 0):
            continue
        if a == inf:
            ours[case] = nan
        elif abs(x) == inf:
            ours[case] = polynomial_at_infinity(a, b, c, x)
    return ours


def polynomial_at_infinity(a: float, b: float, c: float, x: float) -> float:
    degrees = [-p for p in (a, b) if p in (-2.0, -3.0) and not (c in THIRD_POLES and p <= c)]
    if not degrees:
        return nan
    sign = math.copysign(1.0, x) ** min(degrees)
    for k in range(int(min(degrees))):
        sign *= math.copysign(1.0, (a + k) * (b + k) * (c + k))
    return sign * inf


# Where SciPy has no limit, or another one: the value here.
OURS = {
    "ellipkinc": {(-2.0, 1.0): -inf, (inf, 1.0): inf},
    "ellipeinc": {(0.0, -inf): 0.0, (-2.0, -inf): -inf, (nan, -inf): nan},
    "zeta": {**with_nan(ZETA_OF_TWO), (inf, 2.5): 0.0},
    "binom": {(0.0, 1e-300): 1.0, (inf, -1.5): nan, (inf, 70.0): inf},
    "poch": {
        **{(a, 1e-300): 0.0 for a in (-1.0, -2.0, -100.0)},
        **{(inf, m): inf for m in (2.5, 5.0, 70.0, inf)},
        **{(inf, m): 0.0 for m in (-100.0, -inf)},
        **{(-inf, m): nan for m in (1.0, -1.0)},
        **with_nan(CASES["poch"]),
    },
    "spence": {(inf,): -inf},
    "voigt_profile": {
        **{case: 0.0 for case in CASES["voigt_profile"] if inf in case},
        (0.0, 0.0, 1e-200): 1e200 / math.pi,
        (-1.0, 1e-200, -1.0): -0.5 / math.pi,
        (-1.0, 1e-200, 1e-200): 1e-200 / math.pi,
        **with_nan(CASES["voigt_profile"]),
    },
    "iv": {
        (-1.5, 0.0): -inf,
        **{(v, 1e-310): 0.0 for v in ORDERS},
        **{(v, x): x / 2 for v in (1.0, -1.0) for x in (1e-200, 1e-310)},
        (0.0, 1e-310): 1.0,
        (-0.5, 1e-310): 7.978845608028411e154,
        (-1.5, 1e-310): -inf,
    },
    "struve": {
        **dict.fromkeys([(-1.5, 0.0), *((v, inf) for v in ORDERS if v < 1)], 0.0),
        (1.0, inf): 2 / math.pi,
        (nan, 0.0): nan,
        (-2.3, inf): 0.0,
    },
    "modstruve": {
        **{(v, inf): inf for v in [*ORDERS, -2.3]},
        (-1.5, 0.0): 0.0,
        (nan, 0.0): nan,
    },
    "hyp2f1": {
        **hyp2f1_of_infinities_and_nan(),
        (-2.0, -2.0, -3.0, 1.0): 0.0,
        (-2.0, -3.0, -3.0, 1.0): 0.0,
        # Not real on the cut, where SciPy has either infinity.
        **{
            (a, b, c, 2.0): inf
            for a, b, c in [(1.5, 2.5, 1.0), (1.5, 2.5, -3.0), (2.0, 1.0, 0.0), (2.0, 1.0, -2.0)]
        },
        **{(-0.5, 2.5, c, 2.0): inf for c in (1.0, -3.0)},
    },
}


def columns(cases: list[tuple[float, ...]], count: int) -> list[np.ndarray]:
    """The cases' arguments, the last one repeated."""
    return [np.array([case[min(i, len(case) - 1)] for case in cases]) for i in range(count)]


def expected(name: str, cases: list[tuple[float, ...]]) -> np.ndarray:
    with np.errstate(all="ignore"):
        values = [float(getattr(special, name)(*case)) for case in cases]
    ours = OURS.get(name, {})
    return np.array([ours.get(case, value) for case, value in zip(cases, values, strict=True)])


def texts() -> list[str]:
    names = ", ".join("xyzw")
    return [
        f"special.{name}({names[: 3 * len(cases[0]) - 2]})" for name, cases in CASES.items()
    ] + ["special.zeta(x, y)"]


@pytest.fixture(scope="module", params=["cpu", "device"])
def results(request):
    """The results of every function for every row of arguments."""
    ufunc = expressions("x, y, z, w", texts(), special=special)
    cases = [*itertools.chain(*CASES.values()), *ZETA_OF_TWO]
    arguments = columns(cases, 4)
    if request.param == "cpu":
        with np.errstate(all="ignore"):
            return ufunc(*arguments)
    with cuda.simulator(memory="64 MiB"):
        found = ufunc(*map(cuda.to_device, arguments))
        return [column.copy_to_host() for column in found]


@pytest.mark.parametrize("name", [*CASES, "zeta of two"])
def test_edges_are_scipys(results, name):
    sizes = {**{key: len(cases) for key, cases in CASES.items()}, "zeta of two": len(ZETA_OF_TWO)}
    at = list(sizes).index(name)
    start = sum(list(sizes.values())[:at])
    found = results[at][start : start + sizes[name]]
    cases = CASES.get(name, ZETA_OF_TWO)
    for case, value, right in zip(
        cases, found, expected(name.partition(" ")[0], cases), strict=True
    ):
        np.testing.assert_allclose(value, right, rtol=1e-12, atol=1e-307, err_msg=f"{name}{case}")
