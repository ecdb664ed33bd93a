"""Arrays of several dimensions stored in parts of themselves: what is read is what was there."""

import random

import numpy as np
import pytest
from kernel_source import function
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

SHAPE = (4, 5, 3)

BY_HAND = [
    "out[:, ::-1] = out",
    "out[::-1] = out",
    "out[::-1, ::-1, ::-1] = out",
    "out[1:] = out[:-1]",
    "out[:-1] = out[1:]",
    "out[:, 1:] = out[:, :-1]",
    "out[1:, 2:] = out[:-1, :-2]",
    "out[1:, :-2] = out[:-1, 2:]",
    "out[...] = out[2]",
    "out[:] = out[:, 1:2]",
    "out[:] = out[2, ::-1]",
    "out[:] = out[1:2, 3:4, ::-1]",
    "out[:] = out[0, 0]",
    "out[0:0] = out[:0]",
    "out[::2] = out[:2]",
    "out[1::2] = out[::2]",
    "out[:, ::2] = out[:, 2::-1]",
    "out[1] = out[2]",
    "out[:, 1] = out[:, 3]",
    "out[1:, 1] = out[:-1, 1]",
    "out[:] = out",
]


def random_slice(chosen: random.Random, size: int, n: int) -> str:
    """Return a slice of n of the elements."""
    step = chosen.choice([step for step in (1, 1, 2, 3) if (n - 1) * step < size])
    first = chosen.randrange(size - (n - 1) * step)
    last = first + (n - 1) * step
    if chosen.random() < 0.5:
        return f"{first}:{last + 1}:{step}"
    return f"{last}:{first - 1 if first else ''}:{-step}"


def random_store(chosen: random.Random) -> str:
    target, source = [], []
    for axis, size in enumerate(SHAPE):
        n = chosen.randint(1, size)
        target.append(random_slice(chosen, size, n))
        is_left_out = axis == len(source) == 0 and chosen.random() < 0.2
        is_repeated = chosen.random() < 0.2
        if is_left_out:
            source.append(str(chosen.randrange(size)))
        else:
            source.append(random_slice(chosen, size, 1 if is_repeated else n))
    return f"out[{', '.join(target)}] = out[{', '.join(source)}]"


AT_RANDOM = [random_store(random.Random(seed)) for seed in range(60)]
# Of one kernel each.
SETS = {"default": [*BY_HAND, *AT_RANDOM[:15]], "others": AT_RANDOM[15:]}


@pytest.fixture(scope="module", params=["default", *in_long_runs("others")])
def stores(request):
    return SETS[request.param]


@pytest.fixture(scope="module")
def store(stores):
    lines = ["def f(a, case, out):", "    out[:] = a"]
    for number, line in enumerate(stores):
        lines += [f"    {'if' if number == 0 else 'elif'} case == {number}:", f"        {line}"]
    types = ["void(float64[:,:,:], int64, float64[:,:,:])"]
    return npp.guvectorize(types, "(k,m,n),()->(k,m,n)")(function("\n".join(lines) + "\n"))


@pytest.fixture(scope="module")
def items():
    return np.random.default_rng(5).normal(size=SHAPE)


def expected(stores: list[str], a: np.ndarray) -> np.ndarray:
    """Run each line on a copy, its value copied first."""
    results = []
    for line in stores:
        out = a.copy()
        exec(f"{line}.copy()", {"out": out})
        results.append(out)
    return np.array(results)


def test_the_cases_are_not_all_of_one_kind():
    stores = [*BY_HAND, *AT_RANDOM]
    assert len(set(stores)) == len(stores)
    assert sum("-1" in line for line in stores) > 20


@pytest.mark.parametrize("axes", [(0, 1, 2, 3), (0, 3, 2, 1), (2, 0, 3, 1)])
@pytest.mark.parametrize("step", [1, -1])
def test_on_the_host(stores, store, items, axes, step):
    shape = (len(stores), *SHAPE)
    memory = np.empty([shape[axis] for axis in axes])
    out = memory.transpose(np.argsort(axes))[:, :, ::step]
    store(items, np.arange(len(stores)), out=out)
    for line, found, wanted in zip(stores, out, expected(stores, items), strict=True):
        np.testing.assert_array_equal(found, wanted, line)


def test_on_a_device(stores, store, items):
    with cuda.simulator(memory="64 MiB"):
        out = store(cuda.to_device(items), cuda.to_device(np.arange(len(stores)))).copy_to_host()
    for line, found, wanted in zip(stores, out, expected(stores, items), strict=True):
        np.testing.assert_array_equal(found, wanted, line)


def test_through_a_device_function():
    @npp.device
    def copied(target, source):
        target[:] = source

    source = "def f(a, out):\n    out[:] = a\n    copied(out[1:, ::-1], out[:-1])\n"
    types = ["void(float32[:,:], float32[:,:])"]
    f = npp.guvectorize(types, "(m,n)->(m,n)")(function(source, copied=copied))
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    wanted = a.copy()
    wanted[1:, ::-1] = a[:-1]
    np.testing.assert_array_equal(f(a), wanted)
