"""Several simulated devices: which are there, and what is where."""

import gc

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


def test_several_simulated_devices():
    before = list(cuda.gpus)
    first = cuda.simulator(arch="sm_80", memory="1 MiB", devices=4)
    with first:
        assert len(cuda.gpus) == 4
        assert cuda.gpus[0] is first is cuda.current_device()
        assert len({device.id for device in cuda.gpus}) == 4
        assert {(device.arch, device.memory) for device in cuda.gpus} == {("sm_80", 2**20)}
        with cuda.gpus[2] as third:
            assert cuda.current_device() is third is cuda.gpus[2]
            assert len(cuda.gpus) == 4
            x = cuda.to_device(np.arange(3.0))
        y = cuda.to_device(np.arange(3.0))
        assert x.device is third and y.device is first
        with third:
            assert (x + x).device is third
        third.synchronize()
        assert third.counters.launches == 1
        assert first.counters.launches == 0
    assert list(cuda.gpus) == before


def test_devices_live_as_long_as_the_first_or_an_array():
    with cuda.simulator(memory="1 MiB", devices=3) as first, cuda.gpus[1] as second:
        ids = [device.id for device in cuda.gpus]
        x = cuda.to_device(np.arange(3.0))
    del first, second
    gc.collect()
    with x.device:
        assert [device.id for device in cuda.gpus] == [ids[1]]
    np.testing.assert_array_equal(x.copy_to_host(), [0.0, 1.0, 2.0])
    del x
    gc.collect()
    with cuda.simulator(memory="1 MiB", devices=3):
        assert max(device.id for device in cuda.gpus) <= max(ids)  # which are free again


def test_each_device_has_its_memory_and_faults():
    with cuda.simulator(memory="1 MiB", devices=2, faults={"allocation": 2}):
        for device in cuda.gpus:
            with device:
                cuda.to_device(np.zeros(100_000))
                with pytest.raises(npp.DeviceMemoryError):
                    cuda.to_device(np.zeros(8))


@pytest.mark.parametrize("devices", [0, -1])
def test_a_number_of_devices_that_can_not_be(devices):
    with pytest.raises(ValueError, match=f"devices must be at least 1, found {devices}"):
        cuda.simulator(devices=devices)
