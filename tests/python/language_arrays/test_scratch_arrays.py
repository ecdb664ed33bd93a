"""Arrays whose sizes are known only at run time, compared with NumPy's run of the same function."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import _core, cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]

RNG = np.random.default_rng(7)
A = RNG.integers(-9, 9, (37, 6)).astype(float)


def kernel(body: str, **options: object) -> np.ufunc:
    """Return a gufunc (n),()->(n) of arrays a and out and a scalar k."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)", **options)(
        define(f"def f(a, k, out):\n{lines}")["f"]
    )


def plain(body: str, a: np.ndarray, k: int) -> np.ndarray:
    """Run the body on NumPy's arrays, row by row."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    f = define(f"def f(a, k, out):\n{lines}")["f"]
    out = np.zeros_like(a)
    for row, result in zip(a, out, strict=True):
        f(row, k, result)
    return out


# Bodies whose sizes follow from core dimensions: on every target.
BODIES = {
    "zeros": """
t = np.zeros(len(a))
for i in range(1, len(a)):
    t[i] = t[i - 1] + a[i]
for i in range(len(a)):
    out[i] = t[i]
""",
    "a matrix of other dtypes": """
n = a.shape[0]
m = 2 * n + 1
t = np.ones((n, m // 3), dtype=np.int32)
u = np.full((2, n), 2.5, np.float32)
t[1:, 0] = 7
for i in range(n):
    out[i] = t[i].sum() + u[1, i] + t[i, 0] * a[i] + u.shape[1]
""",
    "larger from trip to trip, beside the one before": """
before = a[:1]
for i in range(len(a)):
    t = np.concatenate((a[:i], a[a > i]))
    out[i] = t.sum() * len(before)
    before = t
""",
    "full takes the number's type": """
t = np.full(len(a), 3)
u = np.full(a.shape, a[0])
out[:] = t // 2 + u
""",
    "like": """
t, u, v, w = np.zeros_like(a), np.ones_like(a), np.full_like(a, 4), np.empty_like(a, dtype=np.int8)
w[:] = 1
out[:] = t + u * v + w
""",
    "copies": """
t = a.copy()
u = np.copy(a[::-1])
v = np.array(a)
t[0] = 99
out[:] = t + 2 * u + 3 * v
""",
    "anew on each trip": """
total = 0.0
for i in range(len(a)):
    t = np.zeros(len(a))
    total += t.sum()
    t[:] = a[i]
    total += t[0]
out[:] = total
""",
    "the row before": """
prev = np.zeros(len(a) + 1)
for i in range(len(a)):
    cur = np.empty(len(a) + 1)
    cur[0] = i
    for j in range(len(a)):
        cur[j + 1] = min(prev[j + 1] + 1, cur[j] + 2, prev[j] + (a[i] != a[j]))
    prev = cur
out[:] = prev[1:]
""",
    "the two rows before": """
p = np.ones(len(a))
q = np.ones(len(a))
for i in range(5):
    r = np.zeros(len(a))
    for j in range(len(a)):
        r[j] = p[j] + q[j] + a[j]
    p = q
    q = r
out[:] = p * 1000 + q
""",
    "reversed onto itself": """
t = a.copy()
for i in range(3):
    t = t[::-1].copy()
    t[0] += 1
out[:] = t
""",
    "in branches": """
if a[0] > 0:
    t = np.zeros(len(a))
else:
    t = np.ones(len(a))
t[0] = 5
out[:] = t
""",
    "of other dtypes in branches": """
if a[0] > 0:
    s = np.ones((len(a), 2), np.int16)
    for i in range(len(a)):
        s[i, 1] = i
    out[:] = s[:, 1] + s[:, 0]
else:
    c = np.zeros(len(a), np.complex128)
    for i in range(len(a)):
        c[i] = a[i] * 1j
    out[:] = c.imag + c.real
""",
    "a tuple keeps an array": """
kept = (np.zeros(len(a)), 0)
for i in range(4):
    t = np.zeros(len(a))
    for j in range(len(a)):
        t[j] = kept[0][j] + i * a[j]
    kept = (t, i)
for j in range(len(a)):
    out[j] = kept[0][j] + kept[1]
""",
    "nothing": """
t = np.zeros(len(a) - len(a))
u = np.zeros((0, len(a)))
out[:] = len(t) + u.shape[0] + t.sum()
""",
    "more constants than local arrays have": """
t = np.zeros(9000)
t[8999] = a[0]
out[:] = t[8999] + t[0]
""",
    "two sizes that may be 1": """
t = a[::-1] + a
u = a[:1:-1] - a[: len(a) - 2]
v = a[: len(a) // 6] * a
w = np.cumsum(a[::-1] != v)
out[:] = t + u.sum() + v + w
""",
    "one of two sizes": """
n = len(a)
t = np.ones(n + 1 if n > 3 else n)
u = np.ones(n if n <= 3 else 2 * n)
out[:] = t.sum() + u.sum()
""",
    "small constants": """
t = np.ones((2, 3), np.int16)
t[1, 2] = 5
out[:] = t.sum()
""",
}

# Bodies whose sizes depend on values: on the CPU.
CPU_BODIES = {
    "a scalar": """
t = np.zeros(k)
out[:] = len(t)
""",
    "a growing array": """
total = 0.0
for i in range(len(a)):
    t = np.ones(i * 100)
    total += t.sum()
out[:] = total
""",
    "an element": """
t = np.ones(int(abs(a[0])))
out[:] = t.sum()
""",
}


def together(bodies: dict[str, str], **options: object) -> np.ufunc:
    """Return a gufunc with an output for each body, in one kernel, with variables of their own."""
    lines: list[str] = []
    for number, body in enumerate(bodies.values()):
        own = set(re.findall(r"^ *(?:for )?(\w+)(?:, \w+)* (?:\+?=|in) ", body, re.M))
        own |= set(re.findall(r", (\w+)(?=[\w, ]* = )", body)) | {"out"}
        names = "|".join(own - {"a", "k"})
        lines += re.sub(rf"\b({names})\b", rf"\g<1>{number}", body).strip("\n").splitlines()
    outputs = [f"out{number}" for number in range(len(bodies))]
    source = f"def f(a, k, {', '.join(outputs)}):\n" + "".join(f"    {line}\n" for line in lines)
    types = ", ".join(["float64[:]"] * len(outputs))
    return npp.guvectorize(
        [f"void(float64[:], int64, {types})"],
        f"(n),()->{','.join(['(n)'] * len(outputs))}",
        **options,
    )(define(source)["f"])


@pytest.fixture(scope="module")
def on_any_target() -> np.ufunc:
    return together(BODIES)


def test_results_are_numpys(on_any_target):
    on_device = on_any_target(cuda.to_device(A), 3)
    for name, found, copy in zip(BODIES, on_any_target(A, 3), on_device, strict=True):
        expected = plain(BODIES[name], A, 3)
        np.testing.assert_array_equal(found, expected, name)
        np.testing.assert_array_equal(copy.copy_to_host(), expected, name)


def test_threads_have_their_own_memory():
    large = np.tile(A, (500, 1))
    for bodies in (BODIES, CPU_BODIES):
        results = together(bodies, target="parallel")(large, 3)
        for name, found in zip(bodies, results, strict=True):
            expected = np.tile(plain(bodies[name], A, 3), (500, 1))
            np.testing.assert_array_equal(found, expected, name)


@npp.device
def middle(a):
    """The middle of the sorted elements."""
    t = a.copy()
    for i in range(1, len(t)):
        for j in range(i, 0, -1):
            if t[j - 1] > t[j]:
                t[j - 1], t[j] = t[j], t[j - 1]
    return t[len(t) // 2]


def test_device_functions_give_their_memory_back():
    source = """
def f(a, out):
    before = np.ones(len(a))
    for i in range(3):
        out[i] = middle(a[i:]) + before[i]
"""
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(
        define(source, middle=middle)["f"]
    )
    out, on_device = np.zeros_like(A), cuda.to_device(np.zeros_like(A))
    f(A, out)
    f(cuda.to_device(A), on_device)
    expected = [[np.sort(row[i:])[len(row[i:]) // 2] + 1 for i in range(3)] for row in A]
    np.testing.assert_array_equal(out[:, :3], expected)
    np.testing.assert_array_equal(on_device.copy_to_host(), out)


def test_elementwise_kernels_have_them_too():
    @npp.vectorize(["int64(int64)"])
    def partitions(n):
        ways = np.zeros(n + 1, np.int64)
        ways[0] = 1
        for part in range(1, n + 1):
            for i in range(part, n + 1):
                ways[i] += ways[i - part]
        return ways[n]

    np.testing.assert_array_equal(partitions(np.arange(10)), [1, 1, 2, 3, 5, 7, 11, 15, 22, 30])
    assert partitions(100) == 190569292
    with pytest.raises(npp.KernelError, match="only generalized ufuncs can make an array of"):
        partitions(cuda.to_device(np.arange(3)))


negative = kernel("t = np.zeros(3 - len(a))\nout[:] = len(t)")
sized = kernel("t = np.zeros(k, np.int8)\nout[:] = len(t)")
square = kernel("t = np.zeros((len(a), len(a), 512))\nout[:] = a + t[0, 0, 0]")


def test_negative_sizes_are_numpys_error():
    for operand in (A, cuda.to_device(A)):
        with pytest.raises(ValueError, match=r"^negative dimensions are not allowed"):
            negative(operand, 0)
    assert negative(A[:, :3], 0).max() == 0
    with pytest.raises(ValueError, match=r"^negative dimensions are not allowed"):
        sized(A, [3] * 36 + [-1])


def test_sizes_beyond_the_limit():
    for size in (2**31, 2**40, 2**62):
        with pytest.raises(MemoryError, match=f"Unable to allocate {size} bytes for np.zeros: "):
            sized(A, size)
    assert (sized(A, 5) == 5).all()
    assert (sized(A, 2**21) == 2**21).all()


def test_the_cpu_keeps_little_after_a_call():
    kept, _ = _core.scratch_counters()
    assert (sized(A, 2**23) == 2**23).all()
    now, most = _core.scratch_counters()
    assert most > 2**23
    assert now <= kept + 2**20


def test_a_launch_has_one_buffer_which_is_freed():
    x = cuda.to_device(A)
    thread_bytes = 6 * 6 * 512 * 8
    text = str(npp.inspect(square).explain(x, 0))
    assert f"{64 * thread_bytes} bytes of scratch memory for 64 threads" in text, text
    used = cuda.memory_info().used
    result = square(x, 0)
    assert cuda.memory_info().used == used + A.nbytes
    np.testing.assert_array_equal(result.copy_to_host(), A)


def test_threads_compute_several_elements_where_few_fit():
    x = cuda.to_device(np.tile(A, (20, 1)))
    assert "for 96 threads" in str(npp.inspect(square).explain(x, 0))
    np.testing.assert_array_equal(square(x, 0).copy_to_host(), np.tile(A, (20, 1)))


def test_scratch_beyond_a_device_is_an_error_before_the_launch():
    x = cuda.to_device(np.zeros((2, 20)))
    with pytest.raises(MemoryError, match="needs 1638400 bytes of scratch memory per thread"):
        square(x, 0)
    np.testing.assert_array_equal(square(cuda.to_device(A), 0).copy_to_host(), A)


@pytest.mark.parametrize("name", CPU_BODIES)
def test_sizes_from_values_are_refused_on_devices(name):
    f = kernel(CPU_BODIES[name])
    with pytest.raises(npp.KernelError, match="must follow from core dimensions"):
        f(cuda.to_device(A), 3)
    with pytest.raises(npp.KernelError, match="must follow from core dimensions"):
        kernel(CPU_BODIES[name], target="cuda")


MISTAKES = {
    "np.zeros(len(a), like=a)": ("numpy.zeros in a kernel has no 'like'", ""),
    "np.zeros(1.5)": ("the size of an array must be an integer, found float64", ""),
    "np.zeros(a[0])": ("the size of an array must be an integer, found float64", "int(a[0])"),
    "np.zeros(-1)": ("negative dimensions are not allowed", ""),
    "np.zeros(())": ("an array has 1 to 64 dimensions, found 0", ""),
    "np.zeros(len(a), 'f5')": ("'f5' is not a kernel type", "npp.float32"),
    "np.zeros(len(a), order='X')": ("order must be one of 'C', 'F', 'A', or 'K' (got 'X')", ""),
    "np.full(len(a))": ("np.full takes a shape, a number and a dtype", "np.full(n, 0.0)"),
    "np.full_like(a)": ("np.full_like takes an array and a number", "np.full_like(a, 0.0)"),
    "np.zeros()": ("np.zeros takes a shape and a dtype", "np.zeros(n)"),
    "a.copy(deep=True)": ("copy in a kernel has no 'deep'", ""),
    "np.array([a, a])": ("an item of an array must be a number", "np.zeros"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
    error = error_of(declare, f"def f(a, k, out):\n    t = {text}\n    out[:] = t[0]\n")
    message, hint = MISTAKES[text]
    assert error.diagnostics[0].message.startswith(message), error
    assert hint in error.diagnostics[0].hint


def test_launched_kernels_take_constant_sizes():
    def f(a):
        t = np.zeros(4)
        t[1] = 2
        a[0] = t.sum()

    a = np.zeros(1)
    cuda.kernel(f)[1, 1](a)
    assert a[0] == 2
    source = "def f(a):\n    t = np.zeros(len(a))\n    a[0] = t[0]\n"
    with pytest.raises(npp.KernelError, match=r"np\.zeros needs constant sizes in a kernel that"):
        cuda.kernel(define(source)["f"])[1, 1](a)
