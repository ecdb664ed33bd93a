"""What ptxas and the simulated driver say of statements."""

from __future__ import annotations

import functools
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable

from ptx_tools import SimulatedDriver, site_packages, toolkit_directory

from ptx_grammar.operands import Statement, module

ERROR = re.compile(r"^ptxas \S+, line (\d+); (error|fatal) *: (.*)$", re.M)
BATCH = 400


class Assembler:
    """One ptxas, by its path."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        match = re.search(r"release (\d+)\.(\d+)", text.stdout)
        assert match, text.stdout
        major, minor = map(int, match.groups())
        self.version = f"{major}.{minor}"
        self.ptx_version = f"{major - 4}.{minor}"  # of CUDA 12 and 13

    def refusals(self, statements: Iterable[Statement], target: str) -> dict[Statement, str]:
        """The statements that are refused, each with the message."""
        left = list(statements)
        refused: dict[Statement, str] = {}
        for begin in range(0, len(left), BATCH):
            refused.update(self._refusals_in(left[begin : begin + BATCH], target))
        return refused

    def _refusals_in(self, statements: list[Statement], target: str) -> dict[Statement, str]:
        """Assemble without the statements that were refused until the rest is taken."""
        refused: dict[Statement, str] = {}
        while new := self._errors([each for each in statements if each not in refused], target):
            refused.update(new)
        return refused

    def _errors(self, statements: list[Statement], target: str) -> dict[Statement, str]:
        """The errors of one reading, which begins again after each that ends it."""
        found: dict[Statement, str] = {}
        while statements:
            new, n_read = self._first_errors(statements, target)
            found.update(new)
            statements = statements[n_read:]
        return found

    def _first_errors(
        self, statements: list[Statement], target: str
    ) -> tuple[dict[Statement, str], int]:
        """The errors, and how many statements were read."""
        text, first = module(statements, target, self.ptx_version)
        status, log = self._run(text, target)
        if status == 0:
            return {}, len(statements)
        found = {}
        n_read = len(statements)
        for line, severity, message in ERROR.findall(log):
            place = int(line) - first
            if not 0 <= place < len(statements):
                continue
            found.setdefault(statements[place], message)
            if severity == "fatal":
                n_read = place + 1
        if found:
            return found, n_read
        if len(statements) == 1:
            return {statements[0]: log}, 1
        return self._first_errors(statements[: len(statements) // 2], target)

    def _run(self, text: str, target: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory) / "forms.ptx"
            source.write_text(text)
            command = [self.path, f"-arch={target}", "-O0", source, "-o", "/dev/null"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            return run.returncode, run.stdout + run.stderr


def simulator_refusals(
    statements: Iterable[Statement], target: str, version: str, driver: SimulatedDriver
) -> dict[Statement, str]:
    refused = {}
    for statement in statements:
        text, _ = module([statement], target, version)
        if message := driver.load(text):
            refused[statement] = message
    return refused


@functools.cache
def pip_assembler() -> Assembler | None:
    """The one of nvidia-cuda-nvcc."""
    for path in sorted(site_packages().glob("nvidia/cu1?/bin/ptxas"), reverse=True):
        return Assembler(path)
    return None


@functools.cache
def toolkit_assembler() -> Assembler | None:
    directory = toolkit_directory()
    path = directory / "bin" / "ptxas" if directory else None
    found = str(path) if path and path.exists() else shutil.which("ptxas")
    return Assembler(pathlib.Path(found)) if found else None
