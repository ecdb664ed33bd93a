"""Names with any characters: in #line directives, PTX, compilers' messages, files of the cache."""

import types

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin.numba import cuda as numba_cuda

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")

NAMES = ['q"uote', "q\"u\\o\nt\te\0s' */ // %s {x} $(x) `x` ??/ \x7f ü日😀 " + "x" * 300]
X = np.arange(5.0)


@pytest.fixture(autouse=True)
def device():
    """A simulated device."""
    with cuda.simulator() as made:
        yield made


def add_one(x):
    return x + 1


def add_one_to_all(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + 1


def add_one_in_thread(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + 1


def renamed(function, name):
    made = types.FunctionType(function.__code__, function.__globals__, name)
    made.__qualname__ = name
    return made


def launched(kernel):
    out = np.zeros(5)
    kernel[1, 32](X, out)
    return out


TYPES, CORE = ["f8(f8)"], (["f8[:], f8[:]"], "(n)->(n)")
BODY = {"args": "x", "body": "return x + 1;"}
FORMS = {
    "vectorize, name=": lambda name: npp.vectorize(TYPES, name=name)(add_one),
    "vectorize": lambda name: npp.vectorize(TYPES)(renamed(add_one, name)),
    "vectorize, lazy": lambda name: npp.vectorize(renamed(add_one, name)),
    "vectorize, body=": lambda name: npp.vectorize(TYPES, name=name, **BODY),
    "guvectorize": lambda name: npp.guvectorize(*CORE, name=name)(add_one_to_all),
    "fuse": lambda name: npp.fuse(renamed(add_one, name)),
    "ElementwiseKernel": lambda name: npp.ElementwiseKernel("T x", "T y", "y = x + 1", name),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_calls(nvrtc, form, name):
    f = FORMS[form](name)
    np.testing.assert_array_equal(f(cuda.to_device(X)).copy_to_host(), X + 1)
    if form != "ElementwiseKernel":
        np.testing.assert_array_equal(f(X), X + 1)


@pytest.mark.parametrize("name", NAMES)
def test_kernels(nvrtc, name):
    function = renamed(add_one_in_thread, name)
    for kernel in (cuda.kernel(function), numba_cuda.jit("void(f8[:], f8[:])")(function)):
        np.testing.assert_array_equal(launched(kernel), X + 1)
        assert kernel.name == name


@pytest.mark.parametrize("name", NAMES)
def test_reductions(nvrtc, name):
    kernel = npp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", name)
    assert float(kernel(cuda.to_device(X))) == 10
    f = npp.vectorize(["f8(f8, f8)"], name=name, args="x, y", body="return x + y;")
    assert float(f.reduce(cuda.to_device(X))) == f.reduce(X) == 10


def message_of(name, target, **options):
    with pytest.raises(npp.CompilerError) as found:
        npp.vectorize(TYPES, name=name, args="x", target=target, **options)(cuda.to_device(X))
    shown = "".join({'"': "'", "\\": "/"}.get(each, each) for each in name)
    shown = "".join(" " if ord(each) < 32 or each == "\x7f" else each for each in shown)
    return str(found.value).replace(name, "NAME").replace(shown, "NAME")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize(
    "options",
    [{"body": "return x + y;"}, {"body": "return x;", "preamble": "double f() { return z; }"}],
    ids=["body", "preamble"],
)
def test_errors_are_those_of_other_names(nvrtc, target, name, options):
    message = message_of(name, target, **options)
    assert message == message_of("plain", target, **options)
    assert "line 1" in message


@pytest.mark.parametrize("name", NAMES)
def test_external_functions(nvrtc, tmp_path, name):
    path = tmp_path / f"{name[:100].translate({0: None, ord('/'): None})}.cu"
    path.write_text("__device__ double twice(double x) { return 2 * x; }")
    text = "double twice(double x) { return 2 * x; }"
    twice = npp.declare_device("twice", "f8(f8)", source=path, cpu=text)
    f = npp.vectorize(TYPES)(lambda x: twice(x))
    np.testing.assert_array_equal(f(cuda.to_device(X)).copy_to_host(), 2 * X)


def test_texts_in_kernels(nvrtc):
    @npp.vectorize(TYPES)
    def f(x):
        if x > 3:
            raise ValueError("q\"u\\o\tt' %s %d {x} ?\x3f/ ü日😀")
        return x

    for call in (lambda: f(X), lambda: f(cuda.to_device(X)).copy_to_host()):
        with pytest.raises(ValueError) as found:
            call()
        assert "q\"u\\o\tt' %s %d {x} ?\x3f/ ü日😀" in str(found.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda name: npp.vectorize(TYPES, name=name)(add_one),
        lambda name: numba_cuda.jit(renamed(add_one_in_thread, name)),
        lambda name: npp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", name),
    ],
)
def test_surrogates_are_refused(make):
    with pytest.raises(ValueError, match=r"name has '\\ud800' at index 1, which UTF-8 cannot"):
        make("x\ud800")
