"""Launches that are refused name the ufunc or kernel, not the entry point of generated code."""

import re

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(identity=0)
def total(x, y):
    return x + y


@npp.guvectorize("(n)->()")
def row_sum(x, result):
    result[0] = 0.0
    for value in x:
        result[0] += value


@cuda.kernel
def fill(x):
    x[0] = 1.0


def source_kernel(head, body="x[0] = 1;"):
    source = f'extern "C" __global__ void {head} fill_cpp(double* x) {{ {body} }}'
    return cuda.kernel(source, "fill_cpp")


bounded = source_kernel("__launch_bounds__(64)")
clustered = source_kernel("__cluster_dims__(2, 1, 1)")
crowded = source_kernel("", "__shared__ double y[9999]; y[threadIdx.x] = x[0]; x[1] = y[2];")
doubled = npp.ElementwiseKernel("raw T x", "raw T y", "y[i] = 2 * x[i]", "doubled")


def zeros(*shape):
    return cuda.zeros(shape)


# A launch and its error.
REFUSED = {
    "threads": (lambda: fill[1, 2048](zeros(4)), "launch of 'fill': block.x is 2048; expected 1 "),
    "threads in all": (
        lambda: fill[1, (1024, 2)](zeros(4)),
        "launch of 'fill': a block of 1024 x 2 x 1 is 2048 threads; this kernel takes at most 1024",
    ),
    "no block": (lambda: fill[0, 32](zeros(4)), "launch of 'fill': grid.x is 0; expected 1 to "),
    "blocks": (
        lambda: fill[(1, 70000), 32](zeros(4)),
        "launch of 'fill': grid.y is 70000; expected 1 to 65535",
    ),
    "shared memory": (
        lambda: fill[1, 32, 0, 10**6](zeros(4)),
        "launch of 'fill': 1000000 bytes of dynamic shared memory; expected 0 to 232448",
    ),
    "resources": (
        lambda: bounded[1, 128](zeros(4)),
        "launch of 'fill_cpp': a block of 128 x 1 x 1 is 128 threads; this kernel takes at most 64",
    ),
    "a cluster": (
        lambda: clustered[2, 32](zeros(4)),
        "launch of kernel 'fill_cpp': clusters of (2, 1, 1) blocks; the simulator has clusters of "
        "one block\nthe CUDA driver failed to launch 'fill_cpp': CUDA_ERROR_NOT_SUPPORTED ",
    ),
    "static shared memory": (
        lambda: crowded[1, 32](zeros(4)),
        "the shared variables of kernel 'fill_cpp' up to 'fill_cpp::y' take 79992 bytes; expected "
        "at most 49152, the rest as dynamic shared memory\n"
        "the CUDA driver failed to load 'fill_cpp', ",
    ),
    "threads of elements": (
        lambda: doubled(zeros(9), zeros(9), size=9, block_size=2048),
        "launch of 'doubled': block.x is 2048; expected 1 to 1024",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refused_launch_names_the_kernel(kind):
    launch, message = REFUSED[kind]
    with cuda.simulator(), pytest.raises((ValueError, npp.CudaError)) as caught:
        launch()
    assert message in str(caught.value)
    assert not re.search("npp_", str(caught.value))


# A call whose first launch is the named one.
LOST = {
    "total": lambda: total(zeros(9), 1.0),
    "total.reduce": lambda: total.reduce(zeros(9)),
    "total.accumulate": lambda: total.accumulate(zeros(9)),
    "row_sum": lambda: row_sum(zeros(9, 9)),
    "mean.reduce": lambda: zeros(9).mean(),
    "sort": lambda: cuda.sort(zeros(9)),
    "cast": lambda: zeros(9).astype(np.float32),
    "fill": lambda: fill[1, 1](zeros(9)),
}


@pytest.mark.parametrize("name", LOST)
def test_a_failed_launch_names_the_kernel(name):
    with cuda.simulator(faults={"lost": 1}), pytest.raises(npp.CudaError) as caught:
        LOST[name]()
    text = f"the CUDA driver failed to launch '{name}': CUDA_ERROR_DEVICE_UNAVAILABLE "
    assert str(caught.value).startswith(text)
