"""`npp.benchmark`: what it compares and shows. No test depends on a time."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda
from numpy_plugin.__main__ import main
from numpy_plugin._benchmark.differences import largest_difference


@npp.vectorize(["float32(float32)", "float64(float64)"])
def logistic(x):
    return 1 / (1 + np.exp(-x))


def expression(x):
    return 1.0 / (1.0 + np.exp(-x))


@pytest.fixture(scope="module")
def found():
    return npp.benchmark(
        logistic,
        np.linspace(-3, 3, 100),
        against={
            "NumPy": expression,
            "wrong": np.tanh,
            "absent": "no_such_module.expit",
            "SciPy": "scipy.special.expit",
            "other shape": lambda x: x[:-1],
        },
        sizes=[10, 1000],
        dtypes=["f4", "f8"],
        rounds=3,
    )


def test_rows(found):
    assert len(found) == 4 * 6
    assert [row.size for row in found[::6]] == [10, 1000, 10, 1000]
    assert [row.dtype for row in found[::6]] == ["float32"] * 2 + ["float64"] * 2
    first, numpys, wrong, absent, scipys, other = found[:6]
    assert (first.function, first.ratio, first.ulp, first.place) == ("logistic", 1.0, 0.0, ())
    assert first.low <= first.seconds <= first.high
    assert numpys.ulp <= 4
    assert numpys.ratio == pytest.approx(numpys.seconds / first.seconds)
    assert wrong.ulp > 1e6
    assert len(wrong.place) == 1
    assert (absent.note, absent.seconds, absent.ratio) == ("missing", None, None)
    assert scipys.ulp <= 4
    assert other.note == "a result of shape (10,) compared with one of shape (9,)"


def test_shown(found, tmp_path):
    text = repr(found)
    assert text.startswith("logistic, ")
    assert text.count("missing") == 4
    assert found._repr_html_().count("<tr>") == 25
    path = tmp_path / "found.json"
    assert json.loads(found.to_json(path)) == json.loads(path.read_text())
    data = json.loads(path.read_text())
    assert data["ufunc"] == "logistic"
    assert data["rows"][1]["function"] == "NumPy"
    figure = found.plot(tmp_path / "found.svg")
    assert (tmp_path / "found.svg").stat().st_size > 1000
    (axes,) = figure.axes
    assert len(axes.lines) == 2 * 4
    assert axes.lines[0].get_xdata().tolist() == [10, 1000]


def test_threads_and_devices(capsys):
    before = _core.n_threads()
    with cuda.simulator():
        found = npp.benchmark(
            logistic,
            np.linspace(-3, 3, 100, dtype="f4"),
            against={"tanh": np.tanh, "host only": lambda x: np.asarray(x) + 1},
            threads=[1, 2],
            devices=["cpu", "cuda"],
            rounds=2,
        )
    assert _core.n_threads() == before
    assert [row.threads for row in found[::3]] == [1, 2, 1, 2]
    assert "simulator" in found[6].device
    assert found[7].seconds is not None
    assert "copy_to_host" in found[8].note
    assert "tanh" in capsys.readouterr().out


def test_preallocated_results():
    """Whatever takes `out=` as ufuncs do is called with it when it is timed."""
    calls = []

    def with_out(x, out=None):
        calls.append(out)
        return np.tanh(x, out=out)

    def with_any_name(x, **named):
        assert calls
        return np.tanh(x)

    x = np.linspace(-1, 1, 5)
    found = npp.benchmark(np.tanh, x, against={"out": with_out, "any": with_any_name}, rounds=2)
    assert [row.note for row in found] == ["", "", ""]
    first, *timed = calls
    assert first is None
    assert len(timed) > 2
    assert all(out is timed[0] and out.shape == x.shape for out in timed)


def test_first_calls_after_others_do_not_count():
    """They are slow, as where others' operands have taken the caches."""
    last = None

    def make(name):
        def function(x):
            nonlocal last
            if last not in (None, name):
                time.sleep(0.02)
            last = name
            return x

        return function

    found = npp.benchmark(make("ours"), np.ones(3), against={"theirs": make("theirs")}, rounds=3)
    assert all(row.seconds < 0.001 for row in found)


def test_mistakes():
    x = np.ones(3)
    with pytest.raises(TypeError, match="f must be a ufunc or a function, not int"):
        npp.benchmark(1, x)
    with pytest.raises(TypeError, match="against"):
        npp.benchmark(np.sin, x, against={"a": 3})
    with pytest.raises(ValueError, match="devices are 'cpu' and 'cuda', found 'gpu'"):
        npp.benchmark(np.sin, x, devices=["gpu"])
    with pytest.raises(ValueError, match="sizes must be at least 1, found"):
        npp.benchmark(np.sin, x, sizes=[0])
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 3 were given"):
        npp.benchmark(np.sin, x, x, x)


@pytest.mark.parametrize(
    ("ours", "theirs", "ulp", "place"),
    [
        (np.float64([1, 2]), np.float64([1, np.nextafter(2, 3)]), 1, (1,)),
        (np.float32([[1], [2]]), np.float64([[1], [2 + 2**-22]]), 1, (1, 0)),
        (np.float64([np.nan, np.inf]), np.float64([np.nan, np.inf]), 0, ()),
        (np.float64([np.nan, 1]), np.float64([1, 1]), np.inf, (0,)),
        (np.int64([3, 4]), np.int64([3, 7]), 3, (1,)),
        (np.array([True, False]), np.array([True, True]), 1, (1,)),
        (np.complex128([1 + 1j]), np.complex128([1 + 1j + 2j**2 * 0]), 0, ()),
        (np.complex64([1 + 1j]), np.complex64([1 + np.nextafter(np.float32(1), 2) * 1j]), 1, (0,)),
        (np.float64(5e-324), np.float64(0), 1, ()),
        (np.zeros(0), np.zeros(0), 0, ()),
    ],
)
def test_differences(ours, theirs, ulp, place):
    found = largest_difference(ours, theirs)
    assert (found.ulp, found.place) == (ulp, place)


def test_several_results():
    found = largest_difference((np.ones(2), np.ones(2)), (np.ones(2), np.array([1, 2.0])))
    assert (found.result, found.relative, found.place) == (1, 0.5, (1,))
    with pytest.raises(ValueError, match="2 results compared with 1"):
        largest_difference((1, 2), 1)


def test_command(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_ufuncs.py").write_text(
        "import numpy_plugin as npp\n"
        'half = npp.vectorize(["float32(float32)"], name="half", args="x", body="return x / 2;")\n'
        'total = npp.guvectorize(["void(f8[:], f8[:])"], "(n)->()", args="x", outs="y", '
        'body="y(0) = x(0);")\n'
    )
    words = ["bench", "my_ufuncs:half", "--against", "numpy.tanh", "--size", "8"]
    assert main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["function"] for row in rows] == ["half", "numpy.tanh"]
    assert main(words) == 0
    assert "numpy.tanh" in capsys.readouterr().out
    for name, message in [
        ("my_ufuncs", "expected module:ufunc, found 'my_ufuncs'"),
        ("my_ufuncs:third", "my_ufuncs has no ufunc 'third'"),
        ("my_ufuncs:total", "has the core dimensions (n)->(), whose sizes are not known"),
        ("no_such_module:f", "No module named 'no_such_module'"),
    ]:
        assert main(["bench", name]) == 2
        assert message in capsys.readouterr().err
