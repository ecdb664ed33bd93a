"""`for` over arrays, tuples, enumerate, zip and reversed: Python's own items, on every target."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from device_calls import assert_both
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")


# Bodies of functions of arrays a, b and table, and a number n, which return an integer.
FORMS = {
    "values": "s = 0\nfor v in a: s = 10 * s + v\nreturn s",
    "last": "v = -7\nfor v in a: pass\nreturn v",
    "changed": "s = 0\nfor v in a:\n    v += 5\n    s = 10 * s + v\nreturn s",
    "views": "s = 0\nfor v in a[1:]: s = 10 * s + v\nfor v in a[::-2]: s = 10 * s - v\nreturn s",
    "local": "t = npp.local_array(3, np.int64)\nt[1] = 4\ns = 0\n"
             "for v in t:\n    t[2] += 2\n    s = 10 * s + v\nreturn s",
    "rows": "s = 0\nfor row in table:\n    for v in row: s = 3 * s + v\nreturn s",
    "row": "s = 0\nrow = table[0]\nfor v in row:\n    row = table[1]\n    s += v * row[0]\n"
           "return s",
    "transposed": "s = 0\nfor column in table[:, ::2]: s = 3 * s + column[-1]\nreturn s",
    "constant": "s = 0\nfor v in DIGITS: s = 10 * s + v\nreturn s",
    "enumerated": "s = 0\nfor i, v in enumerate(a): s += (i + 1) * v\nreturn 10 * s + len(a)",
    "from 3": "s = 0\ni = 50\nfor i, v in enumerate(a, 3): s += i * v\nreturn 10 * s + i",
    "from n": "s = 0\nfor i, v in enumerate(a, start=n): s += i * v\nreturn s",
    "start": "s = 0\nfor i, v in enumerate(a, n):\n    n = 9\n    s += i * v\nreturn s + n",
    "float": "i = 0.5\nfor i, v in enumerate(a): pass\nreturn int(4 * i)",
    "pairs": "s = 0\nfor pair in enumerate(a): s += pair[0] * pair[1]\nreturn s",
    "counted": "s = 0\nfor i, v in enumerate(a):\n    i += 10\n    s += i * v\nreturn s",
    "zipped": "s = 0\nfor u, v in zip(a, b): s = 10 * s + u * v\nreturn s",
    "shortest": "s = 0\nfor u, v, i in zip(a, b[:2], range(5, 50, 7)): s += u * v * i\nreturn s",
    "one": "s = 0\nfor (u,) in zip(a): s += u\nreturn s",
    "ranges": "s = 0\nfor i, j in zip(range(n), range(9, -9, -2)): s = 7 * s + i * j\nreturn s",
    "nested": "s = 0\nfor i, (u, v) in enumerate(zip(a, b)): s += i * u - v\nreturn s",
    "zip of both": "s = 0\nfor (i, u), j in zip(enumerate(a, 1), range(n)): s += i * u - j\n"
                   "return s",
    "twice": "s = 0\nfor i, i in enumerate(a): s = 10 * s + i\nreturn s",
    "backward": "s = 0\nfor v in reversed(a): s = 10 * s + v\nreturn s",
    "count down": "s = 0\nfor i in reversed(range(n)): s = 10 * s + i\nreturn s",
    "down from": "s = 0\nfor i in reversed(range(2, n)): s = 10 * s + i\nreturn s",
    "down twos": "s = 0\nfor i in reversed(range(n, 9, 2)): s = 10 * s + i\nreturn s",
    "up": "s = 0\nfor i in reversed(range(n, -3, -1)): s = 10 * s + i\nreturn s",
    "constants": "s = 0\nfor i in reversed(range(0, 10, 3)): s = 10 * s + i\n"
                 "for i in reversed(range(5, 5)): s = 10 * s + i\nreturn s",
    "step": "s = 0\nfor i in range(n, -n, -2): s = 10 * s + i\nreturn s",
    "steps": "s = 0\nfor i in range(0, 9, n + 9): s = 10 * s + i\nreturn s",
    "enumerated range": "s = 0\nfor k, i in enumerate(range(n, 20, 4)): s += k * i\nreturn s",
    "backward pairs": "s = 0\nfor u, v in zip(a, reversed(b)): s = 10 * s + u * v\nreturn s",
    "tuple": "s = 0\nfor k in (n, 2 * n, 7): s = 10 * s + k\nreturn s",
    "tuple changed": "s = 0\nfor k in (n, 2):\n    k += 5\n    s = 10 * s + k\nreturn s",
    "list": "s = 0\nfor k in [3, n]: s = 10 * s + k\nreturn s",
    "mixed": "s = 0\nfor k in (1, 2.5, n > 2): s = 2 * s + int(4 * k)\nreturn s",
    "arrays": "s = 0\nfor x in (a, b[1:], DIGITS):\n    for v in x: s = 2 * s + v\nreturn s",
    "ranks": "s = 0\nfor x in (a, table): s = 10 * s + x.ndim * len(x)\nreturn s",
    "positions": "s = 0\nfor i, x in enumerate((a, DIGITS)): s += (i + 1) * x.size\nreturn s",
    "tuples": "s = 0\nfor u, v in ((n, 2), (3, n)): s = 10 * s + u - v\nreturn s",
    "tuple last": "for k in (n, 5): pass\nreturn k",
    "tuple swap": "u = n\nv = 1\nfor k in (u, v):\n    u, v = v, 9\n    v += k\nreturn 100 * u + v",
    "tuple break": "s = 0\nfor k in (1, n, 3):\n    if k == 2: break\n    if k == 1: continue\n"
                   "    s = 10 * s + k\nreturn 10 * s + k",
    "tuple pairs": "s = 0\nfor k, v in zip((3, 4, 5), a): s += k * v\nreturn s",
    "tuple both": "s = 0\nfor k, j in zip((3, 4, 5), reversed((1, n))): s += k * j\nreturn s",
    "tuple found": "for k in (1, 2, 3):\n    if k * k >= n: return k\nreturn 0",
    "nested tuples": "s = 0\nfor i in (1, 2):\n    for j in (n, 3):\n        if i == j: break\n"
                     "        s += i * j\n    else:\n        s += 100\nreturn s",
    "else": "for v in a:\n    if v == 2: break\nelse:\n    return -1\nreturn n",
    "else always": "s = 0\nfor v in a: s += v\nelse: s += 1000\nreturn s",
    "else value": "for v in a:\n    if v > 2:\n        k = v\n        break\nelse: k = -5\n"
                  "return k",
    "else outer": "s = 0\nfor i in range(4):\n    for v in a:\n        if v == i: break\n"
                  "    else:\n        break\n    s += 1\nreturn s",
    "while else": "i = 0\nwhile i < n:\n    i += 1\n    if i == 4: break\nelse:\n    i = -i\n"
                  "return i",
    "tuple else": "for k in (4, n):\n    if k == 2: break\nelse: k = 11\nreturn k",
    "continue": "s = 0\nfor i, v in enumerate(a):\n    if v % 2: continue\n    s += i\nreturn s",
    "sizes": "s = 0\nfor size in table.shape: s = 10 * s + size\nreturn 10 * s + len(table.shape)",
    "size n": "s = 1\nfor i in range(2): s = 10 * s + table.shape[i] * table.shape[i - 2]\n"
              "return s",
    "size": "m = table.shape[0]\nm = m - 1\nm *= 3\nk, m = table.shape\nreturn 10 * k + m",
}  # fmt: skip
DIGITS = np.array([3, 1, 4])


def functions(decorate=lambda function: function, **names):
    indented = {name: "    " + body.replace("\n", "\n    ") for name, body in FORMS.items()}
    source = "".join(
        f"def f{k}(a, b, table, n):\n{body}\n" for k, body in enumerate(indented.values())
    )
    names = define(source, DIGITS=DIGITS, **names)
    return [decorate(names[f"f{k}"]) for k in range(len(FORMS))]


@pytest.fixture(scope="module")
def forms():
    calls = "".join(f"    out[{k}] = f{k}(a, b, table, n)\n" for k in range(len(FORMS)))
    compiled = {f"f{k}": f for k, f in enumerate(functions(npp.device))}
    kernel = define(f"def f(a, b, table, n, out):\n{calls}", **compiled)["f"]
    signature = ["void(int64[:], int64[:], int64[:,:], int64, int64[:])"]
    return npp.guvectorize(signature, f"(n),(n),(p,q),()->({len(FORMS)})")(kernel)


@pytest.mark.parametrize(
    ("a", "b", "rows", "n"),
    [
        ([1, 2, 3, 4], [5, 6, 7, 8], 3, 2),
        ([4], [9], 2, 5),
        ([6, 1, 3], [2, 2, 1], 4, 0),
        ([], [], 2, -3),
    ],
)
def test_every_form_takes_pythons_items(forms, a, b, rows, n):
    a, b = np.array(a, np.int64), np.array(b, np.int64)
    table = np.arange(1, 3 * rows + 1).reshape(rows, 3)
    numpys = SimpleNamespace(local_array=np.zeros)
    expected = [f(a, b, table, n) for f in functions(npp=numpys)]
    found = forms(a, b, table, n)
    wrong = [name for name, x, y in zip(FORMS, found, expected, strict=True) if x != y]
    assert not wrong, wrong
    assert_both(forms, expected, a, b, table, np.array(n))


KERNELS = {
    "sum": "s = 0.0\nfor v in a: s += v\nout[0] = s",
    "product": "s = 0.0\nfor u, v in zip(a, b): s += u * v\nout[0] = s",
    "weighted": "s = 0.0\nfor i, v in enumerate(a): s += i * v\nout[0] = s",
    "backward": "s = 0.0\nfor v in reversed(a): s = 0.5 * s + v\nout[0] = s",
    "down": "s = 0.0\nfor i in reversed(range(len(a))): s = 0.5 * s + a[i]\nout[0] = s",
    "all": "s = 0.0\ni = 0\nfor x in (a, b):\n  for i in range(len(x)): s += x[i]\nout[0] = s + i",
}
# The same with an index.
LOOPS = {
    "sum": "for index in range(len(a)):\n    v = a[index]\n    s += v",
    "product": "for index in range(len(a)):\n    u = a[index]\n    v = b[index]\n    s += u * v",
    "weighted": "for i in range(len(a)):\n    v = a[i]\n    s += i * v",
    "backward": "for index in range(len(a) - 1, -1, -1):\n    v = a[index]\n    s = 0.5 * s + v",
    "down": "for i in range(len(a) - 1, -1, -1): s = 0.5 * s + a[i]",
    "all": "i = 0\nfor i in range(len(a)): s += a[i]\nfor i in range(len(b)): s += b[i]",
}


def kernel_of(body: str) -> np.ufunc:
    indented = "    " + body.replace("\n", "\n    ")
    function = define(f"def f(a, b, out):\n{indented}\n", "loop.py")["f"]
    signature = ["void(float64[:], float64[:], float64[:])"]
    return npp.guvectorize(signature, "(n),(n)->()")(function)


@pytest.mark.parametrize("name", KERNELS)
def test_the_code_is_that_of_the_loop_with_an_index(name):
    short = kernel_of(KERNELS[name])
    result = KERNELS[name].partition("out[0] = ")[2]
    long = kernel_of(f"s = 0.0\n{LOOPS[name]}\nout[0] = {result}")
    for target in ("cpu", "cuda"):
        texts = [npp.inspect(f).source(target) for f in (short, long)]
        assert "for (" in texts[0]
        texts = [re.sub(r"(?m)^ *#line .*\n", "", text) for text in texts]
        assert texts[0] == texts[1]


def test_loops_over_enumerate_are_split_among_threads():
    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->(n)")
    def scaled(a, b, out):
        for i, (u, v) in enumerate(zip(a, b, strict=False)):
            out[i] = 2 * u - v

    a = np.arange(12.0).reshape(3, 4)
    assert_both(scaled, a, a, a)
    on_device = [cuda.to_device(a)] * 2
    assert "thread" in str(npp.inspect(scaled).explain(*on_device))


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_an_output_is_read_as_it_is_written(target):
    @npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(n)", target=target)
    def accumulated(a, out):
        for i, v in enumerate(a):
            out[i] = v
        for i, v in enumerate(out):
            if i + 1 < len(out):
                out[i + 1] += v

    a = np.arange(10).reshape(2, 5)
    assert_both(accumulated, np.cumsum(a, axis=1), a)


def test_arrays_of_different_types_and_writes_through_a_tuple():
    @npp.device
    def fill(pair, value):
        target, source = pair
        for i, v in enumerate(source):
            target[i] = v + value

    @npp.guvectorize(["void(float32[:], int32[:], float64[:], float64[:])"], "(n),(n)->(n),(n)")
    def both(a, b, first, second):
        for source, target in ((a, first), (b, second)):
            for i, v in enumerate(source):
                target[i] = v * 0.5
        pairs = (first, a)
        fill(pairs, pairs[0][0])

    a, b = np.array([1.5, 2.5], np.float32), np.array([3, 4], np.int32)
    first, second = both(a, b)
    assert first.tolist() == [2.25, 3.25]
    assert second.tolist() == [1.5, 2.0]
    on_device = both(cuda.to_device(a), cuda.to_device(b))
    assert [x.copy_to_host().tolist() for x in on_device] == [[2.25, 3.25], [1.5, 2.0]]


def test_loops_in_kernels_of_cuda():
    @cuda.kernel("void(float64[:,:], int64[:], int64, float64[:])")
    def sums(table, order, step, out):
        for k in range(cuda.grid(1), len(order), cuda.gridsize(1)):
            s = 0.0
            for u, w in zip(table[order[k]], (1.0, 10.0, 100.0), strict=False):
                s += u * w
            for _ in range(0, 4, step):
                s += 1000
            out[k] = s

    table, out = np.arange(12.0).reshape(3, 4), np.zeros(3)
    sums[1, 2](table, np.array([2, 0, 1]), 2, out)
    assert out.tolist() == [3098.0, 2210.0, 2654.0]
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        sums[1, 2](table, np.array([2, 0, 1]), 0, out)


def test_a_step_of_zero_raises():
    @npp.vectorize(["int64(int64, int64)"])
    def count(n, step):
        s = 0
        for k, i in enumerate(range(0, n, step)):
            s += k + 0 * i
        return s

    n = np.array([9, 9, -9])
    assert_both(count, [36, 10, 10], n, np.array([1, 2, -2]))
    for operands in ((n, np.array([1, 0, 2])), (cuda.to_device(n), cuda.to_device(n * 0))):
        with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero"):
            count(*operands)


def test_an_index_of_shape_is_checked_in_debug_mode(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")

    @npp.guvectorize(["void(float64[:,:], int64, int64[:])"], "(m,n),()->()")
    def size(a, i, out):
        out[0] = a.shape[i]

    a = np.zeros((3, 4))
    assert_both(size, [3, 4, 3, 4], a, np.array([0, 1, -2, -1]))
    for i in (2, -3):
        with pytest.raises(IndexError, match=r"^tuple index out of range"):
            size(a, i)


ERRORS = {
    "for v in x: pass": "'for' in a kernel must iterate over a range, an array or a tuple; "
                        "found float64",
    "for i in enumerate(x): pass": "enumerate needs a range, an array or a tuple, x is float64",
    "for i in zip(): pass": "zip takes 1 or more arguments, 0 given",
    "for i in zip(T, strict=True): pass": "zip in a kernel ends with the shortest of what it takes",
    "for u, v in zip(T): pass": "cannot unpack 1 value into 2 names",
    "for u, v in range(3): pass": "cannot unpack an int64 into 2 names",
    "for v in reversed(zip(T, T)): pass": "reversed needs a range, an array or a tuple, found zip",
    "for v in enumerate(T, 0.5): pass": "enumerate needs integers, 0.5 is float64",
    "k = zip(T, T)": "zip can be used only in a 'for' loop",
    "k = enumerate(T)": "enumerate can be used only in a 'for' loop",
    "for v in T:\n    y = undefined": "unknown name 'undefined'",
    "for v in LONG: pass": "loops over tuples are compiled once per item, 600 times here; "
                           "at most 512",
    "for a in T:\n    for b in (1, 2):\n        for c in LONG[:0]: pass":
        "a slice of a tuple in a kernel",
}  # fmt: skip


@pytest.mark.parametrize("body", ERRORS)
def test_what_cannot_be_iterated_over(body):
    indented = "    " + body.replace("\n", "\n    ")
    source = f"def f(x):\n{indented}\n    return x\n"
    error = error_of(npp.vectorize(["float64(float64)"]), source, T=(1, 2), LONG=(1,) * 600)
    assert str(error).startswith(ERRORS[body] + "\n"), str(error)
    assert str(error).count('File "') == 1, str(error)
