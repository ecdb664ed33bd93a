"""CUDA's mathematical functions on the simulator: NVRTC's PTX within CUDA's documented bounds."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from cuda_math_functions import EXACT_FUNCTIONS, FUNCTIONS, MathFunction, mp

from numpy_plugin import cuda

DTYPES = [np.dtype(np.float32), np.dtype(np.float64)]
NAMES = {"float32": "float", "float64": "double"}


def call_text(function: MathFunction, dtype: np.dtype) -> str:
    arguments = [f"a{i}[i]" for i in range(function.n_arguments)]
    for i in range(function.n_integers):
        arguments[i] = f"(int){arguments[i]}"
    return f"{function.spelling(dtype)}({', '.join(arguments)})"


def exact_call_text(name: str, n_arguments: int, dtype: np.dtype) -> str:
    spelling = name + ("f" if dtype == np.float32 else "")
    return f"{spelling}({', '.join(f'a{i}[i]' for i in range(n_arguments))})"


def kernel_source(calls: list[str], dtype: np.dtype) -> str:
    """One kernel for all calls: `which` chooses."""
    cases = "\n".join(f"  case {i}: out[i] = {call}; break;" for i, call in enumerate(calls))
    real = NAMES[dtype.name]
    parameters = ", ".join(f"const {real}* a{i}" for i in range(4))
    return f"""
extern "C" __global__ void calls(int which, int n, {parameters}, {real}* out) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (which) {{
{cases}
  }}
}}
"""


class Caller:
    """The functions of one dtype, compiled together."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.calls = [call_text(function, dtype) for function in FUNCTIONS]
        self.calls += [exact_call_text(name, n, dtype) for name, n, _ in EXACT_FUNCTIONS]
        self.kernel = cuda.kernel(kernel_source(self.calls, dtype), "calls")

    def __call__(self, call: str, arguments: list[np.ndarray]) -> np.ndarray:
        columns = [cuda.to_device(argument) for argument in arguments]
        columns += [columns[0]] * (4 - len(columns))
        n = len(arguments[0])
        out = cuda.device_array(n, self.dtype)
        which = self.calls.index(call)
        self.kernel[(n + 127) // 128, 128](np.int32(which), np.int32(n), *columns, out)
        return out.copy_to_host()


@pytest.fixture(scope="module")
def simulator():
    with cuda.simulator(memory="64 MiB"):
        yield


@pytest.fixture(scope="module", params=DTYPES, ids=lambda dtype: dtype.name)
def caller(request, simulator):
    return Caller(request.param)


def draw(function: MathFunction, dtype: np.dtype, count: int) -> list[np.ndarray]:
    """Random arguments of each of the function's ranges, then its hard ones."""
    generator = np.random.default_rng(zlib.crc32(function.name.encode()))
    rows = [
        np.stack([part.draw(generator, count) for part in ranges]) for ranges in function.ranges
    ]
    rows += [np.array([point]).T for point in function.hard]
    return [np.ascontiguousarray(column.astype(dtype)) for column in np.concatenate(rows, axis=1)]


def steps_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many values of the dtype are from one to the other."""
    integer = np.int32 if a.dtype == np.float32 else np.int64
    lowest = np.iinfo(integer).min
    ordered = [x.view(integer).astype(object) for x in (a, b)]
    line = [np.where(x < 0, lowest - x, x) for x in ordered]
    return np.abs(line[0] - line[1])


def exact_values(function: MathFunction, arguments: list[np.ndarray]) -> list[object]:
    columns = [[mp.mpf(float(x)) for x in argument] for argument in arguments]
    for i in range(function.n_integers):
        columns[i] = [int(x) for x in columns[i]]
    return [function.exact(*row) for row in zip(*columns, strict=True)]


def check(caller: Caller, function: MathFunction, count: int) -> None:
    arguments = draw(function, caller.dtype, count)
    got = caller(call_text(function, caller.dtype), arguments)
    exact = exact_values(function, arguments)
    expected = np.array([float(x.real) for x in exact]).astype(caller.dtype)
    which = DTYPES.index(caller.dtype)
    steps = steps_between(got, expected)
    distance = np.array([abs(float(mp.mpf(float(g)) - x)) for g, x in zip(got, exact, strict=True)])
    wrong = (steps > function.bounds[which]) & (distance > function.absolute[which])
    worst = int(np.argmax(np.where(wrong, steps, -1)))
    assert not wrong.any(), (
        f"{call_text(function, caller.dtype)} is {steps[worst]} ulp off at "
        f"{[float(a[worst]) for a in arguments]}: {got[worst]!r}, not {expected[worst]!r}; "
        f"the bound is {function.bounds[which]}"
    )


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_a_function_keeps_its_bound(caller, function):
    check(caller, function, 20)


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_a_function_keeps_its_bound_at_many_points(caller, function):
    check(caller, function, 3000)


def hard_values(dtype: np.dtype) -> np.ndarray:
    limits = np.finfo(dtype)
    plain = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 1e10, np.inf, np.nan]
    edges = [limits.max, limits.tiny, limits.smallest_subnormal, limits.eps, 1 - limits.epsneg]
    values = np.array([*plain, *map(float, edges)], dtype)
    return np.concatenate([values, -values])


@pytest.mark.parametrize("row", EXACT_FUNCTIONS, ids=lambda row: row[0])
def test_an_exact_function_gives_numpys_bits(caller, row):
    name, n_arguments, reference = row
    values = hard_values(caller.dtype)
    arguments = [values] if n_arguments == 1 else [v.ravel() for v in np.meshgrid(values, values)]
    arguments = [np.ascontiguousarray(argument) for argument in arguments]
    got = caller(exact_call_text(name, n_arguments, caller.dtype), arguments)
    with np.errstate(all="ignore"):
        expected = np.asarray(reference(*arguments), caller.dtype)
    both_nan = np.isnan(got) & np.isnan(expected)
    # The sign of fmin and fmax for zeros of both signs is unspecified.
    both_zero = (got == 0) & (expected == 0) if name in {"fmin", "fmax", "fdim"} else False
    integer = np.int32 if caller.dtype == np.float32 else np.int64
    same = (got.view(integer) == expected.view(integer)) | both_nan | both_zero
    assert same.all(), [(a[~same][0] for a in arguments), got[~same][0], expected[~same][0]]


SPECIAL = [
    "exp",
    "log",
    "log1p",
    "expm1",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "cbrt",
]


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values_are_ieee(caller, name):
    """Zeros, infinities and nan as NumPy has them, signs included."""
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], caller.dtype)
    function = next(f for f in FUNCTIONS if f.name == name)
    got = caller(call_text(function, caller.dtype), [values])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(values)
    assert np.array_equal(np.isnan(got), np.isnan(expected))
    finite = ~np.isnan(expected)
    assert np.array_equal(np.signbit(got[finite]), np.signbit(expected[finite]))
    special = finite & ((expected == 0) | np.isinf(expected))
    assert np.array_equal(got[special], expected[special])
