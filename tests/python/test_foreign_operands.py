"""Other libraries dispatch on a ufunc's name: one of ours called `add` still runs its own body."""

import numpy as np
import pytest

import numpy_plugin as npp

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def add():
    return npp.vectorize(
        ["float64(float64, float64)"], args="x, y", body="return x + 10 * y;", name="add"
    )


def test_a_series_gets_our_body(add):
    series = pandas.Series([1.0, 2.0], index=["a", "b"])
    result = add(series, series)
    assert list(result.index) == ["a", "b"]
    np.testing.assert_array_equal(result.to_numpy(), [11, 22])


def test_a_frame_gets_our_body(add):
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(add(frame, 1.0).to_numpy(), [[11, 13], [12, 14]])


def test_the_twin_is_made_once_and_is_a_ufunc(add):
    seen = []

    class Probe:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            seen.append(ufunc)
            return 0

    add(Probe(), 1.0)
    add(Probe(), 1.0)
    assert seen[0] is seen[1]
    assert type(seen[0]) is np.ufunc
    assert "." in seen[0].__name__
    np.testing.assert_array_equal(seen[0](np.ones(2), 1.0), [11, 11])


def test_plain_arrays_see_the_plain_name(add):
    assert add.__name__ == "add"
    with pytest.raises(TypeError, match="ufunc 'add'"):
        add(np.ones(2, complex), 1.0)
