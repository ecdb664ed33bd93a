"""Calls on device arrays where the device itself goes wrong, and where sizes pass 32 bits."""

from __future__ import annotations

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda

# The device traps at negative numbers; the CPU, which compiles the same text, does not.
guarded = npp.vectorize(
    ["float32(float32)"],
    args="x",
    body="""
#ifdef __CUDACC__
    if (x < 0) __trap();
#endif
    return x + x;
""",
)
blend = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;")


class View:
    """Memory of a device array, seen as another array by another library."""

    def __init__(self, memory, **changes):
        self.memory = memory
        self.__cuda_array_interface__ = {**memory.__cuda_array_interface__, **changes}


def on_device(values):
    return cuda.to_device(np.asarray(values, np.float32))


def test_a_kernel_that_traps_is_reported_with_its_thread():
    with cuda.simulator():
        x, out = on_device([1, 2, -3, 4]), on_device([0, 0, 0, 0])
        with pytest.raises(npp.SimulatorError, match=r"thread \(2,0,0\).*trap"):
            guarded(x, out=out)
            cuda.synchronize()
    with cuda.simulator():
        assert guarded(on_device([1, 2])).copy_to_host().tolist() == [2, 4]


def test_a_lost_device_stays_lost_and_others_do_not():
    with cuda.simulator(faults={"lost": 2}):
        x = on_device([1, 2])
        assert guarded(x).copy_to_host().tolist() == [2, 4]
        for _ in range(2):
            with pytest.raises(npp.CudaError) as caught:
                guarded(x)
                cuda.synchronize()
            assert caught.value.name.startswith("CUDA_ERROR")
        assert guarded(np.float32(2)) == 4
    with cuda.simulator():
        assert guarded(on_device([1, 2])).copy_to_host().tolist() == [2, 4]


def test_memory_that_was_freed_is_no_operand():
    with cuda.simulator():
        memory = on_device(range(100))
        dangling = cuda.as_device_array(
            type("Dangling", (), {"__cuda_array_interface__": memory.__cuda_array_interface__})()
        )
        cuda.synchronize()
        del memory
        with pytest.raises(npp.SimulatorError, match="freed"):
            guarded(dangling)
            cuda.synchronize()


def test_memory_that_runs_out_leaves_everything_as_it_was():
    with cuda.simulator(faults={"allocation": 3}):
        x, y = on_device([1, 2]), on_device([3, 4])
        with pytest.raises(npp.DeviceMemoryError, match="to allocate 8 bytes"):
            blend(x, y)
        assert x.copy_to_host().tolist() == [1, 2]
        assert blend(x, y).copy_to_host().tolist() == [4, 10]


@pytest.fixture
def far_apart():
    """Two rows whose distance no 32-bit offset reaches."""
    with cuda.simulator(memory="12 GiB"):
        memory = cuda.empty(5 << 30, np.uint8)
        yield cuda.as_device_array(
            View(memory, shape=(2, 600), typestr="<f4", strides=(1 << 32, 4), stream=None)
        )


def test_offsets_beyond_32_bits(far_apart):
    values = np.arange(1200, dtype="f4").reshape(2, 600)
    far_apart.copy_to_device(values)
    form, reason, _, _, _, is_wide, _ = _core.explain_launch(blend, (far_apart, 2.0), {})
    assert (form, is_wide) == ("short_rows", True), reason
    np.testing.assert_array_equal(blend(far_apart, 2.0).copy_to_host(), 3 * values)
    blend(far_apart, 1.0, out=far_apart)
    np.testing.assert_array_equal(far_apart.copy_to_host(), 2 * values)
    narrow = far_apart[:, ::3]
    form, reason, _, _, _, is_wide, _ = _core.explain_launch(blend, (narrow, narrow), {})
    assert (form, is_wide) == ("strided", True), reason
    host = 2 * values[:, ::3]
    np.testing.assert_array_equal(blend(narrow, narrow).copy_to_host(), host * host + host)


def test_wide_strides_of_many_operands(far_apart):
    names = [f"x{i}" for i in range(60)]
    total = npp.vectorize(
        [f"float32({', '.join(['float32'] * 60)})"],
        args=", ".join(names),
        body=f"return {' + '.join(names)};",
        target="cpu",
    )
    far_apart.copy_to_device(np.ones((2, 600), "f4"))
    # Nine dimensions that no two operands traverse alike need the room of 64.
    corner = far_apart[:, :512].reshape(2, *(2,) * 9)[..., 0]
    turned = corner.transpose(0, *range(8, 0, -1))
    with pytest.raises(ValueError, match=r"61 operands.*32764 bytes of parameters"):
        total(turned, *[corner] * 59)
    assert set(total(*[far_apart[:, ::2]] * 60).copy_to_host().ravel()) == {60}
    row = far_apart[0, ::2]
    assert set(total(*[row] * 60).copy_to_host()) == {60}


def test_more_elements_than_32_bits_are_indexed_with_64():
    with cuda.simulator(memory="64 GiB"):
        n = (1 << 31) + 5
        x = cuda.empty(n, np.float32)
        form, reason, blocks, items, _, is_wide, _ = _core.explain_launch(blend, (x, 1.0), {})
        assert (form, is_wide) == ("contiguous", True), reason
        assert blocks * 128 * items >= n
