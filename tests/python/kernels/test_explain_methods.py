"""`explain` of methods and reductions: what it predicts is what a device then does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from machines.counting_driver import run_with_driver
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = needs_simulator


@pytest.fixture(scope="module", autouse=True)
def device() -> Iterator[Any]:
    with cuda.simulator() as device:
        yield device


@npp.vectorize(["f4(f4, f4)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


@npp.vectorize(["f4(f4, f4)"], target="cpu")
def longest(x, y):
    return np.sqrt(x * x + y * y)


norm = npp.reduction(lambda x: x * x, lambda a, b: a + b, finish=np.sqrt, identity=0, name="norm")
IN_ORDER = (
    "NumPy's order, because it has no identity, and its body is no single operation known to be "
    "associative: a thread for each "
)


def ones(*shape: int) -> Any:
    return cuda.to_device(np.ones(shape, np.float32))


#: A call, its form, its reason, and its chunks per result.
CASES = {
    "rows": (
        lambda e, d: e(d, method="reduce", axis=1),
        "vector_rows",
        "rows: a warp for each chunk, in aligned vectors; 40 results of 5000 elements in 3 chunks",
        3,
    ),
    "unaligned rows": (
        lambda e, d: e(d[:, 1:], method="reduce", axis=1),
        "rows",
        "rows: a warp for each chunk, one element at a time; "
        "40 results of 4999 elements in 3 chunks",
        3,
    ),
    "whole": (
        lambda e, d: e(d, method="reduce", axis=None),
        "vector_rows",
        "rows: a warp for each chunk, in aligned vectors; the whole, 200000 elements in 98 chunks",
        98,
    ),
    "columns": (
        lambda e, d: e(d, method="reduce"),
        "columns",
        "columns: a warp for 32 adjacent results; 5000 results of 40 elements",
        1,
    ),
    "team columns": (
        lambda e, d: e(d.T[:, :32].copy(), method="reduce"),
        "team_columns",
        "columns: eight warps for 32 adjacent results; 32 results of 5000 elements in 3 chunks",
        3,
    ),
    "masked": (
        lambda e, d: e(d, method="reduce", axis=1, where=d > 0),
        "vector_rows",
        "rows: a warp for each chunk, in aligned vectors; 40 results of 5000 elements in 3 chunks",
        3,
    ),
    "accumulate": (
        lambda e, d: e(d, method="accumulate", axis=1),
        "scan",
        "scan: a block for each tile; 40 lines of 5000 elements in 2 tiles",
        2,
    ),
    "accumulated short lines": (
        lambda e, d: e(d.reshape(-1, 32), method="accumulate", axis=1),
        "scan_columns",
        "scan: a thread for each line; 6250 lines of 32 elements in 1 tile",
        1,
    ),
    "reduceat": (
        lambda e, d: e(d, [0, 7, 30], method="reduceat", axis=1),
        "segments",
        "segments: a warp for each chunk of 3 segments of a line",
        5,
    ),
    "columns of reduceat": (
        lambda e, d: e(d, [0, 7, 30], method="reduceat"),
        "column_segments",
        "segments: a warp for each chunk of 32 adjacent lines; 3 segments of a line",
        3,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_predicted_is_counted(name: str, device: Any) -> None:
    call, form, reason, chunks = CASES[name]
    d = ones(40, 5000)
    found = call(npp.inspect(plus).explain, d)
    assert (found.place, found.launch.form) == (device.name, form)
    assert found.launch.reason == reason
    assert (found.reduction.chunks, found.reduction.block_threads) == (chunks, 256)
    assert found.launches == 1
    cuda.synchronize()
    before = device.counters
    call(run, d)
    cuda.synchronize()
    after = device.counters
    extra = 1 if name == "masked" or name == "team columns" else 0  # the comparison, the copy
    assert after.launches - before.launches == 1 + extra
    if not extra:
        assert after.blocks - before.blocks == found.launch.blocks
    assert found.reduction.bytes_read <= found.bytes_loaded
    if form not in ("scan", "segments", "column_segments"):  # tiles that wait; indices
        # The values of the chunks are read once more, and their tickets.
        assert found.bytes_loaded <= 1.01 * found.reduction.bytes_read
    assert f"one launch: {reason}" in str(found)
    assert "the kernel is " in str(found)


def run(*operands: Any, method: str, **keywords: Any) -> Any:
    return getattr(plus, method)(*operands, **keywords)


def test_why_elements_are_taken_in_order() -> None:
    d = ones(3, 50)
    found = npp.inspect(longest).explain(d, method="reduce", axis=1)
    assert (found.launch.form, found.launch.blocks) == ("in_order", 1)
    assert found.launch.reason == IN_ORDER + "result; 3 results of 50 elements"
    found = npp.inspect(longest).explain(d, method="accumulate", axis=1)
    assert found.launch.reason == IN_ORDER + "line; 3 lines of 50 elements in 1 tile"
    found = npp.inspect(longest).explain(d, [0, 9], method="reduceat", axis=1)
    assert found.launch.reason == IN_ORDER + "of 2 segments of a line"
    body = npp.vectorize(["f4(f4, f4)"], args="x, y", body="return x + y;", target="cpu")
    found = npp.inspect(body).explain(d, method="reduce")
    assert "because it has no identity, and C++ bodies are not analyzed: " in found.launch.reason


def test_kernels_are_compiled_cached_and_loaded(empty_cache: Any, device: Any) -> None:
    f = npp.vectorize(["f4(f4, f4)"], args="x, y", body="return x + y;", target="cpu", identity=0)
    d = ones(70)
    explained = [npp.inspect(f).explain(d, method="reduce") for _ in range(2)]
    states = [(found.reduction.is_cached, found.reduction.is_loaded) for found in explained]
    assert states == [(False, False), (True, True)]
    assert str(explained[0]).count("the kernel is compiled first") == 1
    with cuda.simulator():
        (found,) = [npp.inspect(f).explain(ones(70), method="reduce")]
    assert (found.reduction.is_cached, found.reduction.is_loaded) == (True, False)


def test_nothing_is_launched_for_no_elements() -> None:
    found = npp.inspect(plus).explain(ones(0, 3), method="reduce")
    assert (found.launches, found.launch.blocks, found.reduction) == (0, 0, None)
    assert found.launch.reason == "nothing is reduced: there are no elements"
    found = npp.inspect(norm).explain(ones(0))
    assert found.launch.reason == "nothing is reduced: there are no elements"


def test_reductions_of_mapped_operands() -> None:
    d = ones(40, 5000)
    found = npp.inspect(norm).explain(d, axis=1)
    assert found.launch.form == "vector_rows"
    assert found.reduction.bytes_read == d.nbytes <= found.bytes_loaded
    assert (found.launches, found.elements) == (1, d.size)
    assert repr(npp.inspect(norm)) == "<Inspection of <reduction 'norm'>>"
    host = npp.inspect(norm).explain(np.ones(9))
    assert (host.place, host.why) == ("the CPU", "no operand is on a device")
    with pytest.raises(TypeError, match="takes no out="):
        npp.inspect(norm).explain(d, out=None)


def test_updates() -> None:
    d = ones(70)
    found = npp.inspect(plus).explain(d, [1, 1, 2], np.float32(5), method="at")
    assert found.launch.form == "sorted"
    assert found.launches == 3  # places, their order, the updates
    assert found.launch.reason.startswith("NumPy's order, because the results depend on it")
    assert (d.copy_to_host() == 1).all()
    numbers = cuda.zeros(70, np.int64)
    found = npp.inspect(np.add).explain(numbers, [1, 1, 2], numbers[:3], method="at")
    assert (found.launch.form, found.launches) == ("atomic", 1)
    assert found.launch.reason == "atomic: 3 updates, whose results do not depend on their order"
    found = npp.inspect(plus).explain(d, slice(3), np.float32(5), method="at")
    assert (found.launch.form, found.launches) == ("view", 1)
    assert "on a device 3 launches: " in str(
        npp.inspect(plus).explain(d, [1, 1, 2], np.float32(5), method="at")
    )


def test_numpys_ufuncs() -> None:
    d = cuda.to_device(np.ones((4, 300), np.int32))
    found = npp.inspect(np.add).explain(d, method="reduce", axis=1)
    assert (found.launch.form, found.launch.casts) == (
        "vector_rows",
        ("the array: int32 to int64",),
    )
    with cuda.simulator():
        a = cuda.to_device(np.ones((40, 30)))
        reason = npp.inspect(np.matmul).explain(a, a.T).launch.reason
    assert reason.startswith("tiled: a block for 32 x 32 iterations")
    assert reason.endswith("; without cuBLAS, because the device is simulated")


def test_wrong_arguments() -> None:
    d = ones(3)
    with pytest.raises(ValueError, match="unknown method 'reduced'; expected one of 'reduce', "):
        npp.inspect(plus).explain(d, method="reduced")
    with pytest.raises(ValueError, match="gpu= predicts calls of ufuncs, not of their methods"):
        npp.inspect(plus).explain(d, method="reduce", gpu="L4")
    with pytest.raises(np.exceptions.AxisError):
        npp.inspect(plus).explain(d, method="reduce", axis=1)
    with pytest.raises(TypeError, match="takes no out="):
        npp.inspect(plus).explain(d, method="reduce", out=d)


COUNTS = """
import json

f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x + y;", identity=0)
norm = npp.reduction(lambda x: x * x, lambda a, b: a + b, identity=0)
pair = npp.reduction(lambda x: (x, x), lambda a, b: (a[0] + b[0], max(a[1], b[1])))
d = cuda.to_device(np.ones((5000, 40), np.float32))


def compared(function, explain, *arguments, **keywords):
    for _ in range(3):
        function(*arguments, **keywords)
    counted = len(driver.submitted(function, *arguments, **keywords))
    return [explain(*arguments, **keywords).reduction.driver_calls, counted]


def method(name, *arguments, **keywords):
    def explain(*arguments, **keywords):
        return npp.inspect(f).explain(*arguments, method=name, **keywords)

    return compared(getattr(f, name), explain, *arguments, **keywords)


print(json.dumps([
    method("reduce", d),
    method("reduce", d[0]),
    method("reduce", d, where=d > 0),
    method("accumulate", d),
    method("accumulate", d[0]),
    method("reduceat", d, [0, 5, 7]),
    compared(norm, npp.inspect(norm).explain, d),
    compared(pair, npp.inspect(pair).explain, d, axis=1),
]))
"""


def test_predicted_driver_calls_are_counted() -> None:
    for predicted, counted in json.loads(run_with_driver(COUNTS)):
        assert predicted == counted
