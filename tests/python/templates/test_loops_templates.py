"""Elementwise CPU loops from templates/: values, overlaps and flags, for every form of a call."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from long_runs import in_long_runs
from loop_driver import (
    COMPILERS,
    DIVIDE,
    INVALID,
    OVERFLOW,
    UNDERFLOW,
    Kernels,
    Loop,
    compile_driver,
    compile_kernels,
)

CPP_TYPES = {
    "?": "bool",
    "b": "npp::int8",
    "B": "npp::uint8",
    "h": "npp::int16",
    "i": "npp::int32",
    "l": "npp::int64",
    "e": "npp::float16",
    "f": "float",
    "d": "double",
    "F": "npp::complex64",
    "D": "npp::complex128",
}


@dataclass(frozen=True)
class Kernel:
    """A kernel as the emitter prints one. Operand types are NumPy's characters, "dd>d"."""

    types: str
    body: str
    expected: Any = None  # the same in NumPy; None where only consistency is tested
    has_vector_math: bool = False
    has_branches: bool = False

    @property
    def inputs(self) -> str:
        return self.types.split(">")[0]

    @property
    def outputs(self) -> str:
        return self.types.split(">")[1]

    @property
    def operands(self) -> str:
        return self.inputs + self.outputs

    def source(self, index: int) -> str:
        inputs = [CPP_TYPES[character] for character in self.inputs]
        outputs = [CPP_TYPES[character] for character in self.outputs]
        result = outputs[0] if len(outputs) == 1 else f"npp::Tuple<{', '.join(outputs)}>"
        parameters = ", ".join(f"{t} {name}" for t, name in zip(inputs, "xyz", strict=False))
        return f"""
namespace {{ struct Kernel{index} {{
  using Inputs = npp::Types<{", ".join(inputs)}>;
  using Outputs = npp::Types<{", ".join(outputs)}>;
  static constexpr bool kHasVectorMath = {str(self.has_vector_math).lower()};
  static constexpr bool kHasBranches = {str(self.has_branches).lower()};
  NPP_FUNCTION static {result} call({parameters}) {{ {self.body} }}
}}; }}
NPP_ELEMENTWISE_LOOP(npp_loop_{index}, Kernel{index})
"""


GAUSSIAN = "const T d = npp::true_divide(npp::subtract(x, y), z); return npp::multiply(npp::exp("
GAUSSIAN += "npp::multiply(T(-0.5), npp::multiply(d, d))), npp::true_divide(T(1), z));"


def vector(types: str, body: str, expected: Any = None, **more: Any) -> Kernel:
    return Kernel(types, body, expected, has_vector_math=True, **more)


def branches(types: str, body: str, expected: Any = None) -> Kernel:
    return Kernel(types, body, expected, has_branches=True)


def same(*values: Any) -> tuple[Any, ...]:
    return values


EXACT = {
    f"add_{t}": Kernel(f"{t}{t}>{t}", "return npp::add(x, y);", lambda x, y: x + y)
    for t in "?bBhilefdFD"
} | {
    "saxpy": Kernel("fff>f", "return npp::add(npp::multiply(x, y), z);", lambda x, y, z: x * y + z),
    "mixed": Kernel("bd>d", "return npp::add(npp::cast<double>(x), y);", lambda x, y: x + y),
    "is_less": Kernel("dd>?", "return npp::less(x, y);", lambda x, y: x < y),
    "narrow": Kernel("D>f", "return float(x.real);", lambda x: x.real.astype("f")),
    "both": Kernel("hd>dh", "return {y, x};", lambda x, y: (y, x)),
    "sum_difference": Kernel(
        "ii>ii", "return {npp::add(x, y), npp::subtract(x, y)};", lambda x, y: (x + y, x - y)
    ),
    "guarded_divide": branches(
        "dd>d",
        "if (y != 0) { return x / y; } else { return 0; }",
        lambda x, y: np.where(y != 0, x / np.where(y != 0, y, 1), 0),
    ),
    "guarded_polynomial": branches(
        "ddd>d",
        "if (x > 0) { return x * y + z; } return x - y * z;",
        lambda x, y, z: np.where(x > 0, x * y + z, x - y * z),
    ),
}
VECTOR = {
    f"{name}_{t}": vector(f"{t}>{t}", f"return npp::{name}(x);", getattr(np, name))
    for t in "df"
    for name in ("exp", "sin", "log")
} | {
    "pow_d": vector("dd>d", "return npp::power(x, y);", np.power),
    "pow_f": vector("ff>f", "return npp::power(x, y);", np.power),
    "gaussian_d": vector("ddd>d", "using T = double; " + GAUSSIAN),
    "gaussian_f": vector("fff>f", "using T = float; " + GAUSSIAN),
    "exp_e": vector("e>e", "return npp::exp(x);", np.exp),
    "scaled_exp": vector(
        "bd>d",
        "return npp::multiply(npp::cast<double>(x), npp::exp(y));",
        lambda x, y: x * np.exp(y),
    ),
    "exp_narrow": vector(
        "d>b", "return npp::cast<npp::int8>(npp::exp(x));", lambda x: np.exp(x).astype("b")
    ),
    # Narrower elements between 64-bit ones: the vectorizer would prefer wider vectors.
    "through_int": vector(
        "d>d",
        "const auto i = npp::cast<npp::int8>(x);"
        "return npp::add(npp::exp(x), npp::cast<double>(i));",
    ),
    "polar": vector(
        "dd>dd",
        "return {npp::hypot(x, y), npp::atan2(y, x)};",
        lambda x, y: (np.hypot(x, y), np.arctan2(y, x)),
    ),
    "guarded_log": vector(
        "d>d", "if (x > 0) { return npp::log(x); } return -1;", has_branches=True
    ),
    "rotate": vector(
        "Dd>D",
        "return npp::Complex<double>{npp::multiply(x.real, npp::exp(y)), x.imag};",
        lambda x, y: x.real * np.exp(y) + 1j * x.imag,
    ),
}
KERNELS = EXACT | VECTOR
PAIRS = {"add_d", "add_f", "add_l", "add_b", "add_e", "add_D", "guarded_divide", "pow_d", "pow_f"}


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    return compile_driver(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="module", params=[COMPILERS[0], *in_long_runs(*COMPILERS[1:])])
def loops(request, tmp_path_factory, driver) -> dict[str, Loop]:
    source = '#define NPP_VECTOR_MATH 1\n#include "npp/cpu/elementwise.hpp"\n'
    source += "".join(kernel.source(i) for i, kernel in enumerate(KERNELS.values()))
    path = compile_kernels(tmp_path_factory.mktemp("kernels"), request.param, source)
    kernels = Kernels(path, driver)
    return {name: kernels.loop(i) for i, name in enumerate(KERNELS)}


def values(random: np.random.Generator, dtype: Any, n: int) -> np.ndarray:
    """Ordinary positive and negative numbers of a type, none of them 0 by chance."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, n).astype(bool)
    if dtype.kind in "iu":
        return random.integers(1, 100, n).astype(dtype)
    if dtype.kind == "c":
        return (random.uniform(-4, 4, n) + 1j * random.uniform(-4, 4, n)).astype(dtype)
    return random.uniform(0.1, 4, n).astype(dtype)


def strided(random: np.random.Generator, data: np.ndarray, step: int, offset: int) -> np.ndarray:
    """The same values `step` elements apart, `offset` bytes from an aligned address."""
    size = data.itemsize
    memory = np.frombuffer(bytearray(random.bytes(len(data) * abs(step) * size + 64)), np.uint8)
    start = -memory.ctypes.data % 16 + offset
    whole = memory[start : start + len(data) * abs(step) * size].view(data.dtype)
    view = whole[::step]
    view[:] = data
    return view


def run(kernel: Kernel, loop: Loop, inputs: list, n: int, out: list | None = None) -> list:
    outputs = [np.empty(n, t) for t in kernel.outputs] if out is None else out
    steps = [0 if len(x) == 1 and n > 1 else x.strides[0] for x in inputs + outputs]
    loop.run(inputs + outputs, n, steps)
    return outputs


def assert_same_bits(a: np.ndarray, b: np.ndarray) -> None:
    assert np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


@pytest.mark.parametrize("name", [name for name, k in KERNELS.items() if k.expected])
def test_contiguous_values_are_numpys(loops, name):
    kernel, random = KERNELS[name], np.random.default_rng(0)
    for n in (0, 1, 7, 8, 64, 1023, 5001):
        inputs = [values(random, t, n) for t in kernel.inputs]
        with np.errstate(all="ignore"):
            expected = kernel.expected(*inputs)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for got, want in zip(run(kernel, loops[name], inputs, n), expected, strict=True):
            assert got.dtype == want.dtype
            if kernel.has_vector_math and got.dtype.kind in "fc":
                accuracy = np.finfo(got.dtype).eps * (1 if got.dtype == "e" else 8)
                np.testing.assert_allclose(got, want, rtol=accuracy)
            else:
                assert_same_bits(got, want)


@pytest.mark.parametrize("name", KERNELS)
def test_strides_do_not_change_values(loops, name):
    kernel, random = KERNELS[name], np.random.default_rng(1)
    for n in (1, 2, 9, 63, 500, 3001):
        for _ in range(6):
            inputs = [values(random, t, n if random.random() < 0.7 else 1) for t in kernel.inputs]
            whole = [np.resize(x, n) for x in inputs]
            expected = run(kernel, loops[name], whole, n)
            laid_out = [
                strided(random, x, random.choice([1, 1, 2, 3, -1, -2]), random.integers(0, 9))
                for x in inputs
            ]
            out = [
                strided(random, np.zeros(n, t), random.choice([1, 1, 2, -1]), random.integers(0, 9))
                for t in kernel.outputs
            ]
            for got, want in zip(run(kernel, loops[name], laid_out, n, out), expected, strict=True):
                assert_same_bits(got, want)


@pytest.mark.parametrize("name", KERNELS)
def test_nothing_but_the_outputs_is_written(loops, name):
    kernel, random = KERNELS[name], np.random.default_rng(2)
    for n in (1, 5, 8, 63, 1030):
        inputs = [values(random, t, n) for t in kernel.inputs]
        copies = [x.copy() for x in inputs]
        memory = [np.full((n + 2, 2), 1, t) for t in kernel.outputs]
        run(kernel, loops[name], inputs, n, [m[1:-1, 0] for m in memory])
        for m in memory:
            assert (m[[0, -1]] == 1).all() and (m[:, 1] == 1).all()
        for x, copy in zip(inputs, copies, strict=True):
            assert_same_bits(x, copy)


@pytest.mark.parametrize("name", VECTOR)
def test_values_do_not_depend_on_the_position(loops, name):
    kernel, loop, random = KERNELS[name], loops[name], np.random.default_rng(3)
    for n in [*range(1, 201, 7), 5000]:
        inputs = [values(random, t, n) for t in kernel.inputs]
        outputs = run(kernel, loop, inputs, n)
        single = [np.empty(n, t) for t in kernel.outputs]
        operands = inputs + single
        loop.run_one_by_one(operands, n, [x.strides[0] for x in operands])
        for whole, one in zip(outputs, single, strict=True):
            assert_same_bits(whole, one)
        start = n // 3
        part = run(kernel, loop, [x[start:] for x in inputs], n - start)
        for whole, rest in zip(outputs, part, strict=True):
            assert_same_bits(whole[start:], rest)


@pytest.mark.parametrize("name", [name for name, k in KERNELS.items() if k.inputs[0] in k.outputs])
def test_in_place_is_as_out_of_place(loops, name):
    kernel, random = KERNELS[name], np.random.default_rng(4)
    for n in (1, 9, 64, 2050):
        for step in (1, 2, -1):
            inputs = [values(random, t, n) for t in kernel.inputs]
            expected = run(kernel, loops[name], inputs, n)
            first = strided(random, inputs[0], step, 0)
            out = [np.empty(n, t) for t in kernel.outputs]
            out[kernel.outputs.index(kernel.inputs[0])] = first
            run(kernel, loops[name], [first, *inputs[1:]], n, out)
            for got, want in zip(out, expected, strict=True):
                assert_same_bits(got, want)


def overlapping_calls(kernel: Kernel, n: int, size: int):
    """Operands within one memory, as (byte offsets, steps) inputs first: what NumPy hands over."""
    middle = (n + 2) * size
    return (
        ("accumulate", (middle, middle + n * 2 * size, middle + size), (size, size, size)),
        ("shifted out", (middle + size, middle + n * 2 * size, middle), (size, size, size)),
        ("shifted by half", (middle + max(size // 2, 1), middle, middle), (size, size, size)),
        ("reduce", (middle, middle + size, middle), (0, size, 0)),
        ("reduce strided", (middle, middle + 3 * size, middle), (0, 2 * size, 0)),
        ("reduce over itself", (middle, middle - size, middle), (0, size, 0)),
        ("backwards", (middle, middle, middle + size), (-size, -size, -size)),
        ("against each other", (middle, middle, middle), (size, -size, size)),
        ("columns", (middle, middle + size, middle + 2 * size), (3 * size,) * 3),
        ("columns too wide", (middle, middle, middle + size), (size + size // 2,) * 3),
        ("columns in place", (middle, middle + size, middle), (2 * size,) * 3),
        ("out stays", (middle, middle + 3 * n * size, middle + n * size), (size, size, 0)),
        ("scalar is written", (middle + 3 * size, middle, middle), (0, size, size)),
    )


@pytest.mark.parametrize("n", [*range(1, 20), 69, 70, 1030, 200_000])
@pytest.mark.parametrize("name", sorted(PAIRS))
def test_overlaps_are_in_order(loops, name, n):
    kernel, loop, random = KERNELS[name], loops[name], np.random.default_rng(n)
    dtype = np.dtype(kernel.outputs)
    for case, offsets, steps in overlapping_calls(kernel, n, dtype.itemsize):
        memory = values(random, dtype, 6 * n + 16)
        memory = memory if dtype.kind in "iu" else (memory / 4).astype(dtype)
        expected = memory.copy()
        loop.run([memory.ctypes.data + offset for offset in offsets], n, steps)
        loop.run_one_by_one([expected.ctypes.data + offset for offset in offsets], n, steps)
        assert memory.tobytes() == expected.tobytes(), case


@pytest.mark.parametrize("name", ["sum_difference", "polar"])
def test_outputs_within_one_another_are_in_order(loops, name):
    kernel, loop, random = KERNELS[name], loops[name], np.random.default_rng(5)
    size = np.dtype(kernel.outputs[0]).itemsize
    for n in (2, 9, 70, 1030):
        inputs = [values(random, t, n) for t in kernel.inputs]
        for first, second, step in ((0, 0, 1), (0, 1, 1), (1, 0, 1), (0, 1, 2), (0, 3, 2)):
            memory = np.zeros(2 * n + 8, kernel.outputs[0])
            expected = memory.copy()
            for out, call in ((memory, loop.run), (expected, loop.run_one_by_one)):
                at = [out.ctypes.data + first * size, out.ctypes.data + second * size]
                call([*inputs, *at], n, [size, size, step * size, step * size])
            assert_same_bits(memory, expected)


def test_operands_of_two_widths_within_one_another_are_in_order(loops):
    for n in (2, 9, 70, 1030):
        memory = np.random.default_rng(n).uniform(1, 2, 2 * n).view(np.uint8)
        expected = memory.copy()
        for out, call in (
            (memory, loops["scaled_exp"].run),
            (expected, loops["scaled_exp"].run_one_by_one),
        ):
            call([out, out, out], n, [1, 8, 8])
        assert_same_bits(memory, expected)


def test_any_byte_but_zero_is_true(loops):
    x = np.array([0, 1, 2, 128, 255] * 5, np.uint8)
    y = np.array([0, 4, 0, 0, 255] * 5, np.uint8)
    out = np.empty(25, np.uint8)
    loops["add_?"].run([x, y, out])
    assert_same_bits(out, ((x != 0) | (y != 0)).astype(np.uint8))


INF, NAN = np.inf, np.nan
# Elements and the flags that the scalar function raises for them.
FLAG_CASES: dict[str, tuple[list[tuple[tuple[float, ...], int]], tuple[float, ...]]] = {
    "exp_d": (
        [((INF,), 0), ((-INF,), 0), ((NAN,), 0), ((1000.0,), OVERFLOW), ((-1000.0,), UNDERFLOW)],
        (1.5,),
    ),
    "exp_f": (
        [((INF,), 0), ((-INF,), 0), ((200.0,), OVERFLOW), ((-300.0,), UNDERFLOW)],
        (1.5,),
    ),
    "sin_d": ([((1e300,), 0), ((-1e300,), 0), ((INF,), INVALID), ((0.0,), 0)], (1.5,)),
    "sin_f": ([((1e22,), 0), ((-INF,), INVALID), ((NAN,), 0)], (1.5,)),
    "log_d": ([((0.0,), DIVIDE), ((-1.0,), INVALID), ((INF,), 0), ((-INF,), INVALID)], (1.5,)),
    "log_f": ([((0.0,), DIVIDE), ((-0.0,), DIVIDE), ((-1.0,), INVALID)], (1.5,)),
    "pow_d": (
        [((NAN, 1.0), 0), ((0.0, -1.0), DIVIDE), ((-2.0, 0.5), INVALID), ((1e300, 2.0), OVERFLOW)],
        (1.5, 2.5),
    ),
    "guarded_divide": ([((1.0, 0.0), 0), ((0.0, 0.0), 0), ((1e300, 1e-300), OVERFLOW)], (1.0, 3.0)),
    "guarded_log": ([((0.0,), 0), ((-1.0,), 0), ((INF,), 0), ((-INF,), 0)], (1.5,)),
    "guarded_polynomial": (
        [((1.0, 1e200, 1e200), 0), ((-1.0, 1e200, 1e200), OVERFLOW), ((1.0, 0.0, INF), 0)],
        (1.0, 2.0, 3.0),
    ),
}


def flag_operands(kernel: Kernel, elements: list[tuple[float, ...]]) -> list[np.ndarray]:
    columns = zip(*elements, strict=True)
    return [np.array(x, t) for x, t in zip(columns, kernel.inputs, strict=True)]


@pytest.mark.parametrize("name", FLAG_CASES)
def test_one_special_element_raises_its_own_flags_anywhere(loops, name):
    cases, ordinary = FLAG_CASES[name]
    kernel, loop = KERNELS[name], loops[name]
    for n in [*range(1, 19), 63, 64, 65, 130, 1100]:
        for position in sorted({0, 1, n // 2, n - 2, n - 1} & set(range(n))):
            for special, flags in cases:
                elements = [ordinary] * n
                elements[position] = special
                inputs = flag_operands(kernel, elements)
                assert loop.run([*inputs, np.empty(n, kernel.outputs)]) == flags, (n, special)


@pytest.mark.parametrize("name", FLAG_CASES)
def test_mixed_elements_raise_the_flags_of_each(loops, name):
    cases, ordinary = FLAG_CASES[name]
    kernel, loop, random = KERNELS[name], loops[name], np.random.default_rng(6)
    for n in (3, 70, 1500, 5000):
        for before in (0, INVALID, DIVIDE | OVERFLOW):
            chosen = [cases[i] for i in random.permutation(len(cases))[: random.integers(4)]]
            elements, flags = [ordinary] * n, before
            for special, own in chosen:
                at = random.integers(n)
                if elements[at] == ordinary:
                    elements[at] = special
                    flags |= own
            inputs = flag_operands(kernel, elements)
            out = np.empty(n, kernel.outputs)
            assert loop.run([*inputs, out], flags_before=before) == flags
            spread = [strided(random, x, 2, 0) for x in inputs]
            assert loop.run([*spread, out[::-1]], flags_before=before) == flags
            in_place = [x.copy() for x in inputs]
            assert loop.run([*in_place, in_place[0]], flags_before=before) == flags
            assert_same_bits(in_place[0], run(kernel, loop, inputs, n)[0])


def test_flags_of_a_call_in_order_are_those_of_its_elements(loops):
    for n in (2, 9, 70):
        x = np.full(n + 1, 0.5)
        x[0] = 1000.0  # exp overflows, and the next element is exp(inf)
        assert loops["exp_d"].run([x[:-1], x[1:]]) == OVERFLOW
        assert np.isinf(x[1:]).all()


def test_a_broadcast_operand_raises_its_flags(loops):
    for n in (1, 9, 1500):
        out = np.empty(n)
        assert loops["log_d"].run([np.zeros(1), out], n, [0, 8]) == DIVIDE
        assert loops["exp_d"].run([np.full(1, -INF), out], n, [0, 8]) == 0
