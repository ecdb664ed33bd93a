"""Derivatives at ties, zeros and infinities, and of functions of complex numbers."""

import math

import complex_bounds
import numpy as np
import pytest
from kernel_source import function
from scipy import special

import numpy_plugin as npp

inf, nan = math.inf, math.nan


def derivative_of(call: str, operand: str, types: str, **options: object) -> np.ufunc:
    names = "xyz"[: types.count(",") + 1]
    body = function(f"def f({', '.join(names)}):\n    return {call}\n", special=special)
    return npp.derivative(npp.vectorize([types], **options)(body), operand)


# The call, its operands x and y, and its derivatives by both.
EDGES = [
    ("min(x, y)", 2, 2, 1, 0),
    ("max(x, y)", 2, 2, 1, 0),
    ("np.minimum(x, y)", 2, 1, 0, 1),
    ("np.maximum(x, y)", 2, 2, 1, 0),
    ("np.fmin(x, y)", nan, 2, 0, 1),
    ("np.fmax(x, y)", 2, nan, 1, 0),
    ("abs(x) + y", 0, 1, 0, 1),
    ("abs(x) * y", -2, 3, -3, 2),
    ("math.copysign(x, y)", -2, 3, -1, 0),
    ("math.fmod(x, y)", -7, 3, 1, 2),
    ("x % y", -7, 3, 1, 3),
    ("x // y", 7, 2, 0, 0),
    ("x ** y", 0, 2, 0, 0),
    ("x ** y", 0, 1, 1, 0),
    ("x ** y", 0, 0.5, inf, 0),
    ("x ** y", 3, 0, 0, math.log(3)),
    ("x ** 0 * y", 0, 2, 0, 1),
    ("x ** 2 * y", 0, 2, 0, 0),
    ("x ** 3 * y", -2, 1, 12, -8),
    ("math.sqrt(x) + y", 0, 1, inf, 1),
    ("math.hypot(x, y)", 0, 0, 0, 0),
    ("math.hypot(x, y)", 3, -4, 0.6, -0.8),
    ("math.atan2(x, y)", 0, 2, 0.5, 0),
    ("x * math.log(x) * y if x > 0 else 0.0 * y", 0, 2, 0, 0),
    ("math.erf(x) + y", inf, 0, 0, 1),
    ("math.erfc(x) * y", -inf, 1, 0, 2),
    ("math.tanh(x) * y", 400, 1, 0, 1),
    ("special.erfinv(x) + y", 1, 0, inf, 1),
    ("special.ndtri(x) + y", 0, 0, inf, 1),
    ("special.rgamma(x) * y", 0, 1, 1, 0),
    ("special.rgamma(x) * y", -3, 1, -6, 0),
    ("special.j1(x) * y", 0, 1, 0.5, 0),
    ("special.i1e(x) * y", 0, 1, 0.5, 0),
    ("math.floor(x) * y", 2, 3, 0, 2),
    ("round(x) * y", 2.25, 3, 0, 2),
    ("np.sign(x) * y", -2, 3, 0, -1),
]


@pytest.mark.parametrize(("call", "x", "y", "by_x", "by_y"), EDGES)
@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
def test_derivatives_at_edges(call, x, y, by_x, by_y):
    with np.errstate(all="ignore"):
        found = [
            derivative_of(call, each, "float64(float64, float64)")(float(x), float(y))
            for each in "xy"
        ]
    np.testing.assert_allclose(found, [by_x, by_y], rtol=1e-15)


NOT_HOLOMORPHIC = ("np.absolute(z)", "cmath.phase(z)", "cmath.rect(z.real, z.imag)", "np.sign(z)")
HOLOMORPHIC = [row for row in complex_bounds.FUNCTIONS if row.call not in NOT_HOLOMORPHIC]


@pytest.mark.parametrize(
    "row", [r for r in HOLOMORPHIC if "sinc" not in r.call], ids=lambda r: r.call
)
def test_holomorphic_functions_have_the_complex_derivative(row):
    mp = complex_bounds.mp
    z, w = (column[:5] for column in complex_bounds.arguments("near", "complex128", 5))
    by_z = npp.derivative(
        npp.vectorize(["complex128(complex128, complex128)"])(
            function(f"def f(z, w):\n    return {row.call} + 0 * w\n", special=special)
        ),
        "z",
    )(z, w)
    with mp.workdps(60):
        step = mp.mpf(10) ** -20
        exact = [
            complex(
                (row.exact(mp.mpc(p) + step, mp.mpc(q)) - row.exact(mp.mpc(p) - step, mp.mpc(q)))
                / (2 * step)
            )
            for p, q in zip(z.tolist(), w.tolist(), strict=True)
        ]
    np.testing.assert_allclose(by_z, exact, rtol=1e-13)


# Of a real operand, through complex numbers.
THROUGH = [
    ("abs(complex(x, 2.0))", lambda x: x / math.hypot(x, 2)),
    ("(complex(x, 1.0) * complex(x, 1.0)).imag", lambda x: 2),
    ("np.conjugate(complex(1.0, x)).imag", lambda x: -1),
    ("cmath.phase(complex(2.0, x))", lambda x: 2 / (4 + x * x)),
    ("np.exp(complex(0.0, x)).real", lambda x: -math.sin(x)),
]


@pytest.mark.parametrize(("call", "exact"), THROUGH)
def test_parts_of_complex_numbers_have_derivatives_by_real_operands(call, exact):
    found = derivative_of(call, "x", "float64(float64)")(1.25)
    np.testing.assert_allclose(found, exact(1.25), rtol=1e-14)
