"""Which kernels run in lane blocks, and what is said of the others."""

import math

import numpy as np
import pytest
from scipy import special

import numpy_plugin as npp


def halvings(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return n


def doublings(x):
    for _ in range(5):
        x = x + x
    return x


def quotients(x):
    for _ in range(5):
        x = x / (x + 1)
    return x


@npp.device
def product_modulo(a, b, n):
    total = 0
    while b:
        if b & 1:
            total = (total + a) % n
        a = (a + a) % n
        b >>= 1
    return total


def is_probably_prime(n):
    for base in (2, 3, 5, 7, 11):
        x = base
        while x < n:
            x = product_modulo(x, x, n)
            if x <= 1:
                return False
    return True


def with_unused_unit(x):
    unit = 1j  # noqa: F841
    while x > 1:
        x = x / 2
    return x


def countdown(x):
    while x > 0:
        x -= 3
    return x


def plain(x):
    return x * x + 1 if x > 0 else x


def tenths(x):
    return int(x * 10)


def halved(x):
    return x * 0.5


def last_digit(x):
    return x % 10


def wrapped(x):
    return x % 360


def exponential(x):
    return math.exp(-x) + 1


def tangent(x):
    return math.tanh(x) * 2


def sine(x):
    return math.sin(x)


def gamma_in_a_loop(x):
    for _ in range(3):
        x = math.gamma(x)
    return x


def digamma_of_exponential(x):
    return special.psi(math.exp(x))


def digamma_in_a_loop(x):
    for _ in range(3):
        x = special.psi(x)
    return x


def next_after(x):
    return np.nextafter(x, x + x)


@npp.device
def square(x):
    return x * x


def with_function(x):
    while x < 10:
        x = square(x) + 1
    return x


def with_plain_function(x):
    return square(x) + 1


cubed = npp.vectorize(["float64(float64)"], args="x", body="return x * x * x;", target="cpu")


def with_cpp(x):
    while x < 10:
        x = cubed(x) + 1
    return x


def printing(x):
    while x < 10:
        x = x + 1
        print(x)
    return x


def reduced_sum(a, b):
    total = a + b
    if total < a:
        total += 4294967295
        if total >= 18446744069414584321:
            total -= 18446744069414584321
    return total


def guarded_quotient(a, b):
    if b == 0:
        return 0
    return a // b


NOTHING = "nothing that lanes compute faster"
ONLY_AVX2 = "lane blocks, on processors with AVX2 and without AVX-512"
WITHOUT = "where no vector library has its functions"
CASES = [
    (halvings, "int64(float64)", "lane blocks, on processors with AVX2 or NEON"),
    (halvings, "int64(float32)", "lane blocks, on processors with AVX2 or NEON"),
    (plain, "float32(float32)", NOTHING),
    (plain, "float64(float64)", ONLY_AVX2),
    (wrapped, "float64(float64)", "lane blocks, on processors with AVX2 or NEON"),
    (wrapped, "float16(float16)", "lane blocks, on processors with AVX2 or NEON"),
    (tenths, "int64(float64)", ONLY_AVX2),
    (tenths, "int64(float32)", ONLY_AVX2),
    (tenths, "uint64(float64)", ONLY_AVX2),
    (halved, "float64(int64)", ONLY_AVX2),
    (halved, "float64(uint64)", ONLY_AVX2),
    (halved, "float64(int32)", NOTHING),
    (last_digit, "int64(int64)", ONLY_AVX2),
    (last_digit, "int32(int32)", NOTHING),
    (exponential, "float32(float32)", f"on processors with AVX-512; with AVX2 or NEON {WITHOUT}"),
    (tangent, "float64(float64)", "lane blocks, on processors with AVX2 or NEON"),
    (sine, "float64(float64)", f"lane blocks, on processors with AVX2 or NEON {WITHOUT}"),
    (gamma_in_a_loop, "float64(float64)", "lane blocks, on processors with AVX2 or NEON"),
    (gamma_in_a_loop, "float16(float16)", "lane blocks, on processors with AVX2 or NEON"),
    (digamma_of_exponential, "float64(float64)", NOTHING),
    (digamma_in_a_loop, "float64(float64)", "a loop with functions that have no vector form"),
    (with_function, "float64(float64)", "lane blocks, on processors with AVX2 or NEON"),
    (with_plain_function, "float64(float64)", NOTHING),
    (reduced_sum, "uint64(uint64, uint64)", ONLY_AVX2),
    (guarded_quotient, "int64(int64, int64)", NOTHING),
    (guarded_quotient, "int8(int8, int8)", NOTHING),
    (with_cpp, "float64(float64)", "arrays or calls of C++ functions"),
    (countdown, "int8(int8)", "lane blocks, on processors with AVX2 or NEON"),
    (halvings, "int64(float16)", "lane blocks, on processors with AVX2 or NEON"),
    (next_after, "float16(float16)", "functions of 16-bit numbers that have no vector form"),
    (doublings, "complex64(complex64)", "lane blocks, on processors with AVX2 or NEON"),
    (is_probably_prime, "bool(int64)", "more than 8 quotients by unknown integers"),
    (quotients, "complex64(complex64)", "types other than bool and real numbers"),
    (with_unused_unit, "float64(float64)", "lane blocks, on processors with AVX2 or NEON"),
    (printing, "float64(float64)", "print"),
]


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize(("function", "signature", "words"), CASES)
def test_decision(function, signature, words):
    f = npp.vectorize([signature], target="cpu")(function)
    text = npp.inspect(f).host_form()
    assert text.startswith(f"{signature}: ")
    assert words in text
    assert ("lanes(" in npp.inspect(f).source("cpu")) == ("lane blocks" in text)


def test_reproducible_functions_are_computed_in_lanes():
    f = npp.vectorize(["float64(float64)"], math="reproducible")(gamma_in_a_loop)
    assert "lane blocks" in npp.inspect(f).host_form()
    assert "vector_math::tgamma" in npp.inspect(f).source("cpu")


def test_lanes_with_library_functions_include_no_others():
    f = npp.vectorize(["float64(float64)"])(lambda x: special.psi(x) if x > 0 else math.exp(x))
    source = npp.inspect(f).source("cpu")
    assert "npp/vector_math/exponential.hpp" in source
    assert "npp/vector_math/logarithm.hpp" not in source


def table_sum(table, n, out):
    out[0] = 0
    while n > 0:
        for i in range(table.shape[0]):
            out[0] += table[i]
        n -= 1


def unit(v, out):
    length = math.sqrt(v[0] * v[0] + v[1] * v[1])
    for i in range(2):
        out[i] = v[i] / length if length > 0 else v[i]


def above(v, out):
    for i in range(v.shape[0]):
        out[i] = 1.0 if v[i] > 0 else 0.0
        if v[i] > 5:
            out[i] += 1


def greatest(v, out):
    a, b = v[0], v[1]
    if b > a:
        a = b
    out[0] = a


def doubled(v, out):
    for i in range(v.shape[0]):
        out[i] = 2 * v[i]


def growth(v, out):
    out[0] = 0
    while out[0] < v[0]:
        out[0] += math.exp(v[1])


ONE = "void(float64[:], float64[:])"
CORE_CASES = [
    (above, "(2)->(2)", ONE, "lane blocks, on processors with AVX2 or NEON"),
    (above, "(n)->(n)", ONE, "results of unknown or large core sizes"),
    (above, "(65)->(65)", ONE, "results of unknown or large core sizes"),
    (above, "(n?)->(n?)", ONE, "optional or broadcast dimensions"),
    (above, "(2|1)->(2)", ONE, "optional or broadcast dimensions"),
    (greatest, "(2)->()", ONE, "lane blocks, on processors with AVX2 or NEON"),
    (doubled, "(2)->(2)", ONE, "no branches or loops that depend on the element"),
    (growth, "(2)->()", ONE, "mathematical functions"),
    (
        table_sum,
        "(n),()->()",
        "void(float64[:], int64, float64[:])",
        "loops along core dimensions of unknown or large size",
    ),
    (
        table_sum,
        "(8),()->()",
        "void(float64[:], int64, float64[:])",
        "lane blocks, on processors with AVX2 or NEON",
    ),
]


@pytest.mark.parametrize(("function", "layout", "signature", "words"), CORE_CASES)
def test_decision_for_core_dimensions(function, layout, signature, words):
    f = npp.guvectorize([signature], layout, target="cpu")(function)
    text = npp.inspect(f).host_form()
    assert words in text
    assert "vector library" not in text
    assert ("lanes(" in npp.inspect(f).source("cpu")) == ("lane blocks" in text)


def test_a_line_for_each_kernel():
    f = npp.vectorize(["float32(float32)", "float64(float64)"], target="cpu")(plain)
    assert len(npp.inspect(f).host_form().splitlines()) == 2
    assert npp.inspect(f).host_form("float32(float32)").startswith("float32")


def test_bodies_in_cpp_run_element_by_element():
    f = npp.vectorize(["float64(float64)"], args="x", body="return x < 0 ? 0 : x;", target="cpu")
    assert npp.inspect(f).host_form() == "float64(float64): element by element (a body in C++)"
    assert np.array_equal(f([-1.0, 2.0]), [0.0, 2.0])
