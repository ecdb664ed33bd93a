"""`print` in kernels: Python's own text on sys.stdout, from every target."""

import contextlib
import io
import signal
import sys
import time
import warnings

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda


def printed(call) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        call()
    return out.getvalue()


def on_device(f, *operands) -> str:
    """Return what a call prints until the device has been waited for."""
    with cuda.simulator():
        arrays = [cuda.to_device(np.asarray(x)) for x in operands]

        def call():
            f(*arrays)
            cuda.synchronize()

        return printed(call)


@npp.device
def half(x):
    print("half of", x)
    return x / 2


def kernel(x, n):
    print("x =", x, n)
    y = half(x)
    if n > 1:
        print(f"{x:.3f}|{n!r:>12}|{y}", end=";\n")
    return y * n


signatures = ["float64(float64, int64)"]
scaled = npp.vectorize(signatures)(kernel)
parallel = npp.vectorize(signatures, target="parallel")(kernel)


def lines_of(x, n) -> str:
    text = io.StringIO()
    for a, b in zip(x, n, strict=True):
        print("x =", a, b, file=text)
        print("half of", a, file=text)
        if b > 1:
            print(f"{a:.3f}|{b!r:>12}|{a / 2}", end=";\n", file=text)
    return text.getvalue()


X = np.array([0.1, -2.5e-7, 1e16, np.nan, 3.0])
N = np.array([1, 2, -3, 2**62, 5])


@pytest.mark.parametrize("f", [scaled, parallel], ids=["cpu", "parallel"])
def test_lines_are_pythons_in_the_order_of_the_elements(f):
    assert printed(lambda: f(X, N)) == lines_of(X, N)
    assert printed(lambda: f(X[::2], N[::2])) == lines_of(X[::2], N[::2])
    assert printed(lambda: f(0.5, 2)) == lines_of([np.float64(0.5)], [np.int64(2)])


def test_the_device_prints_the_same_lines():
    assert sorted(on_device(scaled, X, N).splitlines()) == sorted(lines_of(X, N).splitlines())


def test_many_elements_on_every_target():
    x, n = np.arange(10_000) / 7, np.ones(10_000, np.int64)
    expected = lines_of(x, n)
    assert printed(lambda: parallel(x, n)) == expected
    assert printed(lambda: scaled(x[::-1], n)) == lines_of(x[::-1], n)
    assert sorted(on_device(scaled, x, n).splitlines()) == sorted(expected.splitlines())


DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "F", "D"]
show = npp.vectorize([f"{np.dtype(d).name}({np.dtype(d).name})" for d in DTYPES])(
    define("def f(x):\n    print(x, f'{x!r} {x}')\n    return x\n")["f"]
)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_are_shown_as_numpys_scalars(dtype):
    values = np.array([0, 1, 100, 16777216 % 251], dtype)
    if np.dtype(dtype).kind in "fc":
        values = np.append(values, np.array([0.1, 1e-5, 65000, -np.inf, np.nan], dtype))
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        values = np.append(values, np.array([info.min, info.max], dtype))
    if dtype in "FD":
        values = np.append(values, np.array([complex(-0.0, 1), 1j], dtype))
    expected = "".join(f"{x!s} {x!r} {x}\n" for x in values)
    assert printed(lambda: show(values)) == expected
    assert sorted(on_device(show, values).splitlines()) == sorted(expected.splitlines())


@npp.guvectorize(["void(float32[:], float32[:])"], "(n)->()")
def total(a, out):
    out[0] = 0
    for i in range(len(a)):
        out[0] += a[i]
        print(i, out[0], sep=": ", end=" ")
    print()


def test_generalized_kernels_print_parts_of_lines():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = "0: 0.0 1: 1.0 2: 3.0 \n0: 3.0 1: 7.0 2: 12.0 \n"
    assert printed(lambda: total(a)) == expected
    assert on_device(total, a[:1]) == expected[: expected.index("\n") + 1]


@cuda.kernel("void(int64[:])")
def count(a):
    i = cuda.grid(1)
    a[i] += 1
    print("thread", i, "has", a[i])


def test_device_kernels_print_when_they_are_waited_for():
    with cuda.simulator():
        a = cuda.to_device(np.arange(4))
        stream = cuda.stream()

        def launch():
            count[1, 4, stream](a)
            stream.synchronize()

        expected = [f"thread {i} has {i + 1}" for i in range(4)]
        assert sorted(printed(launch).splitlines()) == expected
        assert printed(stream.synchronize) == ""
        host = np.zeros(1, np.int64)
        assert printed(lambda: count[1, 1](host)) == "thread 0 has 1\n"


def test_lost_lines_are_told():
    @cuda.kernel("void(int64)")
    def chatter(n):
        for i in range(n):
            print(i)

    with cuda.simulator(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = printed(lambda: (chatter[1, 1](32768 + 5), cuda.synchronize()))
        second = printed(lambda: (chatter[1, 1](2), cuda.synchronize()))
    assert first == "".join(f"{i}\n" for i in range(32768))
    assert second == "0\n1\n"
    (warning,) = caught
    assert warning.category is RuntimeWarning
    assert str(warning.message).startswith("5 lines printed on the device were lost")


def test_elements_that_raise_are_printed_once():
    source = "def f(x):\n    print(x)\n    assert x < 2\n    return x\n"
    f = npp.vectorize(["int64(int64)"])(define(source)["f"])
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(AssertionError) as caught:
        f(np.arange(100))
    assert caught.value.element == (2,)
    assert out.getvalue() == "0\n1\n2\n"


def test_printing_does_not_change_results():
    x = np.linspace(-3, 3, 1001)
    plain = npp.vectorize(["float64(float64)"])(define("def f(x):\n    return x * x - 1\n")["f"])
    source = "def f(x):\n    print(end='')\n    return x * x - 1\n"
    np.testing.assert_array_equal(
        npp.vectorize(["float64(float64)"])(define(source)["f"])(x), plain(x)
    )


def test_a_failing_output_does_not_fail_the_call(monkeypatch):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError("no space")

    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: seen.append(found.exc_value))
    monkeypatch.setattr(sys, "stdout", Full())
    result = scaled(1.0, 1)
    monkeypatch.undo()
    assert result == 0.5
    assert [str(error) for error in seen] == ["no space", "no space"]
    assert printed(lambda: scaled(1.0, 1)) == lines_of(np.array([1.0]), np.array([1]))


def test_an_interrupt_while_printing_is_not_lost(monkeypatch):
    class Interrupted(io.StringIO):
        n_writes = 0

        def write(self, text):
            self.n_writes += 1
            if self.n_writes == 1:
                raise KeyboardInterrupt
            return super().write(text)

    monkeypatch.setattr(sys, "stdout", Interrupted())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            scaled(1.0, 1)
            time.sleep(10)
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_an_output_nothing_is_printed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert scaled(1.0, 1) == 0.5


TEXTS = {
    "print()": "\n",
    "print('')": "\n",
    "print('a', 'b', sep='')": "ab\n",
    "print('a', sep=None, end=None)": "a\n",
    "print('quote \"', 'back\\\\slash ??/ 100%d')": 'quote " back\\slash ??/ 100%d\n',
    "print('über 1')": "über 1\n",
    "print(f'{x:>5.1f}|{{}}|{x}', 7, 2.5, 1j, True)": "  4.0|{}|4.0 7 2.5 1j True\n",
    "print(f'')": "\n",
    "print(x, " * 1 + "x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)": " ".join(["4.0"] * 16) + "\n",
}


@pytest.mark.parametrize("call", TEXTS)
def test_texts(call):
    f = npp.vectorize(["float64(float64)"])(define(f"def f(x):\n    {call}\n    return x\n")["f"])
    assert printed(lambda: f(4.0)) == TEXTS[call]


MISTAKES = {
    "y = print(x)": "print returns nothing",
    "print(x) if x > 0 else 0": "print returns nothing",
    "print((x, x))": "print in a kernel takes str and numbers, (x, x) is a tuple of 2",
    "print(x, file=x)": "print in a kernel has no 'file'",
    "print(x, sep=x)": "'sep' of print in a kernel must be a literal str",
    "print(unknown)": "unknown name 'unknown'",
    "print(f'{x:{x}}')": "the format of a number in print must be a plain str",
    "print('\\x1f')": "print in a kernel takes no control characters 0 and 29 to 31",
    "print(" + "x, " * 17 + ")": "print in a kernel takes at most 16 numbers, found 17",
    "print('" + "a" * 300 + "')": "the text of print in a kernel has",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes(line):
    declare = npp.vectorize(["float64(float64)"])
    error = error_of(declare, f"def f(x):\n    {line}\n    return x\n")
    (diagnostic,) = error.diagnostics
    assert diagnostic.message.startswith(MISTAKES[line])


def test_arrays_are_printed_by_their_elements():
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, "def f(a, out):\n    print(a)\n    out[0] = 0\n")
    (diagnostic,) = error.diagnostics
    assert diagnostic.message.endswith("a is a 1-dimensional array")
    assert diagnostic.hint == "print its elements in a 'for' loop"
