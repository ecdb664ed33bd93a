"""What IPython's display machinery shows of this package's objects."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

IPython = pytest.importorskip("IPython")
from IPython.core.formatters import DisplayFormatter  # noqa: E402


def shown(found):
    """The HTML and the text of an object."""
    data, _ = DisplayFormatter().format(found, include={"text/html", "text/plain"})
    return data["text/html"], data["text/plain"]


@pytest.fixture(scope="module")
def added():
    return npp.vectorize(
        ["float32(float32, float32)", "float64(float64, float64)"],
        name="added",
        args="x, y",
        body="return x + y;",
    )


def test_an_inspection(added):
    html, text = shown(npp.inspect(added))
    assert text.startswith("<Inspection of ufunc 'added' from a C++ body")
    assert "<caption>ufunc added</caption>" in html
    assert "<td>float64(float64, float64)</td>" in html
    assert html.count("<tr>") == 3


def test_an_inspection_of_a_kernel_with_a_layout():
    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def copied(x, out):
        for i in range(len(x)):
            out[i] = x[i]

    html, _ = shown(npp.inspect(copied))
    assert "<td>layout</td><td>(n)-&gt;(n)</td>" in html
    assert "copied" in html


def test_an_inspection_before_the_first_call():
    @npp.vectorize
    def lazy(x):
        return x

    html, _ = shown(npp.inspect(lazy))
    assert html.count("<tr>") == 1


def test_an_explanation(added, nvrtc):
    found = npp.inspect(added).explain(np.ones(100), 1.0, gpu="H100 SXM")
    html, text = shown(found)
    assert text == str(found)
    assert html.startswith("<pre>runs on ")
    assert f"<td>instructions</td><td>{found.instructions:,}</td>" in html
    assert html.endswith("</pre>")
    assert "H100" in html


def test_a_profile(nvrtc):
    halve = npp.vectorize(["float32(float32)"], name="halve", args="x", body="return x / 2;")
    found = npp.inspect(halve).profile(np.ones(64, np.float32))
    html, text = shown(found)
    assert text == str(found)
    assert "<caption>&#x27;halve&#x27;, &lt;body of &#x27;halve&#x27;&gt;</caption>" in html
    assert "<td>return x / 2;</td>" in html
    assert "<td>(library)</td>" in html
    assert "halve" not in html.partition("<table>")[0]


def test_a_benchmark(added, capsys):
    found = npp.benchmark(added, np.ones(100), 1.0, against={"<sum>": np.add}, rounds=1)
    html, _ = shown(found)
    assert "<td>&lt;sum&gt;</td>" in html
    assert html.count("<tr>") == 3
    capsys.readouterr()


def test_settings():
    html, text = shown(npp.config)
    assert "<td>compile_timeout</td>" in html
    assert "compile_timeout" in text


def test_a_device_array():
    with cuda.simulator():
        html, text = shown(cuda.to_device(np.arange(3)))
    assert "<td>2</td>" in html
    assert text
