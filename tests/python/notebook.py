"""Cells of a notebook, run by IPython in this process."""

import contextlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

# Runs a cell and returns the error that it ended with, None where there was none.
RunCell = Callable[[str], BaseException | None]


@contextlib.contextmanager
def notebook(**names: object) -> Iterator[RunCell]:
    """The shell that `get_ipython` gives, with names of its own; nothing of it is left behind."""
    main = sys.modules["__main__"]
    directory = os.environ.get("IPYTHONDIR")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        os.environ["IPYTHONDIR"] = folder
        config = Config()
        config.HistoryManager.enabled = False
        shell = InteractiveShell.instance(config=config)
        shell.push(names)
        shown: list[BaseException | None] = []
        shell.showtraceback = lambda *_, **__: shown.append(sys.exc_info()[1])

        def run_cell(source: str) -> BaseException | None:
            shown.clear()
            shell.run_cell(source, store_history=True)
            return shown[0] if shown else None

        try:
            yield run_cell
        finally:
            InteractiveShell.clear_instance()
            sys.modules["__main__"] = main
            del os.environ["IPYTHONDIR"]
            if directory is not None:
                os.environ["IPYTHONDIR"] = directory
