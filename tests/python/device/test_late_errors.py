"""Errors of kernels that come after the call: when they are raised, and the call that they name."""

import textwrap

import pytest
from machines.counting_driver import EXECUTING, run_with_driver

PROGRAM = """
@npp.vectorize(["float32(float32)"])
def positive(x):
    if x < 0:
        raise ValueError("negative", x)
    return x + 1


def raised_by(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except Exception as error:
        return error


good = cuda.to_device(np.array([1, 2, 3], np.float32))
bad = cuda.to_device(np.array([1, -2, 3], np.float32))
positive(good)
cuda.synchronize()
"""


def run(program):
    return run_with_driver(PROGRAM + textwrap.dedent(program)).splitlines()


def test_calls_do_not_wait_for_what_they_raise():
    calls = run("""
        for _ in range(3):
            positive(good)
        print(*driver.calls(positive, good))
        print(*driver.calls(positive, good, out=good))
        print(*driver.calls(positive, bad, out=good))
    """)
    first, *others = (call.split() for call in calls)
    assert len(first) <= 4 + 2  # the result's memory is given back in two
    assert all(len(call) <= 4 for call in others)
    assert all("Synchronize" not in name for call in [first, *others] for name in call)


@pytest.mark.parametrize(
    "wait",
    [
        "result.copy_to_host()",
        "cuda.synchronize()",
        "cuda.current_stream().synchronize()",
        "result[0].item()",
        "event = cuda.event(); event.record(); event.synchronize()",
        "np.asarray(result.copy_to_host())",
    ],
)
def test_whatever_waits_raises(wait):
    lines = run(f"""
        result = positive(bad)  # the call
        def wait():
            {wait}
        error = raised_by(wait)
        print(repr(error), error.element)
        print(*error.__notes__, sep="\\n")
        cuda.synchronize()
        print(*positive(good).copy_to_host())
    """)
    assert lines[0] == "ValueError('negative', np.float32(-2.0)) None"
    assert lines[1].startswith("raised by 'positive', ")
    program = [line.strip() for line in PROGRAM.splitlines()]
    number = lines[2].rpartition(":")[2]
    assert lines[2].startswith("in the call of 'positive' at program.py:")
    assert int(number) > len(program)
    assert lines[3:] == ["2.0 3.0 4.0"]


def test_immediate_errors_name_the_element():
    lines = run("""
        with cuda.errors("immediate"):
            error = raised_by(positive, bad)
            print(repr(error), error.element)
            print(*positive(good).copy_to_host())
        print(raised_by(positive, bad))
        print(repr(raised_by(cuda.synchronize)))
        cuda.errors("immediate")
        print(repr(raised_by(positive, bad)))
        print(raised_by(cuda.errors, "late"))
    """)
    assert lines == [
        "ValueError('negative', np.float32(-2.0)) (1,)",
        "2.0 3.0 4.0",
        "None",
        "ValueError('negative', np.float32(-2.0))",
        "ValueError('negative', np.float32(-2.0))",
        "mode is 'late'; expected 'deferred' or 'immediate'",
    ]


def test_host_arrays_raise_at_once():
    lines = run("""
        spin = npp.vectorize(["float32(float32)"], target="cuda")(positive.__wrapped__)
        error = raised_by(spin, np.array([1, 2, -3], np.float32))
        print(repr(error), error.element)
    """)
    assert lines == ["ValueError('negative', np.float32(-3.0)) (2,)"]


def test_host_arrays_of_kernels_raise_at_once_and_are_not_copied_back():
    lines = run("""
        @cuda.kernel("void(float32[:])")
        def shift(x):
            i = cuda.grid(1)
            if x[i] < 0:
                raise ValueError("negative", x[i])
            x[i] += 1
        host = np.array([1, -2, 3], np.float32)
        print(repr(raised_by(shift[1, 3], host)), *host)
        print(raised_by(shift[1, 3], good), raised_by(shift[1, 3], bad))
        print(repr(raised_by(cuda.synchronize)), *good.copy_to_host())
    """)
    error = "ValueError('negative', np.float32(-2.0))"
    assert lines == [f"{error} 1.0 -2.0 3.0", "None None", f"{error} 2.0 3.0 4.0"]


def test_errors_stay_with_their_stream_and_thread():
    lines = run("""
        import threading
        stream = cuda.stream()
        thread = threading.Thread(target=lambda: positive(bad, stream=stream))
        thread.start()
        thread.join()
        print(raised_by(cuda.current_stream().synchronize))
        print(repr(raised_by(stream.synchronize)))
        print(raised_by(stream.synchronize))
    """)
    assert lines == ["None", "ValueError('negative', np.float32(-2.0))", "None"]


def test_a_ufunc_may_be_gone():
    lines = run("""
        def once():
            local = npp.vectorize(["float32(float32)"])(positive.__wrapped__)
            local(bad)
        once()
        gc.collect()
        print(repr(raised_by(cuda.synchronize)))
    """)
    assert lines == ["ValueError('negative', np.float32(-2.0))"]


def test_graphs_raise_at_each_launch():
    lines = run("""
        with cuda.graph() as graph:
            positive(bad, out=good)
        print(raised_by(cuda.synchronize))
        for _ in range(2):
            graph.launch()
            print(repr(raised_by(cuda.synchronize)))
        bad.fill(4)
        graph.launch()
        print(raised_by(cuda.synchronize), *good.copy_to_host())
    """)
    error = "ValueError('negative', np.float32(-2.0))"
    assert lines == ["None", error, error, "None 5.0 5.0 5.0"]


def test_many_launches_that_nobody_waits_for():
    lines = run("""
        for _ in range(5000):
            positive(good, out=good)
        positive(bad, out=good)
        print(repr(raised_by(cuda.synchronize)))
    """)
    assert lines == ["ValueError('negative', np.float32(-2.0))"]


FAULT = """
f = npp.vectorize(["float32(float32)"], args="x", body="return x + 1;", name="increment")
wrong = cuda.kernel('''
extern "C" __global__ void wrong(float* x) { *(float*)64 = x[0]; }''', "wrong")
x = cuda.ones(4, np.float32)
f(x, out=x)
wrong[1, 1](x)
for _ in range(2):
    f(x, out=x)
try:
    cuda.synchronize()
except npp.CudaError as error:
    print(error)
    print(*error.__notes__, sep="\\n")
"""


def test_faults_name_the_last_launches():
    lines = run_with_driver(FAULT, EXECUTING).splitlines()
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in lines[0]
    note = lines[-1]
    assert note.startswith("the last launches, newest first: 'increment' at program.py:")
    assert note.count("'increment' at program.py:") == 3
    assert note.count("'wrong' at program.py:") == 1
