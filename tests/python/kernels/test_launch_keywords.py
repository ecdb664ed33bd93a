"""Arguments of launches by keyword, bound as Python binds them for the user's function."""

import numpy as np
import pytest

from numpy_plugin import cuda
from numpy_plugin.numba import cuda as numba_cuda

pytestmark = [
    pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning"),
    pytest.mark.usefixtures("device"),
]


def axpy(a, x, y, scale=1.0):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] * scale


def make(maker):
    return {"kernel": cuda.kernel, "jit": numba_cuda.jit}[maker](axpy)


MAKERS = pytest.mark.parametrize("maker", ["kernel", "jit"])
LAUNCHES = pytest.mark.parametrize(
    "launched", [lambda kernel: kernel[1, 32], lambda kernel: kernel.forall(5)]
)


@MAKERS
@LAUNCHES
@pytest.mark.parametrize(
    ("arguments", "named", "expected"),
    [
        ("", "axy", 2.0),
        ("a", "yx", 2.0),
        ("axy", "s", 6.0),
        ("", "saxy", 6.0),
        ("axys", "", 6.0),
        ("axy", "", 2.0),
    ],
)
def test_results(maker, launched, arguments, named, expected):
    y = np.zeros(5)
    values = {"a": 2.0, "x": np.ones(5), "y": y, "s": 3.0}
    names = {"s": "scale"}
    launched(make(maker))(
        *(values[each] for each in arguments),
        **{names.get(each, each): values[each] for each in named},
    )
    assert y.tolist() == [expected] * 5


@MAKERS
@LAUNCHES
@pytest.mark.parametrize(
    ("n", "named"),
    [
        (0, ["x", "y"]),
        (0, ["scale"]),
        (1, ["a", "x", "y"]),
        (3, ["z"]),
        (4, ["scale"]),
        (5, ["scale"]),
    ],
)
def test_errors_are_pythons_own(maker, launched, n, named):
    x = np.ones(5)
    arguments, keywords = [x] * n, dict.fromkeys(named, x)
    with pytest.raises(TypeError) as pythons:
        axpy(*arguments, **keywords)
    with pytest.raises(TypeError) as found:
        launched(make(maker))(*arguments, **keywords)
    assert str(found.value) == str(pythons.value)
    assert "axpy()" in str(found.value)


def test_parameters_without_a_keyword():
    @numba_cuda.jit
    def fill(self, out, /, value):
        out[cuda.grid(1)] = value + self

    out = np.zeros(3)
    fill[1, 3](1.0, out, value=2.0)
    assert out.tolist() == [3, 3, 3]
    with pytest.raises(TypeError, match="positional-only arguments passed as keyword"):
        fill[1, 3](1.0, out=out, value=2.0)


def test_cuda_cpp_has_no_names():
    kernel = cuda.kernel('extern "C" __global__ void f(double* x) {}', "f")
    with pytest.raises(TypeError, match=r"^f\(\) takes no keyword arguments$"):
        kernel[1, 1](x=np.ones(3))
    with pytest.raises(TypeError, match="'f' is launched with a grid and a block"):
        kernel(x=np.ones(3))


def test_profiles_take_keywords():
    profile = make("kernel")[1, 32].profile(2.0, y=np.zeros(5), x=np.ones(5))
    assert profile.lines
