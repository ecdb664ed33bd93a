"""Dates and durations in device kernels: the values of the same function called by Python."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

TIMES = np.array(["2000-02-29T13:00:01", "1969-12-31T23:59:59", "NaT", "1970-01-01"], "M8[s]")
SPANS = np.array([[90, -7, 3600, 0], [5, 86400, -1, 12]], "m8[s]")
START = np.datetime64("1999-12-31", "D")


@pytest.fixture(autouse=True)
def device():
    with cuda.simulator():
        yield


def elements(t, spans, step, out, gaps, days, i):
    out[i] = t[i] + spans[1, i] + step
    gaps[i] = (t[i] - START) / np.timedelta64(1, "h")
    spans[0, i] = max(spans[0, i], spans[1, i]) * 2 - step
    days[i] = t[i]
    if np.isnat(t[i]) or t[i] < START:
        out[i] = START


@pytest.mark.parametrize("unit", ["s", "15m", "D", "ns"])
def test_elements(unit):
    of_element = npp.device(elements)

    @cuda.kernel
    def kernel(t, spans, step, out, gaps, days):
        i = cuda.grid(1)
        if i < len(t):
            of_element(t, spans, step, out, gaps, days, i)

    def arguments():
        results = np.zeros(4, "M8[ns]"), np.zeros(4), np.zeros(4, "M8[D]")
        return TIMES.astype(f"M8[{unit}]"), SPANS.copy(), np.timedelta64(90, "s"), *results

    known, found = arguments(), arguments()
    for i in range(4):
        elements(*known, i)
    on_device = [cuda.to_device(array) for array in found[:2]]
    kernel[1, 32](*on_device, *found[2:])
    np.testing.assert_array_equal(on_device[1].copy_to_host(), known[1])
    for one, other in zip(found[3:], known[3:], strict=True):
        np.testing.assert_array_equal(one, other)


def reversed_times(t, step, out):
    shared = cuda.shared.array(4, "M8[ms]")
    own = cuda.local.array(2, "m8[h]")
    i = cuda.threadIdx.x
    own[1] = np.timedelta64(npp.time.year(t[i]) if i == 0 else 0, "h")
    shared[i] = t[i] + step
    cuda.syncthreads()
    out[i] = shared[3 - i] + own[1]


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "void(M8[s][:], m8[D], M8[s][:])",
        npp.void(npp.datetime64("s")[:], np.dtype("m8[D]"), npp.datetime64("s")[:]),
    ],
)
def test_declared_units(signature):
    kernel = cuda.kernel(reversed_times, signature) if signature else cuda.kernel(reversed_times)
    out = np.zeros(4, "M8[s]")
    kernel[1, 4](TIMES, np.timedelta64(1, "D"), out)
    expected = (TIMES + np.timedelta64(1, "D"))[::-1] + np.array([2000, 0, 0, 0], "m8[h]")
    np.testing.assert_array_equal(out, expected)


SECOND = np.timedelta64(1, "s")
ARGUMENTS = {
    "an int": (TIMES, 5, r"parameter 2 of 'later' is timedelta64\[15m\], found int"),
    "a bool": (TIMES, True, "found bool"),
    "a float": (TIMES, 1.5, "found float"),
    "numpy's int": (TIMES, np.int64(5), r"found numpy\.int64"),
    "a finer unit": (TIMES, SECOND, r"found numpy\.timedelta64\[s\]\n  hint: x\.astype\(\"timed"),
    "a date": (TIMES, TIMES[0], r"found numpy\.datetime64\[s\]\n.*np\.timedelta64\(5, \"15m\"\)"),
    "a text": (TIMES, "2000-01-01", "found str"),
    "an array for a number": (TIMES, SPANS, "found ndarray"),
    "a number for an array": (TIMES[0], None, r"parameter 1 of 'later' is datetime64\[s\]\[:\], "),
    "an array of numbers": (np.zeros(4), None, "found an array of float64\n"),
    "an array of ticks": (np.zeros(4, "i8"), None, r"found an array of int64\n.*np\.datetime64\("),
    "an array of days": (TIMES.astype("M8[D]"), None, r"found an array of datetime64\[D\]\n  hint"),
    "an array of durations": (SPANS[0], None, r"found an array of timedelta64\[s\]"),
    "an array without a unit": (np.zeros(4, "M8"), None, "found an array of datetime64\n"),
    "swapped bytes": (TIMES.astype(">M8[s]"), None, r"found an array of >M8\[s\]"),
}


@pytest.fixture(scope="module")
def later():
    def later(t, step):
        i = cuda.grid(1)
        if i < len(t):
            t[i] += step

    return cuda.kernel(later, "void(datetime64[s][:], timedelta64[15m])")


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_of_another_type(later, name):
    times, step, message = ARGUMENTS[name]
    good = TIMES.copy()
    with pytest.raises(TypeError, match=message):
        later[1, 4](times, np.timedelta64(1, "15m") if step is None else step)
    later[1, 4](good, np.timedelta64(1, "15m"))
    np.testing.assert_array_equal(good, TIMES + np.timedelta64(900, "s"))


STORED = {
    "out[0] = 5": r"int64 stored, datetime64\[s\] declared",
    "out[0] = t[0] - t[0]": r"timedelta64\[s\] stored, datetime64\[s\] declared",
    "cuda.atomic.max(out, 0, t[0])": r"cuda\.atomic\.max takes arrays of .*'out' has datetime64",
    "out[t[0]] = t[0]": r"an index must be an integer, found datetime64\[s\]",
}


@pytest.mark.parametrize("line", STORED)
def test_mistakes_in_kernels(line):
    kernel = cuda.kernel(function(f"def f(t, out):\n    {line}\n", cuda=cuda))
    with pytest.raises(npp.KernelError, match=STORED[line]):
        kernel[1, 1](TIMES, TIMES.copy())


def test_signatures_have_units():
    with pytest.raises(npp.SignatureError, match="dates and durations need a unit") as caught:
        cuda.kernel(reversed_times, "void(M8[s][:], timedelta64, M8[s][:])")
    assert '"timedelta64[s]", or leave the signature out' in str(caught.value)
