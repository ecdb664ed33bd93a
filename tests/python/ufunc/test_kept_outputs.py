"""Outputs that a generalized kernel reads, or writes in part, keep what was in them.

NumPy's temporaries, of casts and of overlaps, begin with it: the kernels themselves are the judge.
"""

import warnings

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
    pytest.mark.usefixtures("device"),
]

KERNELS = {
    "(n)->()": "def f(x, out):\n    for k in range(len(x)):\n        out[0] += x[k]\n",
    "(n)->(n)": "def f(x, out):\n    for k in range(0, len(x), 4):\n        out[k] = x[k]\n",
    "()->()": "def f(x, out):\n    if x > 2:\n        out[0] += x\n",
}
BODIES = {
    "(n)->()": "for (long k = 0; k < x.shape(0); ++k) out(0) += x(k);",
    "(n)->(n)": "for (long k = 0; k < x.shape(0); k += 4) out(k) = x(k);",
    "()->()": "if (x > 2) out(0) += x;",
}
WAYS = ["declared", "lazy", "parallel", "body", "cuda"]


def declare(layout, way):
    f = function(KERNELS[layout])
    types = [f"void({'float64' if layout == '()->()' else 'float64[:]'}, float64[:])"]
    if way == "lazy":
        return npp.guvectorize(layout)(f)
    if way == "body":
        return npp.guvectorize(
            types, layout, name="f", args="x", outs="out", body=BODIES[layout], target="cpu"
        )
    return npp.guvectorize(types, layout, target="cpu" if way == "declared" else way)(f)


@pytest.fixture(scope="module", params=WAYS)
def ufuncs(request):
    return {layout: declare(layout, request.param) for layout in KERNELS}


@pytest.fixture(scope="module")
def python():
    return {layout: function(source) for layout, source in KERNELS.items()}


def expected(kernel, layout, x, out):
    """What the kernel leaves in `out`, element by element of the loop dimensions."""
    kept = out.astype("f8")
    rows = kept[..., None] if layout.endswith("()") else kept
    for i in np.ndindex(rows.shape[:-1]):
        kernel(x[i], rows[i])
    return kept.astype(out.dtype)


def unaligned(values):
    memory = np.zeros(values.nbytes + 1, "u1")
    result = memory[1:].view(values.dtype).reshape(values.shape)
    result[...] = values
    return result


def strided(values):
    result = np.zeros((*values.shape, 3))
    result[..., 1] = values
    return result[..., 1]


OUTS = {
    "as declared": np.copy,
    "float32": lambda values: values.astype("f4"),
    "big-endian": lambda values: values.astype(">f8"),
    "int8": lambda values: values.astype("i1"),
    "unaligned": unaligned,
    "strided": strided,
    "Fortran": lambda values: np.asfortranarray(values),
}


@pytest.mark.parametrize("kind", OUTS)
@pytest.mark.parametrize("layout", KERNELS)
def test_outs_of_every_kind(ufuncs, python, layout, kind):
    x = np.arange(40.0).reshape(5, 8) % 11
    out = OUTS[kind](np.full(5 if layout == "(n)->()" else (5, 8), 7.0))
    wanted = expected(python[layout], layout, x, out)
    ufuncs[layout](x, out=out, casting="unsafe")
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("layout", KERNELS)
def test_outs_that_overlap_the_input(ufuncs, python, layout):
    memory = np.arange(48.0).reshape(6, 8)
    x = memory[:5]
    out = memory[1:6, 0] if layout == "(n)->()" else memory[1:]
    wanted = expected(python[layout], layout, x.copy(), out)
    ufuncs[layout](x, out=out)
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1"])
@pytest.mark.parametrize("layout", KERNELS)
def test_device_arrays(ufuncs, python, layout, dtype):
    x = np.arange(40.0).reshape(5, 8) % 11
    out = np.full(5 if layout == "(n)->()" else (5, 8), 7, dtype)
    wanted = expected(python[layout], layout, x, out)
    there = cuda.to_device(out)
    ufuncs[layout](cuda.to_device(x), out=there, casting="unsafe")
    assert np.array_equal(there.copy_to_host(), wanted)


@pytest.mark.parametrize("layout", KERNELS)
def test_device_arrays_that_overlap(ufuncs, python, layout):
    memory = np.arange(48.0).reshape(6, 8)
    there = cuda.to_device(memory)
    place = np.s_[1:6, 0] if layout == "(n)->()" else np.s_[1:]
    wanted = expected(python[layout], layout, memory[:5], memory[place])
    ufuncs[layout](there[:5], out=there[place])
    assert np.array_equal(there.copy_to_host()[place], wanted)


WRITES_ALL = [
    "for i in range(len(x)):\n    o[i] = x[i]",
    "for i in range(o.shape[0]):\n    o[i] = x[i]\n    o[i] += 1",
    "n = len(x)\nfor i in range(n - 1, -1, -1):\n    o[i] = x[i]",
    "o[:] = 0\nfor i in range(len(x)):\n    o[x[i] % 3] += 1",
    "o[...] = x\no[0] = o[1]",
    "o[0] = x[0]\nfor i in range(1, len(x)):\n    o[i] = o[i - 1] + x[i]",
    "o[-1] = x[-1]\nfor i in range(len(x) - 2, -1, -1):\n    o[i] = o[i + 1] + x[i]",
    "for i in range(len(x)):\n    if x[i] > 2:\n        o[i] = 1\n    else:\n        o[i] = 0",
    "for i in range(len(x)):\n    if x[i] > 2:\n        o[i] = 1\n        continue\n    o[i] = 0",
    "if len(x) > 2:\n    o[:] = 1\n    return\no[:] = x",
]
LEAVES_SOME = [
    "for i in range(1, len(x)):\n    o[i] = x[i]",
    "for i in range(len(x) - 1):\n    o[i] = x[i]",
    "for i in range(len(x)):\n    if x[i] > 2:\n        o[i] = 1",
    "for i in range(len(x)):\n    if x[i] > 9:\n        break\n    o[i] = 1",
    "for i in range(len(x)):\n    if x[i] > 9:\n        continue\n    o[i] = 1",
    "for i in range(len(x)):\n    if x[i] > 9:\n        return\n    o[i] = 1",
    "for i in range(0, len(x), 2):\n    o[i] = 1",
    "for i in range(len(x)):\n    o[0] = x[i]",
    "o[x[0]] = 1",
    "o[:-1] = 1",
    "i = 0\nwhile i < 2:\n    o[i] = 1\n    i += 1",
]


def of_ints(body):
    """A kernel of integers, whose copies of outs of floating numbers cannot hold a NaN."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    f = function(f"def f(x, o):\n{lines}")
    return npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(n)", target="cpu")(f)


def reads_out(ufunc):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ufunc(np.arange(6), out=np.full(6, np.nan))
    return "invalid value encountered in cast" in [str(each.message) for each in caught]


@pytest.mark.parametrize("body", WRITES_ALL)
def test_an_output_that_is_written_whole_is_not_read(body):
    assert not reads_out(of_ints(body))


@pytest.mark.parametrize("body", LEAVES_SOME)
def test_an_output_that_is_written_in_part_is_read(body):
    assert reads_out(of_ints(body))


def test_triangles_of_a_matrix():
    source = """
def f(x, lower, both):
    n = x.shape[0]
    for i in range(n):
        for j in range(i + 1):
            lower[i, j] = x[i, j]
        for j in range(n):
            both[i, j] = x[i, j]
"""
    f = npp.guvectorize(["void(int64[:,:], int64[:,:], int64[:,:])"], "(n,n)->(n,n),(n,n)")(
        function(source)
    )
    lower, both = np.full((2, 3, 3), 7, "f4")
    f(np.ones((3, 3), int), out=(lower, both), casting="unsafe")
    assert lower.tolist() == [[1, 7, 7], [1, 1, 7], [1, 1, 1]]
    assert (both == 1).all()
