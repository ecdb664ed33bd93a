"""A notebook, run by Jupyter's own machinery in a kernel of its own."""

import sys

import pytest

CELLS = [
    "%load_ext numpy_plugin",
    '%%ufunc hypot "float64(float64 x, float64 y)"\nreturn sqrt(x * x + y * y);',
    "print(hypot(3.0, 4.0))",
    "import numpy_plugin as npp\nnpp.inspect(hypot)",
    "npp.config",
    '%%ufunc wrong "float64(float64 x)"\nreturn absent(x);',
]


@pytest.mark.slow
def test_cells_run_and_show_their_results():
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": sys.executable}
    client.NotebookClient(book, timeout=120, allow_errors=True).execute()
    loaded, made, printed, inspected, settings, wrong = (cell.outputs for cell in book.cells)
    assert (loaded, made) == ([], [])
    assert printed[0].text == "5.0\n"
    assert "<caption>ufunc hypot</caption>" in inspected[0].data["text/html"]
    assert "<td>num_threads</td>" in settings[0].data["text/html"]
    assert wrong[0].ename == "CompilerError"
    assert "Cell In[6], line 2" in wrong[0].evalue
