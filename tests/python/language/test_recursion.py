"""Device functions that call themselves, to a bounded depth, on hosts and devices."""

import math

import numpy as np
import pytest
from kernel_source import error_of

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.device
def factorial(n):
    if n <= 1:
        return 1.0
    return n * factorial(n - 1)


@npp.device
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@npp.device
def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


@npp.device
def halved(x):
    return x if x < 1 else halved(x / 2)


@npp.device
def is_sum_of(n, a, b):
    if n == 0:
        return True
    return n > 0 and (is_sum_of(n - a, a, b) or is_sum_of(n - b, a, b))


@npp.device
def pair(n):
    if n == 0:
        return 0, 1
    a, b = pair(n - 1)
    return b, a + b


@npp.device
def place(x, value, low, high):
    if high - low <= 1:
        return low
    middle = (low + high) // 2
    if x[middle] <= value:
        return place(x, value, middle, high)
    return place(x, value, low, middle)


@npp.device
def quicksort(x, low, high):
    if low >= high:
        return
    pivot = x[(low + high) // 2]
    i = low
    j = high
    while i <= j:
        while x[i] < pivot:
            i += 1
        while x[j] > pivot:
            j -= 1
        if i <= j:
            x[i], x[j] = x[j], x[i]
            i += 1
            j -= 1
    quicksort(x, low, j)
    quicksort(x, i, high)


@npp.device
def endless(n):
    return endless(n + 1) + 1


@npp.device
def levels(n):
    return 0 if n == 0 else levels(n - 1) + 1


def inner(n):
    def product(k):
        return 1.0 if k <= 1 else k * product(k - 1)

    return product(n)


N = np.arange(13)
FORMS = {
    "float64(int64)": (lambda n: factorial(n), [math.factorial(n) for n in N]),
    "int64(int64)": (lambda n: fibonacci(n), [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]),
    "int64(int64) of two": (lambda n: gcd(n, 12), np.gcd(N, 12)),
    "int64(int64) of a tuple": (
        lambda n: pair(n)[0],
        [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144],
    ),
    "float64(int64) of other types": (
        lambda n: halved(n),
        [n / 2 ** int(n).bit_length() for n in N],
    ),
    "float64(int64) inside": (inner, [math.factorial(n) for n in N]),
    "bool(int64)": (
        lambda n: is_sum_of(n, 3, 5),
        [any((n - 3 * k) % 5 == 0 and n >= 3 * k for k in range(5)) for n in N],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_results(form):
    kernel, expected = FORMS[form]
    f = npp.vectorize([form.partition(" ")[0]])(kernel)
    assert np.array_equal(f(N), expected)
    with cuda.simulator(memory="64 MiB"):
        assert np.array_equal(f(cuda.to_device(N)).copy_to_host(), expected)


def test_lazy_declarations():
    f = npp.vectorize(lambda n: fibonacci(n))
    assert f(10) == 55
    assert f(np.int32(9)) == 34


def test_a_device_function_as_kernel():
    assert np.array_equal(npp.vectorize(["float64(int64)"])(factorial)(N[:5]), [1, 1, 2, 6, 24])


def search(x, value, out):
    out[0] = place(x, value, 0, x.shape[0])


def sort(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i]
    quicksort(out, 0, x.shape[0] - 1)


def test_arrays():
    random = np.random.default_rng(0)
    x = random.normal(size=(20, 50))
    sorted_rows = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(sort)
    assert np.array_equal(sorted_rows(x), np.sort(x))
    found = npp.guvectorize(["void(float64[:], float64, int64[:])"], "(n),()->()")(search)
    grid, values = np.arange(50.0), random.uniform(0, 49, 200)
    assert np.array_equal(found(grid, values), np.floor(values))


def test_too_many_levels_raise_with_the_element():
    f = npp.vectorize(["int64(int64)"])(lambda n: levels(n))
    assert np.array_equal(f([0, 50, 99]), [0, 50, 99])
    text = "maximum recursion depth exceeded: 100 levels of levels"
    with pytest.raises(RecursionError, match=text) as caught:
        f([1, 2, 100, 3])
    assert caught.value.element == (2,)
    with pytest.raises(RecursionError, match="100 levels of endless"):
        npp.vectorize(["int64(int64)"])(lambda n: endless(n))([1])
    with cuda.simulator(memory="64 MiB"):
        on_device = cuda.to_device(np.array([1, 100]))
        with pytest.raises(RecursionError, match=text):
            f(on_device)
            cuda.synchronize()
    assert f(7) == 7


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "@npp.device\ndef g(t):\n    return g((t, t))\ndef f(x):\n    return g(x)\n",
            "g calls itself with arguments of other types",
        ),
        (
            "@npp.device\ndef g(v):\n    return h(v - 1) if v > 0 else v\n"
            "@npp.device\ndef h(v):\n    return g(v)\ndef f(x):\n    return g(x)\n",
            "device functions are recursive: g, h, g",
        ),
        (
            "@npp.device\ndef g(v):\n    if v > 0:\n        g(v - 1)\ndef f(x):\n    return g(x)\n",
            "g returns nothing",
        ),
    ],
)
def test_mistakes(source, message):
    error = error_of(npp.vectorize(["float64(float64)"]), source)
    assert error.diagnostics[0].message == message
