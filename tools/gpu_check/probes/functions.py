"""Math functions and random numbers: promised bits, and bounds of errors."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import numpy_plugin as npp
from gpu_check.probes.arrays import same_bits, some
from gpu_check.probes.probe import Missing, probe
from gpu_check.settings import IS_SMALL, scaled
from numpy_plugin import cuda

DTYPES = ["float32"] if IS_SMALL else ["float32", "float64"]


def reproducible(x: Any) -> Any:
    """Functions of each family."""
    return (
        math.exp(x),
        math.log1p(x),
        np.cbrt(x),
        math.sin(x),
        math.tan(x),
        math.tanh(x),
        math.asinh(x),
        math.erf(x),
        math.erfc(x),
        math.gamma(x),
        math.lgamma(x),
    )


@probe
def reproducible_functions() -> object:
    """math="reproducible" has the CPU's bits."""
    n_functions = 11
    for dtype in DTYPES:
        types = f"{', '.join([dtype] * n_functions)}({dtype})"
        f = npp.vectorize([types], math="reproducible")(reproducible)
        host = np.abs(some(scaled(1 << 20), dtype)) / 10
        for found, wanted in zip(f(cuda.to_device(host)), f(host), strict=True):
            same_bits(found, wanted)
    return f"{n_functions} functions"


@probe
def random_numbers() -> object:
    """Random numbers of an index have the CPU's bits."""
    index = np.arange(scaled(1 << 18))
    for name in npp.random.__all__:
        f = getattr(npp.random, name)
        same_bits(f(5, cuda.to_device(index)), f(5, index))
    return None


@probe
def function_bounds() -> object:
    """The errors of all functions, beside the bounds of the tests."""
    try:
        import function_bounds as table
    except ImportError as error:
        raise Missing(str(error)) from error
    worst, beyond = 0.0, []
    for group in list(table.groups())[: 1 if IS_SMALL else None]:
        for dtype in DTYPES:
            f = table.group_kernel(group, dtype)
            for which, row in enumerate(group):
                call = functools.partial(on_device, f, which)
                found = table.measure(row, dtype, 5 if IS_SMALL else 60, call)
                limits = row.limits("device", dtype)
                worst = max(worst, found[0] / limits[0])
                if found[0] > limits[0] or found[1] > limits[1]:
                    beyond.append(f"{row.call} {dtype}: {found[0]:.2f} ulp")
    assert not beyond, "; ".join(beyond)
    return f"at most {worst:.2f} of the bound"


def on_device(f: Any, which: int, *columns: Any) -> Any:
    """Return the values of one function of a group."""
    return f(np.int64(which), *map(cuda.to_device, columns)).copy_to_host()


@probe
def differences_from_the_simulator() -> object:
    """How many values differ where instructions have no specified bits: told, no failure."""
    body = "a = exp(x); b = log(x); c = tanh(x); d = sin(x); e = x / (1 + x); f = sqrt(x);"
    found = {}
    for dtype in DTYPES:
        types = f"{', '.join([dtype] * 6)}({dtype})"
        every = npp.vectorize([types], args="x", outs="a, b, c, d, e, f", body=body)
        host = np.abs(some(20_000, dtype)) / 10
        here = [out.copy_to_host() for out in every(cuda.to_device(host))]
        with cuda.simulator():
            there = [out.copy_to_host() for out in every(cuda.to_device(host))]
        names = ["exp", "log", "tanh", "sin", "division", "sqrt"]
        shares = [
            float(np.mean(a.view("u1") != b.view("u1"))) for a, b in zip(here, there, strict=True)
        ]
        found[dtype] = {n: round(s, 4) for n, s in zip(names, shares, strict=True) if s}
        assert not shares[4] and not shares[5], "division and sqrt have fixed bits"
    return found


@probe
def bits_of_nan() -> object:
    """What NaNs become, beside the simulator: told, no failure."""
    quiet = np.array([0x7FF8000000000001, 0xFFF8000000000002, 0x7FF0000000000003], "u8").view("f8")
    special = np.array([np.inf, -np.inf, 0.0])
    f = npp.vectorize(
        ["float64, float64(float64, float64)"],
        args="x, y",
        outs="s, p",
        body="s = x + y; p = x * y;",
    )
    pairs = ((quiet, quiet[::-1].copy()), (quiet, special), (special, -special))

    def results() -> list[list[str]]:
        made = [f(cuda.to_device(a), cuda.to_device(b)) for a, b in pairs]
        return [[hex(v) for v in o.copy_to_host().view("u8")] for outs in made for o in outs]

    here = results()
    with cuda.simulator():
        there = results()
    return "as the simulator's" if here == there else here
