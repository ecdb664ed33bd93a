"""Cells of a notebook, run by IPython in this process."""

import contextlib
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


class RunCell:
    """Runs cells in a shell; `names` are those of the notebook."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.names = shell.user_ns
        self.shown: list[BaseException | None] = []
        shell.showtraceback = lambda *_, **__: self.shown.append(sys.exc_info()[1])

    def __call__(self, source: str, **names: object) -> BaseException | None:
        """Return the error that the cell ended with, None where there was none."""
        self.shown.clear()
        self.shell.push(names)
        self.shell.run_cell(source, store_history=True)
        return self.shown[0] if self.shown else None


@contextlib.contextmanager
def notebook(**names: object) -> Iterator[RunCell]:
    """The shell that `get_ipython` gives, with names of its own; nothing of it is left behind."""
    main = sys.modules["__main__"]
    earlier = os.environ.get("IPYTHONDIR")
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        os.environ["IPYTHONDIR"] = directory
        config = Config()
        config.HistoryManager.enabled = False
        shell = InteractiveShell.instance(config=config)
        shell.push(names)
        try:
            yield RunCell(shell)
        finally:
            InteractiveShell.clear_instance()
            sys.modules["__main__"] = main
            del os.environ["IPYTHONDIR"]
            if earlier is not None:
                os.environ["IPYTHONDIR"] = earlier
