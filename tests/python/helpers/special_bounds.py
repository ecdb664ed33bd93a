"""Rows of function_bounds for special functions of several parameters, integrals and series."""

from __future__ import annotations

from typing import Any

from cuda_math_functions import Range, mp

UNIT = Range(1e-3, 1.0)


def lower_gamma(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def upper_gamma(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def lower_beta(a: Any, b: Any, x: Any) -> Any:
    """By the hypergeometric series all of whose terms are positive (DLMF 8.17.8)."""
    if x > (a + 1) / (a + b + 2):
        with mp.workdps(120):
            return 1 - lower_beta(b, a, 1 - x)
    series = mp.hyp2f1(a + b, 1, a + 1, x)
    return mp.power(x, a) * mp.power(1 - x, b) / (a * mp.beta(a, b)) * series


def binomial(n: Any, k: Any) -> Any:
    with mp.workdps(120):
        return mp.gammaprod([n + 1], [k + 1, n - k + 1])


def rising(a: Any, m: Any) -> Any:
    with mp.workdps(120):
        return mp.gammaprod([a + m], [a])


def owens_t(h: Any, a: Any) -> Any:
    above = mp.erfc(abs(h) / mp.sqrt(2)) / 2
    if a > 1:
        far = mp.erfc(abs(h) * a / mp.sqrt(2)) / 2
        return (above + far) / 2 - above * far - owens_t(abs(h) * a, 1 / a)
    with mp.workdps(30):
        points = mp.linspace(0, min(a, 14 / abs(h)), 4)
        area = mp.quad(lambda x: mp.exp(-h * h * x * x / 2) / (1 + x * x), points)
    return area * mp.exp(-h * h / 2) / (2 * mp.pi)


def voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    z = (x + 1j * gamma) / (sigma * mp.sqrt(2))
    return (mp.exp(-z * z) * mp.erfc(-1j * z)).real / (sigma * mp.sqrt(2 * mp.pi))


GAMMA_RANGES = [
    [Range(1e-3, 30), Range(1e-3, 60)],
    [Range(1e-8, 1), Range(1e-8, 1.2)],
    [Range(30, 300), Range(20, 400)],
    [Range(900, 1100), Range(900, 1100)],
]

ORDERS = [
    [Range(-40.0, 40.0), Range(0.1, 60)],
    [Range(0.0, 200.0), Range(1, 300)],
]
FAR = [[Range(0.0, 200.0), Range(200, 10000)]]
# Of the hypergeometric function.
PARAMETERS = [Range(-30.0, 30.0), Range(-30.0, 30.0), Range(-10.0, 30.0)]

ROWS = [
    ("special.gammainc(x, y)", lower_gamma, GAMMA_RANGES, (1, 12, 1, 16)),
    ("special.gammaincc(x, y)", upper_gamma, GAMMA_RANGES, (1, 16, 1, 16)),
    (
        "special.betainc(x, y, z)",
        lower_beta,
        [
            [Range(0.01, 20), Range(0.01, 20), UNIT],
            [Range(1, 200), Range(1, 200), UNIT],
            [Range(0.5, 5), Range(100, 10000), Range(1e-5, 0.1)],
            [Range(900, 1100), Range(1900, 2100), Range(0.2, 0.5)],
            [Range(1, 1000), Range(1e-9, 1), Range(0.9, 1)],
        ],
        (1, 24, 1, 24),
    ),
    ("special.ellipk(x)", mp.ellipk, [[Range(-5.0, 1.0)], [Range(1e-9, 1)]], (1, 6, 1, 6)),
    ("special.ellipe(x)", mp.ellipe, [[Range(-5.0, 1.0)], [Range(1e-9, 1)]], (1, 8, 1, 8)),
    (
        "special.ellipkinc(x, y)",
        mp.ellipf,
        [[Range(-1.57, 1.57), Range(-5.0, 1.0)], [Range(-10.0, 10.0), UNIT]],
        (1, 8, 1, 8),
    ),
    (
        "special.ellipeinc(x, y)",
        mp.ellipe,
        [[Range(-1.57, 1.57), Range(-5.0, 1.0)], [Range(-10.0, 10.0), UNIT]],
        (1, 10, 1, 10),
    ),
    ("special.exp1(x)", mp.e1, [[Range(1e-9, 1)], [Range(0.5, 80)]], (1, 4, 1, 4)),
    (
        "special.expi(x)",
        mp.ei,
        [[Range(1e-9, 6)], [Range(0.3, 0.45)], [Range(6, 80)], [Range(-20.0, 0.0)]],
        (1, 6, 1, 6),
    ),
    ("special.zeta(x)", mp.zeta, [[Range(-20.0, 3.0)], [Range(1.0001, 50)]], (1, 8, 1, 24)),
    (
        "special.zeta(x, y)",
        mp.zeta,
        [[Range(1.01, 40), Range(0.1, 20)], [Range(1.0001, 2), Range(1, 1000)]],
        (1, 16, 1, 16),
    ),
    (
        "special.binom(x, y)",
        binomial,
        [
            [Range(-0.99, 40), Range(-30.0, 60.0)],
            [Range(100, 1000), Range(1, 1000)],
            [Range(1e3, 1e9), Range(0.1, 15)],
        ],
        (1, 16, 1, 24),
    ),
    (
        "special.poch(x, y)",
        rising,
        [
            [Range(-30.0, 40.0), Range(-30.0, 30.0)],
            [Range(100, 1000), Range(-60.0, 60.0)],
            [Range(1e3, 1e9), Range(0.1, 15)],
        ],
        (1, 12, 1, 24),
    ),
    (
        "special.spence(x)",
        lambda x: mp.polylog(2, 1 - x).real,
        [[Range(1e-9, 0.5)], [Range(0.5, 4)], [Range(0.999, 1.001)], [Range(3, 1e6)]],
        (1, 5, 1, 5),
    ),
    (
        "special.owens_t(x, y)",
        owens_t,
        [[Range(0.001, 5), Range(0.001, 1)], [Range(-5.0, 5.0), Range(1, 10)]],
        (1, 12, 1, 12),
    ),
    (
        "special.voigt_profile(x, y, z)",
        voigt,
        [
            [Range(-5.0, 5.0), Range(0.1, 3), Range(0.01, 3)],
            [Range(0.1, 30), Range(1, 1.1), Range(1e-9, 1)],
            [Range(0.0, 40.0), Range(0.1, 1), Range(0.1, 40)],
        ],
        (1, 12, 1, 12),
    ),
    (
        "special.lambertw(x).real",
        lambda x: mp.lambertw(x).real,
        [[Range(-0.3678, 3.0)], [Range(1e-30, 1e30)], [Range(-100.0, -0.4)]],
        (1, 12, 1, 12),
        0.05,
        (1, 2, 1, 2),
    ),
    (
        "special.lambertw(x, -1).real",
        lambda x: mp.lambertw(x, -1).real,
        [[Range(-0.3678, 0.0)]],
        (1, 5, 1, 5),
    ),
    (
        "special.iv(x, y)",
        mp.besseli,
        [[Range(0.01, 40), Range(0.1, 60)], [Range(0.0, 200.0), Range(1, 650)]],
        (1, 16, 1, 24),
    ),
    (
        "special.iv(-x, y)",
        lambda v, x: mp.besseli(-v, x),
        [[Range(0.01, 10), Range(0.5, 5)]],
        (1, 24, 1, 24),
        0.25,
        (1, 4, 1, 4),
    ),
    (
        "special.kv(x, y)",
        mp.besselk,
        [
            [Range(-30.0, 30.0), Range(0.1, 60)],
            [Range(0.0, 1.0), Range(1e-6, 2)],
            [Range(0.0, 200.0), Range(1, 650)],
        ],
        (1, 12, 1, 16),
    ),
    ("special.jv(x, y)", mp.besselj, ORDERS, (1, 64, 1, 64), 0.1, (1, 4, 1, 4)),
    (
        "special.jv(int(x), y)",
        lambda n, x: mp.besselj(int(n), x),
        ORDERS[1:],
        (1, 64, 1, 64),
        0.1,
        (1, 4, 1, 4),
    ),
    (
        "special.jv(x, y) * math.sqrt(y)",
        lambda v, x: mp.besselj(v, x) * mp.sqrt(x),
        FAR,
        (2, 64, 2, 64),
        0.1,
        (2, 4, 2, 4),
    ),
    ("special.yv(x, y)", mp.bessely, ORDERS, (1, 64, 1, 64), 0.1, (1, 4, 1, 4)),
    (
        "special.yv(int(x), y)",
        lambda n, x: mp.bessely(int(n), x),
        ORDERS[1:],
        (1, 64, 1, 64),
        0.1,
        (1, 4, 1, 4),
    ),
    (
        "special.yv(x, y) * math.sqrt(y)",
        lambda v, x: mp.bessely(v, x) * mp.sqrt(x),
        FAR,
        (2, 64, 2, 64),
        0.1,
        (2, 4, 2, 4),
    ),
    (
        "special.struve(x, y)",
        mp.struveh,
        [
            [Range(-10.0, 40.0), Range(0.01, 60)],
            [Range(0.0, 200.0), Range(0.1, 300)],
            [Range(-0.5, 3.0), Range(30, 1e5)],
        ],
        (1, 24, 1, 24),
        0.05,
        (1, 4, 1, 4),
    ),
    (
        "special.modstruve(x, y)",
        mp.struvel,
        [[Range(-10.0, 40.0), Range(0.01, 60)], [Range(0.0, 100.0), Range(1, 500)]],
        (1, 24, 1, 24),
    ),
    (
        "special.hyp2f1(x, y, z, w)",
        mp.hyp2f1,
        [
            [*PARAMETERS, Range(-1.0, 1.0)],
            [*PARAMETERS, Range(-1000.0, 0.0)],
            [*PARAMETERS, Range(0.99, 1.0)],
        ],
        (1, 8, 1, 12),
    ),
    # Differences of the parameters are integers.
    (
        "special.hyp2f1(x // 2, y // 2 + 0.5, z // 1 + 0.5, w)",
        lambda a, b, c, x: mp.hyp2f1(mp.floor(a / 2), mp.floor(b / 2) + 0.5, mp.floor(c) + 0.5, x),
        [[*PARAMETERS, Range(-30.0, 1.0)]],
        (1, 8, 1, 12),
    ),
    (
        "special.hyp2f1(x // 2 + 0.5, y // 2 + 0.5, abs(z) // 1 + 1, w)",
        lambda a, b, c, x: mp.hyp2f1(
            mp.floor(a / 2) + 0.5, mp.floor(b / 2) + 0.5, mp.floor(abs(c)) + 1, x
        ),
        [[*PARAMETERS, Range(-30.0, 1.0)]],
        (1, 8, 1, 12),
    ),
]
