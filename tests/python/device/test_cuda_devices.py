"""Devices, the current one, streams, events, threads, forks, and faults on request."""

import gc
import os
import re
import sys
import threading
import time
import weakref

import cuda_sources
import numpy as np
import pytest
from machines.fresh_process import end_of

import numpy_plugin as npp
from numpy_plugin import _core, cuda

INCREMENT = cuda.kernel(cuda_sources.INCREMENT, "increment")


# --- which device ---


def test_a_simulated_device_says_what_it_is():
    device = cuda.simulator(arch="sm_80", memory="512 MiB")
    assert device.arch == "sm_80"
    assert device.memory == 512 * 2**20
    assert device.is_simulated
    assert device.multiprocessors > 0
    assert "simulator" in device.name
    assert repr(device) == f"<device '{device.name}', sm_80, 512 MiB>"


def test_it_is_current_inside_its_block_alone():
    before = _core.find_current_device()
    with cuda.simulator() as outer:
        assert cuda.current_device() is outer
        assert cuda.is_available()
        with cuda.simulator() as inner:
            assert cuda.current_device() is inner
        assert cuda.current_device() is outer
        with outer, inner:
            assert cuda.current_device() is inner
    assert _core.find_current_device() is before


def test_it_is_current_for_one_thread_alone():
    found = []
    with cuda.simulator() as device:
        thread = threading.Thread(target=lambda: found.append(_core.find_current_device()))
        thread.start()
        thread.join()
    assert found[0] is not device


def test_it_is_current_no_more_after_an_error():
    device = cuda.simulator()
    with pytest.raises(ZeroDivisionError), device:
        _ = 1 / 0
    assert _core.find_current_device() is not device


def test_arrays_keep_their_device_and_work_on_it():
    with cuda.simulator():
        x = cuda.to_device(np.arange(5, dtype=np.int32))
    INCREMENT[1, 32](x, 5)
    np.testing.assert_array_equal((x[1:]).copy_to_host(), [2, 3, 4, 5])
    assert x.device.is_simulated


def test_memory_of_devices_that_are_gone_is_given_back():
    def used():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def once():
        with cuda.simulator() as device:
            cuda.ones(2**21, np.uint8)
            INCREMENT[1, 32](np.zeros(3, np.int32), 3)
        del device
        gc.collect()

    for _ in range(3):
        once()
    before = used()
    for _ in range(15):
        once()
    assert used() - before < 15 * 2**20


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"arch": "sm_91"}, ValueError, "sm_91"),
        ({"arch": "hopper"}, ValueError, "hopper"),
        ({"memory": "1 GB"}, ValueError, "memory must be a size such as '1 GiB', not '1 GB'"),
        ({"memory": 0}, ValueError, "at least 1 byte"),
        ({"memory": 1.5}, TypeError, "memory must be an int or a str such as '1 GiB', not float"),
        ({"checks": "bound"}, ValueError, "unknown check 'bound'; did you mean 'bounds'"),
        ({"checks": ["speed"]}, ValueError, "unknown check 'speed'; expected one of bounds, al"),
        ({"faults": {"alocation": 1}}, ValueError, "did you mean 'allocation'"),
        ({"faults": {"allocation": 0}}, ValueError, "counted from 1; found 0"),
        ({"faults": {"lost": 1.5}}, TypeError, "found 1.5"),
        (
            {"faults": {"copy_delay": -1}},
            ValueError,
            "copy_delay must be 0 to 3600 seconds, found -1",
        ),
        ({"faults": 3}, TypeError, "faults must be a cuda.Faults or a mapping, found 3"),
        ({"max_steps": 0}, ValueError, "max_steps must be at least 1, found 0"),
    ],
)
def test_devices_that_can_not_be(arguments, error, message):
    with pytest.raises(error, match=message):
        cuda.simulator(**arguments)


def test_faults_are_named():
    with pytest.raises(TypeError):
        cuda.Faults(3)
    assert cuda.Faults(lost=2) == cuda.Faults(allocation=None, launch=None, lost=2, copy_delay=0.0)


def test_gpus_are_a_sequence():
    assert len(cuda.gpus) == len(list(cuda.gpus)) == len(cuda.gpus[:])
    with pytest.raises(IndexError):
        _ = cuda.gpus[len(cuda.gpus)]


def test_the_environment_selects_the_simulator():
    code = """
        import numpy as np
        from numpy_plugin import cuda
        assert cuda.is_available() and cuda.gpus[0].is_simulated and len(cuda.gpus) == 1
        assert cuda.current_device() is cuda.gpus[0]
        with cuda.simulator():
            assert len(cuda.gpus) == 1
        print(cuda.to_device(np.arange(3.0)).copy_to_host())
    """
    result = end_of(code, NUMPY_PLUGIN_CUDA="simulator")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "[0. 1. 2.]\n"
    assert result.stderr == ""


def test_a_wrong_word_in_the_environment(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "simulatr")
    with pytest.raises(ValueError, match="NUMPY_PLUGIN_CUDA is 'simulatr'; expected auto, sim"):
        cuda.is_available()


def test_without_a_device_calls_say_why(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    assert not cuda.is_available()
    for call in (
        lambda: cuda.to_device(np.ones(3)),
        lambda: cuda.device_array(3),
        cuda.stream,
        cuda.event,
        cuda.synchronize,
        cuda.current_device,
    ):
        with pytest.raises(npp.CudaError, match="NUMPY_PLUGIN_CUDA is off"):
            call()


def test_a_missing_simulator_is_named():
    code = """
        import numpy_plugin as npp
        from numpy_plugin import _core, cuda
        _core.set_simulator_path("/nowhere/libsim.so")
        try:
            cuda.simulator()
        except npp.CudaError as error:
            print(error)
    """
    result = end_of(code)
    assert result.returncode == 0, result.stderr
    assert "no simulated device" in result.stdout and "/nowhere/libsim.so" in result.stdout


# --- counters ---


def test_counters_count():
    with cuda.simulator() as device:
        x = cuda.zeros(64, np.int32)
        before = device.counters
        INCREMENT[2, 32](x, 64)
        counters = device.counters
    assert before.launches == 0
    assert (counters.launches, counters.blocks, counters.warps) == (1, 2, 2)
    assert counters.bytes_loaded == counters.bytes_stored == 256
    assert counters.transactions == 16
    assert counters.divergent_branches == 0
    assert counters.warp_instructions < counters.instructions <= 32 * counters.warp_instructions
    assert sum(counters.instructions_by_class.values()) == counters.instructions
    assert counters.instructions_by_class["global load"] == 64
    assert repr(counters).startswith("<counters: 1 launches, ")


# --- faults on request ---


def test_a_failed_allocation_leaves_all_as_it_was():
    with cuda.simulator(faults=cuda.Faults(allocation=3)) as device:
        host = np.arange(4, dtype=np.int32)
        x = cuda.to_device(host)
        cuda.device_array(100)
        with pytest.raises(npp.DeviceMemoryError, match="to allocate 16 bytes on"):
            INCREMENT[1, 32](host, 4)
        np.testing.assert_array_equal(host, np.arange(4))
        assert device.counters.launches == 0
        INCREMENT[1, 32](host, 4)
        np.testing.assert_array_equal(host, np.arange(1, 5))
        np.testing.assert_array_equal(x.copy_to_host(), np.arange(4))


def test_memory_runs_out_and_is_given_back():
    with cuda.simulator(memory="1 MiB"):
        half = cuda.device_array(2**19, np.uint8)
        with pytest.raises(npp.DeviceMemoryError, match="1048576 bytes in all"):
            cuda.device_array(2**20, np.uint8)
        del half
        for _ in range(5):
            cuda.device_array(2**20 - 4096, np.uint8)


def test_a_failed_launch_is_an_error_with_a_code():
    with cuda.simulator(faults={"launch": 1}):
        x = cuda.zeros(4, np.int32)
        with pytest.raises(npp.CudaError, match="LAUNCH_FAILED") as error:
            INCREMENT[1, 32](x, 4)
        first = str(error.value).splitlines()[0]
        assert first == "injected fault: launch 1 of this device fails, that of kernel 'increment'"
        assert error.value.name == "CUDA_ERROR_LAUNCH_FAILED"
        assert error.value.code == 719
        INCREMENT[1, 32](x, 4)
        np.testing.assert_array_equal(x.copy_to_host(), 1)


def test_a_lost_device_stays_lost():
    host = np.zeros(4, np.int32)
    with cuda.simulator(faults={"lost": 2}):
        x = cuda.to_device(host)
        INCREMENT[1, 32](x, 4)
        for call in (
            lambda: INCREMENT[1, 32](x, 4),
            lambda: INCREMENT[1, 32](host, 4),
            x.copy_to_host,
            lambda: cuda.device_array(3),
            cuda.synchronize,
        ):
            with pytest.raises((npp.CudaError, npp.SimulatorError)):
                call()
        assert "can't be read" in repr(x)
    np.testing.assert_array_equal(host, 0)
    with cuda.simulator():
        INCREMENT[1, 32](host, 4)
    np.testing.assert_array_equal(host, 1)


def test_calls_of_ufuncs_survive_faults():
    f = npp.vectorize(["float64(float64, float64)"], args="x, y", body="return x + 10 * y;")
    x, y = np.arange(100.0), np.ones(100)
    with cuda.simulator(faults={"allocation": 3}) as device:
        on_device = cuda.to_device(x), cuda.to_device(y)
        with pytest.raises(npp.DeviceMemoryError):
            f(*on_device)
        np.testing.assert_array_equal(f(*on_device).copy_to_host(), f(x, y))
        np.testing.assert_array_equal(f(on_device[0], 2.0).copy_to_host(), f(x, 2.0))
        assert device.counters.launches == 2


# --- what the simulator finds ---


def test_a_write_past_the_end_is_named():
    source = """
    __global__ void spill(int* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i <= n) out[i] = i;
    }"""
    with cuda.simulator():
        out = cuda.device_array(100, np.int32)
        line = sys._getframe().f_lineno - 1
        with pytest.raises(npp.SimulatorError) as error:
            cuda.kernel(source, "spill")[4, 32](out, 100)
    text = str(error.value)
    assert re.search(r"kernel 'spill\b.*block \(3,0,0\), thread \(4,0,0\)", text)
    assert re.search(r"wrote 4 bytes at 0x[0-9a-f]+, 0 bytes past the end", text)
    assert f"(400 bytes, device_array at test_cuda_devices.py:{line})" in text
    assert error.value.name == "CUDA_ERROR_ILLEGAL_ADDRESS"


def test_uninitialised_values_are_named():
    with (
        cuda.simulator() as device,
        pytest.raises(npp.SimulatorError, match=r"device_array at test_cuda_devices\.py"),
    ):
        INCREMENT[1, 32](cuda.device_array(8, np.int32), 8)
    with cuda.simulator(checks=["bounds"]) as device:
        INCREMENT[1, 32](cuda.device_array(8, np.int32), 8)
        assert device.counters.launches == 1


def test_a_failed_assertion_shows_its_text():
    source = """
    __global__ void check(int limit) { assert(threadIdx.x < limit && "a limit"); }"""
    with cuda.simulator():
        with pytest.raises(npp.SimulatorError) as error:
            cuda.kernel(source, "check")[1, 32](7)
        assert 'threadIdx.x < limit && "a limit"' in str(error.value)
        assert "thread (7,0,0)" in str(error.value)
        x = cuda.zeros(2, np.int32)
        INCREMENT[1, 2](x, 2)


def test_a_kernel_that_never_ends_is_ended():
    source = "__global__ void spin(volatile int* x) { while (x[0] == 0) {} }"
    with (
        cuda.simulator(max_steps=10_000),
        pytest.raises(npp.SimulatorError, match="'spin"),
    ):
        cuda.kernel(source, "spin")[1, 32](np.zeros(1, np.int32))


def test_host_arrays_keep_their_values_when_a_kernel_fails():
    host = np.zeros(4, np.int32)
    with cuda.simulator(), pytest.raises(npp.SimulatorError, match="a copy of parameter 1 of"):
        INCREMENT[1, 32](host, 5)
    np.testing.assert_array_equal(host, 0)


# --- streams and events ---


def test_streams_are_current_inside_their_block():
    with cuda.simulator() as device:
        own = cuda.current_stream()
        stream = cuda.stream()
        with stream as entered:
            assert entered is stream
            assert cuda.current_stream() is stream
            assert cuda.current_device() is device
        assert cuda.current_stream() is own
        assert stream.device is device
        assert stream.__cuda_stream__() == (0, stream.handle)


def test_copies_of_pinned_memory_go_on_by_themselves():
    with cuda.simulator(faults={"copy_delay": 0.2}):
        stream = cuda.stream()
        host = cuda.pinned_array(4, np.int32)
        host[:] = [1, 2, 3, 4]
        x = cuda.to_device(host, stream=stream)
        assert not stream.query()
        INCREMENT[1, 32, stream](x, 4)
        out = cuda.pinned_array(4, np.int32)
        out[:] = -1
        assert x.copy_to_host(out, stream=stream) is out
        done = cuda.event()
        done.record(stream)
        assert not done.query()
        assert (out == -1).all()
        done.synchronize()
        assert done.query()
        stream.synchronize()
        assert stream.query()
        np.testing.assert_array_equal(out, [2, 3, 4, 5])


def test_other_copies_are_waited_for():
    with cuda.simulator(faults={"copy_delay": 0.05}):
        stream = cuda.stream()
        x = cuda.to_device(np.arange(4), stream=stream)
        assert stream.query()
        np.testing.assert_array_equal(x.copy_to_host(stream=stream), np.arange(4))
        pinned = cuda.pinned_array(4)
        pinned[:] = 1
        x = cuda.to_device(pinned)
        assert cuda.current_stream().query()


def test_memory_of_a_running_copy_is_kept():
    with cuda.simulator(faults={"copy_delay": 0.1}):
        stream = cuda.stream()
        host = cuda.pinned_array(4)
        host[:] = 7
        watched = weakref.ref(host)
        x = cuda.to_device(host, stream=stream)
        del host
        gc.collect()
        assert watched() is not None
        stream.synchronize()
        assert watched() is None
        np.testing.assert_array_equal(x.copy_to_host(), 7)


@pytest.mark.parametrize("kind", ["handle", "external", "legacy", "gone"])
@pytest.mark.parametrize("direction", ["to device", "to host"])
def test_memory_of_a_running_copy_on_another_librarys_stream_is_kept(kind, direction):
    with cuda.simulator(faults={"copy_delay": 0.1}):
        theirs = cuda.stream()
        stream = {"legacy": 1, "external": cuda.external_stream(theirs.handle)}.get(
            kind, theirs.handle if kind == "handle" else theirs
        )
        x = cuda.zeros(4)
        cuda.synchronize()
        host = cuda.pinned_array(4)
        host[:] = 7
        watched = weakref.ref(host)
        if direction == "to device":
            x.copy_to_device(host, stream=stream)
        else:
            x.copy_to_host(host, stream=stream)
        if kind == "gone":
            theirs = stream = None
        del host
        gc.collect()
        assert watched() is not None
        cuda.synchronize()
        assert watched() is None
        np.testing.assert_array_equal(x.copy_to_host(), 7 if direction == "to device" else 0)


def test_work_without_a_stream_waits_for_streams_that_use_the_array():
    with cuda.simulator(faults={"copy_delay": 0.1}):
        stream = cuda.stream()
        host = cuda.pinned_array(4, np.int32)
        host[:] = 5
        x = cuda.device_array(4, np.int32)
        x.copy_to_device(host, stream=stream)
        INCREMENT[1, 32](x, 4)
        np.testing.assert_array_equal(x.copy_to_host(), 6)


def test_events_order_streams_and_take_time():
    with cuda.simulator(faults={"copy_delay": 0.05}):
        first, second = cuda.stream(), cuda.stream()
        begin, end = cuda.event(), cuda.event()
        host = cuda.pinned_array(4, np.int32)
        host[:] = 1
        x = cuda.device_array(4, np.int32)
        begin.record(first)
        x.copy_to_device(host, stream=first)
        end.record(first)
        second.wait(end)
        INCREMENT[1, 32, second](x, 4)
        second.synchronize()
        assert end.query()
        assert cuda.event_elapsed_time(begin, end) >= 40
        assert begin.elapsed_time(end) == cuda.event_elapsed_time(begin, end)
        np.testing.assert_array_equal(x.copy_to_host(), 2)


def test_events_that_have_no_time():
    with cuda.simulator():
        one, other = cuda.event(), cuda.event()
        with pytest.raises(RuntimeError, match="never recorded"):
            one.elapsed_time(other)


def test_streams_of_other_devices_are_refused():
    with cuda.simulator():
        stream = cuda.stream()
    with cuda.simulator():
        x = cuda.zeros(3)
        with pytest.raises(ValueError, match="the stream is of device"):
            x.copy_to_host(stream=stream)
        with pytest.raises(ValueError, match="the stream is of device"):
            cuda.event().record(stream)
        with pytest.raises(TypeError, match=r"stream must be a cuda\.Stream, .* found str"):
            cuda.to_device(np.ones(3), stream="fast")
        assert cuda.to_device(np.ones(3), stream=0).shape == (3,)


# --- threads, processes ---


def test_many_threads_work_on_one_device():
    errors = []

    def work(device, number):
        try:
            with device:
                x = cuda.to_device(np.full(100, number, np.int32))
                for _ in range(5):
                    INCREMENT[4, 32](x, 100)
                np.testing.assert_array_equal(x.copy_to_host(), number + 5)
        except Exception as error:
            errors.append(error)

    with cuda.simulator() as device:
        threads = [threading.Thread(target=work, args=(device, i)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    assert device.counters.launches == 40


def test_an_array_of_another_thread_is_ready():
    with cuda.simulator(faults={"copy_delay": 0.05}) as device:
        made = []

        def make():
            with device:
                made.append(cuda.to_device(np.ones(10, np.int32)))
                INCREMENT[1, 32](made[0], 10)

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        np.testing.assert_array_equal(made[0].copy_to_host(), 2)


def test_waiting_leaves_pythons_lock_to_others():
    with cuda.simulator(faults={"copy_delay": 0.5}) as device:
        ticks = []

        def copy():
            with device:
                cuda.to_device(np.ones(3))

        thread = threading.Thread(target=copy)
        thread.start()
        while thread.is_alive() and len(ticks) < 1000:
            ticks.append(time.sleep(0.001))
        thread.join()
    assert len(ticks) > 20


def test_a_forked_process_gets_a_clear_error():
    code = """
        import os, sys
        import numpy as np
        import numpy_plugin as npp
        from numpy_plugin import cuda
        with cuda.simulator() as device:
            x = cuda.to_device(np.arange(3))
            stream = cuda.stream()
            child = os.fork()
            if child == 0:
                calls = [x.copy_to_host, lambda: cuda.zeros(3), stream.synchronize, lambda: repr(x),
                         cuda.simulator, cuda.synchronize]
                for call in calls:
                    try:
                        print(type(call()).__name__)
                    except npp.CudaError as error:
                        print("spawn" in str(error))
                del x, stream, device
                sys.stdout.flush()
                os._exit(0)
            status = os.waitpid(child, 0)[1]
        print("child", status, x.copy_to_host())
    """
    result = end_of(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        *["True"] * 3,
        "str",
        *["True"] * 2,
        "child 0 [0 1 2]",
    ]


def test_objects_that_outlive_the_interpreter_do_no_harm():
    code = """
        import numpy as np
        from numpy_plugin import cuda
        device = cuda.simulator()
        device.__enter__()
        x = cuda.to_device(np.arange(3))
        stream = cuda.stream()
        pinned = cuda.pinned_array(5)
        event = cuda.event()
        class Cycle: pass
        cycle = Cycle(); cycle.me = cycle; cycle.x = x
        print("end")
    """
    result = end_of(code)
    assert (result.returncode, result.stdout) == (0, "end\n"), result.stderr
    assert result.stderr == ""
