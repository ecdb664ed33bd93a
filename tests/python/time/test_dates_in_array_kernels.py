"""`ElementwiseKernel` and `ReductionKernel` of dates and durations, whose C++ sees their ticks."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

TIMES = np.array(["2000-02-28", "NaT", "1969-01-01", "2100-12-31"], "M8[D]")
SPANS = np.array([5, 7, -3, 0], "m8[s]")
DAY = np.datetime64("2000-01-01", "D")
#: The smallest int64 is NaT.
KEEPING_NAT = "npp::int64 nat = -9223372036854775807LL - 1;\n"

later = npp.ElementwiseKernel(
    "M8[s] t, float64 h",
    "M8[s] r",
    f"{KEEPING_NAT}r = t == nat ? nat : t + static_cast<npp::int64>(h * 3600);",
    "later",
)
larger = npp.ElementwiseKernel("T t, T u", "T r", "r = t > u ? t : u", "larger")
since = npp.ElementwiseKernel(
    "raw M8[D] t, m8[D] d", "m8[D] r", f"{KEEPING_NAT}r = t[i] == nat ? nat : t[i] - t[0] + d", "s"
)
spread = npp.ElementwiseKernel("M8[D] t, T step", "M8[s] r", "r = t * 86400 + i * step", "spread")
latest = npp.ReductionKernel(
    "T x", "T y", "x", "a > b ? a : b", "y = a", "-9223372036854775807LL - 1", "latest"
)
elapsed = npp.ReductionKernel(
    "M8[D] x, M8[D] start", "m8[D] y", "x - start", "a + b", "y = a", "0", "elapsed"
)
GOOD = TIMES[[0, 2, 3]]

CALLS = {
    "a fixed unit": (later, (TIMES, 1.5), TIMES + np.timedelta64(5400, "s")),
    "a coarser unit": (
        later,
        (TIMES.astype("M8[M]"), 2),
        TIMES.astype("M8[M]").astype("M8[s]") + np.timedelta64(2, "h"),
    ),
    "a placeholder": (larger, (TIMES, TIMES[::-1]), np.fmax(TIMES, TIMES[::-1])),
    "a placeholder, durations": (larger, (SPANS, SPANS[:1]), np.maximum(SPANS, SPANS[:1])),
    "a placeholder, an int": (larger, (SPANS, 4), np.maximum(SPANS, np.timedelta64(4, "s"))),
    "a placeholder, NaT": (larger, (np.datetime64("NaT"), TIMES), TIMES),
    "a raw array": (
        since,
        (TIMES, np.arange(4).astype("m8[D]")),
        TIMES - TIMES[0] + np.arange(4).astype("m8[D]"),
    ),
    "a raw array of weeks": (
        since,
        (TIMES.astype("M8[W]"), np.arange(4).astype("m8[W]")),
        TIMES.astype("M8[W]").astype("M8[D]")
        - TIMES[0].astype("M8[W]").astype("M8[D]")
        + np.arange(0, 28, 7).astype("m8[D]"),
    ),
    "an index": (
        spread,
        (GOOD, np.timedelta64(5, "s")),
        GOOD + np.arange(0, 15, 5).astype("m8[s]"),
    ),
    "a reduction": (latest, (TIMES,), np.datetime64("2100-12-31")),
    "a reduction with a date": (elapsed, (GOOD, np.datetime64("2000-01", "M")), (GOOD - DAY).sum()),
    "a reduction of months": (
        elapsed,
        (GOOD.astype("M8[M]"), GOOD[:1]),
        (GOOD.astype("M8[M]") - GOOD[0]).sum(),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    kernel, operands, expected = CALLS[name]
    found = kernel(*operands)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    with cuda.simulator():
        moved = [
            cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in operands
        ]
        on_device = kernel(*moved)
        assert on_device.dtype == expected.dtype
        np.testing.assert_array_equal(on_device.copy_to_host(), expected)


def test_arrays_are_changed_in_place():
    bump = npp.ElementwiseKernel("M8[D] *t, m8[D] step", "t[i] += step", "bump")
    times = GOOD.copy()
    bump(times, np.timedelta64(2, "W"))
    np.testing.assert_array_equal(times, GOOD + np.timedelta64(14, "D"))
    with pytest.raises(TypeError, match=r"'t' of 'bump' is datetime64\[D\], found datetime64\[h\]"):
        bump(times.astype("M8[h]"), np.timedelta64(1, "D"))


WRONG = {
    "units of a placeholder": (
        larger,
        (TIMES, TIMES.astype("M8[s]")),
        r"is datetime64\[D\] for 't'",
    ),
    "a date and a duration": (larger, (TIMES, SPANS), "is datetime64 for 't' and timedelta64 for"),
    "a date and an int": (larger, (TIMES, 5), "which a Python int for 'u' does not fit"),
    "a duration and a float": (larger, (SPANS, 1.5), "which a Python float for 'u' does not fit"),
    "a finer unit": (
        since,
        (TIMES.astype("M8[s]"), SPANS),
        r"is datetime64\[D\], found datetime64\[s",
    ),
    "numbers": (since, (np.arange(4), SPANS), r"'t' of 's' is datetime64\[D\], found int64"),
    "a duration to reduce": (elapsed, (SPANS, DAY), r"is datetime64\[D\], found timedelta64\[s\]"),
    "an int for a date": (elapsed, (TIMES, 5), "found a Python int"),
    "a fixed unit": (later, (SPANS, 1.5), "'later' not supported for the input types"),
    "texts": (latest, (np.array(["2000"]),), "kernels have no type for arguments of dtype str"),
    "no unit": (
        npp.ElementwiseKernel("raw M8 t, int64 k", "M8 r", "r = t[i] + k", "next"),
        (TIMES, np.arange(4)),
        r"'t' of 'next' is datetime64 without a unit; write datetime64\[s\], or a placeholder such",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_operands(name):
    kernel, operands, message = WRONG[name]
    with pytest.raises(TypeError, match=message):
        kernel(*operands)
    kernel, operands, expected = CALLS["a placeholder"]
    np.testing.assert_array_equal(kernel(*operands), expected)
