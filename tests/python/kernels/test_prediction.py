"""Predictions of calls on a named GPU: the model against figures worked by hand."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin._inspection.gpus import GPUS
from numpy_plugin._inspection.prediction import Demand, predict

H100 = GPUS["H100 SXM"]
# saxpy of 2**24 float32: 16 elements a thread, two operands.
SAXPY = Demand(
    bytes_loaded=2 << 26,
    bytes_stored=1 << 26,
    bytes_to_device=0,
    bytes_to_host=0,
    instructions={"float32": 1 << 24, "global load": 1 << 23, "move": 1 << 24},
    blocks=8192,
    block_threads=128,
    n_registers=40,
    resident_blocks=12,
    thread_bytes=128,
)
# Peak float32 operations per second of the data sheets, in 1e12.
PEAKS = {
    "T4": 8.1,
    "A100 40GB": 19.5,
    "A100 80GB PCIe": 19.5,
    "A100 80GB SXM": 19.5,
    "RTX 3090": 35.6,
    "L4": 30.3,
    "L40S": 91.6,
    "RTX 4090": 82.6,
    "H100 PCIe": 51.2,
    "H100 SXM": 67,
    "H200 SXM": 67,
    "RTX 5090": 104.8,
}


@pytest.fixture(scope="module")
def saxpy():
    return npp.vectorize(
        ["float32(float32, float32, float32)"],
        target="cpu",
        args="a, x, y",
        body="return a * x + y;",
    )


def test_the_table_has_the_peaks_of_the_data_sheets():
    found = {
        name: 2 * gpu.n_multiprocessors * gpu.rates["float32"] * gpu.clock / 1e12
        for name, gpu in GPUS.items()
    }
    assert found == pytest.approx(PEAKS, rel=0.01)


def test_saxpy_is_bound_by_memory():
    found = predict(SAXPY, H100, cpu_seconds=6e-3)
    seconds = 3 * 64 * 2**20 / 3.35e12
    assert found.bound == "memory"
    assert found.seconds == found.device_seconds == found.bounds.memory == pytest.approx(seconds)
    assert found.bytes_in_flight == 12 * 128 * 128
    assert found.bytes_to_cover == pytest.approx(3.35e12 * 1e-6 * 2 / 3 / 132)
    assert found.intensity == 2.5 / 12
    assert found.speedup == found.device_speedup == pytest.approx(6e-3 / seconds)
    text = str(found)
    assert "on H100 SXM: bound by memory, at least 60.1 us" in text
    assert "memory: 201 MB at 3.35 TB/s take 60.1 us" in text
    assert "192.0 KiB per multiprocessor cover the latency, which takes 16.5 KiB" in text


def test_too_few_bytes_in_flight_wait_for_memory():
    found = predict(SAXPY._replace(thread_bytes=8), H100)
    in_flight = 12 * 128 * 8
    assert found.bytes_in_flight == in_flight < found.bytes_to_cover
    assert found.bounds.memory == pytest.approx((2 << 26) * 1e-6 / (in_flight * 132))
    assert "do not cover the latency" in str(found)
    assert found.speedup is None
    # A thread's registers hold what it has in flight.
    assert predict(SAXPY._replace(thread_bytes=1e9), H100).bytes_in_flight == 12 * 128 * 4 * 40


def test_the_busiest_unit_bounds_instructions():
    demand = SAXPY._replace(instructions={"float64": 1 << 34, "move": 1 << 30})
    found = predict(demand, H100)
    assert found.bound == "instructions"
    assert found.seconds == pytest.approx(2**34 / (64 * 132 * 1.98e9))
    # An RTX 4090 has 1/32 of the float64 units per multiprocessor.
    assert predict(demand, GPUS["RTX 4090"]).seconds == pytest.approx(2**34 / (2 * 128 * 2.52e9))
    # The schedulers issue 128 a clock, whatever the class.
    found = predict(SAXPY._replace(instructions={"control": 1 << 36}), H100)
    assert found.seconds == pytest.approx(2**36 / (128 * 132 * 1.98e9))


def test_host_operands_are_bound_by_transfer():
    found = predict(SAXPY._replace(bytes_to_device=2 << 26, bytes_to_host=1 << 26), H100, 6e-3)
    assert found.bound == "transfer"
    assert found.seconds == pytest.approx((2 << 26) / 64e9)
    assert found.device_seconds == found.bounds.memory
    assert found.speedup == pytest.approx(6e-3 / found.seconds)
    assert found.device_speedup > found.speedup
    assert "134 MB to the device and 67.1 MB back at 64 GB/s" in str(found)


def test_explain_predicts_a_call_on_host_arrays(saxpy, nvrtc):
    n = 1 << 18
    x = np.ones(n, np.float32)
    explanation = npp.inspect(saxpy).explain(np.float32(2), x, x, gpu="H100 SXM")
    found = explanation.prediction
    demand = found.demand
    assert explanation.device == "numpy_plugin simulator (sm_90)"
    assert (demand.bytes_loaded, demand.bytes_stored) == (8 * n, 4 * n)
    assert (demand.bytes_to_device, demand.bytes_to_host) == (8 * n, 4 * n)
    assert demand.instructions == explanation.instructions_by_class
    assert demand.blocks == explanation.launch.blocks
    assert (demand.block_threads, demand.resident_blocks) == (
        128,
        65536 // 4 // (-(-demand.n_registers * 32 // 256) * 256),
    )
    assert demand.thread_bytes == 8 * n / (demand.blocks * 128)
    assert found.bound == "transfer"
    assert found.speedup == pytest.approx(explanation.seconds.compute / found.seconds)
    assert str(explanation).endswith(str(found))


def test_explain_predicts_a_call_on_device_arrays(saxpy, nvrtc):
    with cuda.simulator():
        matrix = cuda.to_device(np.ones((512, 1024), np.float32))
        row = cuda.to_device(np.ones(1024, np.float32))
        found = npp.inspect(saxpy).explain(np.float32(2), matrix, row, gpu="A100 80GB SXM")
        strided = npp.inspect(saxpy).explain(
            np.float32(2), matrix[:, ::2], np.float32(1), gpu="A100 80GB SXM"
        )
    assert found.device == "numpy_plugin simulator (sm_80)"
    # Each row of the matrix reads the same row.
    assert found.bytes_loaded == 2 * matrix.nbytes
    assert found.prediction.demand.bytes_loaded == matrix.nbytes + row.nbytes
    assert found.prediction.bounds.transfer == 0
    assert found.prediction.speedup is None
    # Every second element occupies all sectors.
    assert strided.prediction.demand.bytes_loaded == matrix.nbytes


def test_explain_predicts_an_arithmetic_kernel(nvrtc):
    logistic = npp.vectorize(
        ["float64(float64)"],
        target="cpu",
        args="x",
        body="double y = x;\nfor (int i = 0; i < 400; ++i) y = 3.7 * y * (1 - y);\nreturn y;",
    )
    with cuda.simulator():
        x = cuda.to_device(np.full(1 << 14, 0.5))
        found = npp.inspect(logistic).explain(x, gpu="T4").prediction
    assert found.bound == "instructions"
    float64 = found.demand.instructions["float64"]
    assert float64 >= 3 * 400 * x.size
    assert found.seconds == pytest.approx(float64 / (2 * 40 * 1.59e9))


def test_explain_of_an_empty_call_predicts_nothing(saxpy, nvrtc):
    x = np.ones(0, np.float32)
    found = npp.inspect(saxpy).explain(x, x, x, gpu="L4").prediction
    assert (found.bound, found.seconds, found.speedup) == ("nothing", 0, None)
    assert str(found) == "on L4: nothing is launched"


def test_explain_without_a_gpu_predicts_nothing(saxpy, nvrtc):
    x = np.ones(4, np.float32)
    assert npp.inspect(saxpy).explain(x, x, x).prediction is None


def test_explain_refuses_gpus_that_it_does_not_know(saxpy):
    x = np.ones(4, np.float32)
    with pytest.raises(ValueError) as caught:
        npp.inspect(saxpy).explain(x, x, x, gpu="H100")
    assert str(caught.value) == f"unknown gpu 'H100'; expected one of {', '.join(GPUS)}"
    with pytest.raises(ValueError) as caught:
        npp.inspect(saxpy).explain(x, x, x, gpu="L4", arch="sm_90")
    assert str(caught.value) == "gpu='L4' is of sm_89, not of arch='sm_90'; omit arch="
