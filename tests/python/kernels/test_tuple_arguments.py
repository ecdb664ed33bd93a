"""Tuples and named tuples as arguments of kernels in Python, on the simulator."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


class Grid(NamedTuple):
    """Numbers with names."""

    n: int
    step: float
    origin: tuple


@npp.device
def coordinate(grid, i):
    return grid.origin[1] + i * grid.step


@cuda.kernel
def coordinates(grid, out, grid_0):
    i = cuda.grid(1)
    if i < grid.n:
        out[i] = coordinate(grid, i) + grid_0


def test_named_tuples_and_their_items():
    out = np.zeros(5)
    coordinates[1, 8](Grid(4, 0.5, (7, 2.0)), out, 100)
    assert out.tolist() == [102.0, 102.5, 103.0, 103.5, 0.0]
    coordinates[1, 8](Grid(2, 2, (7, np.float32(1))), out, 0)
    assert out.tolist() == [1.0, 3.0, 103.0, 103.5, 0.0]
    coordinates.forall(5)(Grid(5, 1, (0, 0)), out, 0)
    assert out.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_fields_are_those_of_each_launch():
    @cuda.kernel
    def first_x(p, out):
        out[0] = p.x

    out = np.zeros(1)
    first_x[1, 1](namedtuple("A", "x y")(1.5, 2.5), out)
    assert out[0] == 1.5
    first_x[1, 1](namedtuple("B", "y x")(1.5, 2.5), out)
    assert out[0] == 2.5
    first_x[1, 1]((3.5, 4.5), out)  # as of CUDA's vectors
    assert out[0] == 3.5
    with pytest.raises(npp.KernelError, match="a tuple of 2 has no 'x'") as caught:
        first_x[1, 1](namedtuple("C", "a b")(1.5, 2.5), out)
    assert caught.value.diagnostics[0].hint == "its fields are a, b"


@cuda.kernel
def sizes(t, out):
    out[0] = len(t)
    out[1] = len(t[0])
    for item in t[1]:
        out[2] += item


@pytest.mark.parametrize("items", [((), ()), ((), (5, 6), 1), ((1, 2), (2.5,)), ((1,), (True,))])
def test_nested_and_empty_tuples(items):
    out = np.zeros(3)
    sizes[1, 1](items, out)
    assert out.tolist() == [len(items), len(items[0]), sum(items[1])]


@cuda.kernel
def add(arrays):
    i = cuda.grid(1)
    if i < len(arrays[0]):
        arrays[0][i] = arrays[1][i] + arrays[2][0][i]


def test_arrays_in_tuples_are_copied_back():
    total, x = np.zeros(10), np.arange(10.0)
    add[1, 16]((total, x, (3 * x,)))
    assert total.tolist() == (4 * x).tolist()
    on_device = cuda.zeros(10, np.float32)
    add.forall(10)((on_device, cuda.to_device(x), (x,)))
    assert on_device.copy_to_host().tolist() == (2 * x).tolist()


def test_a_kernel_specialized_for_tuples_takes_only_these():
    out = np.zeros(3)
    special = sizes.specialize(((), (1, 2)), out)
    special[1, 1](((), (3, 4)), out)
    assert out.tolist() == [2, 0, 7]
    with pytest.raises(TypeError, match="tuples and None are for kernels"):
        special[1, 1](((), (3, 4, 5)), out)
    with pytest.raises(TypeError, match="tuples and None are for kernels"):
        special[1, 1](3, 4, out)


def test_mistakes_name_the_item():
    out = np.zeros(3)
    with pytest.raises(TypeError, match="item 2 of argument 1 of 'sizes' is a str; expected"):
        sizes[1, 1]((1, "a"), out)
    with pytest.raises(TypeError, match="argument 2 of 'sizes' is a str; expected"):
        sizes[1, 1](((1, 2), (3,)), "a")
    with pytest.raises(TypeError, match="'sizes' takes 2 arguments, found 1"):
        sizes[1, 1](((), ()))
    with pytest.raises(TypeError, match="'sizes' takes 2 arguments, found 1"):
        sizes[1, 1](((), out))
    sizes[1, 1](((), (1,)), out)
    assert out.tolist() == [2, 0, 1]


def test_a_signature_has_no_tuples():
    @cuda.kernel("void(int64, float64[:])")
    def fill(x, out):
        out[0] = x

    with pytest.raises(TypeError, match="tuples and None are for kernels"):
        fill[1, 1]((1,), np.zeros(1))


def test_captured_values_are_those_of_the_declaration():
    factor = 2

    @cuda.kernel
    def scaled(t, out):
        out[0] = t[0] * factor

    factor = 3
    out = np.zeros(1)
    scaled[1, 1]((5,), out)
    assert out[0] == 10


POINT = namedtuple("Point", "x y weight")(1.0, 2.0, 4)


def test_a_captured_named_tuple_has_its_fields():
    @npp.vectorize(["float64(float64)"])
    def weighted(x):
        return x * POINT.weight + POINT.y

    assert weighted(1.0) == 6.0
    assert weighted(cuda.to_device(np.ones(1))).copy_to_host()[0] == 6.0
